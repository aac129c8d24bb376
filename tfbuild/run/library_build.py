"""The build of a TensorFlow source tree's C++ library: by the tree's own stages, into the stage."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from tfbuild.builds.decide import decide
from tfbuild.builds.open_place import open_place
from tfbuild.builds.run_sbom import used_tools
from tfbuild.builds.tree_copy import copy_of
from tfbuild.builds.tree_stages import copied_tree, run_tree_stages
from tfbuild.containers.runner import DockerEnvironment
from tfbuild.core.interfaces import Environment
from tfbuild.core.layout import EXCHANGE
from tfbuild.core.lock_file import LockFile
from tfbuild.core.outputs import BuildOutput
from tfbuild.core.plans import Plan
from tfbuild.core.records import Pairs, Request
from tfbuild.drivers.tensorflow_tree import install_library
from tfbuild.fetch.seals import discard
from tfbuild.inputs.stage import staged_digest
from tfbuild.places.folders import BuildFolders, make_folders
from tfbuild.places.place import Place, open_here, open_unused_place
from tfbuild.recipes.records import ProductPlan, ProductReport, TreeBuild
from tfbuild.run.archive_build import ArchiveBuild, At, Installed, has_system
from tfbuild.run.decide_library import library_plan
from tfbuild.run.lock import (
    held_by,
    require_artifacts,
    require_source,
    require_target,
    require_tools,
)
from tfbuild.run.report import write_plan


@dataclass(frozen=True, slots=True)
class LibraryBuild(ArchiveBuild[Request]):
    """libtensorflow_cc, libtensorflow_framework and the headers."""

    lock: LockFile | None = None

    def planned(self) -> ProductPlan:
        """The plan; BadRequest and WrongHash where it is not the lock's, and what decide raises."""
        plan = decide(self.request, self.tables, self.tools).plan
        made = self.archive_plan(plan)
        require_target(self.lock, made.target)
        require_artifacts(made.held, plan.artifacts)
        return made

    def archive_plan(self, plan: Plan) -> ProductPlan:
        """The plan of the archive, out of that of the tree."""
        return library_plan(
            plan,
            self.recipe,
            self.tables,
            self.tools.host,
            deadline=self.request.deadline,
            held=held_by(self.lock),
        )

    def folders(self, plan: ProductPlan) -> BuildFolders:
        """Bazel builds a copy of the tree that lies elsewhere, and writes to one folder of ours."""
        found = super(LibraryBuild, self).folders(plan)
        work = self.tools.folders.work
        return replace(
            found,
            source=copy_of(_of_tree(plan).source, work),
            exchange=EXCHANGE.path(work) if plan.env == "docker" else found.exchange,
        )

    def installed(self, at: At, report: ProductReport) -> Installed:
        """Copy, patch and configure the tree, let Bazel build it, and install what it made."""
        plan = copied_tree(_of_tree(at.plan), at.run)
        # Where the build fails, its place is opened again by this plan.
        write_plan(replace(at.plan, steps=(TreeBuild(plan=plan),)), self.tools.folders.run)
        source_sha256 = staged_digest(plan.source)
        require_source(at.plan.held, at.plan.source, source_sha256)
        env, place = at.run.opened("environment", _open(plan, at))
        tools = _tools(env, plan)
        require_tools(at.plan.held, tools)
        report = replace(
            report,
            source_sha256=source_sha256,
            tools=tools,
            artifacts=plan.artifacts,
            environment=env.toolchain.lock.environment,
        )
        yield report
        output = run_tree_stages(plan, env, at.run.timeline)
        _install(output, at)
        yield (report := replace(report, build=replace(output, files=())))
        return report, place


# --- inside ------------------------------------------------------------------------------------


def _of_tree(plan: ProductPlan) -> Plan:
    found = plan.tree_plan
    assert found, "library_plan makes it"
    return found


@contextmanager
def _open(plan: Plan, at: At) -> Iterator[tuple[Environment, Place]]:
    """Where the tree is built, and the same as the place of what follows.

    Raises what opening it raises, and EnvironmentFailed where this machine lacks what the product
    is stripped and tried with.
    """
    make_folders(at.folders, at.tools.folders.work)
    with open_place(plan, at.tools) as env:
        if isinstance(env, DockerEnvironment):
            lock = env.toolchain.lock.environment
            place = Place(runner=env.runner, words={}, is_container=True, environment=lock)
            if has_system(at.plan):
                # The image in which it is tried: it is missed now, and not hours later.
                with open_unused_place(at.plan, place, at.tools, at.folders):
                    pass
        else:
            place = open_here(at.plan.needs, at.tools)
        yield env, place


def _tools(env: Environment, plan: Plan) -> Pairs:
    """What it is built with, without tfbuild, which an SBOM names by itself."""
    found = used_tools(env.toolchain, plan.versions)
    return tuple(pair for pair in found if pair[0] != "tfbuild")


def _install(output: BuildOutput, at: At) -> None:
    stage = at.folders.stage
    discard(stage)  # it holds what an earlier build has installed
    install_library(output, at.plan.version, at.plan.prefix, stage)
