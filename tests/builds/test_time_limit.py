"""A build that stops before its deadline, and learns how long that takes."""

import datetime as dt
import time
from pathlib import Path

import pytest

from tests.failing import fails
from tfbuild.builds.time_limit import in_time, stop_seconds
from tfbuild.builds.timeline import Timeline
from tfbuild.core.deadline import TimeIsUp
from tfbuild.core.kept_json import write_kept
from tfbuild.core.layout import STOPS
from tfbuild.core.paths import Folders
from tfbuild.core.reporter import SilentReporter


@pytest.fixture
def folders(tmp_path: Path) -> Folders:
    return Folders(cache=tmp_path / "cache", work=tmp_path / "work", run=tmp_path / "run")


def after(seconds: float) -> str:
    return (dt.datetime.now(dt.UTC) + dt.timedelta(seconds=seconds)).isoformat()


def test_it_is_stopped_in_time_and_says_how_to_go_on(folders: Folders) -> None:
    timeline = Timeline(reporter=SilentReporter())
    deadline = time.time() + 1.0

    def work() -> None:
        try:
            time.sleep(30)
        except TimeIsUp as error:
            error.so_far = "3 of 9 actions are done"
            raise

    with (
        fails(
            "deadline-reached", "build", "3 of 9 actions are done", "bazel-disk", str(folders.cache)
        ),
        in_time(after(1.0), folders, timeline),
    ):
        timeline.run("build", work)
    assert time.time() < deadline


def test_how_long_stopping_takes_is_learnt(folders: Folders) -> None:
    usual = stop_seconds(folders, 3600)
    for _ in range(2):
        limit = in_time(after(0.5), folders, Timeline(reporter=SilentReporter()))
        with fails("deadline-reached"), limit:
            try:
                time.sleep(9)
            finally:
                time.sleep(0.2)  # what runs is stopped
    assert 2.3 < stop_seconds(folders, 3600) < usual
    assert stop_seconds(folders, 10) == pytest.approx(2.0), "a short time is for building, too"


@pytest.mark.parametrize("plain", [5, "x", {}, [None], [[1.0]], [True]])
def test_times_that_are_none_are_not_learnt(folders: Folders, plain: object) -> None:
    usual = stop_seconds(folders, 3600)
    write_kept(STOPS.path(folders.cache), "seconds that builds took to stop", plain)
    assert stop_seconds(folders, 3600) == usual
    write_kept(STOPS.path(folders.cache), "seconds that builds took to stop", [1.0])
    assert stop_seconds(folders, 3600) != usual


def test_a_time_that_has_passed_begins_nothing(folders: Folders) -> None:
    limit = in_time(after(-5), folders, Timeline(reporter=SilentReporter()))
    with fails("deadline-reached"), limit:
        raise AssertionError


def test_work_that_is_in_no_cache_goes_on_here_alone(folders: Folders) -> None:
    timeline = Timeline(reporter=SilentReporter())
    limit = in_time(after(-5), folders, timeline, is_cached=False)
    with fails("deadline-reached", str(folders.work)) as caught, limit:
        raise AssertionError
    assert "bazel" not in f"{caught.value.why} {caught.value.hint}"


def test_other_ends_are_passed_on(folders: Folders) -> None:
    with in_time("", folders, Timeline(reporter=SilentReporter())):
        pass
    limit = in_time(after(60), folders, Timeline(reporter=SilentReporter()))
    with pytest.raises(KeyboardInterrupt), limit:
        raise KeyboardInterrupt
