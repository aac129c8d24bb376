"""A time by which work must have stopped in order, whatever runs: as a CI job's limit is."""

import datetime as dt
import re
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from tfbuild.core.errors import BadRequest

_SPAN = re.compile(r"(?:([0-9]{1,4}(?:\.[0-9]{1,3})?)h)?(?:([0-9]{1,6})m)?(?:([0-9]{1,7})s)?")
_LEAST_SECONDS = 1.0


class TimeIsUp(BaseException):
    """Raised in the main thread when the time has come; like a Ctrl-C, no step swallows it."""

    so_far = ""  # how far the work had come, in words


def read_deadline(text: str, now: dt.datetime) -> str:
    """The moment that 5h, 1h30m, 45m, 17:30 or a whole date and time mean, as a time in UTC.

    now has its zone, in which a bare time is understood: that of today, or else of tomorrow. An
    empty text has no deadline. Raises BadRequest for what is no time, or has passed.
    """
    text = text.strip()
    if not text:
        return ""
    moment = _moment(text, now)
    if moment is None:
        raise BadRequest(
            f"deadline is '{text}'",
            code="deadline-not-understood",
            hint="write a span such as 5h, 1h30m or 45m, or a time: 17:30",
        )
    is_span = _SPAN.fullmatch(text.lower()) is not None
    if is_span and (moment - now).total_seconds() < _LEAST_SECONDS:
        raise BadRequest(
            f"the deadline '{text}' leaves no time",
            code="deadline-too-short",
            hint="name a span of a second or more, such as 45m",
        )
    if (moment - now).total_seconds() < _LEAST_SECONDS:
        raise BadRequest(
            f"the deadline '{text}' has passed", code="deadline-passed", hint="name a later time"
        )
    return moment.astimezone(dt.UTC).isoformat(timespec="milliseconds")


def seconds_left(deadline: str) -> float:
    """Seconds until a deadline as read_deadline gives it; infinite without one."""
    if not deadline:
        return float("inf")
    return (dt.datetime.fromisoformat(deadline) - dt.datetime.now(dt.UTC)).total_seconds()


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Raise TimeIsUp inside when that time has passed; in another thread than the main one, not.

    A program that runs then is stopped as by Ctrl-C.
    """
    if seconds == float("inf") or threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGALRM, _ring)
    signal.setitimer(signal.ITIMER_REAL, max(seconds, 0.001))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def _ring(_number: int, _frame: object) -> None:
    raise TimeIsUp("the time is up")


def _moment(text: str, now: dt.datetime) -> dt.datetime | None:
    span = _SPAN.fullmatch(text.lower())
    if span and any(span.groups()):
        hours, minutes, seconds = (float(group or 0) for group in span.groups())
        return now + dt.timedelta(hours=hours, minutes=minutes, seconds=seconds)
    if re.fullmatch(r"[0-9]{1,2}:[0-9]{2}", text):
        hour, minute = map(int, text.split(":"))
        if hour > 23 or minute > 59:
            return None
        moment = now.replace(hour=hour, minute=minute, second=0, microsecond=0)
        return moment if moment > now else moment + dt.timedelta(days=1)
    try:
        moment = dt.datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=now.tzinfo)
