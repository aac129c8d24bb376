"""From a request for a recipe's product to its plan: version, options, steps, product, audit."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tfbuild.containers.systems import read_system
from tfbuild.core.environments import NO_SYSTEM, EnvironmentKind, System
from tfbuild.core.errors import BadRequest, EnvironmentFailed
from tfbuild.core.identity import plan_id
from tfbuild.core.interfaces import Tools
from tfbuild.core.paths import file_digest, named_path, names_file, real_path
from tfbuild.core.plans import AuditPolicy, Estimate
from tfbuild.core.records import Command, Host
from tfbuild.core.versions import did_you_mean
from tfbuild.drivers.driver import driver_of
from tfbuild.facts.job_count import JobCount, MemoryNeed, choose_jobs, free_memory_mb
from tfbuild.facts.tables import Tables
from tfbuild.facts.targets import all_targets, find_target, target_of
from tfbuild.inputs.debian_offer import debian_offer
from tfbuild.inputs.folder_copy import folder_digest
from tfbuild.inputs.patch import planned_patch
from tfbuild.inputs.recognition import is_tree_of, tree_version
from tfbuild.places.needs import read_needs
from tfbuild.recipes.choices import choose, find_release, need_names
from tfbuild.recipes.forms import VERSIONS, is_version
from tfbuild.recipes.recipe import BuildSystem, Choice, Recipe
from tfbuild.recipes.records import (
    BazelBuild,
    BuildStep,
    CMakeBuild,
    ConfigureMake,
    Input,
    MesonBuild,
    Need,
    ProductPlan,
    ProductRequest,
    Step,
)
from tfbuild.run.lock import held_by, require_source, with_lock
from tfbuild.run.tree_code import code_of

_STEPS: dict[BuildSystem, type[CMakeBuild | ConfigureMake | MesonBuild | BazelBuild]] = {
    "cmake": CMakeBuild,
    "configure": ConfigureMake,
    "meson": MesonBuild,
    "bazel": BazelBuild,
}
_USUAL_SYSTEM = "debian:bookworm"
DEBIAN = "debian"  # as a source: the package of the machine's own distribution


def decide_product(
    request: ProductRequest, recipe: Recipe, tables: Tables, tools: Tools
) -> ProductPlan:
    """The plan: everything that is built, audited, tried and delivered, and how.

    Raises BadRequest for an option, a version, a platform, a system or a source that is none, or
    not the lock's; BadRecipe for a need that is unknown; and what the code of some trees raises.
    """
    host, request = tools.host, with_lock(request, recipe)
    recipe = _completed(request, recipe, tables)
    source = _source(request, recipe, tools)
    made = outline(request, recipe, tables, host)
    choices, env, system, target = made.choices, made.env, made.system, made.target
    plan = ProductPlan(
        id="",
        recipe=recipe.name,
        recipe_sha256=recipe.sha256,
        summary=recipe.summary,
        license=recipe.license,
        version=source.version,
        target=target,
        options=tuple((o.name, c.value) for o, c in zip(recipe.options, choices, strict=True)),
        source=source,
        env=env,
        system=system,
        needs=made.needs,
        steps=tuple(_steps(recipe, choices, source.version)),
        product=recipe.product,
        audit=_audit(recipe, made.needs, _glibc(host, env, system, target)),
        exports=recipe.audit.exports,
        dispatched=recipe.audit.dispatched,
        probes=recipe.probes,
        tree=recipe.tree,
        models=_models(request),
        archive=_archive_name(recipe, choices, source.version, system, target),
        output=request.output,
        jobs=made.count.jobs,
        jobs_because=made.count.because,
        cpus=request.cpus,
        pids=request.pids,
        memory_mb=request.memory_mb,
        services=request.services,
        held=held_by(request.lock),
        deadline=request.deadline,
        estimate=made.estimate,
    )
    return replace(plan, id=plan_id(plan), commands=tuple(commands_of(plan)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Outline:
    """What is decided of a build before its source code is looked at."""

    choices: tuple[Choice, ...]
    env: EnvironmentKind
    system: System
    target: str
    needs: tuple[Need, ...]
    count: JobCount
    estimate: Estimate


def outline(request: ProductRequest, recipe: Recipe, tables: Tables, host: Host) -> Outline:
    """What a plan takes of a machine, whatever the source code is.

    A recipe that its tree completes needs what the tree names, too. Raises BadRequest for an
    option, a platform or a system that is none, and BadRecipe for a need that is unknown.
    """
    choices = choose(request.options, recipe)
    env = _env(request, recipe)
    count = _jobs(request, recipe, host)
    return Outline(
        choices=tuple(choices),
        env=env,
        system=_system(request, env, recipe, tables),
        target=_target(request, host),
        needs=read_needs(need_names(recipe, choices, env), tables),
        count=count,
        estimate=_estimate(recipe, count.jobs),
    )


def commands_of(plan: ProductPlan) -> Iterator[Command]:
    """The commands of the plan's builds, in order; {source}, {build}, {stage} are folders."""
    for step in plan.steps:
        if isinstance(step, BuildStep):
            yield from driver_of(step).commands(step, prefix=plan.prefix, jobs=plan.jobs)


