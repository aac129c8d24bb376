"""A terminal that is carried into a container: here, into a program on the other end of a pty."""

import os
import pty
import signal
import sys
import termios
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from tfbuild.containers import shell
from tfbuild.containers.shell import converse, require_terminal
from tfbuild.core.errors import BadRequest


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
    talk.join(5)
    assert not talk.is_alive()


def test_the_end_of_what_is_typed_is_told_inside_and_its_answer_is_heard() -> None:
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
    talk.join(5)
    assert not talk.is_alive()


def test_a_program_that_ended_while_its_stream_stays_open() -> None:
    inside, _program = _pair()
    _hand, typed = _pair()
    _screen, shown = _pair()
    started = time.monotonic()
    converse(FakeSpeech(inside, ended=0), typed, shown)
    assert time.monotonic() - started < 5


def test_the_terminal_is_as_it_was_afterwards(terminal: tuple[int, int]) -> None:
    _, theirs = terminal
    before = termios.tcgetattr(theirs)
    with pytest.raises(KeyboardInterrupt), shell._raw(theirs):
        assert termios.tcgetattr(theirs) != before
        raise KeyboardInterrupt
    assert termios.tcgetattr(theirs) == before


def test_the_size_of_the_window_is_told_at_once_and_at_each_change() -> None:
    told: list[int] = []
    before = signal.getsignal(signal.SIGWINCH)
    with shell._following(lambda: told.append(1)):
        os.kill(os.getpid(), signal.SIGWINCH)
        time.sleep(0.05)
    assert len(told) == 2
    assert signal.getsignal(signal.SIGWINCH) == before


def test_without_a_terminal_there_is_no_shell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stdin, "isatty", lambda: False, raising=False)
    with pytest.raises(BadRequest) as caught:
        require_terminal()
    assert "--command" in caught.value.hint


def _pair() -> tuple[int, int]:
    """Two ends that hear each other."""
    import socket

    one, two = socket.socketpair()
    return one.detach(), two.detach()
