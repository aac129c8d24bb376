"""The build of a TensorFlow source tree's C++ library, which is delivered as a folder."""

import hashlib
import json
import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tfbuild.builds.bill import used_tools
from tfbuild.builds.delivery import delivery
from tfbuild.builds.open_place import open_place
from tfbuild.builds.run import RequestedBuild, Run
from tfbuild.builds.stages.audit import readers
from tfbuild.builds.tree_stages import decided, run_tree_stages, source_of
from tfbuild.builds.verdict import check_audit, check_smoke, is_proof, tallied
from tfbuild.core.errors import BuildFailed
from tfbuild.core.interfaces import Environment, Tools
from tfbuild.core.layout import LIBRARY
from tfbuild.core.masking import mask_all
from tfbuild.core.outputs import BuildOutput
from tfbuild.core.parts import part_folder
from tfbuild.core.paths import file_digest, write_aside
from tfbuild.core.records import Plan, Request
from tfbuild.core.reports import AuditReport, LibraryFile, LibraryReport, SmokeReport
from tfbuild.core.serialization import to_plain
from tfbuild.core.stage_cache import StageCache
from tfbuild.facts.targets import target_of
from tfbuild.fetch.seals import discard
from tfbuild.reporting.product_html import library_page
from tfbuild.reporting.summary import tally
from tfbuild.run.library_bill import library_bill
from tfbuild.run.library_smoke import MODULE, programs_digest, try_library
from tfbuild.wheels.libraries import is_library_name
from tfbuild.wheels.library_audit import audit_libraries

_LIBRARIES = Path("lib")


@dataclass(frozen=True, slots=True)
class LibraryBuild(RequestedBuild[Request]):
    """A folder with libtensorflow_cc, libtensorflow_framework and the headers."""

    def decide(self, run: Run) -> LibraryReport:
        """The plan; raises what decide raises."""
        return run.begun(LibraryReport, plan=decided(self.request, self.tables, run))

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
        files = _lay_out(output, plan, LIBRARY.path(self.tools.folders.work))
        yield (report := replace(report, build=output, files=files))
        audit = run.stage("audit", lambda: _audit(report, env), tallied)
        yield (report := replace(report, audit=audit))
        check_audit(audit)
        smoke = run.stage("smoke", lambda: _smoke(report, self.tools), _passed)
        yield replace(report, smoke=smoke)
        _check_smoke(smoke, self.tools)

    def made(self, report: LibraryReport) -> Path | None:
        """The folder of the library, as it would be delivered."""
        return LIBRARY.path(self.tools.folders.work) if report.files else None

    def write(self, report: LibraryReport, folder: Path) -> Path:
        """Write report.json and report.html; the path of the page."""
        return _write(report, folder / "report.json")

    def deliver(self, report: LibraryReport, run: Run) -> LibraryReport:
        """Put the folder, its report and bill into the output folder, all of it or nothing.

        Raises BuildFailed where the copy is not what was proven.
        """
        plan, name = report.plan, _folder_name(report.plan)

        def work() -> LibraryReport:
            with delivery(plan.output, last=name) as aside:
                made = LIBRARY.path(self.tools.folders.work)
                shutil.copytree(made, aside / name, symlinks=True)
                _require_proven(report, aside / name)
                done = replace(report, folder=plan.output / name)
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


def _audit(report: LibraryReport, env: Environment) -> AuditReport:
    """What the libraries say of themselves, against the plan; headers are no part of it."""
    plan, target = report.plan, target_of(env.tools.host)
    folder = LIBRARY.path(env.tools.folders.work)
    libraries = {file.name: folder / file.name for file in _libraries(report)}
    digest = _digest(_libraries(report))

    def make() -> AuditReport:
        findings = audit_libraries(libraries, plan.audit, target)
        return AuditReport(wheel=_folder_name(plan), sha256=digest, findings=findings)

    return StageCache(folders=env.tools.folders).get_or_make(
        "audit",
        [digest, to_plain(plan.audit), target.version, readers()],
        AuditReport,
        make,
        holds=lambda found: found.sha256 == digest,
        keep=is_proof,
    )


