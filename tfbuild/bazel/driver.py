"""One call of Bazel, followed to its end: it waits its turn, and a dead server is revived."""

import time
from dataclasses import dataclass, replace

from tfbuild.bazel.endings import BUSY, SERVER_DIED, ending_error
from tfbuild.bazel.events import EventFile, executed_and_hits
from tfbuild.bazel.server import kill_server, require_loopback
from tfbuild.bazel.watch import BazelStuck, BazelWatch
from tfbuild.core.interfaces import Environment
from tfbuild.core.layout import EVENTS
from tfbuild.core.records import Command, Completed

_CODES = tuple(range(64))  # every code that Bazel itself gives; `endings` knows what they mean
_WAIT_SECONDS = 3600.0
_ATTEMPTS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class BazelResult:
    """How a call of Bazel that ended well went."""

    seconds: float
    executed: int  # actions that ran, cache hits left out
    cache_hits: int


def drive(command: Command, env: Environment) -> BazelResult:
    """Call Bazel until it has done what the command says.

    Raises what `endings` finds: BuildFailed with the compiler's own message, OutOfMemory, DiskFull
    or Interrupted; EnvironmentFailed where this machine cannot talk to itself.
    """
    require_loopback()
    started = time.monotonic()
    completed = _until_done(replace(command, ok_codes=_CODES), env)
    executed, hits = executed_and_hits(completed.stdout)
    seconds = time.monotonic() - started
    return BazelResult(seconds=seconds, executed=executed, cache_hits=hits)


def _until_done(command: Command, env: Environment) -> Completed:
    deadline = time.monotonic() + _WAIT_SECONDS
    lost = 0
    while True:
        events = EventFile(path=EVENTS.path(env.toolchain.work))
        events.path.unlink(missing_ok=True)
        try:
            completed = env.run(command, BazelWatch(env, events).take)
        except BazelStuck:
            completed = Completed(code=SERVER_DIED)
            kill_server(env.toolchain)
        events.poll()
        if completed.code == 0:
            return completed
        if completed.code == BUSY and time.monotonic() < deadline:
            _wait_for_other(completed, env)
        elif completed.code == SERVER_DIED and lost + 1 < _ATTEMPTS:
            lost += 1
            env.tools.reporter.warn("Bazel's server died; starting it again, nothing done is lost")
        else:
            raise ending_error(completed, events, env)


def _wait_for_other(completed: Completed, env: Environment) -> None:
    said = [line for line in completed.last_lines if "Another command" in line]
    env.tools.reporter.progress(f"waiting: {said[0].strip() if said else 'Bazel is busy'}")
    time.sleep(2.0)
