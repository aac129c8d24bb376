"""The one place that decides: a request becomes a whole plan, and nothing is built for it."""

from collections.abc import Collection
from dataclasses import dataclass, replace

from tfbuild.builds.stages.plan import make_plan
from tfbuild.builds.stages.resolve import resolve
from tfbuild.containers.system_choice import choose_system, inside_of, limited
from tfbuild.core.environments import EnvironmentPlan
from tfbuild.core.errors import NoSolution
from tfbuild.core.interfaces import Tools
from tfbuild.core.records import Host, Plan, Request
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
    environment, host = _place(request, tables, tools, systems)
    try:
        versions = resolve(request, tables, host)
    except NoSolution as error:
        if request.env == "host" and (system := _system_for(request, tables, tools)):
            error.hint += f"; or add --env docker: {system} has it in its own packages"
        raise
    return Decision(plan=make_plan(request, versions, tables, host, environment), host=host)


def _system_for(request: Request, tables: Tables, tools: Tools) -> str:
    """The system whose container has what this machine has not; empty where there is none."""
    try:
        return choose_system(request, tables, tools.host).name
    except NoSolution:
        return ""


def _place(
    request: Request, tables: Tables, tools: Tools, systems: Collection[str]
) -> tuple[EnvironmentPlan, Host]:
    """Where it will be built, and what is there."""
    if request.env == "host":
        allowed = request.install_system_packages
        return EnvironmentPlan(install_system_packages=allowed), tools.host
    wanted = EnvironmentPlan(
        kind="docker",
        cpus=request.cpus,
        memory_mb=request.memory_mb,
        lock=request.environment,
    )
    if request.image:
        # The library that speaks to engines takes longer to load than all else here.
        from tfbuild.containers.images import look_at_named

        image, contents = look_at_named(request.image, request.environment, tools)
        named = replace(wanted, image=request.image, image_id=image.id)
        return named, limited(contents.host, named)
    system = choose_system(request, tables, tools.host, among=systems)
    inside = inside_of(system, tools.host, request)
    return replace(wanted, system=system), limited(inside, wanted)
