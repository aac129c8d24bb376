"""Quartiles, bootstrap intervals and verdicts for speeds that were measured in rounds.

What disturbs a program only ever makes it slower. So the better quarter of its times says more of
it than their middle does, and a ratio of two such quartiles repeats itself where one of medians
does not.
"""

import random
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tfbuild.core.counts import counted
from tfbuild.core.reports import SpeedVerdict

_RESAMPLES = 1000
_CONFIDENCE = 0.95
SAME_WITHIN = 0.05  # two subjects whose interval lies inside 5 % are the same
# A machine is quiet while others take no more of its processors, and half of the measurements
# differ no more from themselves.
OTHERS_LIMIT = 0.10
NOISE_LIMIT = 0.10
Rounds = Sequence[Sequence[float]]  # for each round a value of each process of one subject


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A value and where it would lie in 95 of 100 repetitions."""

    value: float
    low: float
    high: float


def quartile(values: Sequence[float], *, higher_is_better: bool) -> float:
    """What the better quarter of the values reaches; ValueError where there is none."""
    if not values:
        raise ValueError("no values to take a quartile of")
    place = (len(values) - 1) / 4
    ranked = sorted(values, reverse=higher_is_better)
    below = int(place)
    rest = place - below
    return ranked[below] * (1 - rest) + ranked[min(below + 1, len(ranked) - 1)] * rest


def interval(rounds: Rounds, *, higher_is_better: bool) -> Interval:
    """The mean of the processes' quartiles with its bootstrap interval over rounds, the same at
    each call.

    Raises ValueError when there is no value.
    """
    return _resampled(lambda chosen: _typical(rounds, chosen, higher_is_better), len(rounds))


def ratio_interval(ours: Rounds, theirs: Rounds, *, higher_is_better: bool) -> Interval:
    """How much better ours is: above 1 means better.

    Rounds are drawn for both at once, because what disturbs a round disturbs both of them.
    """
    if len(ours) != len(theirs):
        raise ValueError(f"{counted(len(ours), 'round')} beside {len(theirs)}")

    def ratio(chosen: Sequence[int]) -> float:
        our, their = (_typical(rounds, chosen, higher_is_better) for rounds in (ours, theirs))
        return our / their if higher_is_better else their / our

    return _resampled(ratio, len(ours))


def noise_floor(first: Rounds, second: Rounds, *, higher_is_better: bool) -> float:
    """How far from 1 the ratio of a subject to itself may lie: 0.03 for three percent."""
    found = ratio_interval(first, second, higher_is_better=higher_is_better)
    return max(found.high - 1, 1 / found.low - 1, 0.0)


def _typical(rounds: Rounds, chosen: Sequence[int], better: bool) -> float:  # noqa: FBT001
    processes = zip(*(rounds[number] for number in chosen), strict=True)
    quartiles = [quartile(values, higher_is_better=better) for values in processes]
    if not quartiles:
        raise ValueError("no values to take a quartile of")
    return statistics.fmean(quartiles)


def _resampled(of: Callable[[Sequence[int]], float], count: int) -> Interval:
    chance = random.Random(20)  # noqa: S311  # repeatable resampling, not a secret
    numbers = range(count)
    value = of(numbers)
    drawn = sorted(of(chance.choices(numbers, k=count)) for _ in range(_RESAMPLES))
    edge = int(_RESAMPLES * (1 - _CONFIDENCE) / 2)
    return Interval(value=value, low=drawn[edge], high=drawn[_RESAMPLES - 1 - edge])


def noise(others: float, floors: Sequence[float]) -> str:
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
