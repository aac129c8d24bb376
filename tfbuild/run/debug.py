"""Opens the place of a failed command again, whatever built it: by a recipe, or by Bazel."""

from collections.abc import Iterator
from contextlib import contextmanager

from tfbuild.bazel.failed_action import FailedAction, FailedActions
from tfbuild.builds import debug
from tfbuild.builds.debug import Scene
from tfbuild.containers.runner import ContainerRunner
from tfbuild.core.errors import EnvironmentFailed
from tfbuild.core.interfaces import Tools
from tfbuild.core.run_folder import alone
from tfbuild.places.folders import folders_of
from tfbuild.places.place import open_place
from tfbuild.recipes.records import ProductPlan


@contextmanager
def open_scene(kept: FailedActions, action: FailedAction, tools: Tools) -> Iterator[Scene]:
    """The place of what failed; EnvironmentFailed where it is gone, and what opening it raises."""
    opened = _in_container if kept.recipe and kept.environment == "docker" else debug.open_scene
    with opened(kept, action, tools) as scene:
        yield scene


@contextmanager
def _in_container(kept: FailedActions, action: FailedAction, tools: Tools) -> Iterator[Scene]:
    """A container with the same packages and folders, and no network."""
    from tfbuild.containers.shell import enter

    plan = debug.read_plan(ProductPlan, kept, tools)
    folders = folders_of(tools.folders.work, plan.build_id)
    with alone(tools.folders.work), open_place(plan, tools, folders) as place:
        if not isinstance(place.runner, ContainerRunner):
            raise EnvironmentFailed(
                f"the run {kept.run} was in a container, and its plan names this machine",
                code="debug-place-differs",
                hint="run the build again, then `tfbuild debug`",
            )
        container = place.runner.container
        debug.require_folder(action, place.runner)
        yield Scene(
            runner=place.runner,
            enter=lambda: enter(container, env=debug.shell_variables(action), cwd=action.folder),
        )
