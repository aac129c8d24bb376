"""What shells are answered while a command line is written."""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.cli.test_start import modules_after
from tfbuild.cli import completion
from tfbuild.cli.app import app

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    for name in ("COMP_WORDS", "COMP_CWORD", completion.COMPLETE, "_TYPER_COMPLETE_ARGS"):
        monkeypatch.setenv(name, "")  # what is set while it answers goes with the test
    monkeypatch.setenv("_TYPER_COMPLETE_FISH_ACTION", "")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def bash(*typed: str) -> list[str]:
    """What bash is offered for words as it parts them."""
    asked = {completion.COMPLETE: "complete_bash", "COMP_WORDS": "\n".join(typed)}
    said, _ = completion.answer(app, asked | {"COMP_CWORD": str(len(typed) - 1)})
    return said.splitlines()


def other(shell: str, line: str, **more: str) -> tuple[str, int]:
    asked = {completion.COMPLETE: f"complete_{shell}", "_TYPER_COMPLETE_ARGS": line}
    return completion.answer(app, asked | more)


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        (("res",), ["resolve"]),
        (("facts", "sh"), ["show"]),
        (("build", "--skip"), ["--skip-perf"]),
        (("resolve", "python", "=", "3.1"), ["3.10", "3.11", "3.12", "3.13", "3.14", "3.15"]),
        (("resolve", "os", "=", "debian", ":", "12"), ["12"]),
        (("resolve", "numpy=2.4.6", "pyth"), None),
        (("build", "zst"), ["zstd"]),
        (("build", "zstd", "threads", "="), ["off", "on"]),
        (("build", "zstd", "--env", ""), ["docker", "host"]),
        (("build", "--env", "=", "d"), ["docker"]),
        (("resolve", "--gpu", "sm_9"), ["sm_90"]),
        (("resolve", "--explain", "cud"), ["cuda", "cudnn"]),
        (("resolve", "--prefer", "he"), ["here"]),
        (("plan", "--format", ""), ["json", "script", "text"]),
        (("explain", "lock-d"), ["lock-differs"]),
        (("facts", "show", "cuda", "12.4"), ["12.4"]),
        (("configure", "--for", "macos-a"), ["macos-arm64"]),
        (("doctor", "--check", "ho"), ["host"]),
        (("recipes", "new", "--build-system", "m"), ["meson"]),
        (("ci", "github", "zst"), ["zstd"]),
        (("env", "dockerfile", "--image-from", "n"), ["nvidia"]),
        (("audit", "dist/"), []),
    ],
)
def test_what_can_follow_is_offered(typed: tuple[str, ...], offered: list[str] | None) -> None:
    found = bash("tfbuild", *typed)
    if offered is None:
        assert "python=3.11" in found
    else:
        assert sorted(found) == sorted(offered, key=str)


def test_shells_that_replace_whole_words_get_whole_words() -> None:
    assert other("fish", "tfbuild resolve python=3.11")[0] == "python=3.11\t\n"
    assert other("fish", "tfbuild build --env=d")[0] == "--env=docker\t\n"
    said, _ = other("fish", "tfbuild doct")
    assert said.startswith("doctor\tCheck what this machine can build")
    said, _ = other("zsh", "tfbuild resolve os=debian:12")
    assert said == "_arguments '*: :((\"os=debian\\\\:12\"))'\n"
    said, _ = other("zsh", "tfbuild explain lock-d")
    assert said == "_arguments '*: :((\"lock-differs\"))'\n"
    assert other("zsh", "tfbuild audit dist/")[0] == "_files\n", "files are offered by the shell"


def test_fish_learns_by_the_exit_code_whether_files_are_meant() -> None:
    asked = {"_TYPER_COMPLETE_FISH_ACTION": "is-args"}
    assert other("fish", "tfbuild build zst", **asked) == ("", 0)
    assert other("fish", "tfbuild audit dist/", **asked) == ("", 1)


ODD: tuple[Mapping[str, str], ...] = (
    {"COMP_WORDS": "tfbuild\nresolve\n'pyth", "COMP_CWORD": "2"},
    {"COMP_WORDS": "tfbuild\nnothing\n--x\n=", "COMP_CWORD": "3"},
    {"COMP_WORDS": "tfbuild\nresolve", "COMP_CWORD": "7"},
    {"COMP_WORDS": "tfbuild\n--version\n", "COMP_CWORD": "2"},
    {"COMP_WORDS": "tfbuild\nbuild\n../../etc/passwd\nx", "COMP_CWORD": "3"},
    {"COMP_WORDS": "tfbuild\nresolve\n\x1b[2J\x00\\", "COMP_CWORD": "2"},
    {"COMP_WORDS": "", "COMP_CWORD": "x"},
    {},
)


