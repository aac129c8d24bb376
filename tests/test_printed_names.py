"""Real commands over wheels, logs and trees whose names are made to steer a terminal."""

import json
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.core.test_printable import is_harmful
from tests.shared_libraries import TAGS, compile_c, tiny_wheel
from tfbuild.cli.app import main
from tfbuild.reporting.html import render

_TFBUILD = str(Path(sys.executable).with_name("tfbuild"))
Inside = Callable[..., subprocess.CompletedProcess[bytes]]
EVIL = "a\x1b[2J\x9b31m\u202egnp\u200b\u2028z"


def tfbuild(*words: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([_TFBUILD, *words], capture_output=True, check=False)


@pytest.fixture
def inside(monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]) -> Inside:
    """Calls the command line in this process."""

    def call(*words: str) -> subprocess.CompletedProcess[bytes]:
        monkeypatch.setattr(sys, "argv", ["tfbuild", *words])
        before = signal.getsignal(signal.SIGTERM)
        with pytest.raises(SystemExit) as caught:
            main()
        signal.signal(signal.SIGTERM, before)
        code = int(caught.value.code or 0)
        return subprocess.CompletedProcess(words, code, *capfdbinary.readouterr())

    return call


def assert_harmless(*streams: bytes) -> None:
    for stream in streams:
        bad = {hex(ord(c)) for c in stream.decode("utf-8") if is_harmful(c)}
        assert bad == set(), stream.decode("utf-8", "replace")[:2000]


@pytest.fixture
def evil_wheel(tmp_path: Path) -> Path:
    library = compile_c(tmp_path).read_bytes()
    files = {
        f"tiny_thing/{EVIL}.so": library,
        f"tiny_thing/{EVIL}/x.py": b"x = (\n",
        f"../{EVIL}": b"",
    }
    requires = (f"numpy; python_version<'{EVIL}'", f"evil{EVIL}")
    return tiny_wheel(tmp_path, files, tags=TAGS, requires=requires)


@pytest.mark.parametrize("words", [(), ("--json",)])
def test_an_audit_of_a_wheel(evil_wheel: Path, words: tuple[str, ...]) -> None:
    done = tfbuild("audit", str(evil_wheel), *words)
    assert_harmless(done.stdout, done.stderr)
    if words:
        assert json.loads(done.stdout)["schema"] == "tfbuild.audit/1"
        assert b"\\u001b[2J\\u009b31m\\u202egnp" in done.stdout
    else:
        assert b"\\x1b[2J" in done.stdout + done.stderr


def test_the_sbom_of_a_wheel_in_a_pipe_and_on_a_terminal(evil_wheel: Path) -> None:
    done = tfbuild("sbom", str(evil_wheel))
    assert_harmless(done.stdout, done.stderr)
    master, slave = pty.openpty()
    subprocess.run([_TFBUILD, "sbom", str(evil_wheel)], stdout=slave, stderr=slave, check=False)
    os.close(slave)
    said = b""
    try:
        while chunk := os.read(master, 65536):
            said += chunk
    except OSError:
        pass
    os.close(master)
    text = said.decode().replace("\r\n", "\n")
    foreign = [c for c in text if is_harmful(c) and c != "\x1b"]
    assert foreign == []
    assert "\x1b[2J" not in text


@pytest.mark.parametrize("words", [(), ("--json",)])
def test_a_diagnosis_of_a_log(inside: Inside, tmp_path: Path, words: tuple[str, ...]) -> None:
    log = tmp_path / f"{EVIL}.log"
    log.write_text(
        f"ERROR: /src/{EVIL}/BUILD:1:1: C++ compilation of rule '//{EVIL}:x' failed\n"
        f"{EVIL}.cc:12:3: fatal error: {EVIL}.h: No such file or directory\n"
        f"/usr/bin/ld: cannot find -l{EVIL}\n"
    )
    done = inside("diagnose", str(log), *words)
    assert_harmless(done.stdout, done.stderr)
    assert b"gnp" in done.stdout + done.stderr


@pytest.mark.parametrize("words", [(), ("--json",)])
def test_a_plan_of_a_tree_and_an_error_about_it(
    inside: Inside, tmp_path: Path, words: tuple[str, ...]
) -> None:
    tree = tmp_path / EVIL
    tree.mkdir()
    for source in (tree, tmp_path / f"no-{EVIL}"):
        done = inside("plan", "--source", str(source), *words)
        assert done.returncode == 2
        assert_harmless(done.stdout, done.stderr)
        assert b"\\x1b[2J" in done.stderr


def test_a_word_of_the_command_line() -> None:
    for words in (("resolve", f"tensorflow={EVIL}"), ("plan", f"--{EVIL}"), (EVIL,)):
        done = tfbuild(*words)
        assert_harmless(done.stdout, done.stderr)
        assert b"\\x1b[2J" in done.stdout + done.stderr


def test_a_page_shows_names_by_their_numbers() -> None:
    page = render("page.html", title=f"{EVIL}<b>")
    assert_harmless(page.encode())
    assert r"a\x1b[2J\x9b31m\u202egnp\u200b\u2028z&lt;b&gt;" in page
