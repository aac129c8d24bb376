"""A terminal that is carried into a container: here, into a program on the other end of a pty."""

import contextlib
import os
import pty
import signal
import sys
import termios
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

import pytest

from tests.failing import fails
from tests.local_container import Box
from tfbuild.containers import shell
from tfbuild.containers.engine import Container
from tfbuild.containers.shell import Streams, converse, require_terminal, run_line


@dataclass
class FakeSpeech:
    """The engine's end of a terminal."""

    fd: int
    ended: int | None = None

    def fileno(self) -> int:
        return self.fd

    def code(self) -> int | None:
        return self.ended


@pytest.fixture
def terminal() -> Iterator[tuple[int, int]]:
    ours, theirs = pty.openpty()
    yield ours, theirs
    for fd in (ours, theirs):
        try:
            os.close(fd)
        except OSError:
            continue


def test_what_is_typed_goes_in_and_what_is_said_comes_out() -> None:
    inside, program = _pair()
    hand, typed = _pair()
    screen, shown = _pair()
    talk = threading.Thread(target=converse, args=(FakeSpeech(inside), typed, shown))
    talk.start()
    os.write(hand, b"ls\r")
    assert os.read(program, 100) == b"ls\r"
    os.write(program, b"Makefile\r\n")
    assert os.read(screen, 100) == b"Makefile\r\n"
    os.close(program)
    talk.join(60)
    assert not talk.is_alive()


def test_the_end_of_what_is_typed_is_sent_inside_and_its_answer_is_heard() -> None:
    inside, program = _pair()
    hand, typed = _pair()
    screen, shown = _pair()
    talk = threading.Thread(target=converse, args=(FakeSpeech(inside), typed, shown))
    talk.start()
    os.close(hand)
    assert os.read(program, 10) == b"\x04"
    os.write(program, b"exit\r\n")
    assert os.read(screen, 100) == b"exit\r\n"
    os.close(program)
    talk.join(60)
    assert not talk.is_alive()


def test_a_program_that_ended_while_its_stream_stays_open() -> None:
    inside, _program = _pair()
    _hand, typed = _pair()
    _screen, shown = _pair()
    converse(FakeSpeech(inside, ended=0), typed, shown)


def test_the_terminal_is_as_it_was_afterwards(terminal: tuple[int, int]) -> None:
    _, theirs = terminal
    before = termios.tcgetattr(theirs)
    with pytest.raises(KeyboardInterrupt), shell._raw(theirs):
        assert termios.tcgetattr(theirs) != before
        raise KeyboardInterrupt
    assert termios.tcgetattr(theirs) == before


def test_the_size_of_the_window_is_sent_at_once_and_at_each_change() -> None:
    sent: list[int] = []
    before = signal.getsignal(signal.SIGWINCH)
    with shell._following(lambda: sent.append(1)):
        os.kill(os.getpid(), signal.SIGWINCH)
        time.sleep(0.05)
    assert len(sent) == 2
    assert signal.getsignal(signal.SIGWINCH) == before


def test_without_a_terminal_there_is_no_shell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stdin, "isatty", lambda: False, raising=False)
    with fails("terminal-missing", "--command"):
        require_terminal()


def _pair() -> tuple[int, int]:
    """Two ends that hear each other."""
    import socket

    one, two = socket.socketpair()
    return one.detach(), two.detach()


# --- one command ---------------------------------------------------------------------------------


@dataclass
class Ends:
    """Our ends of the three streams that a command is given."""

    streams: Streams
    typing: int
    stdout: int
    stderr: int


@pytest.fixture
def ends() -> Iterator[Ends]:
    pipes = [os.pipe() for _ in range(3)]
    (stdin, typing), (stdout, shown), (stderr, failing) = pipes
    streams = Streams(stdin=stdin, stdout=shown, stderr=failing)
    yield Ends(streams=streams, typing=typing, stdout=stdout, stderr=stderr)
    for fd in {fd for pair in pipes for fd in pair}:
        with contextlib.suppress(OSError):
            os.close(fd)


def started(line: str, ends: Ends) -> tuple[threading.Thread, list[int]]:
    """The line, running in a container that is none; its code will be in the list."""
    codes: list[int] = []

    def run() -> None:
        box = cast("Container", Box())
        words = {"LC_ALL": "C.UTF-8"}
        codes.append(run_line(box, line, env=words, cwd="/usr", streams=ends.streams))

    thread = threading.Thread(target=run)
    thread.start()
    return thread, codes


def test_a_line_has_both_streams_its_folder_and_its_code(ends: Ends) -> None:
    thread, codes = started("pwd; echo oops >&2; awk 'BEGIN {print 1}'; exit 3", ends)
    thread.join(60)
    assert codes == [3]
    assert os.read(ends.stdout, 100) == b"/usr\n1\n"
    assert os.read(ends.stderr, 100) == b"oops\n"


def test_what_a_line_says_comes_while_it_runs_and_it_hears_what_is_typed(ends: Ends) -> None:
    thread, codes = started("echo first; read -r word; echo heard $word; cat; kill -9 $$", ends)
    assert os.read(ends.stdout, 100) == b"first\n"
    os.write(ends.typing, b"this\n")
    assert os.read(ends.stdout, 100) == b"heard this\n"
    os.write(ends.typing, b"rest")
    os.close(ends.typing)
    assert os.read(ends.stdout, 100) == b"rest"
    thread.join(60)
    assert codes == [137]


def test_more_than_fits_goes_through_in_both_directions(ends: Ends) -> None:
    thread, codes = started("cat", ends)
    content, found = b"x" * 99 + b"\n", b""
    content *= 20_000

    def type_all() -> None:
        rest = content
        while rest:
            rest = rest[os.write(ends.typing, rest) :]
        os.close(ends.typing)

    typing = threading.Thread(target=type_all)
    typing.start()
    while len(found) < len(content):
        found += os.read(ends.stdout, 1 << 16)
    thread.join(60)
    typing.join(60)
    assert (found == content, codes) == (True, [0])


def test_a_line_that_reads_nothing_ends_all_the_same(ends: Ends) -> None:
    thread, codes = started("exec <&-; sleep 0.1; echo done", ends)
    os.write(ends.typing, b"x" * 60_000)
    thread.join(60)
    assert (os.read(ends.stdout, 100), codes) == (b"done\n", [0])


@pytest.mark.slow
def test_a_line_that_nobody_listens_to_is_left(ends: Ends) -> None:
    os.close(ends.stdout)
    thread, codes = started("yes", ends)
    thread.join(60)
    assert codes == [141]
