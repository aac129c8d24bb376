"""How long a build still takes, on builds that are made up."""

import pytest

from tfbuild.bazel.estimate import Estimator, Expectation, TimeLeft

FILES = [f"lib/f{n}" for n in range(40)]
WORK = {f"bazel-out/k8/bin/lib/_objs/lib/f{n}.o": 4.0 for n in range(40)}
KNOWN = Expectation(
    seconds=WORK, kinds={"CppCompile": 4.0}, totals=(40, 40, 40), speeds=(2.0, 2.0, 2.0)
)


def play(estimator: Estimator, seconds_each: float, until: int, *, hits: int = 0) -> float:
    """Two actions at once, each so long; the first ones come out of a cache. When it is."""
    now = 100.0
    outputs = list(WORK)
    for number in range(0, until, 2):
        if number >= hits:
            for step in range(int(seconds_each * 2)):
                estimator.count(now + step / 2, number, 40)
                for one in (number, number + 1):
                    estimator.runs(f"Compiling {FILES[one]}.cc", step / 2)
            now += seconds_each
        estimator.count(now, number + 2, 40)
        for one in (number, number + 1):
            estimator.ends(now, outputs[one], "CppCompile", f"Compiling {FILES[one]}.cc")
            estimator.left(now)
    return now


@pytest.mark.parametrize("each", [2.0, 4.0, 8.0])
@pytest.mark.parametrize("until", [10, 20, 36])
def test_the_time_lies_in_the_range_however_fast_the_machine_is_today(
    each: float, until: int
) -> None:
    estimator = Estimator(expects=KNOWN, jobs=2)
    left = estimator.left(play(estimator, each, until))
    actual = (40 - until) / 2 * each
    assert left
    assert left.low <= actual <= left.high
    assert left.high <= 4 * max(left.low, 1.0) + 8  # from nothing to for ever is no answer


def test_the_range_narrows() -> None:
    estimator = Estimator(expects=KNOWN, jobs=2)
    early, late = (estimator.left(play(estimator, 4.0, until)) for until in (4, 36))
    assert early
    assert late
    assert late.high - late.low < early.high - early.low


def test_without_history_nothing_is_stated() -> None:
    estimator = Estimator(expects=Expectation(), jobs=2)
    assert estimator.left(play(estimator, 4.0, 20)) is None


def test_results_out_of_a_cache_make_more_of_them_likely_but_not_sure() -> None:
    estimator = Estimator(expects=KNOWN, jobs=2)
    play(estimator, 4.0, 4)  # the display shows what runs
    now = play(estimator, 4.0, 20, hits=20)
    left = estimator.left(now)
    assert estimator.hits > 10
    assert left
    assert left.low < 5
    assert left.high > 5


def test_a_total_that_may_grow_is_held_against_earlier_builds() -> None:
    estimator = Estimator(expects=KNOWN, jobs=2)
    estimator.count(100.0, 0, 4)
    assert estimator.may_grow(100.5)
    assert estimator.likely_total(100.5) == 40
    left = estimator.left(100.5)
    assert left
    assert left.high > 40
    assert not estimator.may_grow(104.0)  # it did not grow for a while: an incremental build
    assert estimator.likely_total(104.0) == 4


def test_the_counter_never_goes_back_and_the_longest_is_named() -> None:
    estimator = Estimator(expects=KNOWN, jobs=2)
    estimator.count(0.0, 5, 20)
    estimator.count(1.0, 3, 18)
    assert (estimator.done, estimator.total) == (5, 20)
    estimator.runs("Compiling a.cc", 30.0)
    estimator.runs("Compiling b.cc", 7.0)
    assert estimator.longest() == ("Compiling a.cc", 30.0)


def test_words() -> None:
    assert str(TimeLeft(low=0.2, high=14.0)) == "5 to 15 s left"
    assert str(TimeLeft(low=721.0, high=1140.0)) == "12 to 19 min left"
    assert str(TimeLeft(low=718.0, high=722.0)) == "12 min left"
    assert str(TimeLeft(low=5400.0, high=36_000.0)) == "1:30 to 10:00 h left"


@pytest.mark.parametrize(
    ("low", "high", "says"),
    [(721, 1140, True), (5, 90, True), (16_920, 96_000, False), (60, 600, False)],
)
def test_a_range_that_helps_nobody_is_known_as_such(low: float, high: float, says: bool) -> None:
    assert TimeLeft(low=low, high=high).says_something is says


def test_a_counter_that_is_always_a_few_ahead_shows_no_time() -> None:
    """Few jobs look at many targets: what is still to come is in no counter and in no history."""
    unfinished = Expectation(seconds=WORK, kinds={"CppCompile": 4.0}, speeds=(2.0,))
    estimator = Estimator(expects=unfinished, jobs=2)
    now = 100.0
    for number, output in enumerate(list(WORK)[:30]):
        estimator.count(now, number, number + 4)
        estimator.runs(f"Compiling {FILES[number]}.cc", 2.0)
        now += 2.0
        estimator.ends(now, output, "CppCompile", f"Compiling {FILES[number]}.cc")
    assert estimator.left(now) is None
    assert estimator.may_grow(now)
    now += 30.0
    assert not estimator.may_grow(now)
    assert estimator.left(now)
