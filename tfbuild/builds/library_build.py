"""The build of a TensorFlow source tree's C++ library, which is delivered as a folder."""

import hashlib
import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from tfbuild.builds.bill import used_tools
from tfbuild.builds.decide import decide
from tfbuild.builds.delivery import delivery
from tfbuild.builds.library_bill import library_bill
from tfbuild.builds.open_place import open_place
from tfbuild.builds.run import Run
from tfbuild.builds.stages.audit import readers
from tfbuild.builds.stages.report import write_plan
from tfbuild.builds.tree_stages import run_tree_stages, source_of
from tfbuild.builds.verdict import check_audit, is_proof, tallied
from tfbuild.core.disk_space import telling_need
from tfbuild.core.interfaces import Environment, Tools
from tfbuild.core.masking import mask_all
from tfbuild.core.outputs import BuildOutput
from tfbuild.core.paths import file_digest, write_aside
from tfbuild.core.records import Plan, Request
from tfbuild.core.reports import AuditReport, LibraryFile, LibraryReport
from tfbuild.core.serialization import to_plain
from tfbuild.core.stage_cache import StageCache
from tfbuild.facts.tables import Tables
from tfbuild.facts.targets import target_of
from tfbuild.reporting.product_html import library_page
from tfbuild.wheels.libraries import is_library_name
from tfbuild.wheels.library_audit import audit_libraries

_LIBRARIES = Path("lib")


@dataclass(frozen=True, slots=True)
class LibraryBuild:
    """A folder with libtensorflow_cc, libtensorflow_framework and the headers."""

    request: Request
    tables: Tables
    tools: Tools
    is_cached = True

    @property
    def output(self) -> Path:
        """Where the folder, its report and its bill of materials go."""
        return self.request.output

    @property
    def deadline(self) -> str:
        """When to stop; empty for never."""
        return self.request.deadline

    def decide(self, run: Run) -> LibraryReport:
        """The plan; raises what decide raises."""
        plan = run.stage("decide", lambda: decide(self.request, self.tables, self.tools).plan)
        run.stack.enter_context(telling_need(plan.estimate.disk_mb, self.tools.folders.cache))
        write_plan(plan, self.tools.folders.run)
        return run.begun(LibraryReport, plan=plan)

    def build(self, report: LibraryReport, run: Run) -> Iterator[LibraryReport]:
        """Build and audit; raises the TfbuildError of the stage that failed."""
        plan = source_of(report.plan, run)
        env = run.opened("environment", open_place(plan, self.tools))
        chain = env.toolchain
        report = replace(
            report, tools=used_tools(chain, plan.versions), environment=chain.lock.environment
        )
        yield report
        output = run_tree_stages(plan, env, run.timeline)
        yield (report := replace(report, build=output))
        audit = run.stage("audit", lambda: _audit(plan, output, env), tallied)
        yield replace(report, audit=audit)
        check_audit(audit)

    def made(self, report: LibraryReport) -> Path | None:
        """The library itself, in Bazel's folder."""
        files = (path for name, path in report.build.files if is_library_name(name))
        return next(files, None)

    def write(self, report: LibraryReport, folder: Path) -> Path:
        """Write report.json and report.html; the path of the page."""
        return _write(report, folder / "report.json")

    def deliver(self, report: LibraryReport, run: Run) -> LibraryReport:
        """Put the folder, its report and bill into the output folder, all of it or nothing."""
        plan, name = report.plan, _folder_name(report.plan)

        def work() -> LibraryReport:
            with delivery(plan.output, last=name) as aside:
                files = _lay_out(report.build, aside / name)
                done = replace(report, folder=plan.output / name, files=files)
                _write(done, aside / f"{name}.report.json")
                write_aside(aside / f"{name}.cdx.json", library_bill(done))
            return done

        done = run.stage("deliver", work)
        self.write(done, run.tools.folders.run)
        return done


def library_document(report: LibraryReport) -> dict[str, object]:
    """The record as a JSON document with its schema's name, secrets hidden."""
    return {"schema": "tfbuild.library/1", **mask_all(to_plain(report))}


# --- inside ------------------------------------------------------------------------------------


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
