"""A person in a container: a shell gets the terminal here, or one command its three streams."""

import contextlib
import os
import select
import shutil
import signal
import socket
import sys
import termios
import time
import tty
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

from tfbuild.containers.engine import Container
from tfbuild.containers.frames import STDERR, STDOUT, FrameReader
from tfbuild.core.errors import BadRequest, EnvironmentFailed, TfbuildError

_CHUNK = 1 << 16
_PATIENCE_SECONDS = 5.0
# It waits until somebody listens, as every program in a container of ours.
_LINE = ("sh", "-c", 'read -r go; exec "$@"', "sh", "sh", "-c")
_BROKEN_PIPE = 128 + signal.SIGPIPE
_SHELL = ("sh", "-c", 'read -r go; exec "$@"', "sh", "bash", "--norc", "--noprofile", "-i")


class Speech(Protocol):
    """A program in a container, as far as a terminal is concerned."""

    def fileno(self) -> int:
        """Where to read what it says, and to write what it hears."""

    def code(self) -> int | None:
        """Its exit code, None while it runs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Streams:
    """What a command reads from and writes to, as numbers of open files."""

    stdin: int
    stdout: int
    stderr: int


def own_streams() -> Streams:
    """Those of this program; what it has said so far comes first."""
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    return Streams(stdin=sys.stdin.fileno(), stdout=sys.stdout.fileno(), stderr=sys.stderr.fileno())


def require_terminal() -> None:
    """BadRequest where nobody could type into a shell."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise BadRequest(
            "a shell needs a terminal, and there is none",
            code="terminal-missing",
            hint="give the command instead: tfbuild env shell --command 'g++ --version'",
        )


def enter(container: Container, *, env: Mapping[str, str], cwd: str) -> int:
    """Give the terminal to a shell in a container; its exit code when it ends."""
    session = container.execute(_SHELL, env=env, cwd=cwd, terminal=True)

    def resize() -> None:
        size = shutil.get_terminal_size()
        with contextlib.suppress(Exception):  # the shell may have ended just now
            api = container.engine.client.api
            api.exec_resize(session.id, height=size.lines, width=size.columns)

    try:
        with _raw(sys.stdin.fileno()), _following(resize):
            converse(session, sys.stdin.fileno(), sys.stdout.fileno())
            return _code(session)
    finally:
        session.close()


def run_line(
    container: Container, line: str, *, env: Mapping[str, str], cwd: str, streams: Streams
) -> int:
    """Give a shell line in a container the streams of this program; its exit code.

    That is 141, as in a shell, where nobody listens any more to what it says.
    """
    session = container.execute((*_LINE, line), env=env, cwd=cwd, terminal=False)
    try:
        _Wires(session, streams).carry()
        return _code(session)
    except BrokenPipeError:
        return _BROKEN_PIPE
    finally:
        session.close()


def converse(speech: Speech, typed: int, shown: int) -> None:
    """Carry bytes in both directions until the program has said its last."""
    ends = [speech.fileno(), typed]
    while True:
        ready, _, _ = select.select(ends, [], [], 1.0)
        if speech.fileno() in ready:
            try:
                said = os.read(speech.fileno(), _CHUNK)
            except OSError:
                return
            if not said:
                return
            _write(shown, said)
        if typed in ready:
            words = os.read(typed, _CHUNK)
            if words:
                _write(speech.fileno(), words)
            else:
                ends.remove(typed)  # nobody is there any more: let the program end by itself
                _write(speech.fileno(), b"\x04")
        if not ready and speech.code() is not None:
            return


# --- inside ------------------------------------------------------------------------------------


@contextmanager
def _raw(terminal: int) -> Iterator[None]:
    """Every key goes through, Ctrl-C as well; the terminal is as before when left."""
    before = termios.tcgetattr(terminal)
    try:
        tty.setraw(terminal)
        yield
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)


@contextmanager
def _following(resize: Callable[[], None]) -> Iterator[None]:
    """Call resize now and whenever the window changes."""
    before = signal.signal(signal.SIGWINCH, lambda *_: resize())
    try:
        resize()
        yield
    finally:
        signal.signal(signal.SIGWINCH, before)


class _Wires:
    """Carries the three streams of a program; none waits for another, however full it is."""

    def __init__(self, speech: Speech, streams: Streams) -> None:
        self._speech = speech
        self._typed = streams.stdin
        self._shown = {STDOUT: streams.stdout, STDERR: streams.stderr}
        self._frames = FrameReader()
        self._unheard = b""  # was read here, and is not yet taken inside
        self._is_open = True  # to what more is read here

    def carry(self) -> None:
        """Until the program has said its last; BrokenPipeError when nobody wants to hear it."""
        wire = self._speech.fileno()
        os.set_blocking(wire, False)
        while True:
            typed = [self._typed] if self._is_open and not self._unheard else []
            heard = [wire] if self._unheard else []
            ready, free, _ = select.select([wire, *typed], heard, [], 1.0)
            if wire in ready and not self._show():
                return
            if self._typed in ready:
                self._hear()
            if wire in free:
                self._send()
            if not ready and not free and self._speech.code() is not None:
                return  # what it left behind may keep the stream open for ever

    def _show(self) -> bool:
        """Pass on what the program says; whether there may be more."""
        try:
            chunk = os.read(self._speech.fileno(), _CHUNK)
        except BlockingIOError:
            return True
        except OSError:
            return False
        for number, content in self._frames.feed(chunk):
            _write_all(self._shown[number], content)
        return bool(chunk)

    def _hear(self) -> None:
        """Take what comes in here; its end is the end inside."""
        self._unheard = os.read(self._typed, _CHUNK)
        self._is_open = bool(self._unheard)
        if not self._is_open:
            self._end_input()

    def _send(self) -> None:
        try:
            self._unheard = self._unheard[os.write(self._speech.fileno(), self._unheard) :]
        except BlockingIOError:
            return
        except OSError:  # it hears nothing any more: what it says is still shown
            self._unheard, self._is_open = b"", False

    def _end_input(self) -> None:
        with (
            contextlib.suppress(OSError),
            socket.socket(fileno=os.dup(self._speech.fileno())) as wire,
        ):
            wire.shutdown(socket.SHUT_WR)


def _write_all(to: int, content: bytes) -> None:
    while content:
        content = content[os.write(to, content) :]


def _write(to: int, content: bytes) -> None:
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        _write_all(to, content)


def _code(speech: Speech) -> int:
    until = time.monotonic() + _PATIENCE_SECONDS
    while time.monotonic() < until:
        with contextlib.suppress(TfbuildError):
            code = speech.code()
            if code is not None:
                return code
        time.sleep(0.05)
    raise EnvironmentFailed(
        "the container engine went away while the shell ran",
        code="container-engine-gone",
        hint="see that the engine runs",
    )
