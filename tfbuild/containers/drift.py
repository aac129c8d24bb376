"""Whether a container holds what it held before: against a lock, and against the last build."""

import hashlib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from tfbuild.core.counts import counted
from tfbuild.core.environments import NO_ENVIRONMENT, EnvironmentLock
from tfbuild.core.errors import EnvironmentFailed
from tfbuild.core.interfaces import Tools
from tfbuild.core.kept_json import read_record, write_kept
from tfbuild.core.layout import LAST_ENVIRONMENTS
from tfbuild.core.plans import Plan

_SHOWN = 6
_AXES = ("python", "gcc", "bazel")
_Key = tuple[str, str, str]  # manager, name, architecture


def changes(then: EnvironmentLock, now: EnvironmentLock) -> tuple[str, ...]:
    """A line for each package that became another, came or went; none where all is as it was.

    Packages are what counts, as the same ones make another identity each time an image is made.
    An image whose packages are not known is compared by its identity.
    """
    old, new = _versions(then), _versions(now)
    archs = Counter((manager, name) for manager, name, _ in old.keys() | new.keys())

    def label(key: _Key) -> str:
        manager, name, architecture = key
        of = f":{architecture}" if archs[manager, name] > 1 else ""
        return f"{name}{of}" if manager == "dpkg" else f"{name} ({manager})"

    lines = []
    if (then.system, then.release) != (now.system, now.release):
        lines.append(f"{then.system} {then.release} became {now.system} {now.release}")
    both = sorted(old.keys() & new.keys())
    lines += [f"{label(k)} {old[k]} became {new[k]}" for k in both if old[k] != new[k]]
    lines += [f"{label(k)} {new[k]} came" for k in sorted(new.keys() - old.keys())]
    lines += [f"{label(k)} {old[k]} went" for k in sorted(old.keys() - new.keys())]
    if not (_is_open(then) and _is_open(now)) and then.id != now.id:
        lines.append(f"the image {then.id} became {now.id}, and no dpkg says what is in it")
    return tuple(lines)


def require_same(then: EnvironmentLock, now: EnvironmentLock, *, is_kept: bool) -> None:
    """Raise EnvironmentFailed where an environment is not the one of a lock.

    is_kept says whether the engine has the lock's image still.
    """
    lines = changes(then, now)
    if not lines:
        return
    image = then.id if is_kept else then.digest
    also = f"build in the lock's own image with --image {image}, or " if image else ""
    raise EnvironmentFailed(
        f"environment drifted: {now.image} is not what the lock says",
        code="environment-drifted",
        why="\n".join(_shortened(lines)),
        hint=f"{also}take what there is now: leave the section `environment` out of the lock",
    )


def report_drift(plan: Plan, now: EnvironmentLock, tools: Tools) -> None:
    """Warn of each package that is not what it was at the last build that passed.

    There is no warning where a lock decides.
    """
    path, subject = _record(plan, now, tools.folders.work)
    then = read_record(path, subject, EnvironmentLock) or NO_ENVIRONMENT
    if then != NO_ENVIRONMENT and plan.environment.lock == NO_ENVIRONMENT:
        for line in _shortened(changes(then, now)):
            tools.reporter.warn(f"environment drifted: {line}", code="environment-changed")


def remember(plan: Plan, now: EnvironmentLock, work: Path) -> None:
    """Keep what a build that passed was built in; a failed one leaves what was known before."""
    if now != NO_ENVIRONMENT:
        path, subject = _record(plan, now, work)
        write_kept(path, subject, now)


# --- inside ------------------------------------------------------------------------------------


def _record(plan: Plan, now: EnvironmentLock, work: Path) -> tuple[Path, str]:
    """Where the last environment of the kind is: of that name, or of that system with those tools.

    A plan's number would change with much that an image does not hold.
    """
    tools = (f"{axis} {plan.versions.value(axis)}" for axis in _AXES)
    image = plan.environment.image
    subject = "\n".join((image,) if image else (now.system, now.release, plan.recipe, *tools))
    digest = hashlib.sha256(subject.encode()).hexdigest()[:16]
    return LAST_ENVIRONMENTS.path(work) / f"{digest}.json", subject


def _versions(environment: EnvironmentLock) -> dict[_Key, str]:
    return {(p.manager, p.name, p.architecture): p.version for p in environment.packages}


def _is_open(environment: EnvironmentLock) -> bool:
    """Whether its packages are known: pip's alone do not say what an image is."""
    return any(package.manager == "dpkg" for package in environment.packages)


def _shortened(lines: Sequence[str]) -> list[str]:
    """A handful of lines, and how many more there are."""
    more = len(lines) - _SHOWN
    return [*lines[:_SHOWN], f"and {counted(more, 'more change')}"] if more > 1 else list(lines)
