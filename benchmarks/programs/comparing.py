"""Whether a program does here what it does on the reference."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from benchmarks.programs.running import Run

_Value = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What both runs of a program come to."""

    on_reference: bool
    here: bool
    values: int  # that the reference fetched, in the calls that a run here got to
    equal: int
    unsteady: int  # not counted, as the reference itself fetched something else in another run
    first_difference: str


def compare(
    reference: Run, ours: Run, tolerance: float, again: Sequence[Run] = ()
) -> Outcome:  # fmt: skip
    """Compare two runs of a program, value by value; again are further runs of the reference.

    A program runs on the reference if it fetched something there, and here if it then came as far.
    The tolerance is a share of the largest absolute value of a fetched array, and of its sums.
    """
    on_reference = reference.fetched > 0
    whole = ours.ending in ("ended", "stopped") or len(ours.calls) >= len(reference.calls)
    values = equal = unsteady = 0
    first = ""
    for place, one, other in _pairs(reference, ours):
        if not all(_steady(one, other_run, place, tolerance) for other_run in again):
            unsteady += 1
            continue
        values += 1
        if one is not None and other is not None and _same(one, other, tolerance):
            equal += 1
        elif not first:
            first = f"call {place[0]}, value {place[1]}: {_shown(other)}, reference {_shown(one)}"
    if whole and len(ours.calls) < len(reference.calls):
        values += sum(len(one) for one in reference.calls[len(ours.calls) :])
        first = first or f"{len(ours.calls)} calls, reference {len(reference.calls)}"
    return Outcome(
        on_reference=on_reference, here=on_reference and whole, values=values, equal=equal,
        unsteady=unsteady, first_difference=first,
    )  # fmt: skip


def _pairs(
    reference: Run, ours: Run
) -> Iterator[tuple[tuple[int, int], _Value | None, _Value | None]]:
    """Yield the values of the calls that both made, each with its place."""
    for call, both in enumerate(zip(reference.calls, ours.calls, strict=False)):
        for number, (one, other) in enumerate(zip_longest(*both)):
            yield (call, number), one, other


def _steady(one: _Value | None, again: Run, place: tuple[int, int], tolerance: float) -> bool:
    """Whether the other run of the reference fetched the same there, or did not get so far."""
    call, number = place
    if one is None or call >= len(again.calls):
        return True
    row = again.calls[call]
    return number < len(row) and _same(one, row[number], tolerance)


def _same(one: _Value, other: _Value, tolerance: float) -> bool:
    if "text" in one or "text" in other:
        length, its = one.get("text"), other.get("text")
        if isinstance(length, int) and isinstance(its, int):  # of what is compressed above all
            return abs(length - its) <= tolerance * length
        return one == other
    if one["shape"] != other["shape"]:
        return False
    largest = one["largest"]
    mean = one["total"] / max(1, math.prod(one["shape"]))
    if not math.isfinite(one["total"]) or not math.isfinite(other["total"]):
        return _all_alike(one["some"], other["some"], tolerance * _finite(largest))
    return (
        abs(one["total"] - other["total"]) <= tolerance * max(one["total"], 1e-3)
        and abs(one["sum"] - other["sum"]) <= tolerance * max(one["total"], 1e-3)
        and _all_alike(one["some"], other["some"], tolerance * max(largest, mean, 1e-3))
    )


def _finite(number: float) -> float:
    return number if math.isfinite(number) else 1.0


def _all_alike(some: list[float], others: list[float], distance: float) -> bool:
    return len(some) == len(others) and all(
        (a != a and b != b) or a == b or abs(a - b) <= distance  # noqa: PLR0124 (NaN)
        for a, b in zip(some, others, strict=True)
    )


def _shown(value: _Value | None) -> str:
    if value is None:
        return "nothing"
    if "text" in value:
        return repr(value["text"])[:60]
    return f"{value['shape']} of sum {value['sum']:.6g}, first {value['some'][:3]}"
