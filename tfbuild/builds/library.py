"""The C++ library of a TensorFlow source tree: built as a wheel is, and delivered as a folder."""

import hashlib
import json
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

import tfbuild
from tfbuild.builds.bill import used_tools
from tfbuild.builds.decide import decide
from tfbuild.builds.delivery import delivery, tell_finished
from tfbuild.builds.library_bill import library_bill
from tfbuild.builds.open_place import open_place
from tfbuild.builds.stages.audit import readers
from tfbuild.builds.stages.report import write_plan
from tfbuild.builds.time_limit import in_time
from tfbuild.builds.timeline import Timeline
from tfbuild.builds.tree_stages import run_tree_stages
from tfbuild.builds.verdict import check_audit, is_proof, tallied
from tfbuild.core.disk_space import telling_need
from tfbuild.core.errors import TfbuildError
from tfbuild.core.interfaces import Environment, Tools
from tfbuild.core.masking import mask_all
from tfbuild.core.outputs import BuildOutput
from tfbuild.core.paths import file_digest, write_aside
from tfbuild.core.records import Plan, Request
from tfbuild.core.reports import AuditReport, FailureRecord, LibraryFile, LibraryReport
from tfbuild.core.run_folder import alone
from tfbuild.core.serialization import to_plain
from tfbuild.core.stage_cache import StageCache
from tfbuild.facts.tables import Tables
from tfbuild.facts.targets import target_of
from tfbuild.reporting.product_html import library_page
from tfbuild.wheels.libraries import is_library_name
from tfbuild.wheels.library_audit import audit_libraries

_LIBRARIES = Path("lib")


def build_cc_library(request: Request, tables: Tables, tools: Tools) -> LibraryReport:
    """The record of a folder with libtensorflow_cc, libtensorflow_framework and the headers.

    Raises the TfbuildError of the stage that failed, AuditFailed among them, and DeadlineReached.
    The output folder is touched last; the record of a failed build lies in the run's folder, too.
    """
    folders, timeline = tools.folders, Timeline(reporter=tools.reporter)
    with (
        alone(folders.work),
        _recorded(timeline, folders.run) as known,
        in_time(request.deadline, folders, timeline),
        ExitStack() as stack,
    ):
        tell_finished(request.output, tools.reporter)
        plan = timeline.run("decide", lambda: decide(request, tables, tools).plan)
        stack.enter_context(telling_need(plan.estimate.disk_mb, folders.cache))
        write_plan(plan, folders.run)
        report = LibraryReport(
            run_id=folders.run.name,
            started_at=timeline.started_at,
            tfbuild_version=tfbuild.__version__,
            host=tools.host,
            plan=plan,
        )
        known.append(report)
        env = timeline.run("environment", lambda: stack.enter_context(open_place(plan, tools)))
        chain = env.toolchain
        report = replace(
            report,
            tools=used_tools(chain, plan.versions),
            environment=chain.lock.environment,
        )
        known.append(report)
        output = run_tree_stages(plan, env, timeline)
        audit = timeline.run("audit", lambda: _audit(plan, output, env), tallied)
        known.append(report := replace(report, build=output, audit=audit))
        check_audit(audit)
        report = timeline.run("deliver", lambda: _deliver(report, output, timeline))
    report = replace(report, stages=tuple(timeline.stages))
    _write(report, folders.run / "report.json")
    return report


def library_document(report: LibraryReport) -> dict[str, object]:
    """The record as a JSON document with its schema's name, secrets hidden."""
    return {"schema": "tfbuild.library/1", **mask_all(to_plain(report))}


# --- inside ------------------------------------------------------------------------------------


@contextmanager
def _recorded(timeline: Timeline, run: Path) -> Iterator[list[LibraryReport]]:
    """Write the record of a build that fails inside, as far as it is in the list, and tell it."""
    known: list[LibraryReport] = []
    try:
        yield known
    except TfbuildError as error:
        if known:
            told = FailureRecord(
                message=error.message, why=error.why, hint=error.hint, exit_code=error.exit_code
            )
            failed = replace(known[-1], stages=tuple(timeline.stages), failures=(told,))
            error.hint += f"; the report is {_write(failed, run / 'report.json')}"
        raise


def _write(report: LibraryReport, path: Path) -> Path:
    """Write the record as JSON, and as a page beside it; the path of the page."""
    document = library_document(report)
    write_aside(path, json.dumps(document, indent=1) + "\n")
    return write_aside(path.with_suffix(".html"), library_page(document))


def _audit(plan: Plan, output: BuildOutput, env: Environment) -> AuditReport:
    """What the libraries say of themselves, against the plan; headers are no part of it."""
    files = {str(_place(name)): path for name, path in output.files}
    libraries = {name: path for name, path in files.items() if is_library_name(name)}
    listed = "".join(f"{file_digest(path)}  {name}\n" for name, path in sorted(libraries.items()))
    digest, target = hashlib.sha256(listed.encode()).hexdigest(), target_of(env.tools.host)

    def make() -> AuditReport:
        findings = audit_libraries(libraries, plan.audit, target)
        return AuditReport(wheel=_folder_name(plan), sha256=digest, findings=findings)

    return StageCache(folders=env.tools.folders).get_or_make(
        "audit",
        [digest, to_plain(plan.audit), target.version, readers()],
        AuditReport,
        make,
        holds=lambda report: report.sha256 == digest,
        keep=is_proof,
    )


def _deliver(report: LibraryReport, output: BuildOutput, timeline: Timeline) -> LibraryReport:
    """Put the folder, its record, page and bill into the output folder, all of it or nothing."""
    plan = report.plan
    name = _folder_name(plan)
    with delivery(plan.output, last=name) as aside:
        files = _lay_out(output, aside / name)
        done = replace(report, folder=plan.output / name, files=files)
        stages = tuple(timeline.stages)
        _write(replace(done, stages=stages), aside / f"{name}.report.json")
        write_aside(aside / f"{name}.cdx.json", library_bill(done))
    return done


def _folder_name(plan: Plan) -> str:
    return f"libtensorflow_cc-{plan.tree.release}-{plan.device}"


def _lay_out(output: BuildOutput, folder: Path) -> tuple[LibraryFile, ...]:
    """The files in their places; of libraries that are the same, the shorter names are links.

    Bazel has them as links or, where they came from a cache, as copies.
    """
    whole: dict[str, Path] = {}
    found = []
    for name, path in sorted(output.files, key=lambda file: (-len(file[0]), file[0])):
        place, sha256 = _place(name), file_digest(path)
        target = folder / place
        target.parent.mkdir(parents=True, exist_ok=True)
        first = whole.setdefault(sha256, place) if place.parent == _LIBRARIES else place
        if first == place:
            shutil.copy2(path, target)
        else:
            target.symlink_to(first.name)
        leads_to = "" if first == place else str(first)
        size = path.stat().st_size
        found.append(LibraryFile(name=str(place), size=size, sha256=sha256, target=leads_to))
    return tuple(sorted(found, key=lambda file: file.name))


def _place(name: str) -> Path:
    """Where a file of bazel-bin belongs: include/ as it is, libraries in lib/."""
    path = Path(name)
    is_header = path.parts[:2] == ("tensorflow", "include")
    return Path(*path.parts[1:]) if is_header else _LIBRARIES / path.name
