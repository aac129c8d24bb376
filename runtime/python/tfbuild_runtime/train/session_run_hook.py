"""What hooks are: functions around the steps of a monitored session."""

from __future__ import annotations

from typing import Any, NamedTuple


class SessionRunArgs(NamedTuple):
    """What a hook wants to be run in a step beside what the program runs."""

    fetches: Any
    feed_dict: Any = None
    options: Any = None


class SessionRunValues(NamedTuple):
    """What a step gave a hook."""

    results: Any
    options: Any
    run_metadata: Any


class SessionRunContext:
    """One step: what it runs, in which session, and whether it is the last."""

    def __init__(self, original_args: SessionRunArgs, session: Any) -> None:
        self._original_args = original_args
        self._session = session
        self._stop_requested = False

    @property
    def original_args(self) -> SessionRunArgs:
        """What the program runs."""
        return self._original_args

    @property
    def session(self) -> Any:
        """The session."""
        return self._session

    @property
    def stop_requested(self) -> bool:
        """Whether this step is the last."""
        return self._stop_requested

    def request_stop(self) -> None:
        """Make this step the last."""
        self._stop_requested = True


class SessionRunHook:
    """Functions that a monitored session calls; each does nothing until a hook defines it."""

    def begin(self) -> None:
        """Be called before the session is made; may add to the graph."""

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Be called when the session is there, and the graph can no longer be added to."""

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs | None:
        """Be called before each step; return what to run beside it."""

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Be called after each step with what before_run asked for."""

    def end(self, session: Any) -> None:
        """Be called before the session is closed, unless an error ended it."""
