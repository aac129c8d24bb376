"""Bazel: builds the targets of the copy as a workspace of its own, and takes out what they make."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import replace

from tfbuild.bazel.cached_build import build_cached
from tfbuild.bazel.failed_action import keep_recipe
from tfbuild.bazel.products import read_products
from tfbuild.builds.workspace_build import open_workspace
from tfbuild.builds.workspace_plan import plan_workspace
from tfbuild.core.errors import TfbuildError
from tfbuild.core.interfaces import Environment, literal
from tfbuild.core.records import Command, Pairs
from tfbuild.core.workspaces import BuiltFile, WorkspacePlan, WorkspaceRequest
from tfbuild.drivers.bazel_inside import begin_inside, end_inside, open_inside
from tfbuild.drivers.site import Site
from tfbuild.facts.installed import open_tables
from tfbuild.recipes.records import BuildStep

# Paths of this machine stay out of what is built, and it is optimised as the other drivers do.
_FLAGS = (
    "--compilation_mode=opt",
    "--copt=-fstack-protector-strong",
    "--linkopt=-Wl,-z,relro,-z,now",
    "--strip=always",
)
_SEVERAL = 100  # files in one command
_COPY = """
while test $# -gt 0; do
  mkdir -p "$(dirname "$2")" && rm -rf "$2" && cp -Lp "$1" "$2" || exit
  shift 2
done
"""


class BazelDriver:
    """Builds targets with the Bazel that the workspace names, else the newest one at hand."""

    def commands(self, step: BuildStep, *, prefix: str, jobs: int) -> tuple[Command, ...]:
        """The one command, as the plan shows it; which Bazel and its own options come with it."""
        del prefix  # nothing is installed
        return (
            Command(
                argv=("bazel", "build", f"--jobs={jobs}", *_FLAGS, *step.arguments, *step.targets),
                stage="build",
                purpose="build the targets",
                cwd=f"{{source}}/{step.folder}" if step.folder else "{source}",
            ),
        )

    def build(self, step: BuildStep, site: Site) -> Pairs:
        """Put what the targets make below the build folder, by its names in bazel-bin.

        Raises what Bazel's build raises.
        """
        plan = _plan(step, site)
        (command,) = plan.commands
        with _opened(plan, site) as env:
            if site.place.is_container:
                begin_inside(step, site, env)
            try:
                build_cached(command, plan.services, env)
            except TfbuildError:
                keep_recipe(site.recipe, site.tools.folders.run)
                raise
            _take(read_products(env).files, site)
            if site.place.is_container:
                end_inside(plan, env)
        return ()


def bazel_of(step: BuildStep, site: Site) -> str:
    """The release of Bazel that builds a step, fetched if it is not there.

    Raises what opening the workspace raises.
    """
    with _opened(_plan(step, site), site) as env:
        return env.toolchain.bazel_version


# --- inside ------------------------------------------------------------------------------------


def _opened(plan: WorkspacePlan, site: Site) -> AbstractContextManager[Environment]:
    if site.place.is_container:
        return open_inside(plan, site)
    return open_workspace(plan, site.tools)


def _take(files: Sequence[BuiltFile], site: Site) -> None:
    """Copy the files into the build folder, by the place that writes to it."""
    for at in range(0, len(files), _SEVERAL):
        some = files[at : at + _SEVERAL]
        words = [word for f in some for word in (f.path, str(site.folders.build / f.name))]
        argv = ("sh", "-c", _COPY, "sh", *map(literal, words))
        site.place.run(Command(argv=argv, purpose="take the files", cwd="/", quiet=True))


def _plan(step: BuildStep, site: Site) -> WorkspacePlan:
    request = WorkspaceRequest(
        workspace=site.folders.source / step.folder,
        targets=step.targets,
        flags=(*_FLAGS, *step.arguments),
        stand_ins=True,
        jobs=site.jobs,
        services=site.services,
    )
    inside = site.place.inside
    tools = replace(site.tools, host=inside.host) if inside else site.tools
    return plan_workspace(request, open_tables(), tools)
