"""The frozen records in which audit, smoke, perf and the whole run say what they found."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from tfbuild.core.outputs import NO_OUTPUT, NO_WHEEL, BuildOutput, Wheel
from tfbuild.core.plans import BuildPlan, Plan
from tfbuild.core.records import NO_LOCK, Artifact, Host, Lock, Pairs, Request, State, Versions

SpeedVerdict = Literal["faster", "same", "slower", "undecidable"]
# impossible: no versions go together; begun: being built, or cut off by a kill that nobody can
# catch; stopped: interrupted.
CellState = Literal["passed", "failed", "impossible", "stopped", "begun", "not begun"]
GPU_CHECK = "GPU: "  # checks of the smoke test that run kernels on a GPU begin with this
GPU_LIST = f"{GPU_CHECK}device list"  # and this one runs none


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditFinding:
    """One line of the audit: what was asked, what the artefact says."""

    name: str
    asked: str
    built: str
    state: State
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelCode:
    """A kernel as it was compiled for one architecture: the most that one of its functions has.

    Bytes of stack are those of a thread, bytes of shared memory those of a block.
    """

    name: str
    architecture: str
    functions: int  # one for each set of types
    registers: int
    stack: int
    shared: int
    local: int  # instructions that load from or store to local memory
    spills: int  # of those, loads of what had no room in registers
    divisions: int  # of 64 bits, in a loop within a loop
    tensor: int  # functions with instructions of tensor cores
    wide: int  # functions that load or store 16 bytes at once


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditReport:
    """Asked against built, line by line."""

    wheel: str
    sha256: str
    findings: tuple[AuditFinding, ...]
    kernels: tuple[KernelCode, ...] = ()
    reused_from: str = ""
    seconds: float = 0.0  # what its making took, where it is reused


NO_AUDIT = AuditReport(wheel="", sha256="", findings=())


@dataclass(frozen=True, slots=True, kw_only=True)
class SmokeCheck:
    """One step of the smoke test; reason says why it failed or was skipped."""

    name: str
    state: State
    seconds: float = 0.0
    reason: str = ""
    detail: Pairs = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SmokeReport:
    """The suite as it ran."""

    wheel: str
    sha256: str
    checks: tuple[SmokeCheck, ...]
    artifacts: tuple[Artifact, ...] = ()  # what the smoke environment was made of
    reused_from: str = ""
    seconds: float = 0.0


NO_SMOKE = SmokeReport(wheel="", sha256="", checks=())


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """One quantity of one subject ("wheel", "numpy 2.1", "tensorflow-cpu 2.21"), in unit.

    value is what the better quarter of its samples reaches.
    """

    name: str
    subject: str
    unit: str
    value: float
    low: float
    high: float
    samples: int
    higher_is_better: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratio:
    """The wheel over another subject, above 1 meaning the wheel is better; bar 0: none set."""

    name: str
    against: str
    value: float
    low: float
    high: float
    verdict: SpeedVerdict
    bar: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Roofline:
    """The value of a measurement beside the most that the machine was seen to do.

    low and high are the ends of the share, at most 1.
    """

    name: str
    peak: float
    achieved: float
    unit: str
    low: float = 0.0
    high: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class PerfReport:
    """Speed with its spread; noise_floor is what an A/A comparison differed by."""

    wheel: str
    sha256: str
    measurements: tuple[Measurement, ...]
    ratios: tuple[Ratio, ...]
    noise_floor: Pairs = ()  # measurement -> ratio, as text
    roofline: tuple[Roofline, ...] = ()
    skipped: Pairs = ()  # measurement -> reason
    others: float = 0.0  # share of the processors' time that other programs took meanwhile
    stolen: float = 0.0  # share that a hypervisor gave to other machines
    load: float = 0.0  # the machine's load average, the most that was seen
    cpus: int = 0
    brief: bool = False  # in about a minute, as a build does; `tfbuild perf` takes more rounds
    artifacts: tuple[Artifact, ...] = ()
    reused_from: str = ""
    seconds: float = 0.0


NO_PERF = PerfReport(wheel="", sha256="", measurements=(), ratios=())


@dataclass(frozen=True, slots=True, kw_only=True)
class StageRecord:
    """One stage as it ran; started is seconds since the run began.

    original_seconds is what a result that was reused took when it was made.
    """

    name: str
    started: float
    seconds: float
    state: State
    reused_from: str = ""
    detail: str = ""
    original_seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureRecord:
    """Why a build has failed, as it was told."""

    message: str
    why: str
    hint: str
    exit_code: int
    code: str = ""  # of the error, as `tfbuild explain` knows it


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildReport:
    """What the report of every build says, also of one that failed."""

    plan: BuildPlan
    run_id: str
    started_at: str
    tfbuild_version: str
    host: Host
    stages: tuple[StageRecord, ...] = ()
    failures: tuple[FailureRecord, ...] = ()  # none, or the one that ended it


@dataclass(frozen=True, slots=True, kw_only=True)
class Report(BuildReport):
    """The report of a wheel."""

    request: Request
    versions: Versions
    plan: Plan
    lock: Lock = NO_LOCK
    build: BuildOutput = NO_OUTPUT
    wheel: Wheel = NO_WHEEL
    audit: AuditReport = NO_AUDIT
    smoke: SmokeReport = NO_SMOKE
    perf: PerfReport = NO_PERF


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One combination of a matrix: where and of what it is built, and what became of it."""

    axes: Pairs
    state: CellState = "not begun"
    system: str = ""  # debian 12
    versions: Pairs = ()
    plan: str = ""  # its id
    same_as: str = ""  # the earlier cell that comes out as the same plan
    seconds: float = 0.0
    stages: tuple[StageRecord, ...] = ()
    product: str = ""  # where the finished wheel or archive is
    beside: Pairs = ()  # what else was delivered with it: lock, SBOM
    command: str = ""  # what one types to use it
    tag: str = ""  # cp311-cp311-manylinux_2_36_x86_64; of an archive the platform
    size: int = 0
    audit: str = ""  # how many findings passed and failed
    smoke: str = ""
    is_gpu_untried: bool = False  # it has code for GPUs, and none was executed
    report: str = ""  # the page of the build, if it came so far
    message: str = ""  # why nothing was made
    why: str = ""
    hint: str = ""
    log: str = ""
    exit_code: int = 0
    code: str = ""  # of the error that ended it

    @property
    def name(self) -> str:
        """The combination as a folder's name: python3.11-gcc12."""
        return cell_name(self.axes)


def cell_name(axes: Pairs) -> str:
    """A folder's name for a combination."""
    return "-".join(f"{axis}{value}".replace(" ", "_").replace(":", "_") for axis, value in axes)


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
