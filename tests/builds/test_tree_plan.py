"""Plans of TensorFlow trees: every era's commands, and what does not go together."""

import hashlib
from dataclasses import replace
from pathlib import Path

import pytest

from tests.failing import fails
from tests.fakes import a_host
from tests.planning import planned
from tests.tensorflow_trees import ERAS, make_tree
from tfbuild.builds.stages.request import make_request
from tfbuild.core.plans import Plan
from tfbuild.core.records import Interpreter, Pin, Program, Request
from tfbuild.core.serialization import from_plain, to_plain
from tfbuild.core.settings import Setting, Settings
from tfbuild.facts.tables import Tables
from tfbuild.reporting.text import command_line, plan_script, plan_text

GOLDEN = Path(__file__).parents[1] / "golden" / "tensorflow_trees.txt"
# A machine that has what none of the eras forbids.
HOST = a_host(
    glibc="2.27",
    distribution="ubuntu",
    distribution_version="18.04",
    bazels=(),
    compilers=(Program(name="g++", path="/usr/bin/g++-7", version="7.5.0"),),
    pythons=tuple(
        Interpreter(
            path=f"/python{v}", version=v, tag=f"cp{v.replace('.', '')}", headers="/include"
        )
        for v in ("3.7", "3.9", "3.11", "3.12", "3.13")
    ),
)


def asked(tmp_path: Path, release: str, **words: str) -> Request:
    """The request that these words mean for a tree of a release."""
    tree = make_tree(tmp_path / release, release)
    named = {"source": str(tree), "output": str(tmp_path / "dist")} | {
        name.replace("_", "-"): value for name, value in words.items()
    }
    values = tuple(Setting(name=n, value=v, origin="flag") for n, v in named.items())
    return make_request(Settings(values=values))


