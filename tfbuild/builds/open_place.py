"""Where a plan is carried out: on this machine, or in a container."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

from tfbuild.bazel.server import passing_server
from tfbuild.builds.stages.environment import open_environment
from tfbuild.core.errors import EnvironmentFailed
from tfbuild.core.interfaces import Environment, Tools
from tfbuild.core.records import NO_TREE, Plan


@contextmanager
def open_place(plan: Plan, tools: Tools) -> Iterator[Environment]:
    """The environment of a plan, which is open within; a server of Bazel goes with it.

    Raises what the two stages raise, and EnvironmentFailed where no image can be made.
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

    _require_image(plan)
    return open_container(plan, tools)


def _require_image(plan: Plan) -> None:
    """tfbuild makes images with the tools of a distribution; a TensorFlow tree wants its own."""
    place = plan.environment
    if plan.tree == NO_TREE or place.image:
        return
    value = plan.versions.value
    raise EnvironmentFailed(
        "tfbuild makes no image for a TensorFlow source tree",
        why="the Bazel that its .bazelversion names is in no distribution's packages",
        hint=f"name one with --image: {place.base or place.system.image} with g++ {value('gcc')}, "
        f"Python {value('python')} with headers, patch, and Bazel {value('bazel')}",
    )