@pytest.mark.parametrize("asked", ODD)
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_odd_lines_are_answered_by_plain_words_or_nothing(
    asked: Mapping[str, str], shell: str, capfd: pytest.CaptureFixture[str]
) -> None:
    line = {"_TYPER_COMPLETE_ARGS": asked.get("COMP_WORDS", "").replace("\n", " ")}
    said, code = completion.answer(app, {completion.COMPLETE: f"complete_{shell}", **asked, **line})
    assert code in {0, 1}
    assert capfd.readouterr() == ("", "")
    assert not set("\x1b\x00`$;") & set(said)
    assert "Traceback" not in said
    assert "tfbuild 0" not in said


def test_names_of_files_that_a_shell_would_run_are_not_offered(folder: Path) -> None:
    for name in ("plain.yaml", "a$(touch gone).yaml", "b`id`.yaml", "c d.yaml", 'e"f.yaml'):
        (folder / name).touch()
    names = [word for word in bash("tfbuild", "build", "") if word.endswith(".yaml")]
    assert names == ["plain.yaml"]
    assert "touch" not in other("zsh", "tfbuild build ")[0]


@pytest.mark.parametrize(
    "name", ["zz>gone.yaml", "zz<in.yaml", "zz!!.yaml", "zz~.yaml", "zz&.yaml", "zz*.yaml"]
)
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_names_of_files_that_redirect_or_expand_are_not_offered(
    name: str, shell: str, folder: Path
) -> None:
    (folder / name).touch()
    said = "\n".join(bash("tfbuild", "plan", "zz"))
    if shell != "bash":
        said, _ = other(shell, "tfbuild plan zz")
    assert name[2:] not in said


def test_a_name_of_a_file_is_not_offered_as_an_option(folder: Path) -> None:
    (folder / "--output=q.yaml").touch()
    (folder / "~root.yaml").touch()
    assert not {"--output=q.yaml", "~root.yaml"} & set(bash("tfbuild", "build", ""))


def test_what_compares_versions_goes_on_where_it_was_typed() -> None:
    assert "3.11" in bash("tfbuild", "resolve", "'python>", "=", "3.1")
    assert "python>=3.11\t" in other("fish", "tfbuild resolve 'python>=3.1")[0]


def test_bash_itself_completes(tmp_path: Path) -> None:
    """The function that `--show-completion` prints, called as bash calls it."""
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()
    program = bin_folder / "tfbuild"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m tfbuild "$@"\n')
    program.chmod(0o755)
    script = (
        'eval "$(_TFBUILD_COMPLETE=source_bash tfbuild)"\n'
        "COMP_WORDS=(tfbuild resolve python = 3.1); COMP_CWORD=4\n"
        'complete -p tfbuild; _tfbuild_completion tfbuild; echo "${COMPREPLY[@]}"\n'
    )
    environ = {k: v for k, v in os.environ.items() if k != completion.COMPLETE}
    environ |= {"PATH": f"{bin_folder}:{environ['PATH']}", "PYTHONPATH": str(ROOT)}
    shell = shutil.which("bash") or "bash"
    done = subprocess.run(
        [shell, "--norc", "-c", script], env=environ, capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    assert done.stdout.splitlines()[-1] == "3.15 3.14 3.13 3.12 3.11 3.10"


def test_an_answer_loads_little(monkeypatch: pytest.MonkeyPatch) -> None:
    """What makes it quick; the seconds themselves depend on the machine."""
    monkeypatch.setenv(completion.COMPLETE, "complete_bash")
    monkeypatch.setenv("COMP_WORDS", "tfbuild\nresolve\npython\n=")
    monkeypatch.setenv("COMP_CWORD", "3")
    monkeypatch.chdir(ROOT)
    loaded = modules_after()
    assert "tfbuild.commands.offered" in loaded
    heavy = {"rich", "packaging", "clingo", "requests", "docker", "tfbuild.facts.tables"}
    assert not loaded & (heavy | {"tfbuild.core.records", "tfbuild.reporting.console"})
