"""What an action takes on this machine, by what earlier builds took."""

from collections.abc import Sequence

from tfbuild.bazel.history import KindMemory
from tfbuild.core.counts import counted
from tfbuild.facts.job_count import SURE, MemoryNeed


def need_of(kinds: Sequence[KindMemory]) -> MemoryNeed | None:
    """The need of the kind that asks for most; None where nothing was measured."""
    if not kinds:
        return None
    # A kind with two actions is not what fills the memory: it is one job among many.
    common = [k for k in kinds if k.actions >= 0.02 * sum(kind.actions for kind in kinds)]
    worst = max(common, key=lambda k: k.mean_mb + SURE * k.deviation_mb)
    return MemoryNeed(
        mean_mb=worst.mean_mb,
        deviation_mb=worst.deviation_mb,
        largest_mb=max(kind.largest_mb for kind in kinds),
        what=worst.kind,
        known_from=f"measured over {counted(worst.actions, 'action')}",
    )
