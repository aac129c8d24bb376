"""How long a running build still takes, as a range, from what its actions took in earlier builds.

The unit is work: the seconds that an action took before. What is left of it is divided by the speed
at which this build does it. Results out of a cache cost nothing, and whether more will come is only
known from those that came; that, and how steady the speed is, makes the range wide or narrow.
"""

import math
import statistics
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field

from tfbuild.core.durations import between

# Calibrated by benchmarks/estimate.py. A speed's doubt is the deviation of its logarithm.
_DOUBT_OF_ONE = 0.7  # of the speed of one earlier build
_LEAST_DOUBT = 0.10
_DOUBT_PER_ACTION = 0.5  # of a speed seen over one action; it falls with the root of their number
_DRIFT = 0.3  # how the speed of what is left differs from that so far, on a quiet machine
_NOISE = 0.9  # and on any other, as a share of how the speeds of its builds differ
_WIDTH = 2.0  # deviations to each side
_SLACK_SECONDS = 1.5  # what Bazel does beside actions, and how coarsely it is seen
_SURELY_SHOWN = 1.2  # seconds: what takes longer is shown while it runs
_SHOWN_AT_MOST = 7  # the display leaves out what is beyond
_RECENT_SECONDS, _RECENT_SHARE = 15.0, 0.35  # the speed of late: so long, or this share so far
_RECENT_ACTIONS, _ENOUGH_ACTIONS = 8, 2  # over that many at least; before that, nothing is known
_GROWING_SECONDS = 2.0  # a total that did not grow for so long stays what it is
_SETTLES_LATE = 0.3  # of Bazel 0.26 the counter is four ahead of what is done, to the end; so is
# that of others, where few jobs look at many targets
_CALM_SHARE = 0.25  # of the time so far: a counter that did not grow for so long has settled
_JUDGED = 12  # how many of the last results the share of hits is judged by
_WIDEST, _SOON_SECONDS = 3.0, 90.0  # what a range may be to be shown
_GUESS_SECONDS = 1.0  # an action of which nothing is known


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectation:
    """What earlier builds took on this machine; empty where there were none."""

    seconds: Mapping[str, float] = field(default_factory=dict)  # output -> seconds, this tree
    kinds: Mapping[str, float] = field(default_factory=dict)  # mnemonic -> seconds, any tree
    totals: tuple[int, ...] = ()  # how many actions there were in all, newest first
    settled: float = 0.0  # the share that was done when Bazel's counter knew them all
    speeds: tuple[float, ...] = ()  # work per second, newest first
    memory_mb: Mapping[str, float] = field(default_factory=dict)  # output -> peak, this tree


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeLeft:
    """Seconds until the build ends, at least and at most."""

    low: float
    high: float

    def __str__(self) -> str:
        return f"{between(self.low, self.high)} left"

    @property
    def says_something(self) -> bool:
        """Whether one can go by it: 5 to 27 hours are no answer, half a minute or two are."""
        return self.high <= _WIDEST * self.low + _SOON_SECONDS


