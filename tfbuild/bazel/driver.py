"""One call of Bazel, followed to its end: it waits its turn, and a dead server is revived."""

import time
from dataclasses import dataclass, replace

from tfbuild.bazel.disk_cache import use_disk_cache
from tfbuild.bazel.endings import BUSY, SERVER_DIED, ending_error
from tfbuild.bazel.events import EventFile, executed_and_hits, from_elsewhere
from tfbuild.bazel.remote import NO_REMOTE, CacheWatch, Remote, RemoteLost
from tfbuild.bazel.server import end_server, kill_server, require_loopback
from tfbuild.bazel.watch import BazelStuck, BazelWatch
from tfbuild.core.deadline import TimeIsUp
from tfbuild.core.errors import DiskFull, Interrupted
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
    elsewhere: int = 0  # of the executed ones, those that other machines ran
    disk_hits: int | None = None  # of the hits, those of this machine; None: Bazel does not tell
    has_met_damage: bool = False  # Bazel has read a result that was damaged


def drive(command: Command, env: Environment, remote: Remote = NO_REMOTE) -> BazelResult:
    """Call Bazel until it has done what the command says.

    A cache or a farm that fails in the middle is left out. Where the build is stopped, no server is
    left. Raises what `endings` finds: BuildFailed with the compiler's own message, OutOfMemory,
    DiskFull or Interrupted; EnvironmentFailed where this machine cannot talk to itself, or without
    a cache that is required.
    """
    require_loopback()
    started = time.monotonic()
    watch = CacheWatch()
    try:
        with use_disk_cache(env.toolchain):
            completed = _until_done(replace(command, ok_codes=_CODES), env, remote, watch)
    except (KeyboardInterrupt, TimeIsUp, Interrupted, DiskFull):
        end_server(env.toolchain)
        raise
    executed, hits = executed_and_hits(completed.stdout)
    elsewhere, disk_hits = from_elsewhere(completed.stdout)
    return BazelResult(
        seconds=time.monotonic() - started,
        executed=executed,
        cache_hits=hits,
        elsewhere=elsewhere,
        disk_hits=disk_hits,
        has_met_damage=watch.has_met_damage,
    )


def _until_done(
    command: Command, env: Environment, remote: Remote, caches: CacheWatch
) -> Completed:
    deadline = time.monotonic() + _WAIT_SECONDS
    lost = 0
    reporter = env.tools.reporter
    while True:
        events = EventFile(path=EVENTS.path(env.toolchain.work))
        events.begin()
        try:
            completed = _call(remote.applied(command), env, events, caches)
        except RemoteLost as error:
            remote = remote.without(str(error), reporter)
            continue
        except BazelStuck:
            completed = Completed(code=SERVER_DIED)
            kill_server(env.toolchain)
        events.poll()
        if completed.code == 0:
            return completed
        # A server may have been killed for want of memory: it is a cache's fault the second time.
        if remote.is_cause(completed.code) and (completed.code != SERVER_DIED or lost):
            said = next((line for line in completed.last_lines if "ERROR" in line), "")
            remote = remote.without(said or f"Bazel ended with {completed.code}", reporter)
            kill_server(env.toolchain)  # it remembers what it believes to be there
        elif completed.code == BUSY and time.monotonic() < deadline:
            _wait_for_other(completed, env)
        elif completed.code == SERVER_DIED and lost + 1 < _ATTEMPTS:
            lost += 1
            reporter.warn("Bazel's server died; starting it again, nothing done is lost")
        else:
            raise ending_error(completed, events, env)


def _call(command: Command, env: Environment, events: EventFile, caches: CacheWatch) -> Completed:
    """One call; a time that is up in it tells how far it came."""
    watch = BazelWatch(env, events)

    def take(line: str) -> None:
        watch.take(line)
        caches.take(line, time.monotonic())

    try:
        return env.run(command, take)
    except TimeIsUp as error:
        error.told = watch.told
        raise


def _wait_for_other(completed: Completed, env: Environment) -> None:
    said = [line for line in completed.last_lines if "Another command" in line]
    env.tools.reporter.progress(f"waiting: {said[0].strip() if said else 'Bazel is busy'}")
    time.sleep(2.0)
