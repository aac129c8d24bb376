"""Which caches and machines a call of Bazel uses: those that the plan names and that answer well.

Logins go through a file of the caller's alone, never through a command line or an address.
"""

import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from tfbuild.bazel.events import progress
from tfbuild.bazel.farm import farm_trouble
from tfbuild.bazel.probe import Outlook, probe_cache, probe_executor
from tfbuild.bazel.remote_api import instance_of
from tfbuild.core.environments import Services
from tfbuild.core.errors import EnvironmentFailed
from tfbuild.core.interfaces import Environment
from tfbuild.core.layout import REMOTE_RC
from tfbuild.core.masking import mask_address
from tfbuild.core.records import Command, Pairs, Toolchain
from tfbuild.core.reporter import Reporter
from tfbuild.core.versions import contains
from tfbuild.fetch.http import netrc_header

# HTTP: seconds without a byte; gRPC: seconds for one blob, however large.
_HTTP_SECONDS, _GRPC_SECONDS = 10, 60
# Bazel would ask a service of gRPC six times, each for so long, what it can before it begins.
_CACHE_RETRIES, _FARM_RETRIES = 0, 1
_TIMED_OUT = re.compile(r"timed out\. Received|DEADLINE_EXCEEDED|UNAVAILABLE: io exception")
_DAMAGE = re.compile(r"does not match received digest|errors? during bulk transfer")
_ASKING = re.compile(r"; ([\d,]+)s remote-cache(?:$|[ .])")
_IN_USE = re.compile(r"; [\d,]+s remote-cache\b")  # also of what has run and is sent there
_QUEUED = re.compile(r"\[[\d,]+ / [\d,]+\] \[Sched\].*\([\d,]+ actions, 0 running\)")
_MOST_TIMEOUTS = 3
_MOST_ASKING_SECONDS = 60
_MOST_IDLE_SECONDS = 60.0
_LOOK_SECONDS = 1.0
_MOST_QUEUED_SECONDS = 120.0
_BROKEN_CODES = {2, 34, 36, 37, 38}  # what Bazel ends with when a service fails it, or kills it


