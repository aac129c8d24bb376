"""A time by which work must have stopped."""

import datetime as dt
import signal
import threading
import time

import pytest

from tests.failing import fails
from tfbuild.core.deadline import TimeIsUp, read_deadline, seconds_left, within
from tfbuild.core.process import run
from tfbuild.core.records import Command

ZONE = dt.timezone(dt.timedelta(hours=2))
NOW = dt.datetime(2026, 11, 22, 16, 0, tzinfo=ZONE)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("5h", "2026-11-22T19:00:00"),
        ("1h30m", "2026-11-22T15:30:00"),
        ("45M", "2026-11-22T14:45:00"),
        ("1.5h", "2026-11-22T15:30:00"),
        ("90s", "2026-11-22T14:01:30"),
        ("17:30", "2026-11-22T15:30:00"),
        ("9:05", "2026-11-23T07:05:00"),
        ("2026-11-22T17:00", "2026-11-22T15:00:00"),
        ("2026-11-22T17:00Z", "2026-11-22T17:00:00"),
    ],
)
def test_spans_and_times(text: str, moment: str) -> None:
    assert read_deadline(text, NOW) == f"{moment}.000+00:00"


@pytest.mark.parametrize("text", ["soon", "5", "-1h", "25:00", "12:60", "h"])
def test_what_is_no_time(text: str) -> None:
    with fails("deadline-not-understood", f"'{text}'"):
        read_deadline(text, NOW)


def test_what_has_passed() -> None:
    with fails("deadline-passed", "'2020-01-01'"):
        read_deadline("2020-01-01", NOW)


@pytest.mark.parametrize("text", ["0h", "0m", "0h0m0s"])
def test_a_span_without_any_time_has_not_passed(text: str) -> None:
    with fails("deadline-too-short", f"'{text}'"):
        read_deadline(text, NOW)


def test_no_deadline() -> None:
    assert read_deadline("", NOW) == ""
    assert seconds_left("") == float("inf")
    with within(float("inf")):
        assert signal.getitimer(signal.ITIMER_REAL)[0] == 0


def test_how_much_is_left() -> None:
    deadline = read_deadline("1h", dt.datetime.now(dt.UTC))
    assert 3590 < seconds_left(deadline) <= 3600


def test_a_program_that_runs_is_stopped() -> None:
    began = time.monotonic()
    with pytest.raises(TimeIsUp), within(0.3):
        run(Command(argv=("sleep", "60")))
    assert time.monotonic() - began < 10


def test_afterwards_nothing_rings() -> None:
    before = signal.getsignal(signal.SIGALRM)
    with within(30):
        pass
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0
    assert signal.getsignal(signal.SIGALRM) == before


def test_another_thread_is_left_alone() -> None:
    ended = []

    def work() -> None:
        with within(0.001):
            time.sleep(0.05)
        ended.append(True)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert ended
