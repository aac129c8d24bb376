"""Lock files of recipes: what a build used, and whether another build uses the same."""

from collections.abc import Sequence
from dataclasses import replace

from tfbuild.core.environments import NO_ENVIRONMENT
from tfbuild.core.errors import BadRequest, EnvironmentFailed, WrongHash
from tfbuild.core.lock_file import LockedSource, LockFile
from tfbuild.core.records import Artifact, Pairs
from tfbuild.recipes.recipe import Recipe
from tfbuild.recipes.records import NOT_HELD, Held, Input, ProductReport, ProductRequest

_LEAVE = "leave --lock out, or take what the lock says"


def lock_of_product(report: ProductReport) -> LockFile:
    """What a finished build used, as its lock file says it."""
    plan = report.plan
    return LockFile(
        archive=plan.archive,
        archive_sha256=report.sha256,
        plan=plan.id,
        source=LockedSource(recipe=plan.recipe, version=plan.version, sha256=report.source_sha256),
        target=plan.target,
        options=plan.options,
        versions=plan.versions,
        tools=report.tools,
        artifacts=report.artifacts,
        environment=report.environment,
    )


def with_lock(request: ProductRequest, recipe: Recipe) -> ProductRequest:
    """The request with version, platform and options of its lock.

    Raises BadRequest where the request says another, or the lock is of something else: that is
    known before anything is planned.
    """
    lock = request.lock
    if lock is None:
        return request
    source = lock.source
    if source is None or source.recipe != recipe.name:
        of = f"the recipe {source.recipe}" if source else "a wheel"
        raise BadRequest(
            f"the lock is of {of}, not of the recipe {recipe.name}",
            code="lock-of-other-recipe",
            hint=_LEAVE,
        )
    held = {"version": source.version, "platform": lock.target, **dict(lock.options)}
    asked = {"version": request.version, "platform": request.target, **dict(request.options)}
    for name, value in asked.items():
        if value and held.get(name, value) != value:
            raise BadRequest(
                f"{name}={value} and the lock's {held[name]} differ",
                code="lock-differs",
                hint=_LEAVE,
            )
    require_container(lock, request.env)
    return replace(
        request,
        version=source.version,
        target=request.target or lock.target,
        # What the lock does not speak of is as it was asked for.
        options=(*lock.options, *(pair for pair in request.options if pair[0] not in held)),
    )


def require_container(lock: LockFile, env: str) -> None:
    """BadRequest where a lock is of a build in a container, and this one is on this machine."""
    if lock.environment != NO_ENVIRONMENT and env == "host":
        raise BadRequest(
            f"the lock's environment is a container of {lock.environment.system} "
            f"{lock.environment.release}, and this build is on this machine",
            code="lock-needs-container",
            hint="add --env docker and the system as os=, or leave --lock out",
        )


def require_target(lock: LockFile | None, target: str) -> None:
    """BadRequest where what is planned is for another platform than a lock's archive."""
    if lock and lock.target and lock.target != target:
        raise BadRequest(
            f"platform={target} and the lock's {lock.target} differ",
            code="lock-differs",
            hint=_LEAVE,
        )


def held_by(lock: LockFile | None) -> Held:
    """What the stages hold a build to."""
    if lock is None or lock.source is None:
        return NOT_HELD
    return Held(
        source_sha256=lock.source.sha256,
        tools=lock.tools,
        artifacts=lock.artifacts,
        environment=lock.environment,
    )


def require_source(held: Held, source: Input, sha256: str) -> None:
    """WrongHash where source code is known to be another than the lock's."""
    wanted = held.source_sha256
    if wanted and sha256 and sha256 != wanted:
        raise WrongHash(
            f"the source code of version {source.version} is not that of the lock",
            code="lock-source-differs",
            why=f"the lock has sha256 {wanted}\nthis is sha256 {sha256}, of {source.place}",
            hint=_LEAVE,
        )


def require_artifacts(held: Held, planned: Sequence[Artifact]) -> None:
    """WrongHash that names every file of the package index which is not the lock's."""
    there = {artifact.filename: artifact.sha256 for artifact in held.artifacts}
    lines = [
        f"{artifact.filename}: the lock has {there.get(artifact.filename, 'none')}, "
        f"planned is {artifact.sha256}"
        for artifact in planned
        if there.get(artifact.filename) != artifact.sha256
    ]
    if held != NOT_HELD and lines:
        raise WrongHash(
            "what comes from the package index is not what the lock has",
            code="lock-artifacts-differ",
            why="\n".join(lines),
            hint=_LEAVE,
        )


def require_tools(held: Held, found: Pairs) -> None:
    """EnvironmentFailed that names every tool which is not the lock's."""
    there = dict(found)
    lines = [
        f"{name}: the lock has {said}, here is {there.get(name, 'none')}"
        for name, said in held.tools
        if there.get(name) != said
    ]
    if lines:
        raise EnvironmentFailed(
            "the tools are not those of the lock",
            code="lock-tools-differ",
            why="\n".join(lines),
            hint="build where the same tools are, or leave them out of the lock",
        )
