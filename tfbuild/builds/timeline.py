"""Times the stages of a run and reports how each ended."""

import datetime as dt
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TypeVar

from tfbuild.core.durations import clock
from tfbuild.core.errors import Interrupted, TfbuildError
from tfbuild.core.records import State
from tfbuild.core.reporter import Reporter
from tfbuild.core.reports import StageRecord

Result = TypeVar("Result")


@dataclass(slots=True, kw_only=True)
class Timeline:
    """The stages of one run so far."""

    reporter: Reporter
    began: float = field(default_factory=time.monotonic)
    started_at: str = field(
        default_factory=lambda: dt.datetime.now(dt.UTC).isoformat(timespec="seconds")
    )
    stages: list[StageRecord] = field(default_factory=list)

    def run(
        self, name: str, work: Callable[[], Result], summary: Callable[[Result], str] = lambda _: ""
    ) -> Result:
        """The result of work, timed; summary says in a few words what that is."""
        self.reporter.stage(name)
        started = time.monotonic()
        try:
            result = work()
        except BaseException as error:
            what = (
                error.message
                if isinstance(error, TfbuildError)
                else str(error) or type(error).__name__
            )
            self._end(name, started, "failed", detail=what)
            if isinstance(error, TfbuildError) or not isinstance(error, KeyboardInterrupt):
                raise
            raise Interrupted(
                f"stopped during {name}", hint="run the same command again; finished work is kept"
            ) from error
        run = str(getattr(result, "reused_from", ""))
        original = float(getattr(result, "seconds", 0.0)) if run else 0.0
        self._end(
            name,
            started,
            "reused" if run else "passed",
            detail=summary(result),
            reused=(run, original),
        )
        return result

    def skip(self, name: str, reason: str) -> None:
        """Note a stage that was not run, and why."""
        self.reporter.stage(name)
        self._end(name, time.monotonic(), "skipped", detail=reason)

    def fail_last(self) -> None:
        """Mark the last stage as failed: it ran, and what it found is not good."""
        last = self.stages[-1]
        self.stages[-1] = replace(last, state="failed")

    def _end(
        self,
        name: str,
        started: float,
        state: State,
        *,
        detail: str = "",
        reused: tuple[str, float] = ("", 0.0),
    ) -> None:
        """Keep and report how a stage ended; reused is a result's run, and its seconds there."""
        seconds = time.monotonic() - started
        run, original = reused
        record = StageRecord(
            name=name,
            started=round(started - self.began, 3),
            seconds=round(seconds, 3),
            state=state,
            reused_from=run,
            detail=detail,
            original_seconds=original,
        )
        self.stages.append(record)
        said = f"reused from run {run}, where it took {clock(original)}" if run else detail
        self.reporter.done(name, seconds=seconds, state=state, detail=said)
