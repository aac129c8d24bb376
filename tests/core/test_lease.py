"""The watcher: it stops what runs when its maker is gone, and leaves alone what has ended."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.core.test_process import ends, has_ended
from tfbuild.core.lease import announce

ROOT = Path(__file__).parents[2]
HEAD = """
import os, signal, subprocess, sys
from tfbuild.core.lease import announce, ended, forget, started
ours, theirs = os.pipe()
name = announce(theirs)
def start(stdout=theirs, **more):
    words = [sys.executable, "-c", "print(1, flush=True); import time; time.sleep(600)"]
    child = subprocess.Popen(words, stdout=stdout, start_new_session=True, **more)
    print(child.pid, flush=True)
    os.read(ours, 10)
    return child.pid
"""
KILL = "\nos.kill(os.getpid(), signal.SIGKILL)\n"


def run(code: str) -> list[int]:
    """The programs that code started and told of."""
    words = [sys.executable, "-c", HEAD + code]
    said = subprocess.run(words, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False).stdout
    return [int(word) for word in said.split()]


@pytest.mark.parametrize("end", [KILL, "\nos._exit(0)\n", "\nraise SystemExit(1)\n"])
def test_a_program_ends_with_its_maker(end: str) -> None:
    (pid,) = run(f"started(start(), name){end}")
    assert ends(pid)


def test_a_program_that_nobody_could_tell_of_any_more_ends_as_well() -> None:
    (pid,) = run(f"start(){KILL}")
    assert ends(pid)


def test_one_that_has_ended_for_us_is_left_alone() -> None:
    """A number that was given back may be anybody's."""
    kept, other = run(f"pid = start()\nstarted(pid, name)\nended(pid)\nstarted(start()){KILL}")
    assert ends(other)
    assert not has_ended(kept)
    os.kill(kept, 9)


def test_the_watcher_goes_with_us_and_holds_nothing_of_ours() -> None:
    """Who reads our output to its end waits for no watcher."""
    words = [sys.executable, "-c", f"{HEAD}\nprint(os.getpid(), flush=True){KILL}"]
    with subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout
        assert child.stdout.read().strip() == str(child.pid)


def test_a_fork_has_a_watcher_of_its_own() -> None:
    parent, forked = run(
        "started(start(), name)\n"
        "if os.fork() == 0:\n"
        "    started(start())\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
        "os.wait()\n"
    )
    assert ends(parent)
    assert ends(forked)


def test_one_that_could_not_be_started_is_forgotten() -> None:
    """Its pipe may be open elsewhere."""
    kept, other = run(
        f"forget(name)\nkept = start()\nannounce(os.pipe()[1])\nstarted(start()){KILL}"
    )
    assert ends(other)
    assert not has_ended(kept)
    os.kill(kept, 9)


def test_only_pipes_are_announced(tmp_path: Path) -> None:
    """What others may have open as well would be their end."""
    with (tmp_path / "file").open("wb") as file, Path(os.devnull).open("wb") as nowhere:
        assert announce(file.fileno()) == announce(nowhere.fileno()) == announce(99999) == ""
