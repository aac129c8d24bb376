"""The build of a recipe: from source code, by the driver of its build system, into the stage."""

from dataclasses import dataclass, replace

from tfbuild.containers.left import end_left
from tfbuild.core.disk_space import require_room
from tfbuild.core.errors import FetchFailed
from tfbuild.core.records import Pairs
from tfbuild.drivers.driver import Site, driver_of, tools_of
from tfbuild.inputs.patch import apply_patch
from tfbuild.inputs.stage import stage
from tfbuild.places.place import Place, open_place
from tfbuild.recipes.records import (
    BuildStep,
    InputKind,
    Patch,
    ProductPlan,
    ProductReport,
    ProductRequest,
)
from tfbuild.run.archive_build import ArchiveBuild, At, Installed
from tfbuild.run.decide import decide_product, require_target
from tfbuild.run.lock import require_source, require_tools
from tfbuild.run.tree_code import code_of

_KINDS: dict[InputKind, str] = {
    "folder": "from a folder",
    "archive": "from an archive",
    "debian": "from a source package",
}


@dataclass(frozen=True, slots=True)
class ProductBuild(ArchiveBuild[ProductRequest]):
    """What a recipe of a YAML file builds."""

    @property
    def is_cached(self) -> bool:
        """Whether Bazel builds it here: what is compiled in a container is in the work folder."""
        is_here = self.request.env != "docker" and not self.recipe.systems
        return self.recipe.build.system == "bazel" and is_here

    def planned(self) -> ProductPlan:
        """The plan; raises what decide_product and require_target raise."""
        plan = decide_product(self.request, self.recipe, self.tables, self.tools)
        require_target(plan.target, self.tools.host)
        return plan

    def installed(self, at: At, report: ProductReport) -> Installed:
        """Copy and patch the source code, open the place, and carry out the steps."""
        plan = at.plan
        if plan.tree:
            code_of(plan.tree).require(self.tools)
        yield (report := _sourced(at, report))
        place = at.run.opened("environment", open_place(plan, self.tools, at.folders))
        yield (report := _built(at, report, place))
        return report, place


# --- the stages --------------------------------------------------------------------------------


def _sourced(at: At, report: ProductReport) -> ProductReport:
    """A copy of the source code with the patches, before a container can write to it."""
    source, folder = at.plan.source, at.folders.source
    patches = [step for step in at.plan.steps if isinstance(step, Patch)]
    require_room(at.tools.folders.work, at.plan.estimate.disk_mb, "this build")
    if at.plan.env == "docker":
        end_left()

    def work() -> str:
        try:
            sha256 = stage(source, at.tools, folder, [patch.sha256 for patch in patches])
        except FetchFailed as error:
            if source.otherwise:
                error.hint += f"; or take it from elsewhere with --source {source.otherwise}"
            raise
        require_source(at.plan.held, source, sha256)
        for patch in patches:
            apply_patch(patch, folder, at.tools.runner)
        return sha256

    summary = f"{at.plan.recipe} {source.version}, {_KINDS[source.kind]}"
    return replace(report, source_sha256=at.run.stage("source", work, lambda _: summary))


def _built(at: At, report: ProductReport, place: Place) -> ProductReport:
    site = Site(
        place=place,
        folders=at.folders,
        prefix=at.plan.prefix,
        jobs=at.plan.jobs,
        tools=at.tools,
        recipe=at.plan.recipe,
        services=at.plan.services,
        source_sha256=report.source_sha256,
    )

    steps = [step for step in at.plan.steps if isinstance(step, BuildStep)]
    tools = dict.fromkeys(pair for step in steps for pair in tools_of(step, site))
    require_tools(at.plan.held, tuple(tools))

    def build() -> Pairs:
        found: Pairs = ()
        for step in steps:
            found += driver_of(step).build(step, site)
        return found

    read_back = at.run.stage("build", build, lambda found: _counted(found, "options hold"))
    return replace(
        report,
        read_back=read_back,
        tools=tuple(tools),
        artifacts=place.artifacts,
        environment=place.environment,
    )


def _counted(found: Pairs, what: str) -> str:
    return f"{len(found)} {what}" if found else ""
