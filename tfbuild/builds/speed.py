"""Turns the samples of a measurement in rounds into values, ratios, verdicts and rooflines."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import mean
from typing import Any

from packaging.utils import canonicalize_name

from tfbuild.core.plans import BaselinePlan
from tfbuild.core.records import Artifact, Pairs
from tfbuild.core.reports import Measurement, PerfReport, Ratio, Roofline
from tfbuild.core.safe_files import parse_json
from tfbuild.reporting.statistics import (
    Interval,
    Rounds,
    interval,
    noise,
    noise_floor,
    quartile,
    ratio_interval,
    verdict,
)
from tfbuild.wheels.requirements import parse_requirement

WHEEL = "wheel"
# measurement -> what bounds it
_ROOF = {
    "matmul_1024": "peak_flops",
    "matmul_2048": "peak_flops",
    "conv2d_forward": "peak_flops",
    "conv2d_backward": "peak_flops",
    "add_16m": "peak_bandwidth",
}
_PEAKS = frozenset(_ROOF.values())
_PEAKS_OF = "numpy"  # in whose run they are measured


@dataclass(slots=True, kw_only=True)
class Samples:
    """What was measured so far: (measurement, subject, second run) -> one value per round."""

    values: dict[tuple[str, str, bool], list[float]] = field(default_factory=dict)
    units: dict[str, tuple[str, bool]] = field(default_factory=dict)
    failed: dict[tuple[str, str], str] = field(default_factory=dict)
    # What each (probe, subject) measures: the same in every run, so that rounds can be compared.
    names: dict[tuple[str, str], set[str]] = field(default_factory=dict)
    others: list[float] = field(default_factory=list)  # one per run of a probe
    stolen: list[float] = field(default_factory=list)  # one per probe whose subjects took turns
    load: float = 0.0  # the most that was seen

    def take(self, found: Mapping[str, Mapping[str, Any]], subject: str, *, again: bool) -> None:
        """Keep what one run of a probe has measured."""
        for name, entry in found.items():
            self.units[name] = (str(entry["unit"]), bool(entry["higher_is_better"]))
            self.values.setdefault((name, subject, again), []).append(float(entry["median"]))

    def rounds(self, name: str, subject: str) -> Rounds:
        """The values of each round, of both runs of the wheel; empty where it has none."""
        kept = [self.values.get((name, subject, again), []) for again in (False, True)]
        return list(zip(*(values for values in kept if values), strict=True))


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeResult:
    """What one run of a probe found: its measurements, or why it does not apply."""

    measured: Mapping[str, Mapping[str, Any]]
    others: float  # the share of the processors that other programs took
    skipped: str = ""


def read_result(output: str) -> ProbeResult:
    """The result in the last line that a probe has printed; ValueError where that is none."""
    *_, last = ("", *output.splitlines())
    found = parse_json(last)
    try:
        measured = {name: _measured(entry) for name, entry in found["measurements"].items()}
        result = ProbeResult(
            measured=measured, others=float(found["others"]), skipped=str(found.get("skipped", ""))
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{type(error).__name__}: {error}") from error
    if result.measured and result.skipped:
        raise ValueError("it was skipped, and measured something")
    return result


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnsResult:
    """What subjects measured that took turns, each by its number."""

    values: Mapping[str, Mapping[int, list[float]]]  # measurement -> subject -> one per round
    units: Mapping[str, tuple[str, bool]]
    skipped: Mapping[int, str]
    failed: Mapping[int, Mapping[str, str]]  # subject -> measurement, "" for all -> reason
    others: float
    stolen: float
    load: float


def read_turns(output: str) -> TurnsResult:
    """The result in the last line that side_by_side.py has printed; ValueError where none is."""
    *_, last = ("", *output.splitlines())
    found = parse_json(last)
    try:
        measured = found["measurements"]
        return TurnsResult(
            values={
                name: {int(n): [_positive(v) for v in values] for n, values in e["values"].items()}
                for name, e in measured.items()
            },
            units={
                name: (str(entry["unit"]), bool(entry["higher_is_better"]))
                for name, entry in measured.items()
            },
            skipped={int(number): str(why) for number, why in found["skipped"].items()},
            failed={
                int(number): {str(name): str(why) for name, why in each.items()}
                for number, each in found["failed"].items()
            },
            others=float(found["others"]),
            stolen=float(found["stolen"]),
            load=float(found["load"]),
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{type(error).__name__}: {error}") from error


def _positive(value: object) -> float:
    number = float(str(value))
    if number <= 0:
        raise ValueError(f"a speed of {number}")
    return number


def _measured(entry: Mapping[str, Any]) -> dict[str, Any]:
    """One measurement, checked: speeds and times are above zero."""
    median = float(entry["median"])
    if median <= 0:
        raise ValueError(f"a median of {median}")
    unit, better = str(entry["unit"]), bool(entry["higher_is_better"])
    return {"unit": unit, "higher_is_better": better, "median": median}


def compare_samples(
    samples: Samples,
    *,
    subjects: Sequence[str],
    bars: Sequence[tuple[str, str, float]],
    wheel: str,
    sha256: str,
    cpus: int = 0,
    artifacts: tuple[Artifact, ...] = (),
    brief: bool = False,
) -> PerfReport:
    """The report; subjects begin with the wheel; bars are (measurement, baseline, least ratio)."""
    measured = {name for name, subject, _ in samples.values if subject == WHEEL}
    names = [name for name in samples.units if name in measured - _PEAKS]
    floors = {name: _floor(samples, name) for name in names}
    least = {(name, baseline): bar for name, baseline, bar in bars}
    ratios = [
        _ratio(samples, name, baseline, floors[name], least)
        for name in names
        for baseline in subjects[1:]
        if (name, baseline, False) in samples.values
    ]
    measurements = tuple(_measurements(samples, names, subjects))
    return PerfReport(
        wheel=wheel,
        sha256=sha256,
        measurements=measurements,
        ratios=tuple(ratios),
        noise_floor=tuple((name, f"{floor:.4f}") for name, floor in floors.items()),
        roofline=_roofline(samples, measurements),
        skipped=_skipped(samples, bars, subjects),
        others=round(mean(samples.others), 4) if samples.others else 0.0,
        stolen=round(mean(samples.stolen), 4) if samples.stolen else 0.0,
        load=round(samples.load, 2),
        cpus=cpus,
        artifacts=artifacts,
        brief=brief,
    )


def compare(new: PerfReport, old: PerfReport) -> tuple[Ratio, ...]:
    """New over old for everything that both measured against the same subject.

    Only ratios to a baseline that ran in the same round are compared, so a slower machine or a busy
    hour is no regression. The verdict `slower` is a regression.
    """
    before = {(ratio.name, ratio.against): ratio for ratio in old.ratios}
    floors = dict(new.noise_floor)
    found = []
    for ratio in new.ratios:
        past = before.get((ratio.name, ratio.against))
        if past is None or min(past.low, past.value) <= 0:
            continue
        change = Interval(
            value=ratio.value / past.value,
            low=ratio.low / past.high,
            high=ratio.high / past.low,
        )
        found.append(
            Ratio(
                name=ratio.name,
                against=f"earlier report, both against {ratio.against}",
                value=change.value,
                low=change.low,
                high=change.high,
                verdict=verdict(change, float(floors.get(ratio.name, 0))),
            )
        )
    return tuple(found)


def noise_of(report: PerfReport) -> str:
    """What made the machine too busy to be measured; nothing where it was quiet."""
    return noise(report.others, [float(floor) for _, floor in report.noise_floor])


def can_miss(bars: Sequence[tuple[str, str, float]], baselines: Sequence[BaselinePlan]) -> bool:
    """Whether a threshold is against what will be measured: NumPy always is."""
    return any(baselines or _distribution(against) == _PEAKS_OF for _, against, _ in bars)


def _floor(samples: Samples, name: str) -> float:
    first, second = (
        [(value,) for value in samples.values[name, WHEEL, again]] for again in (False, True)
    )
    return noise_floor(first, second, higher_is_better=samples.units[name][1])


def _ratio(
    samples: Samples,
    name: str,
    baseline: str,
    floor: float,
    bars: dict[tuple[str, str], float],
) -> Ratio:
    better = samples.units[name][1]
    theirs = samples.rounds(name, baseline)  # fewer than ours where it failed in a later round
    ours = samples.rounds(name, WHEEL)[: len(theirs)]
    found = ratio_interval(ours, theirs, higher_is_better=better)
    return Ratio(
        name=name,
        against=baseline,
        value=found.value,
        low=found.low,
        high=found.high,
        verdict=verdict(found, floor),
        bar=next((bar for key, bar in bars.items() if _is_meant(key, name, baseline)), 0.0),
    )


def _is_meant(key: tuple[str, str], name: str, baseline: str) -> bool:
    """Whether a bar is for this ratio: `tensorflow-cpu` stands for each of its versions."""
    return key[0] == name and _distribution(baseline) == _distribution(key[1])


def _distribution(subject: str) -> str:
    """The normalised name in `tensorflow_cpu 2.21.0` or `Tensorflow-CPU==2.21.0`."""
    return canonicalize_name(parse_requirement(subject.partition(" ")[0]).name)


def _measurements(
    samples: Samples, names: Sequence[str], subjects: Sequence[str]
) -> list[Measurement]:
    found = []
    for name in names:
        unit, better = samples.units[name]
        for subject in subjects:
            if rounds := samples.rounds(name, subject):
                spread = interval(rounds, higher_is_better=better)
                found.append(
                    Measurement(
                        name=name,
                        subject=subject,
                        unit=unit,
                        value=spread.value,
                        low=spread.low,
                        high=spread.high,
                        samples=sum(map(len, rounds)),
                        higher_is_better=better,
                    )
                )
    return found


def _roofline(samples: Samples, measurements: Sequence[Measurement]) -> tuple[Roofline, ...]:
    """Each value beside the peak: what the machine was seen to do at most, here or in its probe."""
    found = []
    for entry in measurements:
        peaks = samples.values.get((_ROOF.get(entry.name, ""), _PEAKS_OF, False), [])
        if entry.subject != WHEEL or not peaks:
            continue
        peak = max(quartile(peaks, higher_is_better=True), entry.high)
        found.append(
            Roofline(
                name=entry.name,
                peak=peak,
                achieved=entry.value,
                unit=entry.unit,
                low=entry.low / peak,
                high=entry.high / peak,
            )
        )
    return tuple(found)


def _skipped(
    samples: Samples, bars: Sequence[tuple[str, str, float]], subjects: Sequence[str]
) -> Pairs:
    failed = [
        (f"{probe} on {subject}", reason) for (probe, subject), reason in samples.failed.items()
    ]
    known = {_distribution(subject) for subject in subjects}
    absent = [
        (f"bar {name}", f"{baseline} was not measured: no --against {baseline}")
        for name, baseline, _ in bars
        if _distribution(baseline) not in known
    ]
    return (*failed, *absent)
