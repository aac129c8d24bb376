"""One call of Bazel, followed to its end.

It waits its turn, a dead server is revived, and a build that was short of memory goes on with fewer
jobs, once. A cache or a farm that fails in the middle is left out.
"""

import time
from dataclasses import dataclass, replace

from tfbuild.bazel.disk_cache import disk_flags, forget_results, use_disk_cache
from tfbuild.bazel.endings import SERVER_DIED, ending_error
from tfbuild.bazel.events import EventFile, executed_and_hits, from_elsewhere
from tfbuild.bazel.failed_action import keep_failed_actions
from tfbuild.bazel.fewer_jobs import jobs_of, with_jobs
from tfbuild.bazel.follower import Follower, with_narrowing
from tfbuild.bazel.following import follow, observed, server_finder
from tfbuild.bazel.remote import NO_REMOTE, CacheWatch, Remote, RemoteLost, with_flags
from tfbuild.bazel.server import end_server, has_children, kill_server, require_loopback
from tfbuild.bazel.turns import BUSY, PATIENCE_SECONDS, wait_for_other
from tfbuild.bazel.watch import BazelStuck, BazelWatch
from tfbuild.core.build_course import BuildCourse
from tfbuild.core.counts import counted
from tfbuild.core.deadline import TimeIsUp
from tfbuild.core.errors import DiskFull, Interrupted, OutOfMemory, TfbuildError
from tfbuild.core.interfaces import Environment
from tfbuild.core.layout import EVENTS
from tfbuild.core.records import Command, Completed

_CODES = tuple(range(64))  # every code that Bazel itself gives; `endings` knows what they mean
_ATTEMPTS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class BazelResult:
    """How a call of Bazel that ended well went."""

    seconds: float
    executed: int  # actions that ran, cache hits left out
    cache_hits: int
    course: BuildCourse
    elsewhere: int = 0  # of the executed ones, those that other machines ran
    disk_hits: int | None = None  # of the hits, those of this machine; None: Bazel does not say
    has_met_damage: bool = False  # Bazel has read a result that was damaged


def drive(command: Command, env: Environment, remote: Remote = NO_REMOTE) -> BazelResult:
    """Call Bazel until it has done what the command says; where it is stopped, no server is left.

    Raises what `endings` finds: BuildFailed with the compiler's own message, OutOfMemory, DiskFull
    or Interrupted; EnvironmentFailed where this machine cannot talk to itself, or without a cache
    that is required.
    """
    require_loopback()
    started = time.monotonic()
    find = server_finder(env)
    caches = CacheWatch(
        remote=remote, runs_here=lambda: not (server := find()) or has_children(server)
    )
    try:
        with use_disk_cache(env.toolchain):
            completed, course = _with_memory(replace(command, ok_codes=_CODES), env, caches)
    except (KeyboardInterrupt, TimeIsUp, Interrupted, DiskFull):
        end_server(env.toolchain)
        raise
    finally:
        if caches.has_killed:  # and what it said may be kept, to end each later build
            forget_results(env)
    executed, hits = executed_and_hits(completed.stdout)
    elsewhere, disk_hits = from_elsewhere(completed.stdout)
    return BazelResult(
        seconds=time.monotonic() - started,
        executed=executed,
        cache_hits=hits,
        course=course,
        elsewhere=elsewhere,
        disk_hits=disk_hits,
        has_met_damage=caches.has_met_damage,
    )


def _with_memory(
    command: Command, env: Environment, caches: CacheWatch
) -> tuple[Completed, BuildCourse]:
    """The call, and a second one with half the jobs where the first was short of memory."""
    jobs = jobs_of(command)
    try:
        return _until_done(command, env, caches)
    except OutOfMemory as error:
        if jobs < 2:
            raise
        fewer = jobs // 2
        why = error.why.partition("\n")[0]
        env.tools.reporter.warn(
            f"{error.message} ({why}): going on with {counted(fewer, 'job')} instead of {jobs}, "
            "and with all that is done",
            code="build-short-of-memory",
        )
        completed, course = _until_done(with_jobs(command, fewer), env, caches)
        return completed, with_narrowing(course, jobs)


def _until_done(
    command: Command, env: Environment, caches: CacheWatch
) -> tuple[Completed, BuildCourse]:
    deadline = time.monotonic() + PATIENCE_SECONDS
    lost = 0
    command = observed(command, env.toolchain)
    while True:
        follower = follow(command, env)
        events = EventFile(path=EVENTS.path(env.toolchain.work), hear=follower.event, read=env.read)
        events.begin()
        try:
            completed, error = _once(command, env, events, follower, caches)
        except RemoteLost as lost_one:
            caches.give_up(str(lost_one), env.tools.reporter)
            end_server(env.toolchain)  # one that sends a result there does not heed that it ends
            continue
        if completed.code == 0:
            return completed, follower.finish(is_whole=True)
        # A server may have been killed for want of memory: it is a cache's fault the second time.
        if caches.remote.is_cause(completed.code) and (completed.code != SERVER_DIED or lost):
            said = next((line for line in completed.last_lines if "ERROR" in line), "")
            caches.give_up(said or f"Bazel ended with {completed.code}", env.tools.reporter)
            kill_server(env.toolchain)  # it remembers what it believes to be there
            if completed.code == SERVER_DIED:
                caches.has_killed = True
                command = with_flags(command, disk_flags(0))
        elif completed.code == BUSY and time.monotonic() < deadline:
            wait_for_other(completed, env)
        elif (
            error.exit_code != OutOfMemory.exit_code
            and completed.code == SERVER_DIED
            and (lost + 1 < _ATTEMPTS)
        ):
            lost += 1
            env.tools.reporter.warn(
                "Bazel's server died; starting it again, nothing done is lost",
                code="bazel-server-died",
            )
        else:
            follower.finish(is_whole=False)
            if keep_failed_actions(env):
                error.hint += "; `tfbuild debug` runs what failed alone"
            raise error


def _once(
    command: Command, env: Environment, events: EventFile, follower: Follower, caches: CacheWatch
) -> tuple[Completed, TfbuildError]:
    """One call, and the error that its end means where it did not end well.

    A call that is stopped because the time is up says in its TimeIsUp how far it came.
    """
    watch = BazelWatch(env, events, follower)

    def take(line: str) -> None:
        watch.take(line)
        caches.take(line, time.monotonic())

    try:
        completed = env.run(caches.remote.applied(command), take)
    except TimeIsUp as up:
        up.so_far = watch.so_far
        raise
    except BazelStuck:
        completed = Completed(code=SERVER_DIED)
        kill_server(env.toolchain)
    except OutOfMemory as short:
        follower.finish(is_whole=False)
        follower.with_figures(short)
        raise
    finally:
        follower.close()
        events.poll()
    error = ending_error(completed, events, env, kills=follower.kills())
    return completed, follower.with_figures(error) if isinstance(error, OutOfMemory) else error
