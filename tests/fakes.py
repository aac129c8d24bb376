"""Stand-ins for the adapters: they record what they are asked and replay answers."""

import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from tfbuild.core.errors import CommandFailed
from tfbuild.core.interfaces import Tools, Watch, expand
from tfbuild.core.paths import Folders
from tfbuild.core.records import (
    Command,
    Completed,
    Host,
    Interpreter,
    Lock,
    Program,
    Request,
    Toolchain,
)
from tfbuild.core.reporter import SilentReporter
from tfbuild.core.run_folder import make_work

TINY = Path(__file__).parent / "packages" / "tiny"
RUNNING = f"{sys.version_info.major}.{sys.version_info.minor}"


def a_host(**changes: object) -> Host:
    """A Debian machine with everything, and two processors."""
    tag = "cp" + RUNNING.replace(".", "")
    host = Host(
        machine="x86_64",
        distribution="debian",
        distribution_version="12",
        glibc="2.36",
        cpu_model="a processor",
        cpu_level="x86-64-v3",
        cpus=2,
        memory_mb=8000,
        compilers=(Program(name="g++", path="/usr/bin/g++", version="12.2.0"),),
        bazels=(Program(name="bazel", path="/usr/bin/bazel", version="4.2.3"),),
        pythons=(
            Interpreter(path=sys.executable, version=f"{RUNNING}.1", tag=tag, headers="/include"),
        ),
    )
    return replace(host, **changes)  # type: ignore[arg-type]


def a_request(tmp_path: Path, **changes: object) -> Request:
    """A request for the tiny source tree on the CPU."""
    request = Request(
        recipe="cpu", source=TINY, source_version="0.1.0", output=tmp_path / "dist", jobs=2
    )
    return replace(request, **changes)  # type: ignore[arg-type]


class RecordingReporter(SilentReporter):
    """Remembers what was reported to it."""

    def __init__(self) -> None:
        self.said: list[tuple[str, ...]] = []
        self.coming: tuple[str, ...] = ()

    def to_come(self, names: Sequence[str]) -> None:
        self.coming = tuple(names)

    def stage(self, name: str) -> None:
        self.said.append(("stage", name))

    def progress(
        self, text: str, done: int = 0, total: int = 0, *, is_growing: bool = False
    ) -> None:
        so_far = ("so far",) if is_growing else ()
        self.said.append(("progress", text, str(done), str(total), *so_far))

    def step(self, text: str) -> None:
        self.said.append(("step", text))

    def note(self, text: str) -> None:
        self.said.append(("note", text))

    def warn(self, text: str, *, code: str) -> None:
        self.said.append(("warn", text))

    def done(self, name: str, *, seconds: float, state: str, detail: str = "") -> None:
        self.said.append(("done", name, state, detail))


Answer = Callable[[Command, Watch | None], Completed]


def says(*lines: str, code: int = 0) -> Answer:
    """An answer that prints lines and ends with code."""
    text = "".join(f"{line}\n" for line in lines)
    return lambda _command, _watch: Completed(code=code, stdout=text, last_lines=lines)


def usual_answers() -> dict[str, Answer]:
    """What every build asks: the compiler of itself, and for an order in a disk cache."""
    pythons = {"python3", Path(sys.executable).name}
    return {"sh": says("12.2.0", "x86_64-linux-gnu"), **dict.fromkeys(pythons, says("{}"))}


@dataclass
class FakeRunner:
    """Answers commands by the name of their program; what nobody planned for is an error."""

    answers: dict[str, Answer] = field(default_factory=usual_answers)
    commands: list[Command] = field(default_factory=list)

    def run(self, command: Command, watch: Watch | None = None) -> Completed:
        self.commands.append(command)
        name = Path(command.argv[0]).name
        if name not in self.answers:
            raise AssertionError(f"nobody expected {command.argv}")
        completed = self.answers[name](command, watch)
        if completed.code not in command.ok_codes:
            raise CommandFailed(
                f"{name} ended with {completed.code}",
                status=completed.code,
                last_lines=completed.last_lines,
            )
        return completed


class FakeEnvironment:
    """An environment whose programs are answers."""

    def __init__(self, folder: Path) -> None:
        self.runner = FakeRunner()
        self.reporter = RecordingReporter()
        work = folder / "work"
        folders = Folders(cache=folder / "cache", work=work, run=work / "runs" / "one")
        make_work(work)
        for place in (folders.cache, folders.run):
            place.mkdir(parents=True, exist_ok=True)
        self.tools = Tools(
            runner=self.runner, reporter=self.reporter, folders=folders, host=a_host()
        )
        self.toolchain = Toolchain(
            bazel="/opt/bazel",
            bazel_version="4.2.3",
            bazel_origin="PATH",
            python=sys.executable,
            python_version=RUNNING,
            compiler="/usr/bin/g++",
            compiler_version="12.2.0",
            source=TINY,
            cache=folders.cache,
            work=work,
            lock=Lock(plan_id="one", artifacts=()),
        )

    def run(self, command: Command, watch: Watch | None = None) -> Completed:
        return self.runner.run(expand(command, self.toolchain), watch)

    def read(self, path: str) -> bytes:
        return Path(path).read_bytes()

    def outer_pid(self) -> int:
        return 0

    def copy_out(self, path: str, target: Path) -> Path:
        target.parent.mkdir(parents=True, exist_ok=True)
        return Path(shutil.copy2(path, target))
