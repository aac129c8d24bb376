"""The adapter for programs: runs one, streams it to the log, stops its whole process group."""

import errno
import fcntl
import os
import pty
import re
import select
import shlex
import shutil
import signal
import struct
import subprocess
import termios
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Self

from tfbuild.core.child_environment import child_environment, search_path
from tfbuild.core.errors import (
    CommandFailed,
    CommandTimedOut,
    DiskFull,
    EnvironmentFailed,
    Interrupted,
    OutOfMemory,
)
from tfbuild.core.interfaces import Watch, shell_line
from tfbuild.core.lease import announce, ended, forget, started
from tfbuild.core.line_reader import LineReader
from tfbuild.core.masking import mask
from tfbuild.core.printable import printable
from tfbuild.core.records import Command, Completed
from tfbuild.core.reporter import Reporter, SilentReporter

_TAIL_LINES = 40
_TICK_SECONDS = 0.2
_KEPT_BYTES = 64 * 1024 * 1024
_LINE_BYTES = 64  # that a line takes in memory beside its letters
_MOST_LOGGED = 512 * 1024 * 1024  # letters of one program: a log must not fill the disk
_LOGGED_ANSWER = 1000  # lines of what a question is answered
_ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07\x1b]*\x07|\x1b[()][A-Z0-9]")
_NO_MEMORY = re.compile(
    r"Cannot allocate memory|out of memory|virtual memory exhausted|std::bad_alloc"
    r"|OutOfMemoryError|Killed signal terminated program|failed: \(Killed\)",
    re.IGNORECASE,
)
# A count, what the server is doing, or one running action: `    [Scann] Compiling a.cc; 3s`.
_DISPLAY = re.compile(
    r"\s*\[[\d,]+ / [\d,]+\]|\s*(Analyzing|Loading|Computing|\(\d\d:\d\d:\d\d\) \[)"
    r"|\s{4}\[[A-Z][a-z]{4}\] |\s{4}[A-Z].*; \d+s( |$)"
)
_NO_SPACE = re.compile(r"No space left on device|Disk quota exceeded", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessRunner:
    """Runs programs on this machine, keeps their output in log and the words in script."""

    log: Path | None = None
    script: Path | None = None
    reporter: Reporter = field(default_factory=SilentReporter)

    def run(self, command: Command, watch: Watch | None = None) -> Completed:
        """Run it; CommandFailed when its code is not among command.ok_codes."""
        if self.script is not None and not command.quiet:
            with self.script.open("a") as stream:
                stream.write(mask(script_lines(command)))
        return run(command, log=self.log, reporter=self.reporter, watch=watch)


def script_lines(command: Command) -> str:
    """The command as lines of a POSIX script."""
    unset = "".join(f"unset {name}; " for name in command.unset)
    folder = f"cd {shlex.quote(command.cwd)} && " if command.cwd else ""
    line = f"({unset}{folder}{shell_line(command)})"
    return f"\n# {command.title}\n{line}\n" if command.title else f"\n{line}\n"


def run(
    command: Command,
    *,
    log: Path | None = None,
    reporter: Reporter | None = None,
    watch: Watch | None = None,
) -> Completed:
    """Run one program to its end and return its code and output.

    Raises CommandFailed (with the last lines) on a code that is not expected, DiskFull and
    OutOfMemory where the output or the machine says so, EnvironmentFailed when the program is
    missing. Whatever interrupts the wait (Ctrl-C, a watch that raises) stops the process group, and
    nothing of it outlives the program, or tfbuild when that is killed.
    """
    reporter = reporter or SilentReporter()
    if not command.quiet:
        reporter.command(mask(shell_line(command)))
    began = time.monotonic()
    taker = CommandOutput(command, log, reporter, watch)
    with taker as output, _start(command) as (process, streams):
        _pump(process, streams, output, _deadline(command, began))
    completed = Completed(
        code=process.returncode,
        stdout="".join(output.kept),
        last_lines=tuple(output.tail),
        seconds=time.monotonic() - began,
    )
    if completed.code not in command.ok_codes:
        raise diagnose(command, completed, str(log or ""))
    return completed


def diagnose(command: Command, completed: Completed, log: str = "") -> Exception:
    """The error that a failed program means: no memory, no disk, interrupted, or its own fault."""
    text = "\n".join(completed.last_lines)
    name = Path(command.argv[0]).name
    if _NO_SPACE.search(text) or is_full(command.cwd or "."):
        return DiskFull(
            f"{name} found no room on the disk",
            why=_matching(_NO_SPACE, completed.last_lines),
            hint="free some space, or see `tfbuild cache show` and `tfbuild cache prune`",
            log=log,
        )
    if completed.code in {-signal.SIGKILL, 128 + signal.SIGKILL} or _NO_MEMORY.search(text):
        return OutOfMemory(
            f"{name} was stopped for want of memory",
            why=_matching(_NO_MEMORY, completed.last_lines) or "it was killed by signal 9",
            hint="run again with fewer jobs, for example --jobs=1; finished work is kept",
            log=log,
        )
    if completed.code in {-signal.SIGINT, -signal.SIGTERM}:
        return Interrupted(f"{name} was interrupted", hint="run the same command again to go on")
    what = command.purpose or name
    return CommandFailed(
        f"{what} failed: {name} ended with code {completed.code}",
        status=completed.code,
        last_lines=completed.last_lines[-12:],
        log=log,
    )


def is_full(folder: str | Path, *, floor_bytes: int = 1024 * 1024) -> bool:
    """Whether the disk under folder has less than floor_bytes left for this user."""
    try:
        state = os.statvfs(folder)
    except OSError:
        return False
    return state.f_bavail * state.f_frsize < floor_bytes


def find_program(name: str, path: str | None = None) -> str:
    """The absolute path of a program, or an empty string; none of the current folder is found."""
    return shutil.which(name, path=search_path(path)) or ""


class CommandOutput:
    """Takes the lines of one program: to the log, the reporter, the watch and the tail.

    Secrets, such as pip and apt have in their settings, go to the asker alone.
    """

    def __init__(
        self, command: Command, log: Path | None, reporter: Reporter, watch: Watch | None
    ) -> None:
        self.kept: list[str] = []
        self.tail: deque[str] = deque(maxlen=_TAIL_LINES)
        self._size = self._logged = 0
        self._command = command
        self._reporter = reporter
        self._watch = watch
        self._log: IO[str] | None = None
        if log is not None:
            log.parent.mkdir(parents=True, exist_ok=True)
            self._log = log.open("a", encoding="utf-8", errors="replace")

    def __enter__(self) -> Self:
        if self._log:
            folder = f" (in {self._command.cwd})" if self._command.cwd else ""
            self._log.write(mask(f"\n$ {shell_line(self._command)}{folder}\n"))
        return self

    def __exit__(self, *exc: object) -> None:
        if self._log:
            self._log.close()

    def take(self, line: str, *, is_stdout: bool, goes_on: bool = False) -> None:
        """Hand one line to everyone; progress lines of a terminal are not kept.

        Of a line that goes on only the asker gets its pieces as one. What steers a terminal goes to
        nobody else: whoever looks at the log has one.
        """
        said = line
        if self._command.pty:
            said = _ANSI.sub("", line).rstrip("\r")
            if not said.strip():
                return
        line = printable(_ANSI.sub("", said))
        if self._watch:
            self._watch(line)
        if self._command.pty and (is_progress(line) or line in list(self.tail)[-6:]):
            return  # a terminal's display is drawn anew several times a second
        if is_stdout and self._size < _KEPT_BYTES:
            self.kept.append(said if goes_on else f"{said}\n")
            self._size += len(said) + _LINE_BYTES
            if self._command.quiet and len(self.kept) > _LOGGED_ANSWER:
                return
        line = mask(line)
        self.tail.append(line)
        self._write(line)
        if not self._command.quiet:
            self._reporter.line(line)

    def _write(self, line: str) -> None:
        """Add a line to the log, up to its limit."""
        if self._log is None or self._logged > _MOST_LOGGED:
            return
        self._logged += len(line) + 1
        is_full = self._logged > _MOST_LOGGED
        self._log.write("(what the program says further is left out)\n" if is_full else f"{line}\n")
        self._log.flush()

    def tick(self) -> None:
        """Let the watch look around while nothing is said."""
        if self._watch:
            self._watch("")


def is_progress(line: str) -> bool:
    """Whether a line is Bazel's moving display rather than a message."""
    return bool(_DISPLAY.match(line))


@contextmanager
def _start(command: Command) -> Iterator[tuple[subprocess.Popen[bytes], list[IO[bytes]]]]:
    """The program in a session of its own, and the streams to read, stdout first.

    When left, nothing of its process group is left.
    """
    stream, output = _open_terminal() if command.pty else (None, -1)
    if stream is None:
        ours, output = os.pipe()
        stream = _opened(ours)
    with stream:
        nothing = _nothing_to_read()
        name = announce(nothing)
        try:
            process = _open(command, nothing, output)
        except BaseException:
            forget(name)
            raise
        finally:
            os.close(nothing)
            os.close(output)
        started(process.pid, name)
        try:
            yield process, [stream, *([process.stderr] if process.stderr else [])]
        except BaseException:
            _stop_group(process)
            raise
        finally:
            _stop_rest(process)
            ended(process.pid)
            if process.stderr:
                process.stderr.close()


def _nothing_to_read() -> int:
    """A pipe at its end: read as /dev/null is, but known to the watcher for ours."""
    nothing, write_end = os.pipe()
    os.close(write_end)
    return nothing


def _open(command: Command, nothing: int, output: int) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            command.argv,
            cwd=command.cwd or None,
            env=child_environment(os.environ, command.unset, command.env),
            stdin=nothing,
            stdout=output,
            stderr=subprocess.STDOUT if command.pty else subprocess.PIPE,
            bufsize=0,
            start_new_session=True,
        )
    except OSError as error:
        raise _cannot_start(command, error) from error


