"""How much of the processors' time other programs take while one measures.

The kernel counts what the processors do for everybody, containers and other virtual machines too.
What this process and the children it has waited for used themselves is taken off.
"""

import os
import time
from pathlib import Path

STAT = Path("/proc/stat")
_BUSY = (0, 1, 2, 5, 6, 7)  # user, nice, system, irq, softirq, steal; not idle, not iowait
_STOLEN = (7,)


def busy_seconds(stat, processors, columns=_BUSY):
    """Seconds that the processors have worked since the machine started, by the text of STAT."""
    names = {f"cpu{number}" for number in processors}
    lines = [line.split() for line in stat.splitlines()]
    ticks = [int(line[1 + n]) for line in lines if line and line[0] in names for n in columns]
    return sum(ticks) / os.sysconf("SC_CLK_TCK")


class Busyness:
    """Counts from when it is made, on the processors that this process may use."""

    def __init__(self):
        self._processors = os.sched_getaffinity(0)
        self._start = self._now()
        self._stolen = busy_seconds(STAT.read_text(), self._processors, _STOLEN)

    def others(self):
        """The share of the processors' time, 0 to 1, that was spent on other programs."""
        wall, busy, own = (now - then for now, then in zip(self._now(), self._start))
        return min(max((busy - own) / (wall * len(self._processors)), 0.0), 1.0)

    def stolen(self):
        """The share of the processors' time, 0 to 1, that a hypervisor gave to other machines."""
        wall = time.perf_counter() - self._start[0]
        stolen = busy_seconds(STAT.read_text(), self._processors, _STOLEN) - self._stolen
        return min(max(stolen / (wall * len(self._processors)), 0.0), 1.0)

    def _now(self):
        own = sum(os.times()[:4])
        return time.perf_counter(), busy_seconds(STAT.read_text(), self._processors), own
