"""Where a plan is carried out: on this machine, or in a container."""

from contextlib import AbstractContextManager

from tfbuild.builds.stages.container import open_container
from tfbuild.builds.stages.environment import open_environment
from tfbuild.core.interfaces import Environment, Tools
from tfbuild.core.records import Plan


def open_place(plan: Plan, tools: Tools) -> AbstractContextManager[Environment]:
    """The environment of a plan, which is open within; raises what the two stages raise."""
    if plan.environment.kind == "docker":
        return open_container(plan, tools)
    return open_environment(plan, tools)
