"""Memory as a running build meets it: what is free now, what sets the limit, who was killed.

Swap does not count as free: a compiler that is swapped out and in hardly moves.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from tfbuild.bazel.processes import PROC
from tfbuild.core.cgroups import memory_kills, memory_limits, memory_stall
from tfbuild.core.safe_files import text_of

_STALL = re.compile(r"^full avg10=([\d.]+)", re.MULTILINE)
_KILLS = re.compile(r"^oom_kill (\d+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryState:
    """Memory now, in MB, for the programs of one process's control groups."""

    total_mb: int
    free_mb: int
    limit: str  # what sets it, in words
    stall: float = 0.0  # share of the last ten seconds in which all waited for memory, 0 to 100
    kills: int = 0  # programs that the kernel has ended for memory so far

    @property
    def reserve_mb(self) -> int:
        """What must stay free, so that the kernel has no reason to end a program."""
        return max(48, min(1024, self.total_mb // 12))


def memory_state(pid: int = 0, proc: Path = PROC, groups: Path | None = None) -> MemoryState:
    """Memory for the control groups of a process; 0: this one. groups is where they are mounted."""
    own = proc / (str(pid) if pid else "self") / "cgroup"
    machine = dict(re.findall(r"^(\w+):\s+(\d+) kB", text_of(proc / "meminfo"), re.MULTILINE))
    total = int(machine.get("MemTotal", 0)) // 1024
    free = int(machine.get("MemAvailable", 0)) // 1024
    where = "this machine"
    for limit in memory_limits(groups, own):
        total = min(total, limit.amount >> 20)
        if limit.free >> 20 < free:
            free, where = limit.free >> 20, f"the control group's {limit.amount >> 20} MB"
    stall = _STALL.search(text_of(proc / "pressure" / "memory"))
    kills = memory_kills(groups, own)
    if kills is None:
        counted = _KILLS.search(text_of(proc / "vmstat"))
        kills = int(counted[1]) if counted else 0
    return MemoryState(
        total_mb=total,
        free_mb=free,
        limit=where,
        stall=max(float(stall[1]) if stall else 0.0, memory_stall(groups, own)),
        kills=kills,
    )
