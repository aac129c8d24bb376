"""How many actions may run at once: as many as there are processors, and memory for."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from tfbuild.core.counts import counted
from tfbuild.core.records import Host
from tfbuild.facts.build_rows import MemoryRow

_SERVER_MB = 400  # of Bazel's own server; notes of its peak: 230 to 300 MB for 150 actions
_RESERVE_SHARE = 12  # of the memory, as a divisor, that stays free
SURE = 2.0  # deviations: that the sum of some actions is beyond it is rare, and then they wait


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryNeed:
    """What one action takes at its peak, in MB, and how that is known."""

    mean_mb: float
    deviation_mb: float
    largest_mb: float
    what: str  # per C++ compile
    known_from: str  # measured over 120 actions


@dataclass(frozen=True, slots=True, kw_only=True)
class JobCount:
    """The number, and the reason in one line."""

    jobs: int
    because: str
    memory_mb: int  # that so many are expected to take


def choose_jobs(cpus: int, free_mb: int, need: MemoryNeed) -> JobCount:
    """The most that fit; at least one. free_mb 0: not known."""
    room = free_mb - _SERVER_MB - free_mb // _RESERVE_SHARE
    fits = [jobs for jobs in range(1, max(1, cpus) + 1) if _taken(jobs, need) <= room]
    jobs = max(1, cpus) if not free_mb else max(fits, default=1)
    taken = _taken(jobs, need)
    if not free_mb or jobs == cpus:
        because = f"{job_words(jobs)}: as many as processors"
        if free_mb:
            because += f"; {_gb(free_mb)} free, {_gb(need.mean_mb)} per {need.what}"
    else:
        because = (
            f"{job_words(jobs)}: {_gb(free_mb)} free, {_gb(need.mean_mb)} per {need.what} "
            f"({need.known_from}), for {counted(cpus, 'processor')}"
        )
    return JobCount(jobs=jobs, because=because, memory_mb=round(taken))


def free_memory_mb(host: Host) -> int:
    """What is free now, within the limits of the machine or the container; 0: not known."""
    return min(host.memory_free_mb or host.memory_mb, host.memory_mb)


def usual_need(kind: str, rows: Sequence[MemoryRow]) -> MemoryNeed:
    """The need where nothing was measured on this machine: what matrices/memory.yaml says."""
    row = next(row for row in rows if row.kind == kind)
    return MemoryNeed(
        mean_mb=row.typical_mb,
        deviation_mb=row.deviation_mb,
        largest_mb=row.largest_mb,
        what=row.name,
        known_from="as measured elsewhere",
    )


def usual_jobs(kind: str, rows: Sequence[MemoryRow], host: Host) -> JobCount:
    """As many as a machine has processors and memory for, where most actions are of that kind."""
    return choose_jobs(host.cpus, free_memory_mb(host), usual_need(kind, rows))


def job_words(jobs: int) -> str:
    """1 job, 4 jobs."""
    return "1 job" if jobs == 1 else counted(jobs, "job")


def _taken(jobs: int, need: MemoryNeed) -> float:
    """What so many actions take together, when the largest one is among them."""
    together = jobs * need.mean_mb + SURE * math.sqrt(jobs) * need.deviation_mb
    return max(together, need.largest_mb + (jobs - 1) * need.mean_mb)


def _gb(megabytes: float) -> str:
    return f"{megabytes / 1000:.1f} GB" if megabytes >= 950 else f"{megabytes:.0f} MB"
