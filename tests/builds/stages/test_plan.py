"""A Plan holds every decision; its id is their hash and nothing else."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.fakes import a_host, a_request
from tfbuild.builds.stages.plan import make_plan, read_bar
from tfbuild.builds.stages.resolve import resolve
from tfbuild.core.errors import BadRecipe
from tfbuild.core.records import Host, Pin, Plan, Request
from tfbuild.core.serialization import from_plain, to_plain
from tfbuild.facts.tables import Tables
from tfbuild.reporting.text import plan_script, plan_text

GOLDEN = Path(__file__).parents[2] / "golden"


def planned(request: Request, tables: Tables, host: Host) -> Plan:
    return make_plan(request, resolve(request, tables, host), tables, host)


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
        {"pins": (Pin(axis="glibc", spec="2.31"),)},
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
    assert planned(request, tables, a_host(cpus=8, memory_mb=4500)).jobs == 3
    assert planned(request, tables, a_host(cpus=8, memory_mb=100)).jobs == 1


def test_cuda_wheels_only_where_asked(tables: Tables, host: Host, tmp_path: Path) -> None:
    cpu = planned(a_request(tmp_path), tables, host)
    cuda = planned(a_request(tmp_path, recipe="cuda"), tables, host)
    assert not [a for a in cpu.artifacts if a.kind == "cuda"]
    names = {a.distribution for a in cuda.artifacts}
    assert "nvidia-cuda-nvcc" in names
    assert set(cpu.artifacts) < set(cuda.artifacts)


@pytest.mark.parametrize("python", ["3.9", "3.10", "3.11", "3.12", "3.13", "3.14"])
def test_each_python_takes_one_nanobind(
    tables: Tables, host: Host, tmp_path: Path, python: str
) -> None:
    request = a_request(tmp_path, pins=(Pin(axis="python", spec=python),))
    found = [a for a in planned(request, tables, host).artifacts if a.distribution == "nanobind"]
    assert [a.version.split(".")[0] for a in found] == ["2" if python == "3.9" else "3"]


def test_a_plan_survives_json(tables: Tables, host: Host, tmp_path: Path) -> None:
    plan = planned(a_request(tmp_path, recipe="cuda"), tables, host)
    assert from_plain(Plan, to_plain(plan)) == plan


def test_a_pinned_bazel_is_the_only_one_accepted(
    tables: Tables, host: Host, tmp_path: Path
) -> None:
    request = a_request(tmp_path)
    free = planned(request, tables, host)
    assert free.bazel.accepted == ">=3.5,<8"
    versions = resolve(request, tables, host)
    choices = tuple(
        replace(c, is_pinned=True) if c.axis == "bazel" else c for c in versions.choices
    )
    pinned = make_plan(request, replace(versions, choices=choices), tables, host)
    assert pinned.bazel.accepted == "==4.2.3"


def test_a_bar_names_a_measurement_a_rival_and_a_ratio() -> None:
    assert read_bar("import Tensorflow_CPU==2.21 10") == ("import", "Tensorflow_CPU==2.21", 10.0)
    for nonsense in ("import 10", "import tensorflow==,2 10", "import tensorflow much"):
        with pytest.raises(BadRecipe) as caught:
            read_bar(nonsense)
        assert "LEAST_RATIO" in caught.value.hint


def test_text_and_script_name_every_choice(tables: Tables, host: Host, tmp_path: Path) -> None:
    request = a_request(tmp_path, recipe="cuda", architectures=("sm_90",))
    plan = planned(request, tables, host)
    text, script = plan_text(plan, request), plan_script(plan, request)
    for choice in plan.versions.choices:
        assert choice.value in text
        assert choice.value.replace(" ", ",") in script
    assert script.startswith("#!/bin/sh\n")
    assert f"--source={request.source}" in script
