"""Medians, bootstrap intervals and verdicts for speeds that were measured in rounds."""

import random
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from tfbuild.core.reports import SpeedVerdict

_RESAMPLES = 2000
_CONFIDENCE = 0.95
SAME_WITHIN = 0.05  # two subjects whose interval lies inside 5 % are the same
# A machine is quiet while others take no more of its processors, and half of the measurements
# differ no more from themselves.
OTHERS_LIMIT = 0.10
NOISE_LIMIT = 0.10


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A median and where it would lie in 95 of 100 repetitions."""

    value: float
    low: float
    high: float


def interval(values: Sequence[float]) -> Interval:
    """The median of values with its bootstrap interval, the same at each call.

    Raises ValueError when values is empty.
    """
    if not values:
        raise ValueError("no values to take a median of")
    chance = random.Random(20)  # noqa: S311  # repeatable resampling, not a secret
    medians = sorted(
        statistics.median(chance.choices(values, k=len(values))) for _ in range(_RESAMPLES)
    )
    edge = int(_RESAMPLES * (1 - _CONFIDENCE) / 2)
    return Interval(
        value=statistics.median(values), low=medians[edge], high=medians[_RESAMPLES - 1 - edge]
    )


def ratio_interval(
    ours: Sequence[float], theirs: Sequence[float], *, higher_is_better: bool
) -> Interval:
    """How much better ours is, round by round: above 1 means better.

    Both hold one value per round, because what disturbs a round disturbs both of them.
    """
    pairs = zip(ours, theirs, strict=True)
    if higher_is_better:
        return interval([our / their for our, their in pairs])
    return interval([their / our for our, their in pairs])


def noise_floor(first: Sequence[float], second: Sequence[float]) -> float:
    """How far from 1 the ratio of a subject to itself may lie: 0.03 for three percent."""
    found = ratio_interval(first, second, higher_is_better=True)
    return max(found.high - 1, 1 / found.low - 1, 0.0)


def unrest(others: float, floors: Sequence[float]) -> str:
    """What made a machine too busy to be measured; nothing where it was quiet."""
    noise = statistics.median(floors) if floors else 0.0
    said = []
    if others > OTHERS_LIMIT:
        said.append(f"other programs took {others:.0%} of the processors' time")
    if noise > NOISE_LIMIT:
        said.append(f"half of the measurements differ from themselves by more than {noise:.0%}")
    return " and ".join(said)


def verdict(ratio: Interval, floor: float) -> SpeedVerdict:
    """What the interval says once the noise floor is granted to the other side."""
    if ratio.low > 1 + floor:
        return "faster"
    if ratio.high < 1 / (1 + floor):
        return "slower"
    inside = ratio.low >= 1 / (1 + SAME_WITHIN) and ratio.high <= 1 + SAME_WITHIN
    return "same" if inside and floor <= SAME_WITHIN else "undecidable"


def misses(ratio: Interval, floor: float, bar: float) -> bool:
    """Whether the ratio lies below the bar even when noise is granted to it."""
    return ratio.high * (1 + floor) < bar
