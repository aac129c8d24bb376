"""The build of an archive: what was built is laid out, packed, audited, tried and delivered."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from tfbuild.builds.run import AnyRequest, RequestedBuild, Run
from tfbuild.builds.stages.audit import readers
from tfbuild.builds.verdict import check_audit, check_smoke, is_proof, tallied
from tfbuild.core.disk_space import explaining_need
from tfbuild.core.interfaces import Tools
from tfbuild.core.lock_file import lock_text
from tfbuild.core.paths import file_digest
from tfbuild.core.reports import AuditReport, SmokeCheck, SmokeReport
from tfbuild.core.serialization import to_plain
from tfbuild.core.stage_cache import StageCache
from tfbuild.facts.targets import find_target
from tfbuild.places.folders import BuildFolders, folders_of
from tfbuild.places.needs import packages_of
from tfbuild.places.place import Place, open_trial_place, open_unused_place
from tfbuild.products.archive import pack
from tfbuild.products.audit import audit_product
from tfbuild.products.layout import lay_out
from tfbuild.products.needed import needed_packages
from tfbuild.products.probes import trial_of, try_product, unpack_trial
from tfbuild.products.sbom import product_sbom
from tfbuild.recipes.recipe import Recipe
from tfbuild.recipes.records import ProductPlan, ProductReport
from tfbuild.reporting.html import megabytes
from tfbuild.reporting.summary import tally
from tfbuild.run.lock import lock_of_product
from tfbuild.run.report import deliver, write_plan, write_report
from tfbuild.run.tree_code import code_of

Installed = Generator[ProductReport, None, tuple[ProductReport, Place]]
_Proof = TypeVar("_Proof", AuditReport, SmokeReport)


@dataclass(frozen=True, slots=True)
class At:
    """What every stage of one build gets."""

    plan: ProductPlan
    tools: Tools
    folders: BuildFolders
    run: Run


@dataclass(frozen=True, slots=True)
class ArchiveBuild(RequestedBuild[AnyRequest], ABC):
    """What is packed as an archive; its kinds say how it is planned, built and installed."""

    recipe: Recipe

    @property
    def is_cached(self) -> bool:
        """Whether Bazel builds it: what others have compiled is in the work folder alone."""
        return self.recipe.build.system == "bazel"

    @abstractmethod
    def planned(self) -> ProductPlan:
        """All that is decided."""

    @abstractmethod
    def installed(self, at: At, report: ProductReport) -> Installed:
        """Build, and install below the stage: the report as it grows, then the place as well."""

    def folders(self, plan: ProductPlan) -> BuildFolders:
        """Where it is built."""
        return folders_of(self.tools.folders.work, plan.build_id)

    def decide(self, run: Run) -> ProductReport:
        """The plan, written into the folder of the run; raises what planning raises."""
        plan = run.stage("decide", self.planned, _chosen)
        folders = self.tools.folders
        write_plan(plan, folders.run)
        run.stack.enter_context(explaining_need(plan.estimate.disk_mb, folders.cache, folders.work))
        return run.begun(ProductReport, plan=plan)

    def build(self, report: ProductReport, run: Run) -> Iterator[ProductReport]:
        """Build, audit and try; what was compiled is kept for the next call."""
        tree = ("patch", "configure", "readback") if report.plan.tree_plan else ()
        run.announce("source", "environment", *tree, "build", "pack", "audit", "smoke")
        at = At(report.plan, self.tools, self.folders(report.plan), run)
        report, place = yield from self.installed(at, report)
        yield (report := _packed(at, report, place))
        yield (report := replace(report, audit=_audit(at, report)))
        check_audit(report.audit)
        yield (report := replace(report, smoke=_smoke(at, report, place)))
        if has_system(report.plan):
            check_smoke(report.smoke)
        else:
            self.tools.reporter.warn(f"it was not tried: {_OF_YOURS}", code="library-not-tried")

    def made(self, report: ProductReport) -> Path | None:
        """The archive, once it is packed."""
        return self.folders(report.plan).archive if report.sha256 else None

    def deliver(self, report: ProductReport, run: Run) -> ProductReport:
        """Put the archive, its report, lock and SBOM into the output folder."""
        lock = lock_text(lock_of_product(report))
        sbom = product_sbom(report)
        archive = self.folders(report.plan).archive
        return deliver(report, archive, run.tools.folders.run, sbom, lock)

    def write(self, report: ProductReport, folder: Path) -> Path:
        """Write report.json and report.html; the path of the page."""
        return write_report(report, folder)


def has_system(plan: ProductPlan) -> bool:
    """Whether a container like that of the build can be made: of an image that was named, none."""
    return plan.env == "host" or bool(plan.system.name)


# --- the stages --------------------------------------------------------------------------------

_OF_YOURS = "it was built in an image of yours: `tfbuild smoke` tries it on a system like that"


def _packed(at: At, report: ProductReport, place: Place) -> ProductReport:
    """The folder of the product, and its archive in the work folder."""
    folders, plan = at.folders, at.plan

    def work() -> ProductReport:
        files = lay_out(plan, folders, place)
        # The build may have put programs of its own in the place of those that are asked.
        asked = open_unused_place(plan, place, at.tools, folders)
        with asked if has_system(plan) else nullcontext() as unused:
            needs = needed_packages(folders.product, unused)
        archive = pack(folders.product, folders.archive, top=plan.archive.removesuffix(".tar.gz"))
        return replace(
            report,
            files=files,
            needs=needs,
            sha256=file_digest(archive),
            size=archive.stat().st_size,
        )

    return at.run.stage("pack", work, lambda made: megabytes(made.size))


def _audit(at: At, report: ProductReport) -> AuditReport:
    plan, target = at.plan, find_target(at.plan.target)

    def make() -> AuditReport:
        folders = at.folders
        made_in = (str(folders.source), str(folders.build), str(folders.stage))
        return audit_product(
            plan, folders.product, plan.archive, report.sha256, target, machine_paths=made_in
        )

    parts = [report.sha256, plan.id, readers()]
    return at.run.stage("audit", lambda: _remembered(at, AuditReport, parts, make), tallied)


def _smoke(at: At, report: ProductReport, place: Place) -> SmokeReport:
    plan, folders = at.plan, at.folders

    def make() -> SmokeReport:
        unpack_trial(folders.archive, folders.trial)
        packages = packages_of(plan.needs)
        with open_trial_place(plan, place, packages, at.tools, folders) as tried:
            found = try_product(plan, folders.archive, folders.trial, tried)
            return _tried_further(at, report, tried, found) if plan.tree else found

    def work() -> SmokeReport:
        if not has_system(plan):
            untried = SmokeCheck(name="probes", state="skipped", reason=_OF_YOURS)
            return SmokeReport(wheel=plan.archive, sha256=report.sha256, checks=(untried,))
        parts = [report.sha256, plan.id, report.tools, report.artifacts]
        parts += [to_plain(report.environment), to_plain(report.needs)]
        if plan.tree:
            parts += [report.source_sha256, code_of(plan.tree).depends_on(plan, at.tools)]
        return _remembered(at, SmokeReport, parts, make)

    return at.run.stage("smoke", work, lambda found: tally([check.state for check in found.checks]))


def _tried_further(at: At, report: ProductReport, place: Place, found: SmokeReport) -> SmokeReport:
    """The smoke report with what code of ours finds, beside the packages that the product needs."""
    plan, folders = at.plan, at.folders
    packages = sorted({need.package for need in report.needs if need.package})
    trial = trial_of(plan, folders.trial, place)
    open_bare = partial(open_trial_place, plan, place, packages, at.tools, folders)
    more = code_of(plan.tree).prove(plan, trial, open_bare, folders.source, at.tools)
    return replace(found, checks=(*found.checks, *more.checks), artifacts=more.artifacts)


def _remembered(at: At, kind: type[_Proof], parts: object, make: Callable[[], _Proof]) -> _Proof:
    """What an earlier run has found of the same archive, or what is found now."""
    cache = StageCache(folders=at.tools.folders)
    return cache.get_or_make(f"product-{kind.__name__}", parts, kind, make, keep=is_proof)


def _chosen(plan: ProductPlan) -> str:
    chosen = ", ".join(f"{name}={value}" for name, value in (*plan.options, *plan.versions))
    return f"{plan.recipe} {plan.version} {chosen}".strip()
