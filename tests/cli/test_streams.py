"""Streams that are closed or full end in a message and the right code, and in no traceback."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.built_wheels import a_built_wheel

COMMANDS = ("config show", "config show --json", "--help", "--version", "facts show gcc --json")


def tfbuild(words: str, redirections: str, folder: Path) -> tuple[int, str]:
    """Its code, and what it said to standard error where that leads to us."""
    line = f'exec "{sys.executable}" -m tfbuild {words} {redirections}'
    environment = {**os.environ, "TFBUILD_CACHE_DIR": str(folder / "cache")}
    environment.pop("PYTHONUNBUFFERED", None)  # what is kept back is where it goes wrong
    done = subprocess.run(
        ("sh", "-c", line), cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stderr


@pytest.mark.parametrize("words", COMMANDS)
def test_a_full_output_is_reported(tmp_path: Path, words: str) -> None:
    code, said = tfbuild(words, ">/dev/full", tmp_path)
    assert code == 12
    assert "error[disk-full]: " in said
    assert "Traceback" not in said
    assert "Exception ignored" not in said
    assert "cache" not in said


@pytest.mark.parametrize("words", COMMANDS)
def test_a_closed_output_is_reported(tmp_path: Path, words: str) -> None:
    code, said = tfbuild(words, ">&-", tmp_path)
    assert code == 2
    assert "error[output-closed]: " in said
    assert "Traceback" not in said


@pytest.mark.parametrize("redirection", ["2>&-", "2>/dev/full", "<&-", "2>/dev/full >/dev/full"])
def test_without_an_ear_the_code_is_left(tmp_path: Path, redirection: str) -> None:
    expected = 12 if ">/dev/full >" in redirection else 0
    assert tfbuild("config show", redirection, tmp_path)[0] == expected
    assert tfbuild("diagnose nowhere.log", redirection, tmp_path)[0] == 2


@pytest.mark.parametrize("stream", ["closed", "full", "a pipe that nobody reads"])
def test_a_warning_that_nobody_hears_changes_no_result(tmp_path: Path, stream: str) -> None:
    wheel = a_built_wheel(tmp_path).wheel
    reading, writing = os.pipe()
    os.close(reading)
    redirection = {"closed": "2>&-", "full": "2>/dev/full"}.get(stream, "")
    line = f'exec "{sys.executable}" -m tfbuild sbom {wheel} {redirection}'
    done = subprocess.run(
        ("sh", "-c", line), cwd=tmp_path, stdout=subprocess.PIPE, stderr=writing, check=False
    )
    os.close(writing)
    assert done.returncode == 0
    assert json.loads(done.stdout)["bomFormat"] == "CycloneDX"


def test_what_a_terminal_cannot_show_is_no_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.tfbuild]\noutput = "é"\n')
    code, said = tfbuild("config show --json", ">out", tmp_path)
    assert (code, said) == (0, "")
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    code, said = tfbuild("config show --json", ">out", tmp_path)
    assert (code, said) == (0, "")
    assert "\\xe9" in (tmp_path / "out").read_text()


def test_a_folder_that_is_gone_is_reported(tmp_path: Path) -> None:

    line = f'cd gone && rmdir ../gone && exec "{sys.executable}" -m tfbuild'
    for words in ("config show", "plan", "resolve"):
        done = subprocess.run(
            ("sh", "-c", f"mkdir -p gone; {line} {words}"),
            cwd=tmp_path,
            env={k: v for k, v in os.environ.items() if k != "TFBUILD_WORK_DIR"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 2
        assert "error[current-folder-gone]: " in done.stderr


@pytest.mark.parametrize("words", ["diagnose -", "resolve --report -"])
def test_a_closed_input_is_reported(tmp_path: Path, words: str) -> None:
    code, said = tfbuild(words, "<&-", tmp_path)
    assert code == 2
    assert "error[input-closed]: " in said
    assert tfbuild(words, "</dev/null", tmp_path)[0] != 1
