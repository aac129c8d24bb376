"""A Plan holds every decision; its id is their hash and nothing else."""

from pathlib import Path

import pytest

from tests.failing import fails
from tests.fakes import a_host, a_request
from tests.planning import planned
from tfbuild.builds.stages.plan import read_bar, read_baselines
from tfbuild.core.plans import Plan
from tfbuild.core.records import Host, Interpreter, Pin
from tfbuild.core.serialization import from_plain, to_plain
from tfbuild.facts.tables import Tables
from tfbuild.reporting.text import plan_script, plan_text, reasons_text

GOLDEN = Path(__file__).parents[2] / "golden"


@pytest.mark.parametrize("recipe", ["cpu", "cuda"])
def test_commands_are_those_of_the_golden_file(
    tables: Tables, host: Host, tmp_path: Path, recipe: str, pytestconfig: pytest.Config
) -> None:
    plan = planned(a_request(tmp_path, recipe=recipe), tables, host)
    lines = "".join("\n  ".join(command.argv) + "\n\n" for command in plan.commands)
    path = GOLDEN / f"{recipe}.txt"
    if pytestconfig.getoption("--rewrite-golden"):
        path.write_text(lines)
    assert lines == path.read_text(), "rewrite with: pytest --rewrite-golden"


def test_the_id_does_not_depend_on_folders_jobs_or_skipping_nothing(
    tables: Tables, host: Host, tmp_path: Path
) -> None:
    plan = planned(a_request(tmp_path), tables, host)
    other = planned(
        a_request(tmp_path / "other", jobs=7, source=tmp_path),
        tables,
        a_host(memory_mb=1, disk_free_mb=3),
    )
    assert plan.id == other.id
    assert other.jobs == 7


@pytest.mark.parametrize(
    "change",
    [
        {"recipe": "cuda"},
        {"against": ("tensorflow-cpu==2.21",)},
        {"skip_perf": True},
        {"env": "docker"},
        {"env": "docker", "cpus": 1.0},
        {"env": "docker", "pins": (Pin(axis="os", spec="debian 13"),)},
    ],
)
def test_the_id_depends_on_what_is_asked(
    tables: Tables, host: Host, tmp_path: Path, change: dict[str, object]
) -> None:
    first = planned(a_request(tmp_path), tables, host)
    second = planned(a_request(tmp_path, **change), tables, host)
    assert first.id != second.id


def test_jobs_follow_processors_and_memory(tables: Tables, tmp_path: Path) -> None:
    request = a_request(tmp_path, jobs=0)
    assert planned(request, tables, a_host(cpus=8, memory_mb=64000)).jobs == 8
    assert planned(request, tables, a_host(cpus=8, memory_mb=2500)).jobs == 3
    assert planned(request, tables, a_host(cpus=8, memory_mb=100)).jobs == 1


def test_cuda_wheels_only_where_asked(tables: Tables, host: Host, tmp_path: Path) -> None:
    cpu = planned(a_request(tmp_path), tables, host)
    cuda = planned(a_request(tmp_path, recipe="cuda"), tables, host)
    assert not [a for a in cpu.artifacts if a.kind == "cuda"]
    names = {a.distribution for a in cuda.artifacts}
    assert "nvidia-cuda-nvcc" in names
    assert set(cpu.artifacts) < set(cuda.artifacts)


@pytest.mark.parametrize("python", ["3.9", "3.10", "3.11", "3.12", "3.13", "3.14"])
def test_each_python_takes_one_nanobind(tables: Tables, tmp_path: Path, python: str) -> None:
    tag = "cp" + python.replace(".", "")
    found_here = Interpreter(path="/python", version=python, tag=tag, headers="/include")
    host = a_host(pythons=(found_here,))
    request = a_request(tmp_path, pins=(Pin(axis="python", spec=python),))
    found = [a for a in planned(request, tables, host).artifacts if a.distribution == "nanobind"]
    assert [a.version.split(".")[0] for a in found] == ["2" if python == "3.9" else "3"]


def test_the_audit_knows_what_may_be_in_the_wheel(
    tables: Tables, host: Host, tmp_path: Path
) -> None:
    policy = planned(a_request(tmp_path), tables, host).audit
    assert policy.folders == ("tfbuild_runtime", "tfbuild_runtime.libs")


def test_a_plan_survives_json(tables: Tables, host: Host, tmp_path: Path) -> None:
    plan = planned(a_request(tmp_path, recipe="cuda"), tables, host)
    assert from_plain(Plan, to_plain(plan)) == plan


