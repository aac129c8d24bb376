"""The one place that decides: a request becomes a whole plan, and nothing is built for it."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tfbuild.bazel.fewer_jobs import with_jobs
from tfbuild.bazel.history import History, machine_key, tree_key
from tfbuild.bazel.measured_need import need_of
from tfbuild.builds.obtainable import container_way, require_obtainable
from tfbuild.builds.stages.plan import make_plan
from tfbuild.builds.stages.resolve import resolve
from tfbuild.builds.tree_copy import copy_of
from tfbuild.builds.tree_plan import is_tree, make_tree_plan
from tfbuild.containers.system_choice import choose_system, inside_of, limited
from tfbuild.core.environments import EnvironmentPlan
from tfbuild.core.errors import NoSolution, TreeLacks
from tfbuild.core.interfaces import Tools
from tfbuild.core.paths import work_folder
from tfbuild.core.plans import Plan
from tfbuild.core.records import Host, Request
from tfbuild.facts.job_count import JobCount, choose_jobs, free_memory_mb
from tfbuild.facts.tables import Tables


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """A plan, and the machine that carries it out: this one, or a container as it will be."""

    plan: Plan
    host: Host


def decide(
    request: Request, tables: Tables, tools: Tools, *, systems: Collection[str] = ()
) -> Decision:
    """The plan of a request. Only a named image needs an engine, and is pulled if it is not there.

    systems names those that a container may be of; without it, all that have every tool in their
    own packages. Raises NoSolution where versions do not go together or no system has them,
    EnvironmentFailed where the named image is not to be had or not that of the request's lock, and
    what make_plan raises.
    """
    if request.env == "docker" and request.image:
        return _decide_in(request, tables, tools)
    try:
        decision = decide_on(
            request, tables, tools.host, systems=systems, cache=tools.folders.cache
        )
    except TreeLacks:
        raise
    except NoSolution as error:
        # What no fact covers is in no container either.
        is_known = error.code != "version-not-covered" and request.env == "host"
        if is_known and (way := container_way(request, tables, tools.host)):
            error.hint += f"; or {way}"
        raise
    require_obtainable(request, decision.plan.versions, tables, tools.host)
    return decision


def decide_on(
    request: Request,
    tables: Tables,
    host: Host,
    *,
    systems: Collection[str] = (),
    cache: Path | None = None,
) -> Decision:
    """The plan of a request that names no image, for any machine; raises what decide does.

    cache is where this machine remembers what actions took in earlier builds.
    """
    if request.env == "docker":
        system = choose_system(request, tables, host, among=systems)
        place = replace(_container(request), system=system)
        inside = limited(inside_of(system, host, request), place)
        return _plan(request, tables, inside, place, cache)
    place = EnvironmentPlan(install_system_packages=request.install_system_packages)
    return _plan(request, tables, host, place, cache)


def _decide_in(request: Request, tables: Tables, tools: Tools) -> Decision:
    """The plan for a container of the image that the request names."""
    # The library that speaks to engines takes longer to load than all else here.
    from tfbuild.containers.images import look_at_named

    image, contents = look_at_named(request.image, request.environment, tools)
    place = replace(_container(request), image=request.image, image_id=image.id)
    return _plan(request, tables, limited(contents.host, place), place, tools.folders.cache)


def _container(request: Request) -> EnvironmentPlan:
    """A container with the request's limits, of whatever it will be."""
    return EnvironmentPlan(
        kind="docker",
        cpus=request.cpus,
        memory_mb=request.memory_mb,
        pids=request.pids,
        lock=request.environment,
    )


def _plan(
    request: Request, tables: Tables, host: Host, place: EnvironmentPlan, cache: Path | None
) -> Decision:
    versions = resolve(request, tables, host)
    plan = make_plan(request, versions, tables, host, place)
    if tables.recipe(request.recipe).axes[0] == "tensorflow":
        plan = make_tree_plan(plan, request, tables, host)
    if cache and not request.jobs:
        plan = _with_measured_jobs(plan, host, cache)
    return Decision(plan=plan, host=host)


def measured_jobs(source: Path, targets: Sequence[str], host: Host, cache: Path) -> JobCount | None:
    """As many jobs as the memory that a tree's actions took before leaves room for.

    None where nothing was built of it yet.
    """
    tree = tree_key(source, targets)
    need = need_of(History(cache=cache, machine=machine_key(host), tree=tree).memory())
    return choose_jobs(host.cpus, free_memory_mb(host), need) if need else None


def _with_measured_jobs(plan: Plan, host: Host, cache: Path) -> Plan:
    source = copy_of(plan.source, work_folder()) if is_tree(plan) else plan.source
    count = measured_jobs(source, plan.bazel.targets, host, cache)
    if count is None:
        return plan
    return replace(
        plan,
        jobs=count.jobs,
        jobs_because=count.because,
        commands=tuple(with_jobs(command, count.jobs) for command in plan.commands),
        estimate=replace(plan.estimate, memory_mb=count.memory_mb),
    )
