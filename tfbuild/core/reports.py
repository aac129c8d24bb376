"""The frozen records in which audit, smoke, perf and the whole run say what they found."""

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from tfbuild.core.outputs import NO_OUTPUT, NO_WHEEL, BuildOutput, Wheel
from tfbuild.core.plans import BuildPlan, Plan
from tfbuild.core.records import NO_LOCK, Artifact, Host, Lock, Pairs, Request, State, Versions

SpeedVerdict = Literal["faster", "same", "slower", "undecidable"]
CellState = Literal["passed", "failed", "impossible", "stopped", "begun", "not begun"]
GPU_CHECK = "GPU: "  # checks of the smoke test that run kernels on a GPU begin with this
GPU_LIST = f"{GPU_CHECK}device list"  # and this one runs none


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditFinding:
    """One line of the audit: what was asked, what the artefact says."""

    name: str  # what was looked at: glibc, device code, hardening
    asked: str  # what the plan or the rules of all wheels want, in words
    built: str  # what was found, in words
    state: State  # skipped: nothing says what it should be, or it could not be looked at
    detail: str = ""  # the problems, or why it was skipped; empty where it passed


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelCode:
    """A kernel as it was compiled for one architecture: the most that one of its functions has.

    Bytes of stack are those of a thread, bytes of shared memory those of a block.
    """

    name: str  # what the source calls it, without namespaces and types
    architecture: str  # as compilers call it: sm_90
    functions: int  # how many there are of it: one for each set of types
    registers: int  # of a thread
    stack: int  # bytes for each thread
    shared: int  # bytes of shared memory for each block
    local: int  # instructions that load from or store to local memory
    spills: int  # of those, loads of what had no room in registers
    divisions: int  # of 64 bits, in a loop within a loop: how many
    tensor: int  # how many functions have instructions of tensor cores
    wide: int  # how many functions load or store 16 bytes at once


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditReport:
    """Asked against built, line by line."""

    wheel: str  # file name of the wheel or archive
    sha256: str  # of that file
    findings: tuple[AuditFinding, ...]  # one for each thing that was looked at
    # what the compiler made of each kernel; empty without the tools of a CUDA toolkit
    kernels: tuple[KernelCode, ...] = ()
    reused_from: str = ""  # the run that has found this; empty: this one
    seconds: float = 0.0  # how long it took the run that has found this; 0: it is this run


NO_AUDIT = AuditReport(wheel="", sha256="", findings=())


@dataclass(frozen=True, slots=True, kw_only=True)
class SmokeCheck:
    """One step of the smoke test; reason says why it failed or was skipped."""

    name: str  # what was tried; on a GPU it begins with `GPU: `
    state: State  # skipped: it was not tried, for the reason that is given
    seconds: float = 0.0  # how long it took
    reason: str = ""  # why it failed or was skipped; empty where it passed
    detail: Pairs = ()  # name -> value: what it measured or saw


@dataclass(frozen=True, slots=True, kw_only=True)
class SmokeReport:
    """The suite as it ran."""

    wheel: str  # file name of the wheel or archive
    sha256: str  # of that file
    checks: tuple[SmokeCheck, ...]  # one for each thing that was tried, in this order
    artifacts: tuple[Artifact, ...] = ()  # files of the index that were installed to try it
    reused_from: str = ""  # the run that has tried this; empty: this one
    seconds: float = 0.0  # how long it took the run that has tried this; 0: it is this run


