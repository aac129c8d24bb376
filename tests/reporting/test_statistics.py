import pytest

from tfbuild.reporting.statistics import (
    Interval,
    interval,
    misses,
    noise_floor,
    quartile,
    ratio_interval,
    verdict,
)


def rounds(*values: float) -> list[tuple[float]]:
    return [(value,) for value in values]


def test_quartile_is_what_the_better_quarter_reaches() -> None:
    assert quartile([1.0, 2.0, 3.0, 4.0, 50.0], higher_is_better=False) == 2.0
    assert quartile([1.0, 2.0, 3.0, 4.0, 50.0], higher_is_better=True) == 4.0
    assert quartile([1.0, 2.0], higher_is_better=False) == 1.25
    with pytest.raises(ValueError, match="no values"):
        quartile([], higher_is_better=True)


def test_interval_holds_the_quartile_and_repeats() -> None:
    values = rounds(10.0, 11.0, 9.0, 10.5, 9.5)
    found = interval(values, higher_is_better=True)
    assert found.low <= found.value == 10.5 <= found.high
    assert found == interval(values, higher_is_better=True)


def test_interval_of_nothing_is_an_error() -> None:
    with pytest.raises(ValueError, match="no values"):
        interval([], higher_is_better=True)


def test_wider_samples_give_wider_intervals() -> None:
    calm, wild = (
        interval(rounds(*values), higher_is_better=True)
        for values in ([10.0, 10.1, 9.9] * 3, [10.0, 15.0, 5.0] * 3)
    )
    assert wild.high - wild.low > 5 * (calm.high - calm.low)


def test_ratio_is_above_one_for_the_better_side() -> None:
    rates = ratio_interval(rounds(20.0, 22.0), rounds(10.0, 11.0), higher_is_better=True)
    times = ratio_interval(rounds(1.0, 1.1), rounds(2.0, 2.2), higher_is_better=False)
    assert rates.value == times.value == pytest.approx(2.0)


def test_ratio_draws_rounds_for_both() -> None:
    """A round in which the machine was slow slows both, and does not count as spread."""
    ours, theirs = rounds(100.0, 10.0, 50.0), rounds(50.0, 5.0, 25.0)
    found = ratio_interval(ours, theirs, higher_is_better=True)
    assert [found.low, found.high] == pytest.approx([2.0, 2.0])
    with pytest.raises(ValueError, match="3 rounds beside 2"):
        ratio_interval(ours, theirs[:2], higher_is_better=True)


def test_pieces_that_were_disturbed_do_not_count() -> None:
    """A third of the rounds took three times as long: the ratio is the same."""
    calm, both = rounds(*[10.0] * 18), [(20.0, 21.0)] * 12 + [(60.0, 61.0)] * 6
    found = ratio_interval(calm, both, higher_is_better=False)
    assert [found.low, found.high] == pytest.approx([2.05, 2.05])


def test_noise_floor_is_what_a_subject_differs_from_itself() -> None:
    ten, twelve = rounds(*[10.0] * 5), rounds(*[12.0] * 5)
    assert noise_floor(ten, ten, higher_is_better=True) == 0.0
    assert noise_floor(ten, twelve, higher_is_better=True) == pytest.approx(0.2)


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
