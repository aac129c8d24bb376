"""A build of Bazel's with all caches and machines that the plan names, and what came from where."""

import secrets
import time
from dataclasses import dataclass, replace

from tfbuild.bazel.disk_cache import (
    DiskCacheState,
    disk_flags,
    forget_results,
    tend_disk_cache,
)
from tfbuild.bazel.driver import BazelResult, drive
from tfbuild.bazel.identity import identity_flags, toolchain_identity
from tfbuild.bazel.rebuild import drive_and_explain
from tfbuild.bazel.recheck import recheck
from tfbuild.bazel.remote import NO_REMOTE, Remote, open_remote, with_flags
from tfbuild.bazel.turns import call_in_turn
from tfbuild.core.build_course import BuildCourse
from tfbuild.core.counts import counted
from tfbuild.core.environments import Services
from tfbuild.core.errors import TfbuildError
from tfbuild.core.interfaces import Environment
from tfbuild.core.rebuilds import Rebuild
from tfbuild.core.records import Command


@dataclass(frozen=True, slots=True, kw_only=True)
class CachedBuild:
    """How it went; command is the call as it was made here, with which Bazel can be asked more."""

    command: Command
    seconds: float
    executed: int  # actions that ran, cache hits left out
    elsewhere: int  # of these, on other machines
    cache_hits: int
    remote_hits: int  # of these, over the network
    course: BuildCourse
    rebuild: Rebuild


def build_cached(
    planned: Command, services: Services, env: Environment, *, toolkit_is_input: bool = False
) -> CachedBuild:
    """Carry out a planned call of `bazel build`; toolkit_is_input as in toolchain_identity.

    Raises what `drive` raises, and EnvironmentFailed where a service that is required is of no use.
    """
    toolchain = toolchain_identity(env, toolkit_is_input=toolkit_is_input)
    identity = identity_flags(toolchain, services, env.toolchain.bazel_version)
    command = with_flags(planned, (*identity, *disk_flags(services.disk_limit_mb)))
    began = time.time()
    try:
        with open_remote(services, env) as remote:
            result, rebuild = drive_and_explain(command, env, remote)
            if services.checked and result.cache_hits:
                result = _trusted(result, command, services, env, remote)
    except TfbuildError:
        tend_disk_cache(env, services.disk_limit_mb, since=began)
        raise
    disk = tend_disk_cache(
        env, services.disk_limit_mb, since=began, has_met_damage=result.has_met_damage
    )
    return CachedBuild(
        command=command,
        seconds=result.seconds,
        executed=result.executed,
        elsewhere=result.elsewhere,
        cache_hits=result.cache_hits,
        remote_hits=_remote_hits(result, disk, remote),
        course=result.course,
        rebuild=rebuild,
    )


# --- inside ------------------------------------------------------------------------------------


def _trusted(
    result: BazelResult, command: Command, services: Services, env: Environment, remote: Remote
) -> BazelResult:
    """The result, where the sample that was asked for compiles to the same; else that of a build
    which takes nothing from any cache, and puts right what it may.
    """
    wrong = recheck(command, env, services.checked, seed=secrets.randbits(32))
    if not wrong:
        env.tools.reporter.note("the sample compiled to the same again: the caches are right")
        return result
    env.tools.reporter.warn(
        f"a cache lies: compiling gives something else for {counted(len(wrong), 'result')}, such "
        f"as {wrong[0]}; "
        "building again without what it holds",
        code="cache-lied",
    )
    forget_results(env)
    at = command.argv.index("build")
    call_in_turn(replace(command, argv=(*command.argv[:at], "clean"), pty=False), env)
    return drive(with_flags(command, ("--disk_cache=", "--noremote_accept_cached")), env, remote)


def _remote_hits(result: BazelResult, disk: DiskCacheState, remote: Remote) -> int:
    """How many of the hits came over the network.

    An older Bazel does not say; but what comes from there, and what ran here, is new on the disk.
    """
    if result.disk_hits is not None:
        return result.cache_hits - result.disk_hits
    if remote == NO_REMOTE:
        return 0
    if not remote.has_disk:
        return result.cache_hits
    ran_here = result.executed - result.elsewhere
    return min(result.cache_hits, max(0, disk.new_results - ran_here))
