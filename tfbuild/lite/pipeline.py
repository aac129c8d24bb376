"""From a tree to an archive with TensorFlow Lite's library: the one place of that order."""

import gzip
import io
import json
import shutil
import tarfile
from collections.abc import Iterator
from pathlib import Path

import tfbuild
from tfbuild.builds.delivery import delivery
from tfbuild.builds.timeline import Timeline
from tfbuild.builds.verdict import check_audit, check_smoke, tallied
from tfbuild.core.interfaces import Tools
from tfbuild.core.layout import LITE
from tfbuild.core.masking import mask_all
from tfbuild.core.paths import file_digest, write_aside
from tfbuild.core.reports import SmokeReport
from tfbuild.core.run_folder import alone
from tfbuild.core.safe_files import read_bytes
from tfbuild.core.serialization import to_plain
from tfbuild.core.source_date import source_date
from tfbuild.facts.tables import Tables
from tfbuild.facts.targets import target_of
from tfbuild.lite.audit import audit_library
from tfbuild.lite.build import build_library
from tfbuild.lite.plan import plan_lite
from tfbuild.lite.records import LARGEST, LIBRARY, LiteLibrary, LitePlan, LiteReport, LiteRequest
from tfbuild.lite.smoke import compile_program, reference_python, run_models, smoke_library
from tfbuild.lite.tree import read_licence
from tfbuild.lite.workshop import open_workshop
from tfbuild.reporting.summary import tally

SCHEMA = "tfbuild.lite-report/1"
_LONG_AGO = 315532800  # 1980-01-01: the same bytes whenever it is packed


def build_lite(request: LiteRequest, tables: Tables, tools: Tools) -> LiteReport:
    """Build, audit, try and deliver; nothing is delivered that has not passed.

    Raises what its stages raise: NoSolution, ConfigureFailed, BuildFailed, AuditFailed,
    SmokeFailed, and what containers and downloads do; EnvironmentFailed before anything is
    compiled where this machine has no Python to compare with.
    """
    plan = plan_lite(request, tables, tools.host)
    reference_python(tools)
    timeline = Timeline(reporter=tools.reporter)
    with alone(tools.folders.work):
        library, program = timeline.run("build", lambda: _built(plan, tools), _sized)
        audit = timeline.run(
            "audit", lambda: audit_library(plan, library, target_of(tools.host)), tallied
        )
        check_audit(audit)
        smoke = timeline.run("smoke", lambda: _tried(plan, library, program, tools), _climbed)
        check_smoke(smoke)
        archive = _pack(plan, library, LITE.path(tools.folders.work) / plan.archive)
        report = LiteReport(
            run_id=tools.folders.run.name,
            tfbuild_version=tfbuild.__version__,
            plan=plan,
            library=library,
            archive=plan.output / plan.archive,
            archive_sha256=file_digest(archive),
            reference=smoke.artifacts,
            audit=audit,
            smoke=smoke,
        )
        _deliver(report, archive, tools)
    return report


def report_of_lite(report: LiteReport) -> dict[str, object]:
    """The document of a report."""
    return {"schema": SCHEMA, **mask_all(to_plain(report))}


def _built(plan: LitePlan, tools: Tools) -> tuple[LiteLibrary, Path]:
    with open_workshop(plan, tools, plan.packages) as workshop:
        library = build_library(plan, workshop, tools)
        return library, compile_program(workshop, library)


def _tried(plan: LitePlan, library: LiteLibrary, program: Path, tools: Tools) -> SmokeReport:
    """With the packages that it says it needs, and nothing of what built it."""
    with open_workshop(plan, tools, _runtime_packages(library)) as workshop:
        version, runs = run_models(plan, program, library, workshop, tools)
    return smoke_library(plan, library, version, runs, tools)


def _sized(built: tuple[LiteLibrary, Path]) -> str:
    library, _ = built
    return f"{library.path.name}, {library.size / 1e6:.1f} MB"


def _climbed(smoke: SmokeReport) -> str:
    return tally([rung.state for rung in smoke.rungs])


def _runtime_packages(library: LiteLibrary) -> tuple[str, ...]:
    return tuple(sorted({package for _, package, _ in library.needs if package}))


def _pack(plan: LitePlan, library: LiteLibrary, target: Path) -> Path:
    """The archive: library, headers, licence and what it needs; the same bytes for the same."""
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w", format=tarfile.PAX_FORMAT) as archive:
        top = plan.archive.removesuffix(".tar.gz")
        for name, content, mode in sorted(_members(plan, library)):
            member = tarfile.TarInfo(f"{top}/{name}")
            member.size, member.mode = len(content), mode
            member.mtime = source_date() or _LONG_AGO
            archive.addfile(member, io.BytesIO(content))
    return write_aside(target, gzip.compress(raw.getvalue(), mtime=0))


def _members(plan: LitePlan, library: LiteLibrary) -> Iterator[tuple[str, bytes, int]]:
    yield f"lib/{LIBRARY}", read_bytes(library.path, LARGEST), 0o755
    for path in sorted(library.headers.rglob("*.h")):
        yield f"include/{path.relative_to(library.headers)}", read_bytes(path), 0o644
    if licence := read_licence(plan.tree.source):
        yield "LICENSE", licence.encode(), 0o644
    needs = [
        {"library": name, "package": package, "version": version}
        for name, package, version in library.needs
    ]
    made = {
        "release": plan.tree.release,
        "plan": plan.id,
        "system": plan.system.name,
        "compiler": library.compiler,
        "sha256": library.sha256,
        "needs": needs,
    }
    yield "lite.json", (json.dumps(made, indent=1) + "\n").encode(), 0o644


def _deliver(report: LiteReport, archive: Path, tools: Tools) -> None:
    text = json.dumps(report_of_lite(report), indent=1) + "\n"
    write_aside(tools.folders.run / "report.json", text)
    with delivery(report.plan.output, last=report.plan.archive) as aside:
        shutil.copyfile(archive, aside / report.plan.archive)
        write_aside(aside / f"{report.plan.archive}.report.json", text)
