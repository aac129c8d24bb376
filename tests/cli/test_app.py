"""The command line as a user meets it: codes, messages, JSON, and how fast it starts."""

import gc
import inspect
import json
import os
import shlex
import signal
import subprocess
import sys
import traceback
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import typer

from tests.fakes import TINY, a_host
from tfbuild.cli import app as cli
from tfbuild.core.errors import BadRequest
from tfbuild.core.paths import PACKAGE

ROOT = Path(__file__).parents[2]


class Answer:
    """What a call of the command line gave."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err


class Line:
    """Calls the command line inside this process."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self._monkeypatch, self._capsys = monkeypatch, capsys

    def __call__(self, *words: str) -> Answer:
        self._monkeypatch.setattr(sys, "argv", ["tfbuild", *words])
        before = signal.getsignal(signal.SIGTERM)
        with pytest.raises(SystemExit) as caught:
            cli.main()
        signal.signal(signal.SIGTERM, before)
        out, err = self._capsys.readouterr()
        return Answer(int(caught.value.code or 0), out, err)


@pytest.fixture
def line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Line:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tfbuild.doctor.survey.look_at_host", lambda *_: a_host())
    return Line(monkeypatch, capsys)


def schema(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((PACKAGE / "schemas" / f"{name}.json").read_text())
    return found


def test_help_names_every_command(line: Line) -> None:
    answer = line("--help")
    assert answer.code == 0
    for command in (
        "doctor", "resolve", "plan", "build", "audit", "smoke", "perf", "sbom", "facts", "cache",
        "config", "ci",
    ):  # fmt: skip
        assert command in answer.out


def test_no_help_text_loses_its_brackets() -> None:
    """What stands in square brackets is markup to what draws the help, and is not shown."""
    todo: list[Any] = [typer.main.get_command(cli.app)]
    for command in todo:
        todo += getattr(command, "commands", {}).values()
        for parameter in command.params:
            assert "[" not in (getattr(parameter, "help", "") or ""), parameter.name
    assert len(todo) > 20


@pytest.mark.parametrize(
    "words", [["build"], ["build", "zstd"], ["build", "--workspace=.", "--target=//:all"]]
)
def test_few_modules_stand_between_the_command_line_and_the_executor(
    line: Line, monkeypatch: pytest.MonkeyPatch, words: list[str], tmp_path: Path
) -> None:
    met: set[str] = set()

    def execute(*_: object) -> None:
        for frame, _line in traceback.walk_stack(inspect.currentframe()):
            name = str(frame.f_globals["__name__"])
            met.update({name} if name.startswith("tfbuild.") else ())
        raise BadRequest("far enough")

    (tmp_path / "WORKSPACE").touch()
    monkeypatch.setattr("tfbuild.run.execute.execute", execute)
    assert line(*words).code == BadRequest.exit_code
    assert {"tfbuild.cli.app", "tfbuild.commands.build"} <= met
    assert len(met) <= 12, sorted(met)


def test_plan_as_text_json_and_script(line: Line) -> None:
    assert "plan " in line("plan", f"--source={TINY}").out
    document = json.loads(line("plan", f"--source={TINY}", "--json").out)
    jsonschema.validate(document, schema("plan"))
    assert line("plan", f"--source={TINY}", "--format=script").out.startswith("#!/bin/sh")


def test_plan_writes_nothing(line: Line, tmp_path: Path) -> None:
    assert line("plan", f"--source={TINY}").code == 0
    assert list(tmp_path.iterdir()) == []


def test_the_same_plan_comes_out_of_its_own_script(line: Line) -> None:
    first = json.loads(line("plan", f"--source={TINY}", "--gpu=RTX 3090", "--json").out)
    script = line("plan", f"--source={TINY}", "--gpu=RTX 3090", "--format=script").out
    words = shlex.split(next(x for x in script.splitlines() if x.startswith("exec")))[3:]
    again = json.loads(line("plan", *words, "--json").out)
    assert first["id"] == again["id"]
    assert first["commands"] == again["commands"]


@pytest.mark.parametrize(
    ("words", "exit_code", "code", "named"),
    [
        (("build", "--env=dokcer"), 2, "env-unknown", "did you mean 'docker'?"),
        (("build", "zsdt"), 2, "recipe-unknown", "did you mean 'zstd'?"),
        (("explain", "lock-diffrs"), 2, "unknown-error-code", "did you mean 'lock-differs'?"),
        (("plan", "pyhton=3.11"), 2, "axis-unknown", "'python'"),
        (("plan", "--format=yaml"), 2, "format-unknown", "text, json, script"),
        (("plan", "gpu=RTX 9999 ZZ"), 2, "gpu-unknown", "gpus.yaml"),
        (("plan", "--lock=nothing.yaml"), 2, "lock-missing", "nothing.yaml"),
        (("plan", "--prefer=newst"), 2, "preference-unknown", "'newest'"),
        (("resolve", "--format=cnoda"), 2, "format-unknown", "'conda'"),
        (("resolve", "--explain=cdua"), 2, "axis-not-in-question", "'cuda'"),
        (("resolve", "--prefer=newst"), 2, "preference-unknown", "'newest'"),
        (("facts", "show", "cdua"), 2, "axis-unknown", "'cuda'"),
        (("facts", "show", "cuda", "12.7"), 2, "version-not-in-facts", "12.7"),
        (("facts", "check", "--cases", "nothing"), 2, "cases-missing", "nothing"),
        (("audit", "nothing.whl"), 2, "file-missing", "nothing.whl"),
        (("smoke", "nothing.whl"), 2, "file-missing", "nothing.whl"),
        (("perf", "nothing.whl"), 2, "file-missing", "nothing.whl"),
        (("ci", "github", "--install=.", "py=3.99"), 3, "cells-not-on-runner", "python=3.14"),
        (("ci", "github"), 2, "install-not-known", "--install"),
        (("ci", "gitlab", "--install=tfbuild==0.1.0"), 2, "install-other-program", "'tfbuild=="),
        (("plan", "--json", "--format=script"), 2, "options-contradict", "--format script"),
        (("resolve", "--json", "--format=conda"), 2, "options-contradict", "--format conda"),
        (("resolve", "--explain=cuda", "--lock=a.yaml"), 2, "options-contradict", "--lock"),
        (("build", "--output=/proc/x"), 4, "folder-not-writable", "--output"),
        (("cache", "prune", "--older-than=-1"), 2, "cache-age-wrong", "-1"),
        (("cache", "prune", "--older-than=nan"), 2, "cache-age-wrong", "nan"),
        (("ci", "github", "pyhton=3.11"), 2, "axis-unknown", "'python'"),
        (("fetch", "--source=~nobody-of-that-name", "--list"), 2, "home-folder-unknown", "~nobody"),
        (("plan", "--jobs=none"), 2, "jobs-no-number", "'none'"),
        (("plan", "--jobs=²"), 2, "jobs-no-number", "'²'"),
        (("plan", "python=3.7"), 3, "versions-collide", "python=3.1"),
        (("plan", "gpu=sm_70"), 3, "versions-collide", "sm_75"),
        (("plan", "tensorflow=2.15.0"), 2, "tensorflow-needs-tree", "--source"),
        (("plan", "--env=podman"), 2, "env-is-podman", "--env docker"),
        (("plan", "--source=/nowhere"), 2, "source-tree-missing", "/nowhere"),
        (("plan", "--source=loop"), 2, "source-tree-missing", "/loop"),
        (("fetch", "--source=loop", "--list"), 2, "not-bazel-workspace", "/loop"),
        (("resolve", "--machine=nothing.json"), 2, "saved-file-unreadable", "nothing.json"),
        (("sbom", "nothing.whl"), 2, "file-missing", "nothing.whl"),
        (("build", "--output=loop/dist"), 2, "output-no-folder", "--output"),
        (("build", "--output=loop"), 2, "output-no-folder", "/loop"),
    ],
)
def test_wrong_use_ends_in_a_message_a_remedy_and_a_code(
    line: Line, words: tuple[str, ...], exit_code: int, code: str, named: str
) -> None:
    Path("loop").symlink_to("loop")
    source = [f"--source={TINY}"] if words[0] == "plan" and "--source" not in words[-1] else []
    answer = line(*words, *source)
    said = " ".join(answer.err.split())
    assert answer.code == exit_code
    assert f"error[{code}]: " in said
    assert named in said
    assert "do this:" in answer.err
    assert "Traceback" not in answer.err


def test_with_json_an_error_is_a_document(line: Line) -> None:
    answer = line("plan", "python=3.7", f"--source={TINY}", "--json")
    document = json.loads(answer.out)
    jsonschema.validate(document, schema("error"))
    assert document["exit_code"] == answer.code == 3


@pytest.mark.parametrize(
    ("words", "code", "status"),
    [
        (("tensorflow=2.6.5", "gpu=RTX 3090"), 0, "ok"),
        (("--cuda",), 0, "ok"),
        (("--gpu=RTX 3090", "tensorflow=2.6.5", "--format=json"), 0, "ok"),
        (("tensorflow=2.6.5", "gpu=RTX 3090", "cuda=11.0"), 3, "conflict"),
        (("tensorflow=2.6.5", "python=3.12", "--strict"), 3, "conflict"),
        (("tensorflow=99",), 3, "unknown"),
        (("--here",), 0, "ok"),
    ],
)
def test_resolve_answers_with_one_document_and_a_code(
    line: Line, words: tuple[str, ...], code: int, status: str
) -> None:
    answer = line("resolve", *words, "--json")
    document = json.loads(answer.out)
    jsonschema.validate(document, schema("resolution"))
    assert (answer.code, document["status"]) == (code, status)


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (("resolve", "tensorflow=2.6.5", "--explain=numpy"), "explanation"),
        (("facts", "list"), "facts"),
        (("facts", "show", "cuda"), "facts.rows"),
        (("facts", "show", "tensorflow", ">=2.15"), "facts.rows"),
    ],
)
def test_the_facts_as_documents(line: Line, words: tuple[str, ...], name: str) -> None:
    answer = line(*words, "--json")
    assert answer.code == 0
    jsonschema.validate(json.loads(answer.out), schema(name))
    plain = line(*words)
    assert plain.code == 0
    assert plain.out.strip()


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("pyhton=3.11", "nearest are python"),
        ("gpu=RTX 309", "RTX 3090"),
        ("os=ubunut 22.04", "ubuntu 22.04"),
        ("python>=3.9,<3.8", "means nothing"),
    ],
)
def test_a_word_that_means_nothing_is_reported_and_the_rest_answered(
    line: Line, word: str, said: str
) -> None:
    answer = line("resolve", "tensorflow=2.6.5", word)
    assert answer.code == 2
    assert said in answer.out
    assert "tensorflow 2.6.5" in answer.out
    assert line("resolve", "tensorflow=2.6.5", "cuda=9.0", word).code == 3