NO_SMOKE = SmokeReport(wheel="", sha256="", checks=())


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """One quantity of one subject ("wheel", "numpy 2.1", "tensorflow-cpu 2.21"), in unit.

    value is what the better quarter of its samples reaches.
    """

    name: str  # the quantity: matmul_1024, import
    subject: str  # what was measured: wheel, or a distribution and its version
    unit: str  # of value, low and high
    value: float  # what the better quarter of the samples reaches
    low: float  # lower end of the interval in which 95 of 100 repetitions lie
    high: float  # upper end of that interval
    samples: int  # how many values were taken
    higher_is_better: bool  # whether more is better, as of a speed; else less, as of a time


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratio:
    """The wheel over another subject, above 1 meaning the wheel is better; bar 0: none set."""

    name: str  # the measurement
    against: str  # the subject that the wheel is compared with
    value: float  # how many times better the wheel is; above 1: it is better
    low: float  # lower end of the interval in which 95 of 100 repetitions lie
    high: float  # upper end of that interval
    verdict: SpeedVerdict  # what the interval says beyond the noise; undecidable: it is too wide
    bar: float = 0.0  # the least ratio that the recipe asks for; 0: none


@dataclass(frozen=True, slots=True, kw_only=True)
class Roofline:
    """The value of a measurement beside the most that the machine was seen to do.

    low and high are the ends of the share, at most 1.
    """

    name: str  # the measurement
    peak: float  # the most that the machine was seen to do, in unit
    achieved: float  # what the wheel reached, in unit
    unit: str  # of peak and achieved
    low: float = 0.0  # lower end of the share of the peak, 0 to 1
    high: float = 0.0  # upper end of that share, 0 to 1


@dataclass(frozen=True, slots=True, kw_only=True)
class PerfReport:
    """Speed with its spread; noise_floor is what an A/A comparison differed by."""

    wheel: str  # file name of the wheel; empty: the build did not come so far
    sha256: str  # of that file
    measurements: tuple[Measurement, ...]  # one for each quantity and subject
    ratios: tuple[Ratio, ...]  # the wheel against each other subject
    # measurement -> how far the wheel may lie from itself, as text: 0.03 is 3 %
    noise_floor: Pairs = ()
    roofline: tuple[Roofline, ...] = ()  # the wheel against what the machine can do
    skipped: Pairs = ()  # what was not measured -> why
    others: float = 0.0  # share of the processors' time that other programs took meanwhile, 0 to 1
    stolen: float = 0.0  # share of that time which a hypervisor gave to other machines, 0 to 1
    load: float = 0.0  # load average of the machine, the most that was seen
    cpus: int = 0  # processors that could be used
    # whether it was brief, as in a build; `tfbuild perf` takes more rounds
    brief: bool = False
    artifacts: tuple[Artifact, ...] = ()  # files of the index that the environments were made of
    reused_from: str = ""  # the run that has measured this; empty: this one
    seconds: float = 0.0  # how long it took the run that has measured this; 0: it is this run


NO_PERF = PerfReport(wheel="", sha256="", measurements=(), ratios=())


