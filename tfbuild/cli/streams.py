"""Standard streams that are closed or full: reported once, and with an exit code that says so."""

import errno
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn, TextIO

from tfbuild.core.errors import BadRequest, DiskFull, EnvironmentFailed


def prepare_streams() -> None:
    """Report failures to write a result; BadRequest where standard output is closed.

    A file that is opened next would take the number of a closed stream, and all that is said.
    """
    is_closed = sys.stdout is None
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free: this one
    if sys.stdin is None:
        nothing = io.FileIO(0, closefd=False)
        sys.stdin = _ClosedInput(io.BufferedReader(nothing), encoding="utf-8")
    sys.stdout = sys.stdout or _nowhere()
    sys.stderr = sys.stderr or _nowhere()
    if is_closed:
        raise BadRequest(
            "standard output is closed",
            code="output-closed",
            hint="send it to a file, or to /dev/null",
        )
    if type(sys.stdout) is io.TextIOWrapper:  # not one that a test has put there
        sys.stdout = _Output(
            sys.stdout.detach(),
            encoding=sys.stdout.encoding,
            errors="backslashreplace",  # what a terminal cannot show is no reason to fail
            line_buffering=os.isatty(1),
        )
    if type(sys.stderr) is io.TextIOWrapper:
        sys.stderr = _Errors(
            sys.stderr.detach(),
            encoding=sys.stderr.encoding,
            errors="backslashreplace",
            line_buffering=True,
        )


def discard_output() -> None:
    """Let standard output lead to nowhere: the interpreter writes what is left of it at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


class _Output(io.TextIOWrapper):
    """Standard output whose failures are errors of ours; a broken pipe stays what it is."""

    def write(self, text: str, /) -> int:
        with _reported():
            return super().write(text)

    def flush(self) -> None:
        with _reported():
            super().flush()


class _Errors(io.TextIOWrapper):
    """Standard error: what nobody can read there is dropped, and the command goes on."""

    def write(self, text: str, /) -> int:
        with _dropped():
            super().write(text)
        return len(text)

    def flush(self) -> None:
        with _dropped():
            super().flush()


class _ClosedInput(io.TextIOWrapper):
    """In place of a standard input that is closed: reading it is an error."""

    @property
    def buffer(self) -> NoReturn:
        """BadRequest."""
        raise BadRequest(
            "standard input is closed",
            code="input-closed",
            hint="name a file, or send something into it",
        )


@contextmanager
def _reported() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        discard_output()
        what, why = "standard output could not be written", error.strerror or str(error)
        hint = "write it where there is room, or to /dev/null"
        if error.errno in {errno.ENOSPC, errno.EDQUOT}:
            raise DiskFull(what, why=why, hint=hint) from error
        raise EnvironmentFailed(what, code="output-not-writable", why=why, hint=hint) from error


@contextmanager
def _dropped() -> Iterator[None]:
    try:
        yield
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)


def _nowhere() -> TextIO:
    return Path(os.devnull).open("w", encoding="utf-8")