@pytest.mark.parametrize(
    "words", [("plan", "pyhton=3"), ("resolve", "--machine=x"), ("facts", "show", "cdua")]
)
def test_with_json_wrong_use_is_a_document_too(line: Line, words: tuple[str, ...]) -> None:
    answer = line(*words, "--json")
    document = json.loads(answer.out)
    jsonschema.validate(document, schema("error"))
    assert document["exit_code"] == answer.code == 2


def test_the_machine_that_doctor_writes_is_read(line: Line, tmp_path: Path) -> None:
    answer = line("doctor", "--json", "--check=host.system")
    (tmp_path / "there.json").write_text(answer.out)
    document = json.loads(line("resolve", "--machine=there.json", "--json").out)
    assert document["status"] == "ok"
    assert document["versions"]["os"]["version"] == "debian 12"
    assert "os=debian 12 (the machine of there.json)" in document["constraints"]


def test_a_plan_takes_just_the_versions_of_a_lock(line: Line, tmp_path: Path) -> None:
    constraint = ("python=3.11", "numpy=2.3.1", "gpu=sm_90,RTX 3090", "--here")
    locked = json.loads(line("resolve", *constraint, "--lock=a.lock.yaml", "--json").out)
    answer = line("plan", f"--source={TINY}", "--lock=a.lock.yaml", "--json")
    assert answer.code == 0, answer.err
    plan = json.loads(answer.out)
    found = {choice["axis"]: choice["value"] for choice in plan["versions"]["choices"]}
    assert plan["architectures"][:2] == ["sm_86", "sm_90"]
    for axis in set(found) - {"gpu"}:
        assert found[axis] == locked["versions"][axis]["version"], axis
    assert (found["python"], found["numpy"]) == ("3.11", "2.3.1")


