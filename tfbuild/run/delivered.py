"""An archive that a recipe has built, held once more against what was planned of it."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from tfbuild.builds.expectations import expected_of
from tfbuild.builds.saved_files import read_document
from tfbuild.core.errors import BadRequest, EnvironmentFailed, FetchFailed
from tfbuild.core.interfaces import Tools
from tfbuild.core.paths import file_digest
from tfbuild.core.report_seal import is_own
from tfbuild.core.reports import AuditReport, SmokeCheck, SmokeReport
from tfbuild.core.temporary_folder import temporary_folder
from tfbuild.facts.tables import Tables
from tfbuild.facts.targets import all_targets, find_target, target_of
from tfbuild.places.needs import how_to_get, read_needs
from tfbuild.places.place import Place, open_here
from tfbuild.products.archive import unpack_own
from tfbuild.products.audit import audit_product, audit_unplanned
from tfbuild.products.needed import libraries_here
from tfbuild.products.probes import try_product, unpack_trial
from tfbuild.products.sbom import product_sbom
from tfbuild.recipes.records import Need, NeededPackage, ProductPlan, ProductReport
from tfbuild.run.report import REPORT, read_plan, report_in
from tfbuild.run.tree_code import code_of

_PACKAGE = re.compile(r"[a-z0-9][a-z0-9+.-]+")  # what is in a report may be anybody's


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivered:
    """An archive, and what is known of its making; `plan` is None where nothing is."""

    archive: Path
    sha256: str
    plan: ProductPlan | None
    needs: tuple[NeededPackage, ...] = ()
    said: str = ""  # where the plan is from, or why there is none


def report_beside(archive: Path) -> Path:
    """Where a build puts the report of an archive."""
    return archive.with_name(f"{archive.name}.report.json")


def read_delivered(archive: Path, plan: str = "") -> Delivered:
    """The archive with the plan of that file, else with that of this user's report beside it.

    Raises BadRequest where one of them cannot be read, or the report is of another archive.
    """
    sha256 = file_digest(archive)
    found = expected_of(report_beside(archive), plan)
    made = Delivered(archive=archive, sha256=sha256, plan=None, said=found.said)
    if plan:
        return replace(made, plan=read_plan(Path(plan)))
    if found.source is None:
        return made
    report = _report_of(archive, sha256, found.document)
    return replace(made, plan=report.plan, needs=report.needs)


def sbom_of(archive: Path) -> tuple[str, bool]:
    """The SBOM of an archive, as CycloneDX, from the report beside it; whether that is one's own.

    Raises BadRequest where there is none, or it is of another archive.
    """
    beside = report_beside(archive)
    document = read_document(beside, (REPORT,))
    report = _report_of(archive, file_digest(archive), document)
    return product_sbom(report), is_own(document)


def audit_delivered(found: Delivered, architectures: tuple[str, ...], tools: Tools) -> AuditReport:
    """What the archive holds, against its plan; without one, the checks that need none.

    architectures are those of the device code that it must hold, where they were asked for. Nothing
    of the archive runs. Raises BadRequest where it cannot be unpacked.
    """
    name, plan = found.archive.name, found.plan
    with _unpacked(found.archive) as folder:
        if plan is None:
            here = target_of(tools.host)
            return audit_unplanned(folder, name, found.sha256, (here, *all_targets()))
        if architectures:
            plan = replace(plan, audit=replace(plan.audit, architectures=architectures))
        return audit_product(plan, folder, name, found.sha256, find_target(plan.target))


def smoke_delivered(found: Delivered, tables: Tables, tools: Tools) -> SmokeReport:
    """What the archive does on this machine: the trials of its plan, as after a build.

    Raises BadRequest without a plan, and where it cannot be unpacked; EnvironmentFailed where it is
    for another platform, or this machine lacks what it needs.
    """
    plan = found.plan
    if plan is None:
        raise BadRequest(
            f"nothing says how {found.archive.name} is tried",
            code="product-report-missing",
            why=found.said or f"there is no {found.archive.name}.report.json beside it",
            hint="name a report or a plan that you trust with --plan: its trials are run",
        )
    here = target_of(tools.host).version
    if plan.target != here:
        raise EnvironmentFailed(
            f"{found.archive.name} is for {plan.target}, and this machine is {here}",
            code="machine-not-platform",
            hint=f"run the same command on a machine that is {plan.target}",
        )
    place = open_here(read_needs(_needs_of(plan), tables), tools)
    _require_libraries(found.needs, place)
    named = replace(plan, archive=found.archive.name)
    with temporary_folder("smoke") as folder, _readable(found.archive):
        unpack_trial(found.archive, folder / "trial")
        report = try_product(named, found.archive, folder / "trial", place)
    if not plan.tree:
        return report
    untried = SmokeCheck(
        name=code_of(plan.tree).proves,
        state="skipped",
        reason="it is tried beside the source code alone: `tfbuild build` does",
    )
    return replace(report, checks=(*report.checks, untried))


# --- inside ------------------------------------------------------------------------------------


def _report_of(archive: Path, sha256: str, read: object) -> ProductReport:
    """The report in what was read beside an archive; BadRequest where it is of another."""
    beside = report_beside(archive)
    report = report_in(read, beside)
    if report.sha256 != sha256:
        raise BadRequest(
            f"{archive.name} is not the archive that the report beside it is of",
            code="report-of-other-archive",
            why=f"its sha256 is {sha256}, and the report names {report.sha256 or 'none'}",
            hint=f"copy both again; without {beside.name} it is audited by itself",
        )
    return report


@contextmanager
def _unpacked(archive: Path) -> Iterator[Path]:
    with temporary_folder("audit") as folder:
        with _readable(archive):
            unpack_own(archive, folder / "product")
        yield folder / "product"


@contextmanager
def _readable(archive: Path) -> Iterator[None]:
    """Say of an archive that was named, as of a wheel, that it is broken: nothing was fetched."""
    try:
        yield
    except FetchFailed as error:
        raise BadRequest(
            f"{archive.name} is no whole archive of a recipe",
            code="product-archive-broken",
            why=error.why,
            hint="build it again, or copy it again",
        ) from error


def _needs_of(plan: ProductPlan) -> list[str]:
    """The rows of matrices/needs.yaml that have what the trials of a plan call."""
    product, programs = plan.product, [probe for probe in plan.probes if probe.program]
    is_cmake = bool(product.cmake) or any(probe.cmake for probe in programs)
    languages = {probe.language for probe in programs}
    wanted = {
        "cc": bool(product.headers) or "c" in languages or is_cmake,
        "c++": "c++" in languages,
        "pkg-config": bool(product.pkg_config) or any(probe.pkg_config for probe in programs),
        "cmake": is_cmake,
        "ninja": is_cmake,
    }
    return [name for name, is_wanted in wanted.items() if is_wanted]


def _require_libraries(needs: tuple[NeededPackage, ...], place: Place) -> None:
    """Raise EnvironmentFailed where the loader does not find what the product does not hold."""
    there = libraries_here(place)
    lacking = [need for need in needs if there and need.library not in there]
    if not lacking:
        return
    packages = sorted({one.package for one in lacking if _PACKAGE.fullmatch(one.package)})
    known = [Need(name=name, package=name) for name in packages]
    raise EnvironmentFailed(
        f"this machine lacks {', '.join(need.library for need in lacking)}",
        code="system-library-missing",
        why="the product needs it, and does not hold it",
        hint=how_to_get(known) if known else "install what has it",
    )
