"""The frozen records in which audit, smoke, perf and the whole run say what they found."""

from dataclasses import dataclass
from typing import Literal

from tfbuild.core.records import (
    Artifact,
    BuildOutput,
    Host,
    Lock,
    Pairs,
    Plan,
    Request,
    State,
    Versions,
    Wheel,
)

SpeedVerdict = Literal["faster", "same", "slower", "undecidable"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditFinding:
    """One line of the audit: what was asked, what the artefact says."""

    name: str
    asked: str
    built: str
    state: State
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditReport:
    """Asked against built, line by line."""

    wheel: str
    sha256: str
    findings: tuple[AuditFinding, ...]
    reused_from: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rung:
    """One step of the smoke ladder; reason says why it failed or was skipped."""

    name: str
    state: State
    seconds: float = 0.0
    reason: str = ""
    detail: Pairs = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SmokeReport:
    """The ladder as it ran."""

    wheel: str
    sha256: str
    rungs: tuple[Rung, ...]
    artifacts: tuple[Artifact, ...] = ()  # what the smoke environment was made of
    reused_from: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """One quantity of one subject ("wheel", "numpy 2.1", "tensorflow-cpu 2.21"), in unit."""

    name: str
    subject: str
    unit: str
    median: float
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
    """Share of this machine's measured peak that one measurement reaches."""

    name: str
    peak: float
    achieved: float
    unit: str

    @property
    def share(self) -> float:
        """Between 0 and 1, and 0 where no peak was measured."""
        return self.achieved / self.peak if self.peak else 0.0


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
    artifacts: tuple[Artifact, ...] = ()
    reused_from: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StageRecord:
    """One stage as it ran; started is seconds since the run began."""

    name: str
    started: float
    seconds: float
    state: State
    reused_from: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The one record of a build."""

    run_id: str
    started_at: str
    tfbuild_version: str
    request: Request
    host: Host
    versions: Versions
    plan: Plan
    lock: Lock
    build: BuildOutput
    wheel: Wheel
    audit: AuditReport
    smoke: SmokeReport
    perf: PerfReport
    stages: tuple[StageRecord, ...]
