"""The watcher: it stops what runs when its maker is gone, and leaves alone what has ended."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.core.test_process import ends, has_ended
from tfbuild.core.lease import announce, watch

ROOT = Path(__file__).parents[2]
HEAD = """
import os, signal, subprocess, sys
from tfbuild.core.lease import announce, ended, forget, started
ours, theirs = os.pipe()
name = announce(theirs)
def start(stdout=theirs, **more):
    words = [sys.executable, "-c", "import os, time; os.write(1, b'1'); time.sleep(600)"]
    child = subprocess.Popen(words, stdout=stdout, start_new_session=True, **more)
    print(child.pid, flush=True)
    os.read(ours, 10)
    return child.pid
"""
KILL = "\nos.kill(os.getpid(), signal.SIGKILL)\n"


def run(code: str) -> list[int]:
    """The programs that code started and reported."""
    words = [sys.executable, "-c", HEAD + code]
    said = subprocess.run(words, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False).stdout
    return [int(word) for word in said.split()]


@pytest.mark.parametrize("end", [KILL, "\nos._exit(0)\n", "\nraise SystemExit(1)\n"])
def test_a_program_ends_with_its_maker(end: str) -> None:
    (pid,) = run(f"started(start(), name){end}")
    assert ends(pid)


def test_a_program_that_nobody_could_report_any_more_ends_as_well() -> None:
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


def test_a_number_that_is_another_process_by_now_is_left_alone() -> None:
    """Whatever is reported of it: when it began says that it is not the one that was meant."""
    with subprocess.Popen(["sleep", "600"], start_new_session=True) as other:
        for line in (f"runs {other.pid} 1", f"runs {other.pid}", f"runs {other.pid} x"):
            watched(line)
        assert not has_ended(other.pid)
        watched(f"runs {other.pid} {began(other.pid)}")
        assert other.wait(10) == -signal.SIGKILL


@pytest.mark.parametrize(
    "line", ["runs -1 1", "runs 0 1", "runs 1 1", "runs 00 1", "runs x y", "ended", "\xb2 \xff", ""]
)
def test_words_that_mean_nothing_stop_nothing(line: str) -> None:
    with subprocess.Popen(["sleep", "600"], start_new_session=True) as other:
        watched(line, f"runs {other.pid} {began(other.pid)}")
        assert other.wait(10) == -signal.SIGKILL, "what is reported after them counts"


def test_nobody_is_stopped_where_nobody_can_distinguish_processes() -> None:
    """As in a system without /proc, where no pipe has a name either."""
    kept, other, witness = run(
        "from tfbuild.core import lease\nforget(name)\n"
        "real, lease._began = lease._began, lambda _: ''\n"
        f"started(start())\nstart()\nlease._began = real\nstarted(start()){KILL}"
    )
    assert ends(witness), "the watcher has been here"
    assert not has_ended(kept)
    assert not has_ended(other)
    for pid in (kept, other):
        os.kill(pid, 9)


def test_many_stopped_and_forked_programs_end_and_a_daemon_does_not() -> None:
    *programs, daemon = run(
        "for _ in range(20):\n"
        "    pid = start()\n"
        "    started(pid)\n"
        "    os.kill(pid, signal.SIGSTOP)\n"
        "sleep = 'sleep 600 >&2 & echo $!'\n"
        "words = ['sh', '-c', f\"{sleep}; setsid sh -c '{sleep}'\"]\n"
        "child = subprocess.Popen(words, start_new_session=True, stderr=subprocess.DEVNULL)\n"
        f"started(child.pid)\nchild.wait(){KILL}"
    )
    assert len(programs) == 21
    assert all(map(ends, programs)), "the last one's parent had ended before"
    assert not has_ended(daemon)
    os.kill(daemon, 9)


def test_a_fork_that_lives_on_keeps_nothing_alive() -> None:
    program, fork = run(
        "started(start(), name)\n"
        "if (fork := os.fork()) == 0:\n"
        "    os.closerange(0, 3)\n"
        "    import time; time.sleep(600)\n"
        f"print(fork, flush=True){KILL}"
    )
    assert ends(program)
    assert not has_ended(fork)
    os.kill(fork, 9)


def test_a_number_that_somebody_has_closed_is_not_written_to(tmp_path: Path) -> None:
    (program,) = run(
        # The watcher that is lost takes us for gone, and must know of nothing that it could end.
        "from tfbuild.core import lease\nforget(name)\n(end,) = lease._opened\nos.close(end)\n"
        f"file = os.open({str(tmp_path / 'file')!r}, os.O_RDWR | os.O_CREAT)\nos.dup2(file, end)\n"
        f"name = announce(theirs)\nstarted(start(), name){KILL}"
    )
    assert ends(program), "there is another watcher"
    assert (tmp_path / "file").read_bytes() == b""


@pytest.mark.parametrize("number", ["SIGTERM", "SIGHUP", "SIGINT"])
def test_who_asks_every_process_to_end_ends_no_watcher_before_us(number: str) -> None:
    (program,) = run(
        "started(start(), name)\n"
        "from pathlib import Path\n"
        "children = Path(f'/proc/self/task/{os.getpid()}/children').read_text().split()\n"
        "is_it = lambda child: b'lease.py' in Path('/proc', child, 'cmdline').read_bytes()\n"
        f"os.kill(int(*filter(is_it, children)), signal.{number}){KILL}"
    )
    assert ends(program)


def watched(*lines: str) -> None:
    """What the watcher does when all of that was reported, and then its maker is gone."""
    theirs, ours = os.pipe()
    os.write(ours, "".join(f"{line}\n" for line in lines).encode("latin-1"))
    os.close(ours)
    watch(theirs)


def began(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
