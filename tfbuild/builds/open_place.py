"""Where a plan is carried out: on this machine, or in a container."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

from tfbuild.bazel.server import passing_server
from tfbuild.builds.stages.environment import open_environment
from tfbuild.core.interfaces import Environment, Tools
from tfbuild.core.plans import Plan


@contextmanager
def open_place(plan: Plan, tools: Tools) -> Iterator[Environment]:
    """The environment of a plan, which is open within; a server of Bazel goes with it.

    Raises what the two stages raise.
    """
    with (
        _opened(plan, tools) as env,
        passing_server(env.toolchain, is_kept=plan.services.keeps_server),
    ):
        yield env


def _opened(plan: Plan, tools: Tools) -> AbstractContextManager[Environment]:
    if plan.environment.kind != "docker":
        return open_environment(plan, tools)
    from tfbuild.builds.stages.container import open_container  # slow to load, and seldom needed

    return open_container(plan, tools)