# --- the source --------------------------------------------------------------------------------


def _completed(request: ProductRequest, recipe: Recipe, tables: Tables) -> Recipe:
    """The recipe with what its tree says, where it names code of ours that reads the tree."""
    if not recipe.tree:
        return recipe
    folder = real_path(named_path(request.source))
    if not request.source or not folder.is_dir():
        raise BadRequest(
            f"{recipe.name} is planned by what its source tree says",
            code="recipe-tree-missing",
            why=f"{request.source} is no folder" if request.source else "",
            hint="name the top folder of a tree with --source",
        )
    _require_tree(recipe, folder)
    return code_of(recipe.tree).complete(recipe, folder, tables)


def _source(request: ProductRequest, recipe: Recipe, tools: Tools) -> Input:
    """What is built; WrongHash where it is known not to be what a lock holds."""
    found = _named_source(request, recipe, tools)
    require_source(held_by(request.lock), found, found.sha256)
    return found


def _named_source(request: ProductRequest, recipe: Recipe, tools: Tools) -> Input:
    """What is named: the tree or the archive that was named, else a release of the recipe."""
    if request.version and not is_version(request.version):
        raise BadRequest(f"version is '{request.version}'", code="version-invalid", hint=VERSIONS)
    if not request.source:
        return _release(request, recipe)
    if request.source == DEBIAN:
        return _debian(request, recipe, tools)
    path = real_path(named_path(request.source))
    if path.is_dir():
        return _tree(request, recipe, path)
    if not names_file(path):
        raise BadRequest(
            f"there is no folder and no archive {path}",
            code="source-missing",
            hint="name a folder or an archive that is there with --source, or debian",
        )
    digest = file_digest(path)
    releases = {release.sha256: release.version for release in recipe.source.releases}
    version = request.version or releases.get(digest, "")
    if not version:
        raise BadRequest(
            f"which version of {recipe.name} is in {path.name}?",
            code="archive-version-unknown",
            hint="say it with version=..., or unpack it and name the folder",
        )
    return Input(kind="archive", place=str(path), version=version, sha256=digest)


def _debian(request: ProductRequest, recipe: Recipe, tools: Tools) -> Input:
    """The source package of the machine's distribution."""
    package = recipe.source.debian
    if not package:
        raise BadRequest(
            f"the recipe {recipe.name} names no source package of Debian",
            code="recipe-without-debian",
            hint="leave --source debian out, or name a tree",
        )
    if request.version:
        return Input(kind="debian", place=package, version=request.version)
    offer = debian_offer(package, tools)
    return Input(kind="debian", place=package, version=offer.version, sha256=offer.sha256)


def _require_tree(recipe: Recipe, folder: Path) -> None:
    if not is_tree_of(recipe.source, folder):
        missing = [name for name in recipe.source.recognize if not (folder / name).exists()]
        raise BadRequest(
            f"{folder} is no source tree of {recipe.name}",
            code="recipe-tree-differs",
            why=f"it has no {', '.join(missing)}",
            hint="name its top folder with --source",
        )


def _tree(request: ProductRequest, recipe: Recipe, folder: Path) -> Input:
    _require_tree(recipe, folder)
    return Input(
        kind="folder",
        place=str(folder),
        version=tree_version(recipe.source, folder, request.version),
        sha256=folder_digest(folder),
    )


def _release(request: ProductRequest, recipe: Recipe) -> Input:
    release = find_release(request.version, recipe)
    url = (release.url or recipe.source.url).replace("{version}", release.version)
    return Input(
        kind="archive",
        place=url,
        version=release.version,
        sha256=release.sha256,
        otherwise=DEBIAN if recipe.source.debian else "",
    )


# --- the product ------------------------------------------------------------------------------


def _archive_name(
    recipe: Recipe, choices: Sequence[Choice], version: str, system: System, target: str
) -> str:
    """What it is, and what is not as usual in it: two products that differ never share a name.

    What is built for systems that the recipe names has that of the system in it.
    """
    pairs = zip(recipe.options, choices, strict=True)
    odd = "".join(f"-{o.name}_{c.value}" for o, c in pairs if c.value != o.default)
    odd += f"-{system.image.replace(':', '-')}" if recipe.systems else ""
    return f"{recipe.name}-{version}{odd}-{target}.tar.gz"


