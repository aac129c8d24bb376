"""A build that stops in order before its deadline, and says how the next one goes on."""

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from tfbuild.builds.timeline import Timeline
from tfbuild.core.deadline import TimeIsUp, seconds_left, within
from tfbuild.core.errors import DeadlineReached
from tfbuild.core.kept_json import read_record, write_kept
from tfbuild.core.layout import CACHE_MARK, CARRIED, STOPS
from tfbuild.core.paths import Folders

_SUBJECT = "seconds that builds took to stop"
_REMEMBERED = 5
_USUAL_SECONDS = 10.0
_LARGEST_SHARE = 0.2  # of the time that is left: a short one is for building, too


@contextmanager
def in_time(
    deadline: str, folders: Folders, timeline: Timeline, *, is_cached: bool = True
) -> Iterator[None]:
    """Stop what runs inside so early that all is in order by the deadline; without one, do nothing.

    Raises DeadlineReached then, which says how far it came and what the next job needs. How early
    that is follows from how long the last builds of this cache took to stop. Where the work is not
    in the cache, it is in the work folder alone, and no other machine can go on with it.
    """
    left = seconds_left(deadline)
    if left <= 0:
        raise _reached(deadline, "nothing was begun", folders, is_cached=is_cached)
    try:
        with within(left - stop_seconds(folders, left)):
            yield
    except TimeIsUp as error:
        stage = timeline.stages[-1].name if timeline.stages else ""
        said = ", ".join(filter(None, (f"stopped during {stage}" if stage else "", error.so_far)))
        taken = max(0.0, stop_seconds(folders, left) - seconds_left(deadline))
        _remember(folders, taken)
        raise _reached(deadline, said, folders, is_cached=is_cached) from error


def stop_seconds(folders: Folders, left: float) -> float:
    """How long before the deadline to stop: twice what it took lately, and not too much of it."""
    lately = _lately(folders)
    wanted = 2 * max(lately) + 2 if lately else _USUAL_SECONDS
    return min(wanted, _LARGEST_SHARE * left) if left != float("inf") else wanted


def _lately(folders: Folders) -> tuple[float, ...]:
    return read_record(STOPS.path(folders.cache), _SUBJECT, tuple[float, ...]) or ()


def _remember(folders: Folders, seconds: float) -> None:
    with suppress(OSError):  # a full disk: then the usual time is taken
        latest = [*_lately(folders), round(seconds, 2)][-_REMEMBERED:]
        write_kept(STOPS.path(folders.cache), _SUBJECT, latest)


def _reached(deadline: str, said: str, folders: Folders, *, is_cached: bool) -> DeadlineReached:
    at = time.strftime("%H:%M:%S", time.localtime(time.time() + seconds_left(deadline)))
    if not is_cached:
        return DeadlineReached(
            f"the deadline {at} is near: {said}",
            why=f"what was compiled is kept in {folders.work}",
            hint="run the same command again on this machine: it goes on where it was stopped",
        )
    names = ", ".join(place.name for place in (*CARRIED, CACHE_MARK))
    return DeadlineReached(
        f"the deadline {at} is near: {said}",
        why="every action that has ended is kept in the cache, none of them runs again",
        hint="run the same command again in the next job; where that is another machine, bring "
        f"these of {folders.cache} along: {names}",
    )