class RemoteLost(Exception):
    """A cache or a farm that answered before the build does no more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Remote:
    """What a call of Bazel is given of caches and machines."""

    flags: tuple[str, ...] = ()
    rc_file: Path | None = None
    names: tuple[str, ...] = ()  # for messages
    is_required: bool = False
    has_disk: bool = True  # whether the disk cache is used beside them

    def applied(self, command: Command) -> Command:
        """The command with all of it in place; its flags are the last, and win."""
        command = with_flags(command, self.flags)
        if not self.rc_file:
            return command
        at = command.argv.index("build")
        rc_file = f"--bazelrc={self.rc_file}"
        return replace(command, argv=(*command.argv[:at], rc_file, *command.argv[at:]))

    def is_cause(self, code: int) -> bool:
        """Whether a call that ended with this code may go well without them."""
        return bool(self.names) and code in _BROKEN_CODES

    def without(self, why: str, reporter: Reporter) -> "Remote":
        """What is left when they fail in the middle; EnvironmentFailed where they are required."""
        said = " and ".join(self.names)
        if self.is_required:
            raise _missing(said, why)
        reporter.warn(
            f"{said} failed during the build ({why}): going on without; nothing is lost",
            code="remote-service-lost",
        )
        return NO_REMOTE


NO_REMOTE = Remote()


def with_flags(command: Command, flags: Sequence[str]) -> Command:
    """A call of `bazel build` with flags behind its own, before its targets."""
    words = command.argv
    options = [i for i, w in enumerate(words) if w[:1] in "-{" and i > words.index("build")]
    before_targets = words.index("--") if "--" in words else max(options, default=-1) + 1
    at = before_targets or words.index("build") + 1
    return replace(command, argv=(*words[:at], *flags, *words[at:]))


@contextmanager
def open_remote(services: Services, env: Environment) -> Iterator[Remote]:
    """The caches and machines of the services that are of use now; tfbuild reports the others.

    Raises EnvironmentFailed where one that is required is of none.
    """
    if not (services.cache or services.executor):
        yield NO_REMOTE
        return
    logins = {url: _headers(services, url) for url in (services.executor, services.cache) if url}
    rc_file = REMOTE_RC.path(env.toolchain.work)
    try:
        if any(logins.values()):
            _close_cache(env.toolchain)
        yield _usable(services, logins, rc_file, env)
    finally:
        rc_file.unlink(missing_ok=True)


def _usable(
    services: Services, logins: dict[str, Pairs], rc_file: Path, env: Environment
) -> Remote:
    """Those of the services that answer well, as a call of Bazel takes them."""
    reporter, flags, names = env.tools.reporter, list[str](), list[str]()
    is_old = not contains(">=5", env.toolchain.bazel_version)
    has_farm, used = False, dict[str, Pairs]()
    for url, headers in logins.items():
        is_farm = url == services.executor
        what = f"the {'farm' if is_farm else 'cache'} {mask_address(url)}"
        if is_farm:
            _write_private(rc_file, {url: headers})
            outlook, more = probe_executor(url, headers), _executor_flags(services)
            if outlook.is_usable:
                outlook = replace(outlook, why_not=farm_trouble(more, str(rc_file), env))
        else:
            outlook = probe_cache(url, headers)
            more = _cache_flags(url, outlook)
        if _is_taken(outlook, what, services, reporter):
            flags += more
            names.append(what)
            used[url] = headers
            has_farm = has_farm or is_farm
    if not names:
        return NO_REMOTE
    # A farm without a cache beside it is asked for results, too: no login of a cache is left.
    _write_private(rc_file, used)
    if has_farm and is_old:
        flags += _alone_flags(flags, reporter)
    flags += ["--remote_local_fallback", "--remote_download_outputs=all"]
    return Remote(
        flags=tuple(flags), rc_file=rc_file, names=tuple(names), is_required=services.is_required,
        has_disk=not (has_farm and is_old),
    )  # fmt: skip


@dataclass(slots=True, kw_only=True)
class CacheWatch:
    """Fed with every line of Bazel's terminal; raises RemoteLost where a service holds it up.

    Bazel's own limits are for one read or one call: a byte from time to time satisfies them.
    """

    remote: Remote = NO_REMOTE  # what is used still
    runs_here: Callable[[], bool] = lambda: True  # whether Bazel runs any program now
    has_met_damage: bool = False  # Bazel has read a result that is not what it should be
    has_killed: bool = False  # Bazel's server died beside them, more than once
    _timeouts: set[str] = field(default_factory=set)
    _queued_since: float = 0.0
    _done: int = -1
    _worked: float = 0.0  # when an action ended last, or a program was seen to run
    _looked: float = 0.0

    def give_up(self, why: str, reporter: Reporter) -> None:
        """Go on without them; EnvironmentFailed where they are required."""
        self.remote = self.remote.without(why, reporter)

    def take(self, line: str, now: float) -> None:
        """Look at one line that came at that time, in seconds."""
        self.has_met_damage = self.has_met_damage or bool(_DAMAGE.search(line))
        if _TIMED_OUT.search(line):
            self._timeouts.add(line)
            if len(self._timeouts) >= _MOST_TIMEOUTS:
                raise RemoteLost("it stopped answering")
        if (found := _ASKING.search(line)) and int(
            found[1].replace(",", "")
        ) > _MOST_ASKING_SECONDS:
            raise RemoteLost(f"an action has waited for it for {found[1]} s")
        self._heed_idleness(line, now)
        if _QUEUED.search(line):
            self._queued_since = self._queued_since or now
            if now - self._queued_since > _MOST_QUEUED_SECONDS:
                raise RemoteLost("its queue has no machine that takes our actions")
        elif "[Sched]" not in line and line.strip():
            self._queued_since = 0.0

    def _heed_idleness(self, line: str, now: float) -> None:
        """RemoteLost where all that goes on for a while is actions that read or send results.

        Of one action alone, Bazel does not say whether it compiles or sends what it has compiled.
        """
        count = progress(line)
        if count and count[0] != self._done:
            self._done, self._worked = count[0], now
        if not _IN_USE.search(line) or now - self._looked < _LOOK_SECONDS:
            return
        is_new = now - self._looked > _MOST_IDLE_SECONDS / 2  # it was not in use meanwhile
        self._looked = now
        if is_new or self.runs_here():
            self._worked = now
        if now - self._worked > _MOST_IDLE_SECONDS:
            waited = f"{now - self._worked:.0f} s"
            raise RemoteLost(f"for {waited} nothing was done but to wait for it")


# --- inside ------------------------------------------------------------------------------------


def _is_taken(outlook: Outlook, what: str, services: Services, reporter: Reporter) -> bool:
    if not outlook.is_usable:
        if services.is_required:
            raise _missing(what, outlook.why_not)
        reporter.warn(
            f"{what} is of no use now ({outlook.why_not}): building without it",
            code="remote-service-unused",
        )
        return False
    if outlook.note:
        reporter.warn(f"{what}: {outlook.note}", code="remote-service-limited")
    if outlook.mb_per_second:
        reporter.note(f"{what} gives {outlook.mb_per_second:.0f} MB a second")
    return True


def _missing(what: str, why: str) -> EnvironmentFailed:
    return EnvironmentFailed(
        f"{what} is of no use, and it is required",
        code="remote-service-unfit",
        why=why,
        hint="see that it runs and that the login is right, or leave --remote-required out",
    )


def _cache_flags(url: str, outlook: Outlook) -> list[str]:
    is_http = url.startswith("http")
    flags = [
        f"--remote_cache={_place(url)}",
        f"--remote_timeout={_HTTP_SECONDS if is_http else _GRPC_SECONDS}",
        *([] if is_http else [f"--remote_retries={_CACHE_RETRIES}"]),
    ]
    if not is_http and (instance := instance_of(url)):
        flags.append(f"--remote_instance_name={instance}")
    if not outlook.can_write:
        flags.append("--noremote_upload_local_results")
    return flags


def _executor_flags(services: Services) -> list[str]:
    url = services.executor
    instance = instance_of(url)
    return [
        f"--remote_executor={_place(url)}",
        f"--remote_timeout={_GRPC_SECONDS}",
        f"--remote_retries={_FARM_RETRIES}",
        *([f"--remote_instance_name={instance}"] if instance else []),
        *(f"--remote_default_exec_properties={n}={value}" for n, value in services.properties),
        f"--jobs={services.jobs}",
    ]


def _alone_flags(flags: Sequence[str], reporter: Reporter) -> list[str]:
    """What turns off all that a Bazel before 5 cannot use beside a farm."""
    if any(flag.startswith("--remote_cache=http") for flag in flags):
        reporter.warn(
            "a Bazel before 5 uses no HTTP cache beside a farm: the farm has its own",
            code="remote-cache-beside-farm",
        )
        return ["--disk_cache=", "--remote_cache="]
    return ["--disk_cache="]


def _place(url: str) -> str:
    """The address as Bazel takes it: the instance of a service of gRPC has a flag of its own."""
    return url if url.startswith("http") else url.removesuffix(f"/{instance_of(url)}")


def _headers(services: Services, url: str) -> Pairs:
    """The headers for an address; what .netrc knows where none of them logs in."""
    named = tuple((name, os.environ.get(variable, "")) for name, variable in services.headers)
    if not any(name.lower() == "authorization" for name, _ in named) and (
        login := netrc_header(url)
    ):
        return (*named, ("authorization", login))
    return named


def _close_cache(toolchain: Toolchain) -> None:
    """Let nobody else look into the cache, where Bazel's server logs every option.

    The modes of folders further down are Bazel's own, and set anew with every call.
    """
    if not toolchain.image:
        with suppress(PermissionError):  # another's, who lets us write there
            toolchain.cache.chmod(0o700)


def _write_private(path: Path, logins: dict[str, Pairs]) -> None:
    """Write the headers for Bazel: a login of the cache alone, or of the farm, goes only there."""
    path.unlink(missing_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with open(os.open(path, flags, 0o600), "w", encoding="ascii") as stream:  # noqa: PTH123
        for flag, (name, value) in _header_flags(logins):
            word = f"{flag}={name}={value}".replace("\\", "\\\\").replace('"', '\\"')
            stream.write(f'build "{word}"\n')


def _header_flags(logins: dict[str, Pairs]) -> Iterator[tuple[str, tuple[str, str]]]:
    """Each header with the flag that sends it; a farm comes before the cache beside it."""
    flags: tuple[str, ...] = ("--remote_exec_header", "--remote_cache_header")
    common = set.intersection(*(set(pairs) for pairs in logins.values()))
    if len(logins) == 1:  # the cache, or a farm that is its own
        flags = ("--remote_header",)
    yield from (("--remote_header", pair) for pair in sorted(common))
    for flag, pairs in zip(flags, logins.values(), strict=True):
        yield from ((flag, pair) for pair in pairs if pair not in common)
