"""Commands of one output base take turns: Bazel refuses a second one, and we wait for the first."""

import time
from dataclasses import replace

from tfbuild.core.errors import EnvironmentFailed
from tfbuild.core.interfaces import Environment, Watch
from tfbuild.core.records import Command, Completed

BUSY = 9  # Bazel's code where --noblock_for_lock is given and another command runs
PATIENCE_SECONDS = 3600.0
_PAUSE_SECONDS = 2.0


def call_in_turn(command: Command, env: Environment, watch: Watch | None = None) -> Completed:
    """Call Bazel as soon as no other command is at work in its output base.

    Raises what the environment raises, and EnvironmentFailed where the other one never ends.
    """
    patient = replace(command, ok_codes=(*command.ok_codes, BUSY))
    deadline = time.monotonic() + PATIENCE_SECONDS
    while (completed := env.run(patient, watch)).code == BUSY:
        if time.monotonic() > deadline:
            raise EnvironmentFailed(
                "another Bazel command has been at work in the same output base for an hour",
                code="output-base-busy",
                why=_said_of_other(completed),
                hint="let it end, or end it; then run the same command again",
            )
        wait_for_other(completed, env)
    return completed


def wait_for_other(completed: Completed, env: Environment) -> None:
    """Say for whom we wait, and let some time pass."""
    env.tools.reporter.progress(f"waiting: {_said_of_other(completed)}")
    time.sleep(_PAUSE_SECONDS)


def _said_of_other(completed: Completed) -> str:
    said = (line.strip() for line in completed.last_lines if "Another command" in line)
    return next(said, "Bazel is busy")