def test_a_tool_that_is_here_is_the_one_and_another_is_left_open(
    tables: Tables, host: Host, tmp_path: Path
) -> None:
    here = planned(a_request(tmp_path), tables, host)
    assert here.bazel.accepted == "==4.2.3"
    assert (here.compiler.preferred, here.compiler.accepted) == ("12.2", "==12.2.*")
    bare = a_host(bazels=(), compilers=())
    free = planned(a_request(tmp_path), tables, bare)
    assert (free.bazel.accepted, free.compiler.accepted) == (">=3.5,<8", ">=9,<17")
    constraints = (Pin(axis="bazel", spec="7.7.1"), Pin(axis="gcc", spec="11"))
    asked = planned(a_request(tmp_path, pins=constraints), tables, bare)
    assert (asked.bazel.accepted, asked.compiler.accepted) == ("==7.7.1.*", "==11.*")


def test_the_id_does_not_depend_on_how_it_was_asked(
    tables: Tables, host: Host, tmp_path: Path
) -> None:
    free = planned(a_request(tmp_path), tables, host)
    constraints = tuple(
        Pin(axis=c.axis, spec=c.value) for c in free.versions.choices if c.axis != "runtime"
    )
    assert (
        planned(a_request(tmp_path, pins=constraints, prefer="newest"), tables, host).id == free.id
    )


def test_the_id_does_not_depend_on_how_it_was_typed(tables: Tables, tmp_path: Path) -> None:
    def identity(bazel: str, *against: str) -> str:
        pins = (Pin(axis="bazel", spec=bazel),)
        request = a_request(tmp_path, pins=pins, against=against)
        return planned(request, tables, a_host(bazels=())).id

    first = identity(">=3.5,<8", "tensorflow-cpu>=2.15,<2.17", "numpy")
    assert identity("<8, >=3.5", "numpy", "TensorFlow_CPU <2.17,>=2.15", "numpy") == first
    assert identity(">=4,<8", "tensorflow-cpu>=2.15,<2.17", "numpy") != first


def test_a_baseline_is_known_by_what_is_in_it(tables: Tables, host: Host, tmp_path: Path) -> None:
    wheel = tmp_path / "baseline-1-py3-none-any.whl"

    def plan_against(content: str) -> Plan:
        wheel.write_text(content)
        return planned(a_request(tmp_path, against=(str(wheel),)), tables, host)

    first = plan_against("one")
    assert plan_against("one").id == first.id
    assert plan_against("two").id != first.id
    wheel.unlink()
    with fails("baseline-wheel-missing", str(wheel)):
        planned(a_request(tmp_path, against=(str(wheel),)), tables, host)


def test_a_baseline_that_is_nothing_is_refused_before_anything_is_built() -> None:
    for nonsense in ("what?", "tensorflow-cpu==,2"):
        with fails("baseline-not-requirement", nonsense):
            read_baselines((nonsense,))


def test_wheels_of_cuda_have_a_name_of_their_own(
    tables: Tables, host: Host, tmp_path: Path
) -> None:
    assert planned(a_request(tmp_path), tables, host).wheel.build_tag == ""
    cuda = planned(a_request(tmp_path, recipe="cuda"), tables, host)
    assert cuda.wheel.build_tag == "1cu" + cuda.versions.value("cuda").replace(".", "")


def test_a_bar_names_a_measurement_a_baseline_and_a_ratio() -> None:
    assert read_bar("import Tensorflow_CPU==2.21 10") == ("import", "Tensorflow_CPU==2.21", 10.0)
    for nonsense in ("import 10", "import tensorflow==,2 10", "import tensorflow much"):
        with fails("speed-threshold-malformed", nonsense, "LEAST_RATIO"):
            read_bar(nonsense)


def test_text_and_script_name_every_choice(tables: Tables, host: Host, tmp_path: Path) -> None:
    request = a_request(tmp_path, recipe="cuda", architectures=("sm_90",))
    plan = planned(request, tables, host)
    text, script = plan_text(plan), plan_script(plan)
    reasons = reasons_text(plan)
    for choice in plan.versions.choices:
        assert choice.value in text
        assert all(f"because {reason}\n" in reasons for reason in choice.because)
        assert not any(reason in text for reason in choice.because), "they are shown with -v"
        assert choice.value.replace(" ", ",") in script
    assert script.startswith("#!/bin/sh\n")
    assert f"--source={request.source}" in script
