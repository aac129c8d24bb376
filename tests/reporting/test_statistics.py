import pytest

from tfbuild.reporting.statistics import (
    Interval,
    interval,
    misses,
    noise_floor,
    ratio_interval,
    verdict,
)


def test_interval_holds_the_median_and_repeats() -> None:
    values = [10.0, 11.0, 9.0, 10.5, 9.5]
    found = interval(values)
    assert found.low <= found.value == 10.0 <= found.high
    assert found == interval(values)


def test_interval_of_nothing_is_an_error() -> None:
    with pytest.raises(ValueError, match="no values"):
        interval([])


def test_wider_samples_give_wider_intervals() -> None:
    calm, wild = interval([10.0, 10.1, 9.9] * 3), interval([10.0, 15.0, 5.0] * 3)
    assert wild.high - wild.low > 5 * (calm.high - calm.low)


def test_ratio_is_above_one_for_the_better_side() -> None:
    rates = ratio_interval([20.0, 22.0], [10.0, 11.0], higher_is_better=True)
    times = ratio_interval([1.0, 1.1], [2.0, 2.2], higher_is_better=False)
    assert rates.value == times.value == pytest.approx(2.0)


def test_ratio_pairs_rounds() -> None:
    """A round in which the machine was slow slows both, and does not count as spread."""
    found = ratio_interval([100.0, 10.0, 50.0], [50.0, 5.0, 25.0], higher_is_better=True)
    assert (found.low, found.high) == (2.0, 2.0)


def test_noise_floor_is_what_a_subject_differs_from_itself() -> None:
    assert noise_floor([10.0] * 5, [10.0] * 5) == 0.0
    assert noise_floor([10.0] * 5, [12.0] * 5) == pytest.approx(0.2)


@pytest.mark.parametrize(
    ("low", "high", "floor", "wanted"),
    [
        (1.2, 1.4, 0.05, "faster"),
        (1.2, 1.4, 0.5, "undecidable"),
        (0.6, 0.7, 0.05, "slower"),
        (0.99, 1.02, 0.01, "same"),
        (0.99, 1.02, 0.3, "undecidable"),
        (0.9, 1.3, 0.01, "undecidable"),
    ],
)
def test_verdicts(low: float, high: float, floor: float, wanted: str) -> None:
    assert verdict(Interval(value=(low + high) / 2, low=low, high=high), floor) == wanted


def test_a_bar_is_missed_only_beyond_the_noise() -> None:
    ratio = Interval(value=0.9, low=0.85, high=0.95)
    assert misses(ratio, 0.0, 1.0)
    assert not misses(ratio, 0.1, 1.0)