@dataclass(slots=True, kw_only=True)
class Estimator:
    """Fed with what Bazel shows and reports; says what is left. Times are seconds of one clock."""

    expects: Expectation
    jobs: int
    done: int = 0
    total: int = 0
    settled: float = 0.0  # the share that was done when the total last became more
    hits: int = 0
    finished: dict[str, float] = field(default_factory=dict)  # output -> when
    began: float = -1.0  # when the first was counted
    _grew: float = 0.0  # when the total last became more
    _worked: float = 0.0  # work of actions that ran
    _seen: dict[str, float] = field(default_factory=dict)  # what runs -> the longest it did so far
    _now_running: dict[str, float] = field(default_factory=dict)
    ran: int = 0  # actions that did
    _marks: deque[tuple[float, float, int]] = field(default_factory=deque)  # when, work, actions
    _results: deque[bool] = field(default_factory=lambda: deque(maxlen=_JUDGED))
    _shown: set[str] = field(default_factory=set)  # kinds of which the display shows the names
    _pace: tuple[float, float] = (2.0, 2.0)  # seconds and work of actions that were seen to run
    _names: dict[str, str] = field(default_factory=dict)  # output -> as the display calls it

    def count(self, now: float, done: int, total: int) -> None:
        """Take Bazel's own counter."""
        if self.began < 0:
            self.began = now
        if total > self.total:
            self._grew = now
            self.settled = done / total if total else 0.0
        self.done, self.total = max(self.done, done), max(self.total, total)
        self._now_running = {}

    def runs(self, name: str, seconds: float) -> None:
        """Take an action that the display says to run, for so many seconds now."""
        self._now_running[name] = seconds
        self._seen[name] = max(seconds, self._seen.get(name, 0.0))

    def ends(self, now: float, output: str, kind: str, name: str) -> None:
        """Take an action that ended, with the name that the display gives it."""
        if self.began < 0:
            self.began = now
        if output in self.finished:
            return
        self.finished[output] = now
        self._now_running.pop(name, None)
        work = self.work_of(output, kind)
        if self._is_hit(name, kind, work):
            self.hits += 1
        else:
            self._worked += work
            self.ran += work > 0.1

    def _is_hit(self, name: str, kind: str, work: float) -> bool:
        """Whether a result came out of a cache: it would have been seen to run."""
        if name in self._seen:
            self._shown.add(kind)
            if work > _SURELY_SHOWN:
                seconds, before = self._pace
                self._pace = (seconds + self._seen[name] + 0.3, before + work)
                self._results.append(False)
            return False
        would_take = work * self._pace[0] / self._pace[1]
        if (
            kind not in self._shown
            or would_take < _SURELY_SHOWN
            or len(self._now_running) >= _SHOWN_AT_MOST
        ):
            return False
        self._results.append(True)
        return True

    def work_of(self, output: str, kind: str = "") -> float:
        """Seconds that an action took before, on the average of its kind where it is new."""
        known = self.expects.seconds.get(output)
        return self.expects.kinds.get(kind, _GUESS_SECONDS) if known is None else known

    def longest(self) -> tuple[str, float]:
        """What has been running for the longest time, and for how long."""
        return max(self._now_running.items(), key=lambda pair: pair[1], default=("", 0.0))

    def likely_total(self, now: float) -> int:
        """How many actions there will be: Bazel's counter, or what it grew to in earlier builds."""
        return self._totals(now)[1]

    def may_grow(self, now: float) -> bool:
        """Whether Bazel's counter may still become more: it looks at the tree.

        An old Bazel does so all the time, others only at the beginning.
        """
        if self.expects.settled > _SETTLES_LATE:
            return self.done < self.expects.settled * self.total
        if self.settled > _SETTLES_LATE:
            return now - self._grew < _CALM_SHARE * (now - self.began)
        return self.done < 0.1 * self.total and now - self._grew < _GROWING_SECONDS

    def _totals(self, now: float) -> tuple[int, int]:
        """How many actions there will be, at least and at most."""
        likely = self._likely_totals()
        if not likely or not self.may_grow(now):
            return self.total, self.total
        if self.expects.settled <= _SETTLES_LATE:
            return self.total, min(likely)
        # Nothing distinguishes a whole build from the first one after a few changes.
        return (self.total + min(likely)) // 2, max(likely)

    def _likely_totals(self) -> list[int]:
        """What the counter came to in earlier builds, as far as it may still come to it."""
        return [total for total in self.expects.totals if total > self.total]

    def left(self, now: float) -> TimeLeft | None:
        """The range; None while nothing can be said: no history, or Bazel has not begun, or names
        a few actions more all the time.
        """
        if self.began < 0 or not self.expects.seconds or not self.total:
            return None
        if self.settled > _SETTLES_LATE and self.may_grow(now) and not self._likely_totals():
            return None
        speed, doubt = self._speed(now)
        least, most = self._work_left(now)
        doubt = math.hypot(doubt, max(_DRIFT, _NOISE * self._noise())) * _WIDTH
        hits_low, hits_high = self._hit_share()
        tail = self._tail()
        low = max(least / speed, tail) * (1 - hits_high) * math.exp(-doubt)
        high = max(most / speed * (1 - hits_low), tail) * math.exp(doubt)
        return TimeLeft(low=max(0.0, low - _SLACK_SECONDS), high=high + _SLACK_SECONDS)

    # --- inside ----------------------------------------------------------------------------------

    def _speed(self, now: float) -> tuple[float, float]:
        """Work per second and its doubt: that of earlier builds, and that seen in this one."""
        done = self._worked + sum(
            min(seconds, 0.9 * self._work_named(name))
            for name, seconds in self._now_running.items()
        )
        self._marks.append((now, done, self.ran))
        lately = max(_RECENT_SECONDS, _RECENT_SHARE * (now - self.began))
        while len(self._marks) > 2 and self._is_past(*self._marks[1], now - lately):
            self._marks.popleft()
        usual, doubt = self._usual_speed()
        since, before, number = self._marks[0]
        seconds, work = now - since, done - before
        if seconds > 1 and work > 0 and self.ran - number >= _ENOUGH_ACTIONS:
            own = _DOUBT_PER_ACTION / math.sqrt(self.ran - number)
            trust = doubt**2 / (doubt**2 + own**2)
            usual *= (work / seconds / usual) ** trust
            doubt = max(_LEAST_DOUBT, math.sqrt(1 - trust) * doubt)
        return max(0.02, usual), doubt

    def _is_past(self, when: float, _work: float, number: int, since: float) -> bool:
        """Whether the speed of late is still well known without what was before."""
        return when < since and self.ran - number >= _RECENT_ACTIONS

    def _usual_speed(self) -> tuple[float, float]:
        """The speed of earlier builds, and how far apart they were."""
        logs = self._log_speeds()
        if not logs:
            return 0.9 * self.jobs, 2 * _DOUBT_OF_ONE
        doubt = max(_DOUBT_OF_ONE / math.sqrt(len(logs)), self._noise())
        return math.exp(statistics.fmean(logs)), doubt

    def _noise(self) -> float:
        """How far the speeds of earlier builds were apart, as the deviation of their logarithm."""
        logs = self._log_speeds()
        return statistics.stdev(logs) if len(logs) > 1 else 0.0

    def _log_speeds(self) -> list[float]:
        return [math.log(max(speed, 0.01)) for speed in self.expects.speeds[:8]]

    def _work_named(self, name: str) -> float:
        if not self._names:
            for output in self.expects.seconds:
                self._names.setdefault(_stem(output), output)
        output = self._names.get(_stem(name.rsplit(" ", maxsplit=1)[-1]), "")
        return self.expects.seconds.get(output, _GUESS_SECONDS)

    def _work_left(self, now: float) -> tuple[float, float]:
        """Work that is left, at least and at most: Bazel's counter may still grow."""
        todo = {o: s for o, s in self.expects.seconds.items() if o not in self.finished}
        least, most = (max(0, total - self.done) for total in self._totals(now))
        return self._work_of_some(least, todo), self._work_of_some(most, todo)

    def _work_of_some(self, count: int, todo: Mapping[str, float]) -> float:
        """Work of so many of the outputs that are left, those that nobody knows at the mean."""
        if not todo:
            return count * _GUESS_SECONDS
        work = sum(todo.values())
        mean = work / len(todo)
        return work * count / len(todo) if count <= len(todo) else work + (count - len(todo)) * mean

    def _hit_share(self) -> tuple[float, float]:
        """The share of what is left that will come out of a cache, at least and at most."""
        if not any(self._results):
            return 0.0, 0.0
        share = sum(self._results) / len(self._results)
        doubt = _WIDTH * math.sqrt(max(share * (1 - share), 0.05) / len(self._results))
        return max(0.0, share - doubt), min(0.97, share + doubt)

    def _tail(self) -> float:
        """Seconds of the longest action that runs or must run at the end: links wait for all."""
        running = [self._work_named(name) - s for name, s in self._now_running.items()]
        return max([0.0, *running])


def _stem(path: str) -> str:
    """The path without bazel-out/CONFIG/bin, _objs/TARGET and its endings: lib/a."""
    parts = path.split("/")
    if parts[0] == "bazel-out" and len(parts) > 3:
        parts = parts[3:]
    if "_objs" in parts:
        at = parts.index("_objs")
        parts = parts[:at] + parts[at + 2 :]
    return "/".join([*parts[:-1], parts[-1].partition(".")[0]])
