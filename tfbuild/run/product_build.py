"""The build of a recipe, stage by stage: from source code to an archive."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from tfbuild.builds.run import RequestedBuild, Run
from tfbuild.builds.stages.audit import readers
from tfbuild.builds.verdict import check_audit, check_smoke, is_proof, tallied
from tfbuild.containers.left import end_left
from tfbuild.core.disk_space import require_room, telling_need
from tfbuild.core.errors import FetchFailed
from tfbuild.core.interfaces import Tools
from tfbuild.core.lock_file import lock_text
from tfbuild.core.paths import file_digest
from tfbuild.core.records import Pairs
from tfbuild.core.reports import AuditReport, SmokeReport
from tfbuild.core.serialization import to_plain
from tfbuild.core.stage_cache import StageCache
from tfbuild.drivers.driver import Site, driver_of, tools_of
from tfbuild.facts.targets import find_target
from tfbuild.inputs.patch import apply_patch
from tfbuild.inputs.stage import stage
from tfbuild.places.folders import BuildFolders, folders_of
from tfbuild.places.needs import packages_of
from tfbuild.places.place import Place, open_place, open_trial_place, open_unused_place
from tfbuild.products.archive import pack
from tfbuild.products.audit import audit_product
from tfbuild.products.layout import lay_out
from tfbuild.products.needed import needed_packages
from tfbuild.products.probes import trial_of, try_product, unpack_trial
from tfbuild.products.sbom import product_bill
from tfbuild.recipes.recipe import Recipe
from tfbuild.recipes.records import (
    InputKind,
    Patch,
    ProductPlan,
    ProductReport,
    ProductRequest,
)
from tfbuild.reporting.summary import tally
from tfbuild.run.decide import decide_product, require_target
from tfbuild.run.lock import lock_of_product, require_source, require_tools
from tfbuild.run.report import deliver, write_plan, write_report
from tfbuild.run.tree_code import code_of

_KINDS: dict[InputKind, str] = {
    "folder": "from a folder",
    "archive": "from an archive",
    "debian": "from a source package",
}
_Proof = TypeVar("_Proof", AuditReport, SmokeReport)


@dataclass(frozen=True, slots=True)
class ProductBuild(RequestedBuild[ProductRequest]):
    """What a recipe of a YAML file builds: an archive."""

    recipe: Recipe

    @property
    def is_cached(self) -> bool:
        """Whether Bazel builds it here: what others have compiled is in the work folder alone."""
        return self.recipe.build.system == "bazel" and self._is_here

    @property
    def _is_here(self) -> bool:
        return self.request.env != "docker" and not self.recipe.systems

    def decide(self, run: Run) -> ProductReport:
        """The plan; raises what decide_product and require_target raise."""

        def work() -> ProductPlan:
            plan = decide_product(self.request, self.recipe, self.tables, self.tools)
            require_target(plan.target, self.tools.host)
            return plan

        plan = run.stage("decide", work, _told)
        folders = self.tools.folders
        write_plan(plan, folders.run)
        run.stack.enter_context(telling_need(plan.estimate.disk_mb, folders.cache, folders.work))
        return run.begun(ProductReport, plan=plan)

    def build(self, report: ProductReport, run: Run) -> Iterator[ProductReport]:
        """Build, audit and try; what was compiled is kept for the next call."""
        plan = report.plan
        if plan.tree:
            code_of(plan.tree).require(self.tools)
        at = _At(plan, self.tools, folders_of(self.tools.folders.work, plan.build_id), run)
        yield (report := _sourced(at, report))
        place = run.opened("environment", open_place(plan, self.tools, at.folders))
        yield (report := _built(at, report, place))
        yield (report := _packed(at, report, place))
        yield (report := replace(report, audit=_audit(at, report)))
        check_audit(report.audit)
        yield (report := replace(report, smoke=_smoke(at, report, place)))
        check_smoke(report.smoke)

    def made(self, report: ProductReport) -> Path | None:
        """The archive, once it is packed."""
        return self._archive(report.plan) if report.sha256 else None

    def deliver(self, report: ProductReport, run: Run) -> ProductReport:
        """Put the archive, its report, lock and bill of materials into the output folder."""
        lock = lock_text(lock_of_product(report))
        bill = product_bill(report)
        return deliver(report, self._archive(report.plan), run.tools.folders.run, bill, lock)

    def write(self, report: ProductReport, folder: Path) -> Path:
        """Write report.json and report.html; the path of the page."""
        return write_report(report, folder)

    def _archive(self, plan: ProductPlan) -> Path:
        return folders_of(self.tools.folders.work, plan.build_id).archive


# --- the stages --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _At:
    """What every stage of one build gets."""

    plan: ProductPlan
    tools: Tools
    folders: BuildFolders
    run: Run


def _sourced(at: _At, report: ProductReport) -> ProductReport:
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

    told = f"{at.plan.recipe} {source.version}, {_KINDS[source.kind]}"
    return replace(report, source_sha256=at.run.stage("source", work, lambda _: told))


def _built(at: _At, report: ProductReport, place: Place) -> ProductReport:
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

    steps = [step for step in at.plan.steps if not isinstance(step, Patch)]
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


def _packed(at: _At, report: ProductReport, place: Place) -> ProductReport:
    """The folder of the product, and its archive in the work folder."""
    folders, plan = at.folders, at.plan

    def work() -> ProductReport:
        files = lay_out(plan, folders, place)
        # The build may have put programs of its own in the place of those that are asked.
        with open_unused_place(plan, place, at.tools, folders) as unused:
            needs = needed_packages(folders.product, unused)
        archive = pack(folders.product, folders.archive, top=plan.archive.removesuffix(".tar.gz"))
        return replace(
            report,
            files=files,
            needs=needs,
            sha256=file_digest(archive),
            size=archive.stat().st_size,
        )

    return at.run.stage("pack", work, lambda made: f"{made.size / 1e6:.1f} MB")


def _audit(at: _At, report: ProductReport) -> AuditReport:
    plan, target = at.plan, find_target(at.plan.target)

    def make() -> AuditReport:
        folders = at.folders
        made_in = (str(folders.source), str(folders.build), str(folders.stage))
        return audit_product(
            plan, folders.product, plan.archive, report.sha256, target, machine_paths=made_in
        )

    parts = [report.sha256, to_plain(plan.audit), to_plain(plan.product), readers()]
    parts += [plan.exports, plan.dispatched]
    return at.run.stage("audit", lambda: _remembered(at, AuditReport, parts, make), tallied)


def _smoke(at: _At, report: ProductReport, place: Place) -> SmokeReport:
    plan, folders = at.plan, at.folders

    def make() -> SmokeReport:
        unpack_trial(folders.archive, folders.trial)
        packages = packages_of(plan.needs)
        with open_trial_place(plan, place, packages, at.tools, folders) as tried:
            found = try_product(plan, folders.archive, folders.trial, tried)
            return _tried_further(at, report, tried, found) if plan.tree else found

    def work() -> SmokeReport:
        parts = [report.sha256, to_plain(plan.probes), to_plain(plan.product), report.tools]
        if plan.tree:
            parts += [report.source_sha256, code_of(plan.tree).depends_on(plan, at.tools)]
        return _remembered(at, SmokeReport, parts, make)

    return at.run.stage("smoke", work, lambda found: tally([rung.state for rung in found.rungs]))


def _tried_further(at: _At, report: ProductReport, place: Place, found: SmokeReport) -> SmokeReport:
    """The smoke report with what code of ours finds, beside the packages that the product needs."""
    plan, folders = at.plan, at.folders
    packages = sorted({need.package for need in report.needs if need.package})
    trial = trial_of(plan, folders.trial, place)
    open_bare = partial(open_trial_place, plan, place, packages, at.tools, folders)
    more = code_of(plan.tree).prove(plan, trial, open_bare, folders.source, at.tools)
    return replace(found, rungs=(*found.rungs, *more.rungs), artifacts=more.artifacts)


def _remembered(at: _At, kind: type[_Proof], parts: object, make: Callable[[], _Proof]) -> _Proof:
    """What an earlier run has found of the same archive, or what is found now."""
    cache = StageCache(folders=at.tools.folders)
    return cache.get_or_make(f"product-{kind.__name__}", parts, kind, make, keep=is_proof)


def _told(plan: ProductPlan) -> str:
    chosen = ", ".join(f"{name}={value}" for name, value in plan.options)
    return f"{plan.recipe} {plan.version} {chosen}".strip()


def _counted(found: Pairs, what: str) -> str:
    return f"{len(found)} {what}" if found else ""