def test_a_lock_without_cuda_holds_too(line: Line) -> None:
    assert line("resolve", "--here", "--lock=a.lock.yaml").code == 0
    plan = json.loads(line("plan", f"--source={TINY}", "--lock=a.lock.yaml", "--json").out)
    assert plan["recipe"] == "cpu"
    answer = line("plan", f"--source={TINY}", "--lock=a.lock.yaml", "--cuda")
    assert answer.code == 2
    assert "lock" in answer.err


def test_a_constraint_against_the_lock_or_a_broken_lock_is_reported(
    line: Line, tmp_path: Path
) -> None:
    assert line("resolve", "--here", "--lock=a.lock.yaml").code == 0
    answer = line("plan", f"--source={TINY}", "python=3.9", "--lock=a.lock.yaml")
    assert answer.code == 2
    assert "python=3.9 (command line)" in " ".join(answer.err.split())
    (tmp_path / "a.lock.yaml").write_text("versions: [")
    answer = line("plan", f"--source={TINY}", "--lock=a.lock.yaml")
    assert answer.code == 2
    assert "error[not-yaml]: a.lock.yaml " in answer.err
    assert "Traceback" not in answer.err


def test_config_show_names_who_set_what(
    line: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.tfbuild]\npython = "3.12"\n')
    monkeypatch.setenv("TFBUILD_JOBS", "3")
    document = json.loads(line("config", "show", "--json").out)
    jsonschema.validate(document, schema("config"))
    found = {s["name"]: s["origin"] for s in document["settings"]}
    assert found == {
        "python": str(tmp_path / "pyproject.toml"),
        "jobs": "environment, TFBUILD_JOBS",
    }


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_cache_show_and_prune(line: Line, tmp_path: Path) -> None:
    for words in (("cache", "show"), ("cache", "prune", "--all")):
        assert line(*words).code == 0
        document = json.loads(line(*words, "--json").out)
        jsonschema.validate(document, schema("cache"))
    gc.collect()  # the SDK leaves a socket that never was connected


