"""Carries out a plan: the one order of stages for whatever a recipe builds."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TypeVar

import tfbuild
from tfbuild.builds.delivery import tell_finished
from tfbuild.builds.stages.audit import readers
from tfbuild.builds.time_limit import in_time
from tfbuild.builds.timeline import Timeline
from tfbuild.builds.verdict import check_audit, check_smoke, is_proof, tallied
from tfbuild.core.disk_space import require_room, telling_need
from tfbuild.core.errors import FetchFailed, TfbuildError
from tfbuild.core.interfaces import Tools
from tfbuild.core.lock_file import lock_text
from tfbuild.core.paths import file_digest
from tfbuild.core.records import Pairs
from tfbuild.core.reports import AuditReport, FailureRecord, SmokeReport
from tfbuild.core.run_folder import alone
from tfbuild.core.serialization import to_plain
from tfbuild.core.stage_cache import StageCache
from tfbuild.drivers.driver import Site, driver_of
from tfbuild.facts.targets import find_target
from tfbuild.inputs.patch import apply_patch
from tfbuild.inputs.stage import stage
from tfbuild.places.folders import BuildFolders, folders_of
from tfbuild.places.place import Place, describe_tools, open_bare_place, open_place
from tfbuild.products.archive import pack
from tfbuild.products.audit import audit_product
from tfbuild.products.layout import lay_out
from tfbuild.products.needed import needed_packages
from tfbuild.products.probes import trial_of, try_product
from tfbuild.products.sbom import product_bill
from tfbuild.recipes.records import BazelBuild, InputKind, Patch, ProductPlan, ProductReport
from tfbuild.reporting.summary import tally
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
class _Run:
    """What every stage of one run gets."""

    plan: ProductPlan
    tools: Tools
    folders: BuildFolders
    timeline: Timeline


def execute(plan: ProductPlan, tools: Tools, timeline: Timeline | None = None) -> ProductReport:
    """Build, audit, try and deliver; nothing is delivered that has not passed.

    Who brings the timeline has the times of a build that fails, too. The first failure ends it, as
    the TfbuildError of its stage, with a report of the run in the run's folder. What was compiled
    is kept for the next call.
    """
    timeline = timeline or Timeline(reporter=tools.reporter)
    run = _Run(plan, tools, folders_of(tools.folders.work, plan.build_id), timeline)
    with (
        alone(tools.folders.work),
        _recorded(_begun(run), timeline, tools.folders.run) as known,
        in_time(plan.deadline, tools.folders, timeline, is_cached=_is_bazel(plan)),
        ExitStack() as stack,
    ):
        tell_finished(plan.output, tools.reporter)
        write_plan(plan, tools.folders.run)
        if plan.tree:
            code_of(plan.tree).require(tools)
        stack.enter_context(telling_need(plan.estimate.disk_mb, tools.folders.cache))
        known.report = _sourced(run, known.report)
        place = timeline.run(
            "environment", lambda: stack.enter_context(open_place(plan, tools, run.folders))
        )
        known.report = _built(run, known.report, place)
        known.report = _packed(run, known.report, place)
        known.report = replace(known.report, audit=_audit(run, known.report))
        with _failing(timeline):
            check_audit(known.report.audit)
        known.report = replace(known.report, smoke=_smoke(run, known.report, place))
        with _failing(timeline):
            check_smoke(known.report.smoke)
        known.report = replace(known.report, stages=tuple(timeline.stages))
        bill = product_bill(known.report)
        lock = lock_text(lock_of_product(known.report))
        return deliver(known.report, run.folders.archive, tools.folders.run, bill, lock)


# --- the stages --------------------------------------------------------------------------------


def _is_bazel(plan: ProductPlan) -> bool:
    """Whether Bazel builds it: what it has compiled is in the cache, not in the work folder."""
    return any(isinstance(step, BazelBuild) for step in plan.steps)


def _begun(run: _Run) -> ProductReport:
    return ProductReport(
        run_id=run.tools.folders.run.name,
        started_at=run.timeline.started_at,
        tfbuild_version=tfbuild.__version__,
        host=run.tools.host,
        plan=run.plan,
    )


def _sourced(run: _Run, report: ProductReport) -> ProductReport:
    """A copy of the source code, which patches may change."""
    source = run.plan.source
    patches = [step for step in run.plan.steps if isinstance(step, Patch)]
    require_room(run.tools.folders.work, run.plan.estimate.disk_mb, "this build")
    try:
        sha256 = run.timeline.run(
            "source",
            lambda: stage(source, run.tools, run.folders.source, patches),
            lambda _: f"{run.plan.recipe} {source.version}, {_KINDS[source.kind]}",
        )
    except FetchFailed as error:
        if source.otherwise:
            error.hint += f"; or take it from elsewhere with --source {source.otherwise}"
        raise
    require_source(run.plan.held, source, sha256)
    return replace(report, source_sha256=sha256)


def _built(run: _Run, report: ProductReport, place: Place) -> ProductReport:
    site = Site(
        place=place,
        folders=run.folders,
        prefix=run.plan.prefix,
        jobs=run.plan.jobs,
        tools=run.tools,
        recipe=run.plan.recipe,
        services=run.plan.services,
        source_sha256=report.source_sha256,
    )

    steps = [step for step in run.plan.steps if not isinstance(step, Patch)]
    tools = dict.fromkeys(pair for step in steps for pair in describe_tools(place, step))
    require_tools(run.plan.held, tuple(tools))

    def build() -> Pairs:
        found: Pairs = ()
        for step in run.plan.steps:
            if isinstance(step, Patch):
                apply_patch(step, run.folders.source, run.tools.runner)
            else:
                found += driver_of(step).build(step, site)
        return found

    read_back = run.timeline.run("build", build, lambda found: _counted(found, "options hold"))
    return replace(
        report,
        read_back=read_back,
        tools=tuple(tools),
        artifacts=place.artifacts,
        environment=place.environment,
    )


def _packed(run: _Run, report: ProductReport, place: Place) -> ProductReport:
    """The folder of the product, and its archive in the work folder."""
    folders, plan = run.folders, run.plan

    def work() -> ProductReport:
        files = lay_out(plan, folders.source, folders.stage, folders.build, folders.product, place)
        archive = pack(folders.product, folders.archive, top=plan.archive.removesuffix(".tar.gz"))
        return replace(
            report,
            files=files,
            needs=needed_packages(folders.product, place),
            sha256=file_digest(archive),
            size=archive.stat().st_size,
        )

    return run.timeline.run("pack", work, lambda made: f"{made.size / 1e6:.1f} MB")


def _audit(run: _Run, report: ProductReport) -> AuditReport:
    plan, target = run.plan, find_target(run.plan.target)

    def make() -> AuditReport:
        folders = run.folders
        made_in = (str(folders.source), str(folders.build), str(folders.stage))
        return audit_product(
            plan, folders.product, plan.archive, report.sha256, target, machine_paths=made_in
        )

    parts = [report.sha256, to_plain(plan.audit), to_plain(plan.product), readers()]
    parts += [plan.exports, plan.dispatched]
    return run.timeline.run("audit", lambda: _remembered(run, AuditReport, parts, make), tallied)


def _smoke(run: _Run, report: ProductReport, place: Place) -> SmokeReport:
    plan, folders = run.plan, run.folders

    def make() -> SmokeReport:
        found = try_product(plan, folders.archive, folders.trial, place)
        return _tried_further(run, report, place, found) if plan.tree else found

    def work() -> SmokeReport:
        parts = [report.sha256, to_plain(plan.probes), to_plain(plan.product), report.tools]
        if plan.tree:
            parts += [report.source_sha256, code_of(plan.tree).depends_on(plan, run.tools)]
        return _remembered(run, SmokeReport, parts, make)

    return run.timeline.run(
        "smoke", work, lambda found: tally([rung.state for rung in found.rungs])
    )


def _tried_further(
    run: _Run, report: ProductReport, place: Place, found: SmokeReport
) -> SmokeReport:
    """The smoke report with what code of ours finds, beside the packages that the product needs."""
    plan, folders = run.plan, run.folders
    packages = sorted({need.package for need in report.needs if need.package})
    trial = trial_of(plan, folders.trial, place)
    open_bare = partial(open_bare_place, plan, packages, run.tools, folders)
    more = code_of(plan.tree).prove(plan, trial, open_bare, folders.source, run.tools)
    return replace(found, rungs=(*found.rungs, *more.rungs), artifacts=more.artifacts)


# --- what every stage shares -------------------------------------------------------------------


@dataclass(slots=True)
class _Known:
    """The report as far as the run has come."""

    report: ProductReport


@contextmanager
def _recorded(begun: ProductReport, timeline: Timeline, folder: Path) -> Iterator[_Known]:
    """Write the report of a build that fails inside, as far as it came, and say where it is."""
    known = _Known(begun)
    try:
        yield known
    except TfbuildError as error:
        told = FailureRecord(
            message=error.message, why=error.why, hint=error.hint, exit_code=error.exit_code
        )
        done = replace(known.report, stages=tuple(timeline.stages), failures=(told,))
        report = f"the report is {write_report(done, folder)}"
        error.hint = "; ".join(filter(None, (error.hint.removesuffix("."), report)))
        raise


@contextmanager
def _failing(timeline: Timeline) -> Iterator[None]:
    """Mark the last stage as failed where what it found is not good."""
    try:
        yield
    except TfbuildError:
        timeline.fail_last()
        raise


def _remembered(run: _Run, kind: type[_Proof], parts: object, make: Callable[[], _Proof]) -> _Proof:
    """What an earlier run has found of the same archive, or what is found now."""
    cache = StageCache(folders=run.tools.folders)
    return cache.get_or_make(f"product-{kind.__name__}", parts, kind, make, keep=is_proof)


def _counted(found: Pairs, what: str) -> str:
    return f"{len(found)} {what}" if found else ""
