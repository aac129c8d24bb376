import dataclasses
import json

import pytest

from tfbuild.builds.speed import (
    WHEEL,
    Samples,
    compare,
    compare_samples,
    noise_of,
    read_result,
)
from tfbuild.core.reports import PerfReport


def samples(speed: float, *, noise: float = 0.0, rounds: int = 5) -> Samples:
    """The wheel at speed, its baseline at 100, and a peak of 500."""
    found = Samples()
    for _ in range(rounds):
        entry = {"unit": "GFLOP/s", "higher_is_better": True, "best": 500.0}
        found.take({"matmul_1024": entry | {"median": speed}}, WHEEL, again=False)
        found.take({"matmul_1024": entry | {"median": speed * (1 + noise)}}, WHEEL, again=True)
        found.take({"matmul_1024": entry | {"median": 100.0}}, "tensorflow-cpu 2.21.0", again=False)
        found.take({"peak_flops": entry | {"median": 480.0}}, "numpy", again=False)
    return found


def judged(found: Samples, *bars: tuple[str, str, float]) -> PerfReport:
    subjects = (WHEEL, "tensorflow-cpu 2.21.0", "numpy")
    return compare_samples(found, subjects=subjects, bars=bars, wheel="x.whl", sha256="0")


def test_ratio_verdict_and_bar() -> None:
    (ratio,) = judged(samples(150.0), ("matmul_1024", "tensorflow-cpu", 1.0)).ratios
    assert (ratio.value, ratio.verdict, ratio.bar) == (1.5, "faster", 1.0)
    assert ratio.against == "tensorflow-cpu 2.21.0"


def test_noise_makes_it_undecidable() -> None:
    report = judged(samples(110.0, noise=0.4))
    assert report.ratios[0].verdict == "undecidable"
    assert float(dict(report.noise_floor)["matmul_1024"]) == pytest.approx(0.4)


def uneven(first: list[float], second: list[float], peaks: list[float]) -> Samples:
    """Rounds in which the wheel's two runs and the peak differ."""
    found = Samples()
    entry = {"unit": "GFLOP/s", "higher_is_better": True, "best": 0.0}
    for one, two, peak in zip(first, second, peaks, strict=True):
        found.take({"matmul_1024": entry | {"median": one}}, WHEEL, again=False)
        found.take({"matmul_1024": entry | {"median": two}}, WHEEL, again=True)
        found.take({"peak_flops": entry | {"median": peak, "best": peak}}, "numpy", again=False)
    return found


def test_roofline_is_the_share_of_the_peak() -> None:
    (roof,) = judged(samples(240.0)).roofline
    assert (roof.peak, roof.achieved) == (480.0, 240.0)
    assert (roof.low, roof.high) == (0.5, 0.5)


def test_the_share_is_that_of_the_value_in_the_table_and_never_above_one() -> None:
    """What the wheel reaches, the machine can do: the peak's own probe was disturbed."""
    report = judged(uneven([100.0] * 5, [100.0, 100.0, 400.0, 400.0, 400.0], [240.0] * 5))
    (roof,), (entry, *_) = report.roofline, report.measurements
    assert (entry.subject, roof.achieved) == (WHEEL, entry.value)
    assert roof.peak == entry.high == 250.0
    assert roof.low <= roof.achieved / roof.peak <= roof.high <= 1.0


def test_a_peak_that_failed_later_is_compared_in_the_rounds_it_has() -> None:
    found = uneven([300.0] * 3, [300.0] * 3, [400.0] * 3)
    found.values["peak_flops", "numpy", False].pop()
    (roof,) = judged(found).roofline
    assert (roof.achieved, roof.peak, roof.low) == (300.0, 400.0, 0.75)


def test_a_baseline_that_failed_later_is_compared_in_the_rounds_it_has() -> None:
    found = samples(150.0)
    found.values["matmul_1024", "tensorflow-cpu 2.21.0", False].pop()
    assert judged(found).ratios[0].value == 1.5


def test_a_busy_machine_is_reported() -> None:
    found = samples(150.0)
    found.others = [0.1, 0.5]
    report = judged(found)
    assert report.others == pytest.approx(0.3)
    assert noise_of(report) == "other programs took 30% of the processors' time"
    assert "differ from themselves by more than 40%" in noise_of(judged(samples(1.0, noise=0.4)))
    assert noise_of(judged(samples(1.0))) == ""


def test_peaks_are_no_measurements_of_the_wheel() -> None:
    assert {m.name for m in judged(samples(1.0)).measurements} == {"matmul_1024"}


def test_a_bar_is_met_under_either_spelling_of_a_name() -> None:
    found = Samples()
    report = compare_samples(
        found,
        subjects=(WHEEL, "tensorflow_cpu 2.21.0"),
        bars=(("import", "tensorflow-cpu", 10.0), ("import", "Tensorflow.CPU[x]>=2", 9.0)),
        wheel="x.whl",
        sha256="0",
    )
    assert report.skipped == ()


def test_a_bar_against_what_did_not_run_is_reported() -> None:
    report = judged(samples(1.0), ("import", "torch", 10.0))
    assert report.skipped == (("bar import", "torch was not measured: no --against torch"),)


def test_failed_probes_are_reported() -> None:
    found = samples(1.0)
    found.failed["perf_softmax", "numpy"] = "no such function"
    assert ("perf_softmax on numpy", "no such function") in judged(found).skipped


def test_lower_is_better_for_times() -> None:
    found = Samples()
    entry = {"unit": "s", "higher_is_better": False, "median": 0.1, "best": 0.1}
    for again in (False, True):
        found.take({"import": entry}, WHEEL, again=again)
    found.take({"import": entry | {"median": 2.0}}, "numpy", again=False)
    found.load = 9.7
    report = compare_samples(
        found, subjects=(WHEEL, "numpy"), bars=(), wheel="x", sha256="0", cpus=2
    )
    assert report.ratios[0].value == pytest.approx(20.0)
    assert (report.load, report.cpus) == (9.7, 2)


def test_compare_with_an_earlier_report() -> None:
    before, now = judged(samples(200.0)), judged(samples(120.0))
    (change,) = compare(now, before)
    assert change.verdict == "slower"
    assert change.value == pytest.approx(0.6)
    assert [r.verdict for r in compare(before, before)] == ["same"]


def test_compare_ignores_what_only_one_report_has() -> None:
    now = judged(samples(120.0))
    renamed = tuple(dataclasses.replace(r, against="numpy") for r in now.ratios)
    assert compare(now, dataclasses.replace(now, ratios=renamed)) == ()


def test_a_result_is_the_last_line() -> None:
    entry = {"unit": "s", "higher_is_better": False, "median": 2, "best": 1, "samples": 9}
    said = json.dumps({"measurements": {"a": entry}, "others": 0.5})
    found = read_result(f"a warning\n{said}\n")
    assert found.measured == {"a": {"unit": "s", "higher_is_better": False, "median": 2.0}}
    assert (found.others, found.skipped) == (0.5, "")
    with pytest.raises(ValueError, match="skipped"):
        read_result(json.dumps({"measurements": {"a": entry}, "others": 0, "skipped": "why"}))
