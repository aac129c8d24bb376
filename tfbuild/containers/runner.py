"""Runs commands in a running container as `process` runs them here: live, limited, stoppable."""

import contextlib
import os
import re
import select
import shlex
import shutil
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from io import BufferedReader
from pathlib import Path

from tfbuild.containers.engine import PIDS, Container, ContainerSpec, Session
from tfbuild.containers.frames import STDERR, STDOUT, FrameReader
from tfbuild.containers.sent_file import whole
from tfbuild.core.errors import (
    CommandTimedOut,
    DiskFull,
    EnvironmentFailed,
    OutOfMemory,
    TfbuildError,
)
from tfbuild.core.foreign_tree import ForeignTree
from tfbuild.core.interfaces import Tools, Watch, expand, shell_line
from tfbuild.core.line_reader import LineReader
from tfbuild.core.masking import mask
from tfbuild.core.parts import part_file
from tfbuild.core.paths import real_path
from tfbuild.core.process import CommandOutput, diagnose
from tfbuild.core.records import Command, Completed, Toolchain
from tfbuild.core.reporter import Reporter, SilentReporter

_TICK_SECONDS = 0.2
_PATIENCE_SECONDS = 5.0
_DYING_SECONDS = 0.5
_INSISTENCE = (("INT", 5.0), ("TERM", 3.0), ("KILL", 3.0))
_NO_SPACE = re.compile(r"No space left on device|Disk quota exceeded", re.IGNORECASE)
_NOT_FOUND = re.compile(r"exec: .*: (not found|[Pp]ermission denied)|no such file or directory")
_CANNOT_START = {126, 127}
_LONGEST_NUMBER = 64  # bytes, with what stands before it
# What the control group has counted: the second of its kind and the first.
_OOM_COUNT = "cat /sys/fs/cgroup/memory.events /sys/fs/cgroup/memory/memory.oom_control"
# It waits until somebody listens, says who it is, and becomes the program.
_START = 'read -r go; {unset}echo "$$"; exec "$@" </dev/null'