def _models(request: ProductRequest) -> tuple[Path, ...]:
    for model in request.models:
        if not names_file(model):
            raise BadRequest(
                f"there is no model {model}", code="model-missing", hint="name a file with --model"
            )
    return request.models


# --- where, and with what ----------------------------------------------------------------------


def _target(request: ProductRequest, host: Host) -> str:
    here = target_of(host).version
    if not request.target:
        return here
    names = {name: t.version for t in all_targets() for name in (t.version, *t.aliases)}
    if request.target not in names:
        raise BadRequest(
            f"no platform is known as '{request.target}'",
            code="platform-unknown",
            hint=did_you_mean(request.target, names),
        )
    return names[request.target]


def require_target(target: str, host: Host) -> None:
    """Raise EnvironmentFailed for a plan of another platform than this machine is of."""
    here = target_of(host).version
    if target != here:
        raise EnvironmentFailed(
            f"the plan is for {target}, and this machine is {here}",
            code="machine-not-platform",
            why="nothing here compiles for another platform yet",
            hint=f"run the same command on a machine that is {find_target(target).version}",
        )


def _env(request: ProductRequest, recipe: Recipe) -> EnvironmentKind:
    """What was asked for, else a container where the recipe names systems, else this machine."""
    if request.env == "host" and recipe.systems:
        raise BadRequest(
            f"{recipe.name} is built in a container, not on this machine itself",
            code="recipe-not-on-host",
            why=f"what it needs are packages of {recipe.systems[0]} and its like",
            hint="leave --env host out",
        )
    return request.env or ("docker" if recipe.systems else "host")


def _system(
    request: ProductRequest, env: EnvironmentKind, recipe: Recipe, tables: Tables
) -> System:
    if env == "host":
        if request.system:
            raise BadRequest(
                f"os={request.system} names the system of a container",
                code="system-without-container",
                hint="add --env docker, or leave it out",
            )
        return NO_SYSTEM
    usual = next(iter(recipe.systems), _USUAL_SYSTEM)
    system = read_system(request.system or usual, tables.axis("os"))
    if recipe.systems and not {system.image, system.family} & set(recipe.systems):
        raise BadRequest(
            f"{recipe.name} is not built with the packages of {system.name}",
            code="recipe-system-unfit",
            why=f"its recipe names {', '.join(recipe.systems)}",
            hint=f"ask for os={usual}",
        )
    return system


def _jobs(request: ProductRequest, recipe: Recipe, host: Host) -> JobCount:
    """As many as there are processors and memory for, unless a number was asked for."""
    each = recipe.costs.memory_mb_per_job
    if request.jobs:
        memory = request.jobs * each
        return JobCount(jobs=request.jobs, because="asked for", memory_mb=memory)
    need = MemoryNeed(
        mean_mb=each, deviation_mb=0, largest_mb=each, what="job", known_from="as the recipe says"
    )
    cpus = min(host.cpus, max(1, int(request.cpus))) if request.cpus else host.cpus
    return choose_jobs(cpus, request.memory_mb or free_memory_mb(host), need)


def _estimate(recipe: Recipe, jobs: int) -> Estimate:
    return Estimate(
        disk_mb=recipe.costs.disk_mb,
        memory_mb=jobs * recipe.costs.memory_mb_per_job,
        seconds=recipe.costs.seconds_on_two_cores,
    )


# --- how ---------------------------------------------------------------------------------------


def _steps(recipe: Recipe, choices: Sequence[Choice], version: str) -> Iterator[Step]:
    build = recipe.build
    yield from (planned_patch(recipe.path.parent, name) for name in build.patches)
    words = (*build.arguments, *(word for choice in choices for word in choice.arguments))
    expected = dict(build.expect) | {k: v for choice in choices for k, v in choice.expect}
    yield _STEPS[build.system](
        folder=build.folder,
        arguments=tuple(word.replace("{version}", version) for word in words),
        targets=build.targets,
        environment=build.environment,
        expect=tuple(expected.items()),
        files=build.files,
    )


def _glibc(host: Host, env: EnvironmentKind, system: System, target: str) -> str:
    """That of the place; of a machine of another platform nothing is known."""
    if env == "docker":
        return system.glibc
    return host.glibc if target == target_of(host).version else ""


def _audit(recipe: Recipe, needs: Sequence[Need], glibc: str) -> AuditPolicy:
    asked = recipe.audit
    return AuditPolicy(
        glibc_ceiling=asked.glibc or glibc,
        cpu_level=asked.cpu_level,
        excluded_libraries=(*asked.needed, *(name for need in needs for name in need.sonames)),
        runtime_libraries=asked.opened,
    )
