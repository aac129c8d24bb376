"""Bazel: builds the targets of the copy as a workspace of its own, and takes out what they make."""

from tfbuild.bazel.cached_build import build_cached
from tfbuild.bazel.products import read_products
from tfbuild.builds.workspace_build import open_workspace
from tfbuild.builds.workspace_plan import plan_workspace
from tfbuild.core.errors import EnvironmentFailed
from tfbuild.core.records import Command, Pairs
from tfbuild.core.workspaces import WorkspacePlan, WorkspaceRequest
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

        Raises EnvironmentFailed in a container, where no Bazel is, and what Bazel's build raises.
        """
        _require_host(site)
        plan = _plan(step, site)
        (command,) = plan.commands
        with open_workspace(plan, site.tools) as env:
            build_cached(command, plan.services, env)
            for file in read_products(env).files:
                target = site.folders.build / file.name
                target.unlink(missing_ok=True)
                env.copy_out(file.path, target)
        return ()


def bazel_of(step: BuildStep, site: Site) -> str:
    """The release of Bazel that builds a step, fetched if it is not there.

    Raises EnvironmentFailed in a container, and what opening the workspace raises.
    """
    _require_host(site)
    with open_workspace(_plan(step, site), site.tools) as env:
        return env.toolchain.bazel_version


# --- inside ------------------------------------------------------------------------------------


def _require_host(site: Site) -> None:
    if site.place.is_container:
        raise EnvironmentFailed(
            "recipes of Bazel are built on this machine, not in a container",
            code="bazel-recipe-in-container",
            hint="leave --env docker out",
        )


def _plan(step: BuildStep, site: Site) -> WorkspacePlan:
    request = WorkspaceRequest(
        workspace=site.folders.source / step.folder,
        targets=step.targets,
        flags=(*_FLAGS, *step.arguments),
        stand_ins=True,
        jobs=site.jobs,
        services=site.services,
    )
    return plan_workspace(request, open_tables(), site.tools)
