"""A person in a container: the terminal here becomes the terminal of a shell inside."""

import contextlib
import os
import select
import shutil
import signal
import sys
import termios
import time
import tty
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Protocol

from tfbuild.containers.engine import Container
from tfbuild.core.errors import BadRequest, EnvironmentFailed, TfbuildError

_CHUNK = 1 << 16
_PATIENCE_SECONDS = 5.0
# It waits until somebody listens, as every program in a container of ours.
_SHELL = ("sh", "-c", 'read -r go; exec "$@"', "sh", "bash", "--norc", "--noprofile", "-i")


class Speech(Protocol):
    """A program in a container, as far as a terminal is concerned."""

    def fileno(self) -> int:
        """Where to read what it says, and to write what it hears."""

    def code(self) -> int | None:
        """Its exit code, None while it runs."""


def require_terminal() -> None:
    """BadRequest where nobody could type into a shell."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise BadRequest(
            "a shell needs a terminal, and there is none",
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


def _write(to: int, content: bytes) -> None:
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        while content:
            content = content[os.write(to, content) :]


def _code(speech: Speech) -> int:
    until = time.monotonic() + _PATIENCE_SECONDS
    while time.monotonic() < until:
        with contextlib.suppress(TfbuildError):
            code = speech.code()
            if code is not None:
                return code
        time.sleep(0.05)
    raise EnvironmentFailed(
        "the container engine went away while the shell ran", hint="see that the engine runs"
    )