def _open_terminal() -> tuple[IO[bytes] | None, int]:
    """Our end and the program's end of a terminal; none in a bare chroot, where a pipe does."""
    try:
        master, slave = pty.openpty()
    except OSError:
        return None, -1
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 200, 0, 0))
    return _opened(master), slave


def _opened(descriptor: int) -> IO[bytes]:
    return open(descriptor, "rb", buffering=0)


def _cannot_start(command: Command, error: OSError) -> EnvironmentFailed:
    name = command.argv[0]
    missing = error.errno == errno.ENOENT and not (command.cwd and not Path(command.cwd).is_dir())
    return EnvironmentFailed(
        f"cannot start {name}" + (f" to {command.purpose}" if command.purpose else ""),
        code="program-not-started",
        why="there is no such program" if missing else str(error),
        hint="`tfbuild doctor` shows what is missing and how to get it",
    )


def _pump(
    process: subprocess.Popen[bytes],
    streams: list[IO[bytes]],
    output: CommandOutput,
    deadline: float,
) -> None:
    """Feed lines to output until the program has ended and its streams are read."""
    readers = {
        stream.fileno(): LineReader(output, is_stdout=stream is streams[0]) for stream in streams
    }
    for fd in readers:
        os.set_blocking(fd, False)
    lingered = 0
    while True:
        is_over = _is_over(process)
        ready = select.select(list(readers), [], [], _TICK_SECONDS)[0] if readers else []
        for fd in ready:
            if not readers[fd].feed(_read(fd)):
                del readers[fd]
        output.tick()
        # A daemon that inherited the streams keeps them open: do not wait for it for ever.
        lingered += is_over and not ready
        if is_over and (not readers or lingered > 1):
            return
        if time.monotonic() > deadline:
            raise CommandTimedOut("a program ran past its time limit and was stopped", status=-1)
        if not readers:
            time.sleep(0.01)