def test_a_bug_of_ours_is_no_traceback(line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    def explode(*_: object) -> None:
        raise ZeroDivisionError("oops")

    monkeypatch.setattr("tfbuild.doctor.survey.look_at_host", explode)
    answer = line("plan", f"--source={TINY}")
    assert answer.code == 1
    assert "error[internal-error]: " in answer.err
    assert "Traceback" not in answer.err
    crash = Path(os.environ["TFBUILD_WORK_DIR"]) / "crash.txt"
    assert "ZeroDivisionError: oops" in crash.read_text()


@pytest.mark.parametrize(
    ("error", "exit_code", "code"),
    [
        (OSError(28, "No space left on device", "/x"), 12, "disk-full"),
        (PermissionError(13, "Permission denied", "/x"), 4, "permission-denied"),
        (KeyboardInterrupt(), 130, "interrupted"),
    ],
)
def test_what_the_system_says(
    line: Line, monkeypatch: pytest.MonkeyPatch, error: BaseException, exit_code: int, code: str
) -> None:
    def explode(*_: object) -> None:
        raise error

    monkeypatch.setattr("tfbuild.doctor.survey.look_at_host", explode)
    answer = line("plan", f"--source={TINY}")
    assert answer.code == exit_code
    assert f"error[{code}]: " in answer.err
    assert "do this:" in answer.err


def test_completion_script() -> None:
    words = [sys.executable, "-m", "tfbuild", "--show-completion", "bash"]
    # Else the shell that the tests were called from decides.
    environment = {**os.environ, "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    done = subprocess.run(
        words, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert "complete" in done.stdout


def test_a_matrix_is_planned_with_one_document_and_a_code(line: Line) -> None:
    words = ("--matrix=python=3.9,3.14", "--matrix=gcc=16", "--env=docker")
    answer = line("plan", *words, "--json")
    document = json.loads(answer.out)
    jsonschema.validate(document, schema("cells"))
    assert (answer.code, document["counts"]) == (3, {"impossible": 1, "not begun": 1})
    plain = line("plan", *words)
    assert (plain.code, "1 of 2 cells can be built" in plain.out) == (3, True)


def test_a_matrix_that_cannot_be_is_reported_and_kept(line: Line, tmp_path: Path) -> None:
    answer = line("build", "--matrix=glibc=2.31,2.35", "--json")
    assert answer.code == 3
    assert "glibc=2.31 (command line)" in answer.err
    assert json.loads(answer.out) == json.loads((tmp_path / "dist" / "matrix.json").read_text())
    assert (tmp_path / "dist" / "matrix.html").is_file()