def test_commands_of_every_era_are_those_of_the_golden_file(
    tables: Tables, tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    text = ""
    for release in ERAS:
        plan = planned(asked(tmp_path, release, cuda="none"), tables, HOST)
        text += f"=== {release}\n"
        text += "".join(f"{c.stage}: {command_line(c)}\n" for c in plan.commands)
    if pytestconfig.getoption("--rewrite-golden"):
        GOLDEN.write_text(text)
    assert text == GOLDEN.read_text(), "rewrite with: pytest --rewrite-golden"


def test_the_id_does_not_depend_on_where_a_build_file_keeps_its_folders(
    tables: Tables, tmp_path: Path
) -> None:
    def planned_beside(place: Path, copt: str = "-O2") -> Plan:
        place.mkdir()
        (place / "a.patch").write_text("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n")
        (place / "archives").mkdir()
        digest = hashlib.sha256((place / "a.patch").read_bytes()).hexdigest()
        (place / "build.yaml").write_text(
            f"copt: [{copt}]\ndistdir: [archives]\noverride_repository: {{llvm: archives}}\n"
            f"patches: [{{file: a.patch, sha256: {digest}}}]\n"
        )
        words = {"cuda": "none", "build_file": str(place / "build.yaml")}
        return planned(asked(place, "2.6.5", **words), tables, HOST)

    here, there = planned_beside(tmp_path / "here"), planned_beside(tmp_path / "there")
    assert str(tmp_path / "here") in " ".join(here.bazel.flags)
    assert here.id == there.id
    assert planned_beside(tmp_path / "other", "-O1").id != here.id


@pytest.fixture
def seed(tables: Tables, tmp_path: Path) -> Plan:
    """2.6.5 with CUDA 11.2 and cuDNN 8.1, an RTX 3090 and Python 3.7, in a container."""
    words = {"cuda": "11.2", "cudnn": "8.1", "gpu": "RTX 3090", "python": "3.7", "env": "docker"}
    return planned(asked(tmp_path, "2.6.5", **words), tables, a_host())


def test_the_case_that_this_project_began_with_is_planned_whole(seed: Plan) -> None:
    values = {c.axis: c.value for c in seed.versions.choices}
    assert (values["tensorflow"], values["python"], values["numpy"]) == ("2.6.5", "3.7", "1.19.5")
    assert (values["cuda"], values["cudnn"][:3], values["bazel"]) == ("11.2", "8.1", "3.7.2")
    assert seed.architectures[0] == "sm_86"
    assert all(choice.because for choice in seed.versions.choices)
    answers = dict(seed.configure_answers)
    assert answers["TF_CUDA_VERSION"] == "11.2"
    assert answers["TF_CUDNN_VERSION"] == "8.1"
    assert answers["TF_CUDA_COMPUTE_CAPABILITIES"].startswith("sm_86")
    assert answers["TF_CUDA_PATHS"] == "/usr/local/cuda,/usr"
    assert seed.environment.base.startswith("nvidia/cuda:11.2.2-cudnn8-devel-ubuntu18.04")
    assert [c.stage for c in seed.commands] == ["configure", "readback", "build", "last step"]
    text = plan_text(seed)
    assert "--gpu" in text
    assert "nvidia/cuda:11.2.2" in text


def test_a_script_of_a_plan_says_all_of_it(tables: Tables, tmp_path: Path) -> None:
    (tmp_path / "b.yaml").write_text("copt: [-O3]\n")
    request = asked(tmp_path, "2.6.5", cuda="none", build_file=f"{tmp_path}/b.yaml", cc="true")
    script = plan_script(planned(request, tables, HOST))
    assert f"--build-file={tmp_path}/b.yaml --cc" in script


def test_the_plan_of_a_library_has_no_wheel_and_no_checks_that_never_run(
    tables: Tables, tmp_path: Path
) -> None:
    plan = planned(asked(tmp_path, "2.6.5", cuda="none", cc="true"), tables, HOST)
    assert (plan.smoke_probes, plan.perf_probes) == ((), ())
    text = plan_text(plan)
    assert "//tensorflow:install_headers" in text
    assert not {"wheel", "checks"} & set(text.splitlines())
    of_wheel = plan_text(planned(asked(tmp_path, "2.6.5", cuda="none"), tables, HOST))
    assert {"wheel", "checks"} <= set(of_wheel.splitlines())


def test_an_image_for_a_tree_has_what_its_build_takes(tables: Tables, tmp_path: Path) -> None:
    old = planned(asked(tmp_path / "old", "2.6.5", cuda="none", env="docker"), tables, a_host())
    assert {"g++-10", "python3.9-dev", "python3-numpy", "git", "patch"} <= set(old.tree.packages)
    assert old.tree.unpackaged == ()
    new = planned(asked(tmp_path / "new", "2.14.1", cuda="none", env="docker"), tables, a_host())
    assert {"patchelf", "git"} <= set(new.tree.packages)
    assert not {name for name in new.tree.packages if name.startswith("python3-")}, (
        "rules fetch them"
    )


def test_a_plan_of_a_tree_survives_json(seed: Plan) -> None:
    assert from_plain(Plan, to_plain(seed)) == seed


def test_what_must_hold_is_on_the_command_line(tables: Tables, tmp_path: Path) -> None:
    path = tmp_path / "b.yaml"
    path.write_text("configs: [opt]\ncopt: [-O3]\nstartup: [--batch]\ntargets: ['//x']\n")
    request = asked(tmp_path, "2.21.0", gpu="sm_86", build_file=str(path))
    plan = planned(request, tables, a_host(pythons=()))
    build = next(c for c in plan.commands if c.stage == "build")
    for option in (
        "--copt=-O3",
        "--config=opt",
        "--config=cuda_wheel",
        "--repo_env=HERMETIC_CUDA_COMPUTE_CAPABILITIES=sm_86,compute_86",
    ):
        assert option in build.argv
        assert option in plan.tree.holding
    assert build.argv.index("--batch") < build.argv.index("build")
    assert build.argv[-1] == "//x"
    assert plan.tree.needs == ("patchelf",)
    assert "--build_event_json_file={work}/options.json" in plan.commands[1].argv


def test_the_id_depends_on_answers_and_not_on_folders(tables: Tables, tmp_path: Path) -> None:
    def identity(folder: str, text: str, **changes: object) -> str:
        place = tmp_path / folder
        place.mkdir(exist_ok=True)
        (place / "b.yaml").write_text(text)
        request = asked(place, "2.6.5", cuda="none", build_file=str(place / "b.yaml"))
        return planned(replace(request, **changes), tables, HOST).id  # type: ignore[arg-type]

    first = identity("a", "copt: [-O3]\n")
    assert identity("b", "copt: [-O3]\n") == first
    assert identity("a", "copt: [-O3]\n", jobs=7) == first
    assert identity("a", "copt: [-O2]\n") != first
    assert identity("a", "variables: {CC_OPT_FLAGS: -O3}\n") != first


@pytest.mark.parametrize(
    ("release", "words", "code"),
    [
        ("2.6.5", {"tensorflow": "2.7"}, "tensorflow-not-of-tree"),
        ("2.19.0", {"cuda": "12.8", "gpu": "sm_86"}, "tree-lacks-cuda"),
        ("2.14.1", {"python": "3.12", "cuda": "none"}, "versions-collide"),
        ("2.6.5", {"cuda": "13.0"}, "versions-collide"),
    ],
)
def test_what_the_tree_cannot_be_is_refused(
    tables: Tables, tmp_path: Path, release: str, words: dict[str, str], code: str
) -> None:
    with fails(code):
        planned(asked(tmp_path, release, **words), tables, a_host())


def test_the_release_of_the_tree_may_be_named_too(tables: Tables, tmp_path: Path) -> None:
    request = asked(tmp_path, "2.6.5", tensorflow=">=2.6,<2.7", cuda="none")
    assert Pin(axis="tensorflow", spec=">=2.6,<2.7", origin="flag") not in request.pins
    assert planned(request, tables, HOST).versions.value("tensorflow") == "2.6.5"


def test_a_build_file_without_a_tree_is_refused() -> None:
    with fails("option-needs-tree", "build-file"):
        make_request(Settings(values=(Setting(name="build-file", value="x", origin="flag"),)))


def test_another_bazel_than_the_trees_is_reported(tables: Tables, tmp_path: Path) -> None:
    plan = planned(asked(tmp_path, "2.14.1", cuda="none", bazel="6.5.0"), tables, a_host())
    assert any("6.1.0" in warning.text for warning in plan.tree.warnings)