@dataclass(frozen=True, slots=True, kw_only=True)
class ContainerRunner:
    """Runs programs in one container; log and script are those of the whole run."""

    container: Container
    log: Path | None = None
    script: Path | None = None
    reporter: Reporter = field(default_factory=SilentReporter)
    reported_kills: list[int] = field(default_factory=list)  # counts that were already an error

    def run(self, command: Command, watch: Watch | None = None) -> Completed:
        """Run it; CommandFailed when its code is not among command.ok_codes.

        Raises OutOfMemory and DiskFull where the container's limits were met, EnvironmentFailed
        when the program is missing inside or the engine goes away. Whatever interrupts the wait
        stops the program inside and all that it started.
        """
        if self.script is not None and not command.quiet:
            with self.script.open("a") as stream:
                stream.write(mask(container_script_lines(command)))
        if not command.quiet:
            self.reporter.command(mask(shell_line(command)))
        started = time.monotonic()
        deadline = started + command.timeout if command.timeout else float("inf")
        with CommandOutput(command, self.log, self.reporter, watch) as output:
            code = self._follow(command, output, deadline)
        completed = Completed(
            code=code,
            stdout="".join(output.kept),
            last_lines=tuple(output.tail),
            seconds=time.monotonic() - started,
        )
        if completed.code != 0:
            self._check_limits(command, completed)
        if completed.code not in command.ok_codes:
            raise diagnose(command, completed, str(self.log or ""))
        return completed

    def _follow(self, command: Command, output: CommandOutput, deadline: float) -> int:
        """Feed the lines to output until the program has ended; its code."""
        session = self.container.execute(
            _words(command),
            env={"LC_ALL": "C.UTF-8", **dict(command.env)},
            cwd=command.cwd,
            terminal=command.pty,
        )
        stream = _Stream(session, output, framed=not command.pty)
        try:
            while not stream.ended:
                stream.wait(_TICK_SECONDS)
                output.tick()
                if time.monotonic() > deadline:
                    raise CommandTimedOut(
                        "a program ran past its time limit and was stopped", status=-1
                    )
            return _signed(_ended(session))
        except BaseException:
            self._stop(session, stream)
            raise
        finally:
            session.close()

    def _stop(self, session: Session, stream: "_Stream") -> None:
        """Ask the program and what it started to stop, then insist; a gone engine ends it all."""
        with contextlib.suppress(TfbuildError, OSError):
            pid = stream.number(patience=2.0)
            for name, patience in _INSISTENCE:
                if pid and session.code() is None:
                    self._signal(name, pid)
                    _wait(lambda: session.code() is not None, patience)
            if pid:
                self._signal("KILL", pid)

    def _signal(self, name: str, pid: int) -> None:
        words = ("sh", "-c", f"read -r go; kill -s {name} -- -{pid}")
        session = self.container.execute(words, env={}, cwd="/", terminal=False)
        try:
            _wait(lambda: session.code() is not None, 2.0)
        finally:
            session.close()

    def _was_short_of_memory(self) -> bool:
        """Whether the kernel has ended a program in it that was not reported: its own count, and,
        the first time, the engine's word.
        """
        kills = self._kills()
        is_new = kills > max(self.reported_kills, default=0)
        is_new |= not self.reported_kills and self.container.ended_for_memory()
        if is_new:
            self.reported_kills.append(kills)
        return is_new

    def _kills(self) -> int:
        command = Command(argv=("sh", "-c", _OOM_COUNT), quiet=True)
        with CommandOutput(command, None, self.reporter, None) as said:
            with contextlib.suppress(CommandTimedOut):
                self._follow(command, said, time.monotonic() + 5.0)
            return sum(int(count) for count in re.findall(r"oom_kill (\d+)", "".join(said.kept)))

    def _check_limits(self, command: Command, completed: Completed) -> None:
        """Raise what a failed program met that is not its own fault."""
        name = Path(command.argv[0]).name
        log = str(self.log or "")
        memory = self.container.spec.memory_mb
        if self._was_short_of_memory():
            raise OutOfMemory(
                f"{name} was stopped for want of memory in the container",
                code="container-out-of-memory",
                why=f"its limit is {memory} MB"
                if memory
                else "the container has no limit of its own: the machine ran out",
                hint="give it more with --memory, or run again with fewer --jobs; finished work "
                "is kept",
                log=log,
            )
        if completed.code == -signal.SIGKILL:
            time.sleep(_DYING_SECONDS)  # all of a container's programs end a little before it
            if not self.container.is_running():
                raise _gone("the container ended, and every program in it")
        full = next((line for line in completed.last_lines if _NO_SPACE.search(line)), "")
        if full:
            raise DiskFull(
                f"{name} found no room on the disk of the container",
                code="container-disk-full",
                why=full.strip(),
                hint="`tfbuild cache prune` removes what no recent build has used, `docker system "
                "df` shows the rest; then run the same command again: finished work is kept",
                log=log,
            )
        if completed.code in _CANNOT_START and _NOT_FOUND.search("\n".join(completed.last_lines)):
            raise EnvironmentFailed(
                f"cannot start {name} in the container",
                code="container-program-missing",
                why="\n".join(completed.last_lines[-2:]),
                hint=f"the image {self.container.spec.image} lacks it: leave --image out, or "
                "name one that has the tools of a build",
                log=log,
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class LazyRunner:
    """A runner that is made when it is first used: what is remembered needs no container."""

    make: Callable[[], ContainerRunner]
    made: list[ContainerRunner] = field(default_factory=list)

    def run(self, command: Command, watch: Watch | None = None) -> Completed:
        """Run it in the container, which is opened now if it was not."""
        if not self.made:
            self.made.append(self.make())
        return self.made[0].run(command, watch)


@dataclass(frozen=True, slots=True, kw_only=True)
class DockerEnvironment:
    """A container as the environment of a plan; shared folders have the same path outside."""

    toolchain: Toolchain
    tools: Tools
    runner: ContainerRunner
    hold: Callable[[], None] = lambda: None  # waits until Bazel's folders are no one else's

    def run(self, command: Command, watch: Watch | None = None) -> Completed:
        """Fill the placeholders in and run it in the container."""
        expanded = expand(command, self.toolchain)
        if expanded.argv[0] == self.toolchain.bazel:
            self.hold()
        return self.runner.run(expanded, watch)

    def read(self, path: str) -> bytes:
        """The content of a file inside."""
        if shared := self._shared(path):
            tree, name = shared
            with tree.opened(name) as stream:
                return whole(iter(partial(stream.read, 1 << 20), b""), path)
        return self.runner.container.read(path)

    def copy_out(self, path: str, target: Path) -> Path:
        """Copy a file from inside to target, where it belongs to the caller."""
        if shared := self._shared(path):
            tree, name = shared
            with tree.opened(name) as stream:
                return _copied(stream, target)
        return self.runner.container.copy_out(path, target)

    def outer_pid(self) -> int:
        """The container's first process, where the engine runs on this machine."""
        return self.runner.container.first_pid()

    def _shared(self, path: str) -> tuple[ForeignTree, str] | None:
        """The same file as this machine sees it, where the folder is shared: no link leads out."""
        inside = Path(os.path.normpath(path))
        mounts = sorted(self.runner.container.spec.mounts, key=lambda m: -len(m.target))
        for mount in mounts:
            if inside.is_relative_to(mount.target):
                name = str(inside.relative_to(mount.target))
                return (
                    None if mount.is_volume else (ForeignTree(real_path(Path(mount.source))), name)
                )
        return None


def script_head(spec: ContainerSpec, user: str | None) -> str:
    """The function `inside` of a script: its first word is the folder, the others the command."""
    mounts = [
        f"--mount=type={'volume' if m.is_volume else 'bind'},source={m.source},target={m.target}"
        + ("" if m.writable else ",readonly")
        for m in spec.mounts
    ]
    cpus = [f"--cpus={spec.cpus:g}"] if spec.cpus else []
    memory = [f"--memory={spec.memory_mb}m"] if spec.memory_mb else []
    words = (
        *("docker", "run", "--rm", "--init", "--network=none", "--cap-drop=ALL"),
        *("--security-opt=no-new-privileges", *([f"--user={user}"] if user else [])),
        *(f"--env={name}={text}" for name, text in (*spec.env, ("LC_ALL", "C.UTF-8"))),
        *(f"--pids-limit={spec.pids or PIDS}", *cpus, *memory, *mounts),
    )
    call = f'{shlex.join(words)} --workdir="$folder" {shlex.quote(spec.image)} "$@"'
    return f'\ninside() {{ folder="$1"; shift; {call}; }}\n'


def container_script_lines(command: Command) -> str:
    """The command as lines of a script that has a function `inside`."""
    words = shlex.join(("env", *(f"{n}={t}" for n, t in command.env), *command.argv))
    line = f"inside {shlex.quote(command.cwd or '/')} {words}"
    return f"\n# {command.title}\n{line}\n" if command.title else f"\n{line}\n"


# --- inside ------------------------------------------------------------------------------------


def _copied(stream: BufferedReader, target: Path) -> Path:
    """An open file beside target, moved into place with its mode."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with part_file(target.parent) as aside:
        with aside.open("wb") as copy:
            shutil.copyfileobj(stream, copy, 1 << 20)
            os.fchmod(copy.fileno(), os.fstat(stream.fileno()).st_mode & 0o777)
            copy.flush()
            os.fsync(copy.fileno())
        aside.replace(target)
    return target


class _Stream:
    """What a program says: frames of two streams, or one terminal; its first line is its number."""

    def __init__(self, session: Session, output: CommandOutput, *, framed: bool) -> None:
        self.pid = 0
        self.ended = False
        self._session = session
        self._framed = framed
        self._readers = {n: LineReader(output, is_stdout=n == STDOUT) for n in (STDOUT, STDERR)}
        self._frames = FrameReader()
        self._first = b""
        self._quiet = 0

    def number(self, *, patience: float) -> int:
        """The number that the program has inside; 0 when it does not even begin."""
        until = time.monotonic() + patience
        while not (self.pid or self.ended) and time.monotonic() < until:
            self.wait(0.1)
        return self.pid

    def wait(self, seconds: float) -> None:
        """Take what comes within that time; at the end of the program, say so."""
        if not select.select([self._session.fileno()], [], [], seconds)[0]:
            self._quiet += 1
            # Something that the program left behind may keep the stream open for ever.
            if self._quiet > 2 and self._session.code() is not None:
                self._end()
            return
        self._quiet = 0
        try:
            chunk = os.read(self._session.fileno(), 65536)
        except OSError:
            chunk = b""
        if not chunk:
            self._end()
        elif self._framed:
            for number, content in self._frames.feed(chunk):
                self._take(number, content)
        else:
            self._take(STDOUT, chunk)

    def _take(self, number: int, content: bytes) -> None:
        if not self.pid:
            content = self._number(content)
        if content:
            self._readers[number].feed(content)

    def _number(self, content: bytes) -> bytes:
        """Keep the program's number; what follows it is the program's own."""
        self._first += content
        line = re.match(rb"[\r\n]*(\d+)\r?\n", self._first)
        if line:
            self.pid = int(line[1])
            return self._first[line.end() :]
        if len(self._first) < _LONGEST_NUMBER and re.match(rb"[\r\n]*\d*\r?$", self._first):
            return b""
        said, self._first = self._first, b""
        return said  # it never came so far: the engine itself speaks

    def _end(self) -> None:
        self.ended = True
        for reader in self._readers.values():
            reader.feed(b"")


def _words(command: Command) -> tuple[str, ...]:
    unset = f"unset {' '.join(command.unset)}; " if command.unset else ""
    return ("sh", "-c", _START.replace("{unset}", unset), "sh", *command.argv)


def _ended(session: Session) -> int:
    """The code of a program whose stream has ended."""
    code: list[int | None] = []

    def known() -> bool:
        code.append(session.code())
        return code[-1] is not None

    if not _wait(known, _PATIENCE_SECONDS):
        raise _gone("its stream ended, and the program has not")
    return code[-1] or 0


def _gone(why: str) -> EnvironmentFailed:
    return EnvironmentFailed(
        "the container engine went away while a program ran",
        code="container-engine-gone",
        why=why,
        hint="see that the engine runs, then run the same command again; finished work is kept",
    )


def _signed(code: int) -> int:
    """A program that a signal has ended has a negative code, as on this machine."""
    number = code - 128
    return -number if number in set(signal.Signals) else code


def _wait(done: Callable[[], bool], seconds: float) -> bool:
    until = time.monotonic() + seconds
    while not done():
        if time.monotonic() > until:
            return False
        time.sleep(0.05)
    return True