@dataclass(frozen=True, slots=True, kw_only=True)
class StageRecord:
    """One stage as it ran; started is seconds since the run began.

    original_seconds is what a result that was reused took when it was made.
    """

    name: str  # environment, build, audit, ...
    started: float  # seconds after the beginning of the run
    seconds: float  # how long it took in this run
    state: State  # reused: the result is an earlier run's; skipped: it was not run
    reused_from: str = ""  # the run whose result it is; empty: this one
    detail: str = ""  # what it brought in a few words, or why it failed or was skipped
    # how long it took in the run whose result it is; 0 where that is this one
    original_seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureRecord:
    """Why a build has failed, as its error said."""

    message: str  # what failed, in one sentence
    why: str  # the cause, as far as it is known; may be empty
    hint: str  # what to do; may be empty
    exit_code: int  # of tfbuild
    code: str = ""  # of the error, as `tfbuild explain` knows it


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildReport:
    """What the report of every build says, also of one that failed."""

    plan: BuildPlan  # what was decided before anything was done
    run_id: str  # name of the run, and of its folder in the work folder
    started_at: str  # day and time, ISO 8601 in UTC
    tfbuild_version: str  # of the tfbuild that built it
    host: Host  # the machine that it ran on
    stages: tuple[StageRecord, ...] = ()  # those that ran or were skipped, in order
    # the one that ended the build; empty: it has not failed
    failures: tuple[FailureRecord, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Report(BuildReport):
    """The report of a wheel."""

    request: Request  # what was asked
    versions: Versions  # what was chosen on each axis
    plan: Plan  # what was decided before anything was done
    lock: Lock = NO_LOCK  # what was fetched for it, and the container it was built in
    build: BuildOutput = NO_OUTPUT  # what Bazel made
    wheel: Wheel = NO_WHEEL  # the wheel as it was packed
    audit: AuditReport = NO_AUDIT  # what the wheel is, against what it should be
    smoke: SmokeReport = NO_SMOKE  # what works in a fresh environment
    perf: PerfReport = NO_PERF  # how fast it is; empty where nothing was measured
    seal: str = ""  # by which the tfbuild of the user who built it knows it; empty until delivered


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One combination of a matrix: where and of what it is built, and what became of it."""

    axes: Pairs  # axis -> value of this combination
    # impossible: no versions go together; begun: being built, or cut off by a kill that nobody
    # can catch; stopped: interrupted
    state: CellState = "not begun"
    system: str = ""  # where it is built: debian 12
    versions: Pairs = ()  # axis -> what was chosen; empty where nothing is chosen
    plan: str = ""  # id of its plan; empty where there is none
    same_as: str = ""  # name of the earlier cell that has the same plan; empty: it has its own
    seconds: float = 0.0  # how long its build took; 0 where it was not built
    stages: tuple[StageRecord, ...] = ()  # those of its build, in order
    product: str = ""  # path of what was built; empty where nothing was
    beside: Pairs = ()  # what else was delivered -> its path: lock, sbom
    command: str = ""  # what one types to use it; empty where nothing is there to be used
    # of the wheel: cp311-cp311-manylinux_2_36_x86_64; of anything else the platform
    tag: str = ""
    size: int = 0  # of the wheel, the archive or all files, in bytes
    audit: str = ""  # how many findings passed and failed
    smoke: str = ""  # how many checks passed and failed
    is_gpu_untried: bool = False  # whether it has code for GPUs, and none of it was executed
    report: str = ""  # path of the page of the build; empty where it did not come so far
    message: str = ""  # why nothing was made; empty where something was
    why: str = ""  # the cause of that; may be empty
    hint: str = ""  # what to do about it; may be empty
    log: str = ""  # of its run; empty where none was begun
    exit_code: int = 0  # of its failure; 0: none
    code: str = ""  # of the error that ended it; empty: none did

    @property
    def name(self) -> str:
        """The combination as a folder's name: python3.11-gcc12."""
        return cell_name(self.axes)


def cell_name(axes: Pairs) -> str:
    """A folder's name for a combination: python3.11-zlib_on-os_debian_12.

    A version stands right behind a name that ends with a letter. Values that differ in what no
    folder's name should hold get a digest.
    """
    return "-".join(
        f"{axis}{'' if axis[-1:].isalpha() and value[:1].isdigit() else '_'}{_in_name(value)}"
        for axis, value in axes
    )


def _in_name(value: str) -> str:
    """The value in letters, digits and what stands in versions."""
    plain = re.sub(r"[ :]", "_", value)
    safe = re.sub(r"[^A-Za-z0-9_.+-]", "_", plain)
    digest = hashlib.sha256(value.encode()).hexdigest()[:6]
    return safe if safe == plain else f"{safe}.{digest}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """What came of trying configure.py beside the tree: what it wrote, or why it was not tried."""

    lines: tuple[str, ...] = ()
    skipped: str = ""


def ran_on_gpu(passed: Iterable[str]) -> bool:
    """Whether a check among those that passed, by their names, has run a kernel on a GPU."""
    return any(name.startswith(GPU_CHECK) and name != GPU_LIST for name in passed)


def is_gpu_untried(report: Report) -> bool:
    """Whether a wheel has code for GPUs of which nothing was executed."""
    passed = (check.name for check in report.smoke.checks if check.state == "passed")
    return report.plan.device == "cuda" and not ran_on_gpu(passed)
