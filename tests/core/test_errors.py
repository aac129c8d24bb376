"""Every way to fail has its own exit code, as documented."""

import inspect

from tfbuild.core import errors
from tfbuild.core.errors import TfbuildError

CODES = {
    "BadRequest": 2, "BadRecipe": 2, "NoSolution": 3, "TreeLacks": 3, "EnvironmentFailed": 4,
    "ConfigureFailed": 5, "BuildFailed": 6, "WheelFailed": 6, "AuditFailed": 7, "SmokeFailed": 8,
    "PerfRegressed": 9, "FetchFailed": 10, "WrongHash": 10, "OutOfMemory": 11, "DiskFull": 12,
    "RoomMissing": 12, "DeadlineReached": 13, "Interrupted": 130,
}  # fmt: skip


def test_exit_codes() -> None:
    found = {
        name: kind.exit_code
        for name, kind in inspect.getmembers(errors, inspect.isclass)
        if issubclass(kind, TfbuildError) and not name.startswith("Command")
    }
    assert found == {"TfbuildError": 1, **CODES}
    assert set(errors.EXIT_CODES) == {0, errors.NO_KNOWN_CAUSE, *found.values()}


def test_an_error_carries_its_remedy() -> None:
    error = TfbuildError("it failed", why="because", hint="do this", log="/log")
    assert (str(error), error.why, error.hint, error.log) == (
        "it failed", "because", "do this", "/log",
    )  # fmt: skip
