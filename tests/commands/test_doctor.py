"""What `tfbuild doctor` prints, and its exit code."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.failing import fails
from tests.fakes import a_host
from tests.sample_recipes import A_RECIPE, written
from tests.schema_maker import check
from tfbuild.bazel.history import History, LearnedAction, machine_key, tree_key
from tfbuild.commands import doctor as front_doctor
from tfbuild.commands.build import show_plan
from tfbuild.commands.buildable.base import Asked
from tfbuild.commands.context import own_folders
from tfbuild.core.cache_mark import make_cache
from tfbuild.core.paths import data_folder
from tfbuild.core.records import Interpreter, Program
from tfbuild.doctor.checks.model import BuildNeeds, Check
from tfbuild.doctor.feasibility import Feasibility
from tfbuild.facts.job_count import usual_need
from tfbuild.facts.tables import Tables
from tfbuild.resolver.machine import read_machine
from tfbuild.resolver.resolution import Resolution

GOOD = Check(group="host", name="system", state="pass", detail="debian")
BAD = Check(group="cuda", name="kernels", state="failure", detail="no", fix="take another")


def test_a_mistyped_check_is_reported_before_looking(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(front_doctor, "open_tools", lambda *_, **__: pytest.fail("it looked"))
    with fails("check-unknown", "'cuda.kernel'"):
        front_doctor.doctor(("cuda.kernel",), (), as_json=False, verbosity=0)


@pytest.mark.parametrize(("checks", "code"), [((GOOD,), 0), ((GOOD, BAD), 4)])
def test_lines_by_group_and_the_exit_code(
    checks: tuple[Check, ...],
    code: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(front_doctor, "examine", lambda *_: checks)
    assert front_doctor.doctor((), (), as_json=False, verbosity=0) == code
    out = capsys.readouterr().out
    assert out.startswith("This machine can build: CPU wheel yes, CUDA wheel ")
    assert "host" not in out, "what is in order is counted"
    assert ("→ take another" in out) == (code == 4)
    assert out.strip().endswith("1 pass; -v shows them all")
    front_doctor.doctor((), (), as_json=False, verbosity=1)
    assert "host" in capsys.readouterr().out


def test_json_is_one_document(capsys: pytest.CaptureFixture[str]) -> None:
    assert front_doctor.doctor(("host.system",), (), as_json=True, verbosity=0) in {0, 4}
    document = json.loads(capsys.readouterr().out)
    assert document["schema"] == "tfbuild.doctor/2"
    assert [check["name"] for check in document["checks"]] == ["system"]
    assert [check["code"] for check in document["checks"]] == ["host.system"]


def test_what_two_groups_miss_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = Check(group="bazel", name="bazel", state="warning", detail="not here", fix="nothing")
    monkeypatch.setattr(front_doctor, "examine", lambda *_: (found,))
    asked = Check(group="request", name="bazel", state="warning", detail="not here", fix="another")
    other = replace(asked, name="versions", detail="untested")
    answer = Resolution(status="unknown")
    feasibility = Feasibility(checks=(other, asked), needs=BuildNeeds(), answer=answer)
    monkeypatch.setattr(front_doctor, "_assess", lambda *_: feasibility)
    front_doctor.doctor((), ("tensorflow=2.16",), as_json=False, verbosity=0)
    out = capsys.readouterr().out
    assert "untested" in out
    assert out.count("not here") == 1
    assert "→ nothing" in out


@pytest.mark.parametrize(
    ("words", "first", "last"),
    [
        (
            ("tensorflow=1.15.5",),
            "This machine cannot build TensorFlow 1.15.5 with its own tools. A container",
            "next: tfbuild plan --env docker --source tensorflow-1.15.5",
        ),
        (
            ("tensorflow=2.6.5", "gpu=RTX 3090", "cuda=11.0"),
            "No machine can build this",
            "next: tfbuild resolve tensorflow=2.6.5 'gpu=RTX 3090' cuda=11.2",
        ),
        (
            ("runtime=0.1.0",),
            "This machine cannot build the bundled runtime 0.1.0 as it is",
            "next: tfbuild build runtime=0.1.0",
        ),
        (
            ("tensorflow-cc", "tensorflow=2.18.1"),
            "This machine cannot build the C++ library of TensorFlow 2.18.1 as it is",
            "next: tfbuild plan tensorflow-cc --source tensorflow-2.18.1",
        ),
    ],
)
def test_a_request_ends_with_the_command_to_type_next(
    words: tuple[str, ...],
    first: str,
    last: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    machine = a_host(
        compilers=(Program(name="g++", path="/g", version="12.2.0"),),
        pythons=(Interpreter(path="/p", version="3.12.2", tag="cp312", headers="/i"),),
    )
    start = Check(group="container", name="engine", state="failure", detail="off", fix="start it")
    monkeypatch.setattr(front_doctor, "read_machine", lambda _, facts: read_machine(machine, facts))
    monkeypatch.setattr(front_doctor, "examine", lambda *_: (start,))
    front_doctor.doctor((), words, as_json=False, verbosity=0)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(first)
    assert "first: start it" in lines
    assert lines[-1] == last


def test_the_list_names_every_check(capsys: pytest.CaptureFixture[str]) -> None:
    front_doctor.list_checks(as_json=False)
    assert "cuda.kernels" in capsys.readouterr().out
    front_doctor.list_checks(as_json=True)
    assert json.loads(capsys.readouterr().out)["schema"] == "tfbuild.checks/1"


def test_settings_that_are_ignored_are_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(front_doctor, "examine", lambda *_: (GOOD,))
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "pyproject.toml"
    path.write_text('[tool.tfbuild]\npython = "3.12"\n')
    path.chmod(0o666)
    front_doctor.doctor((), ("python=3.11",), as_json=True, verbosity=0)
    assert f"{path} is ignored" in capsys.readouterr().err.replace("\n", "")


def request_of(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    """What the machine is judged by."""
    front_doctor.doctor(("host.system",), words, as_json=True, verbosity=0)
    document = json.loads(capsys.readouterr().out)
    check("doctor", document)
    request: dict[str, Any] = document["request"]
    return request


@pytest.mark.parametrize(
    ("words", "recipe"),
    [
        (("tensorflow=2.15.0",), "tensorflow_cpu"),
        (("tensorflow",), "tensorflow_cpu"),
        (("tensorflow=2.15.0", "cuda=12.2"), "tensorflow_cuda"),
        (("tensorflow=2.15.0", "python=2.7"), "tensorflow_cpu"),
        (("python=3.11",), "cpu"),
        ((), "cpu"),
    ],
)
def test_disk_and_memory_are_those_of_what_is_asked_for(
    words: tuple[str, ...], recipe: str, tables: Tables, capsys: pytest.CaptureFixture[str]
) -> None:
    constraint, costs = request_of(capsys, *words), tables.recipe(recipe)
    assert constraint["disk_mb"] == costs.disk_mb
    per_job = usual_need(costs.memory_kind, tables.memory())
    mean = per_job.mean_mb
    amount = f"{mean / 1000:.1f} GB" if mean >= 1000 else f"{mean:.0f} MB"
    assert f"{amount} per {per_job.what}" in constraint["jobs_because"]


def test_what_was_measured_of_the_runtime_counts_in_doctor_as_in_its_plan(
    tables: Tables,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    host = a_host(cpus=8, memory_mb=8000)
    monkeypatch.setattr("tfbuild.doctor.survey.look_at_host", lambda *_: host)
    _, cache = own_folders()
    make_cache(cache)
    tree = tree_key(data_folder("runtime"), tables.recipe("cpu").targets)
    history = History(cache=cache, machine=machine_key(host), tree=tree)
    action = LearnedAction(output="a.o", kind="CppCompile", seconds=9.0, memory_mb=2000.0)
    history.learn([action], seconds=9.0, jobs=8, total=1, speed=1.0)
    show_plan(Asked(flags={"python": "3.11"}), style="json")
    plan = json.loads(capsys.readouterr().out)
    assert "measured over 1 action" in plan["jobs_because"]
    constraint = request_of(capsys)
    assert (constraint["jobs"], constraint["jobs_because"]) == (plan["jobs"], plan["jobs_because"])
    assert constraint["memory_mb"] == plan["estimate"]["memory_mb"]


def test_a_recipe_is_judged_by_its_needs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path, A_RECIPE)
    asked: list[tuple[str, ...]] = []

    def look(*words: Any) -> tuple[Check, ...]:
        asked.append(words[2])
        return ()

    monkeypatch.setattr(front_doctor, "examine", look)
    front_doctor.doctor((), ("./greet.yaml",), as_json=False, verbosity=0)
    out = capsys.readouterr().out
    assert "greet" in out.splitlines()[0]
    assert "pkg-config" in out, "what was asked for is shown, in order or not"
    assert asked[0][0] == "host"
    front_doctor.doctor(("host.system",), ("./greet.yaml",), as_json=True, verbosity=0)
    check("doctor", json.loads(capsys.readouterr().out))
    assert asked[1] == ("host.system",)