def _read(fd: int) -> bytes:
    """What is there to read; a closed pty says EIO where a pipe says nothing."""
    try:
        return os.read(fd, 65536)
    except OSError:
        return b""


def _deadline(command: Command, began: float) -> float:
    return began + command.timeout if command.timeout else float("inf")


def _is_over(process: subprocess.Popen[bytes]) -> bool:
    """Whether the program has ended; its number stays its own until its code is asked for."""
    options = os.WEXITED | os.WNOHANG | os.WNOWAIT
    try:
        return process.returncode is not None or bool(os.waitid(os.P_PID, process.pid, options))
    except ChildProcessError:  # whoever started us ignores the ends of programs
        return True


def _stop_group(process: subprocess.Popen[bytes]) -> None:
    """Ask the process group to stop, then insist."""
    for number, patience in _insistence():
        with suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        until = time.monotonic() + patience
        while not _is_over(process) and time.monotonic() < until:
            time.sleep(0.02)
        if _is_over(process):
            return


def _stop_rest(process: subprocess.Popen[bytes]) -> None:
    """Stop what the program left behind in its group, then take its code."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    with suppress(subprocess.TimeoutExpired):  # the system itself holds it
        process.wait(10.0)


def _insistence() -> Iterator[tuple[signal.Signals, float]]:
    yield signal.SIGINT, 5.0
    yield signal.SIGTERM, 3.0
    yield signal.SIGKILL, 10.0


def _matching(pattern: re.Pattern[str], lines: tuple[str, ...]) -> str:
    return next((line.strip() for line in lines if pattern.search(line)), "")
