"""What every check is made of: the needs it judges by, the context it looks at, what it says."""

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tfbuild.core.errors import TfbuildError
from tfbuild.core.interfaces import Tools
from tfbuild.core.process import find_program
from tfbuild.core.records import Command, Device, Program
from tfbuild.facts.own_packages import NO_PACKAGES, OwnPackages
from tfbuild.facts.ranges import select

CheckState = Literal["pass", "warning", "failure", "skipped"]
_SECONDS = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One line of doctor; fix is empty where nothing is to be done."""

    group: str  # of checks: host, compiler, cuda, ...
    name: str  # within its group
    state: CheckState  # warning: a build may work, not as well, or not every build
    detail: str  # what was found, or why nothing was looked at
    fix: str = ""  # what to do; empty where nothing is to be done

    @property
    def code(self) -> str:
        """What it is called, whatever it says: compiler.gcc."""
        return f"{self.group}.{self.name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildNeeds:
    """The build that a machine is judged for.

    Versions are ranges; an empty one takes anything, `none` does without. What the build brings
    along itself stands in fetches (python, bazel, cuda) and need not be on the machine.
    """

    title: str = "a build"  # what is to be built, in words
    device: Device = "cpu"  # what it is to compute on
    platforms: tuple[str, ...] = ()  # those that it can be built for: linux-x86_64; empty: any
    glibc: str = ""  # range of versions; empty: any
    gcc: str = ""  # range of versions; empty: any; none: it does without
    clang: str = "none"  # range of versions; empty: any; none: it does without
    python: str = ""  # range of versions; empty: any
    numpy: str = ""  # range of versions; empty: any
    bazel: str = ""  # range of releases; empty: any
    cuda: str = "none"  # range of toolkits; empty: any; none: it does without
    cudnn: str = ""  # range of versions; empty: any
    driver: str = ""  # range of NVIDIA drivers; empty: any
    # GPU code that it holds: sm_90, compute_120; empty: for the GPUs here
    architectures: tuple[str, ...] = ()
    must_compile: tuple[str, ...] = ()  # names of compile probes that must pass
    fetches: tuple[str, ...] = ()  # what it brings along itself: bazel, cuda, numpy, python
    container: bool = False  # whether it runs in a container
    disk_mb: int = 0  # what it needs on the disk, in MB; 0: not known
    memory_mb: int = 0  # of all jobs together, in MB; 0: not known
    jobs: int = 1  # actions that would run at once
    jobs_because: str = ""  # why so many, in words


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult:
    """What one look found: one line, without the name of its check."""

    state: CheckState
    detail: str
    fix: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramAnswer:
    """How a program ended, and what it printed on both streams; its last lines where it failed.

    remark is what a check has to add to it.
    """

    is_ok: bool
    text: str = ""
    remark: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckContext:
    """The machine, the needs it is judged by, and a temporary folder of one's own."""

    tools: Tools
    needs: BuildNeeds
    folder: Path
    packages: OwnPackages = NO_PACKAGES

    def ask(
        self, *words: str, seconds: float = _SECONDS, env: Sequence[tuple[str, str]] = ()
    ) -> ProgramAnswer:
        """Run a program in the temporary folder, where it leaves whatever it leaves."""
        here = str(self.folder)
        quiet = (("TMPDIR", here), ("CCACHE_DISABLE", "1"), ("PYTHONDONTWRITEBYTECODE", "1"))
        command = Command(
            argv=words, timeout=seconds, quiet=True, cwd=here, env=(*quiet, *env), purpose="probing"
        )
        try:
            done = self.tools.runner.run(command)
        except TfbuildError as error:
            return ProgramAnswer(is_ok=False, text=error.why or error.message)
        return ProgramAnswer(is_ok=True, text=done.stdout or "\n".join(done.last_lines))

    def write(self, name: str, text: str) -> str:
        """Write a file into the temporary folder and return its path."""
        path = self.folder / name
        path.write_text(text)
        return str(path)


Look = Callable[[CheckContext], CheckResult | Sequence[CheckResult]]


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckSpec:
    """A check that can be asked for by its name."""

    group: str
    name: str
    looks_at: str
    look: Look
    seconds: float = 0.0  # that it usually takes; 0: no time at all
    needs_folder: bool = False

    @property
    def full_name(self) -> str:
        """The name that distinguishes it from checks of other groups: cuda.kernels."""
        return f"{self.group}.{self.name}"


def passed(detail: str) -> CheckResult:
    """Nothing is to be done."""
    return CheckResult(state="pass", detail=detail)


def warned(detail: str, fix: str) -> CheckResult:
    """A build may work, but not as well, or not every build."""
    return CheckResult(state="warning", detail=detail, fix=fix)


def failed(detail: str, fix: str) -> CheckResult:
    """The build cannot work like this."""
    return CheckResult(state="failure", detail=detail, fix=fix)


def skipped(reason: str) -> CheckResult:
    """It was not looked at, and why."""
    return CheckResult(state="skipped", detail=reason)


def softened(result: CheckResult) -> CheckResult:
    """The same as a warning, where it was a failure."""
    return dataclasses.replace(result, state="warning") if result.state == "failure" else result


def accepts(spec: str, version: str) -> bool:
    """Whether a range of the needs takes the version; an empty range takes all."""
    return not spec or bool(version and select(spec, (version,)))


def compiler_of(context: CheckContext, family: str) -> Program | None:
    """The g++ or clang++ that a build takes: the first in the needed range, else the first."""
    spec = context.needs.gcc if family == "g++" else context.needs.clang
    found = [p for p in context.tools.host.compilers if p.name.startswith(family)]
    return next((p for p in found if accepts(spec, p.version)), found[0] if found else None)


def build_compiler(context: CheckContext) -> Program | None:
    """The compiler of the build: clang++ where it does without g++."""
    return compiler_of(context, "clang++" if context.needs.gcc == "none" else "g++")


def listed(programs: Sequence[Program]) -> str:
    """Versions and paths in one line."""
    by_version: dict[str, str] = {}  # g++ and g++-12 are often one
    for program in programs:
        by_version.setdefault(program.version or "unknown version", program.path)
    return ", ".join(f"{version} at {path}" for version, path in by_version.items())


def install(tools: Tools, debian: str, fedora: str = "") -> str:
    """The command that installs a package here."""
    sudo = "" if tools.host.is_root else "sudo "
    for program, package in (("apt-get", debian), ("dnf", fedora or debian)):
        if find_program(program):
            return f"{sudo}{program} install {package}"
    return f"install {debian} with your package manager"


def container_remedy(packages: OwnPackages, axis: str, spec: str) -> str:
    """The way to a version that this system's packages lack; empty where they have it."""
    if not packages.lacks(axis, spec):
        return ""
    others = packages.elsewhere(axis, spec)
    if others:
        return f"build with --env docker: it is in the packages of {', '.join(others[:3])}"
    return f"another {axis}: the packages of {packages.system} have {', '.join(packages.of(axis))}"


def error_line(text: str) -> str:
    """The line of a program's output that says what is wrong, cut to a line of a table."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if "error" in line.lower()]
    return (errors or lines or ["it said nothing"])[0][:160]