def _smoke(report: LibraryReport, tools: Tools) -> SmokeReport:
    """Programs that are compiled against the folder; headers and the pkg-config file count."""
    plan, digest = report.plan, _digest(report.files)
    libraries = tuple(file.name for file in _libraries(report) if not file.target)

    def make() -> SmokeReport:
        with part_folder(tools.folders.work) as aside:
            folder = LIBRARY.path(tools.folders.work)
            rungs = try_library(folder, libraries, plan, tools, aside)
        return SmokeReport(wheel=_folder_name(plan), sha256=digest, rungs=rungs)

    return StageCache(folders=tools.folders).get_or_make(
        "library-smoke",
        [digest, programs_digest(), to_plain(plan.environment), report.tools, tools.host.glibc],
        SmokeReport,
        make,
        holds=lambda found: found.sha256 == digest,
        keep=is_proof,
    )


def _check_smoke(smoke: SmokeReport, tools: Tools) -> None:
    """SmokeFailed where a program failed; that none could be tried here is told."""
    if all(rung.state == "skipped" for rung in smoke.rungs):
        tools.reporter.warn(
            f"the library was not tried: {smoke.rungs[0].reason}", code="library-not-tried"
        )
        return
    check_smoke(smoke)


def _require_proven(report: LibraryReport, folder: Path) -> None:
    for file in report.files:
        if not file.target and file_digest(folder / file.name) != file.sha256:
            raise BuildFailed(
                f"{file.name} is not the file that was proven",
                code="product-changed-since-proven",
                why="it has changed since, or while it was copied",
                hint="run the same command again, and check the disk where this comes back",
            )


def _passed(smoke: SmokeReport) -> str:
    return tally([rung.state for rung in smoke.rungs])


def _libraries(report: LibraryReport) -> tuple[LibraryFile, ...]:
    return tuple(file for file in report.files if is_library_name(file.name))


def _digest(files: Iterable[LibraryFile]) -> str:
    """One digest over files by their names."""
    listed = "".join(f"{file.sha256}  {file.name}\n" for file in files)
    return hashlib.sha256(listed.encode()).hexdigest()


def _folder_name(plan: Plan) -> str:
    return f"libtensorflow_cc-{plan.tree.release}-{plan.device}"


def _lay_out(output: BuildOutput, plan: Plan, folder: Path) -> tuple[LibraryFile, ...]:
    """The files in their places; of libraries that are the same, the shorter names are links.

    Bazel has them as links or, where they came from a cache, as copies. What pkg-config says of
    them is added.
    """
    if os.path.lexists(folder):
        discard(folder)
    whole: dict[str, Path] = {}
    found = []
    for name, path in sorted(output.files, key=lambda file: (-len(file[0]), file[0])):
        place, sha256 = _place(name), file_digest(path)
        target = folder / place
        target.parent.mkdir(parents=True, exist_ok=True)
        first = whole.setdefault(sha256, place) if place.parent == _LIBRARIES else place
        if first == place:
            _link_or_copy(path, target)
        else:
            target.symlink_to(first.name)
        leads_to = "" if first == place else str(first)
        size = path.stat().st_size
        found.append(LibraryFile(name=str(place), size=size, sha256=sha256, target=leads_to))
    found.append(_describe(plan, [file.name for file in found], folder))
    return tuple(sorted(found, key=lambda file: file.name))


def _link_or_copy(path: Path, target: Path) -> None:
    """The same file under another name, where the file system has that: it may be large."""
    try:
        os.link(path, target)
    except OSError:
        shutil.copy2(path, target)


def _describe(plan: Plan, names: Sequence[str], folder: Path) -> LibraryFile:
    """The file for pkg-config, which is right wherever the folder lies."""
    libraries = sorted((n for n in names if is_library_name(n)), key=lambda name: (len(name), name))
    wanted = {name.partition(".so")[0]: Path(name).name for name in reversed(libraries)}
    # Without the option a linker leaves out the library that registers devices and sessions.
    linked = " ".join(f"-l:{name}" for _, name in sorted(wanted.items()))
    path = folder / _LIBRARIES / "pkgconfig" / f"{MODULE}.pc"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        "prefix=${pcfiledir}/../..\n"
        f"\nName: {MODULE}\nDescription: TensorFlow's C and C++ interfaces\n"
        f"Version: {plan.tree.release}\n"
        "Cflags: -I${prefix}/include\n"
        f"Libs: -L${{prefix}}/lib -Wl,--no-as-needed {linked}\n"
    )
    name = path.relative_to(folder).as_posix()
    return LibraryFile(name=name, size=path.stat().st_size, sha256=file_digest(path))


def _place(name: str) -> Path:
    """Where a file of bazel-bin belongs: include/ as it is, libraries in lib/."""
    path = Path(name)
    is_header = path.parts[:2] == ("tensorflow", "include")
    return Path(*path.parts[1:]) if is_header else _LIBRARIES / path.name
