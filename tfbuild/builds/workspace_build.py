"""The build of targets of any Bazel workspace: no wheel, and nothing packed."""

import errno
import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from tfbuild.bazel.cached_build import CachedBuild, build_cached
from tfbuild.bazel.folders import require_usable
from tfbuild.bazel.products import Products, read_products
from tfbuild.bazel.server import passing_server
from tfbuild.bazel.turns import call_in_turn
from tfbuild.bazel.wanted import speaks_of_fetching, wanted_archives, wanted_text
from tfbuild.builds.run import RequestedBuild, Run
from tfbuild.builds.stand_ins import stand_in_flags, stand_in_names
from tfbuild.builds.workspace_plan import plan_workspace
from tfbuild.core.counts import counted
from tfbuild.core.disk_space import FLOOR_MB, require_room
from tfbuild.core.errors import BuildFailed, EnvironmentFailed, FetchFailed, TfbuildError
from tfbuild.core.interfaces import Environment, HostEnvironment, Tools
from tfbuild.core.masking import mask_all
from tfbuild.core.parts import part_folder
from tfbuild.core.paths import refuse_link, write_aside
from tfbuild.core.records import Pairs, Toolchain
from tfbuild.core.run_folder import make_work
from tfbuild.core.serialization import to_plain
from tfbuild.core.workspaces import (
    WantedArchive,
    WorkspacePlan,
    WorkspaceReport,
    WorkspaceRequest,
)
from tfbuild.fetch.bazel import provide_bazel, require_sound
from tfbuild.fetch.cache import hold_cache
from tfbuild.reporting.rebuilds import report_rebuild
from tfbuild.reporting.summary import counted_text

_ALL_CODES = tuple(range(64))
_ABOUT_OUTPUT = ("--build_event_", "--explain=", "--verbose_failures")


@dataclass(frozen=True, slots=True)
class WorkspaceBuild(RequestedBuild[WorkspaceRequest]):
    """Targets of a Bazel workspace; what they make stays in bazel-bin, or is collected."""

    @property
    def output(self) -> Path | None:
        """Where files are collected; None where they are not."""
        return self.request.output if self.request.collect else None

    def decide(self, run: Run) -> WorkspaceReport:
        """The plan; raises what plan_workspace raises."""
        plan = run.stage(
            "decide",
            lambda: plan_workspace(self.request, self.tables, self.tools),
            lambda made: made.bazel_because,
        )
        _write(self.tools.folders.run / "plan.json", plan_document(plan))
        return run.begun(WorkspaceReport, plan=plan)

    def build(self, report: WorkspaceReport, run: Run) -> Iterator[WorkspaceReport]:
        """Drive Bazel and list what it made; FetchFailed with all that was to be fetched."""
        run.announce("environment", "build", "list", *(("collect",) if self.output else ()))
        env = run.opened("environment", open_workspace(report.plan, self.tools), _which)
        require_room(env.toolchain.cache, FLOOR_MB, "this build")
        yield (report := replace(report, tools=_used(env)))
        try:
            made = run.stage("build", lambda: _built(report.plan, env), _counted)
        except BuildFailed as error:
            wanted = _wanted(report.plan, self.tools) if speaks_of_fetching(error.why) else ()
            if not wanted:
                raise
            yield replace(report, wanted=wanted)
            raise _not_fetched(wanted, report.plan, error) from error
        report_rebuild(made.rebuild, self.tools.reporter)
        products = run.stage("list", lambda: read_products(env), _listed)
        yield replace(
            report,
            targets=products.targets,
            actions=made.executed,
            cache_hits=made.cache_hits,
            actions_elsewhere=made.elsewhere,
            remote_hits=made.remote_hits,
            seconds=made.seconds,
            course=made.course,
            rebuild=made.rebuild,
            files=products.files,
        )

    def made(self, report: WorkspaceReport) -> Path | None:
        """Nothing to name: what was built stays in bazel-bin."""
        del report
        return None

    def write(self, report: WorkspaceReport, folder: Path) -> Path:
        """Write report.json and report.html; the path of the page."""
        return write_workspace_report(report, folder)

    def deliver(self, report: WorkspaceReport, run: Run) -> WorkspaceReport:
        """Copy the files to the output folder, where that was asked for."""
        if self.output:
            run.stage("collect", lambda: _collect(report), lambda count: counted(count, "file"))
            report = replace(report, stages=tuple(run.timeline.stages))
        self.write(report, run.tools.folders.run)
        return report


@contextmanager
def open_workspace(plan: WorkspacePlan, tools: Tools) -> Iterator[HostEnvironment]:
    """This machine with the Bazel of a plan; EnvironmentFailed, FetchFailed where there is none."""
    require_usable(plan.workspace, tools.folders)
    make_work(tools.folders.work)
    with hold_cache(tools.folders.cache):
        bazel = provide_bazel(plan.bazel, tools)
        require_sound(bazel.path, tools)
        compiler = next(iter(tools.host.compilers), None)
        chain = Toolchain(
            bazel=bazel.path,
            bazel_version=bazel.version,
            bazel_origin=bazel.origin,
            bazel_flags=_flags_of_release(plan, bazel.version, bazel.path),
            python="",
            python_version="",
            compiler=compiler.path if compiler else "",
            compiler_version=compiler.version if compiler else "",
            source=plan.workspace,
            cache=tools.folders.cache,
            work=tools.folders.work,
        )
        with passing_server(chain, is_kept=plan.services.keeps_server):
            yield HostEnvironment(toolchain=chain, tools=tools)


def plan_document(plan: WorkspacePlan) -> dict[str, object]:
    """The plan as a JSON document with its schema's name."""
    return {"schema": "tfbuild.workspace.plan/1", **mask_all(to_plain(plan))}


def workspace_document(report: WorkspaceReport) -> dict[str, object]:
    """The record as a JSON document with its schema's name, secrets hidden."""
    return {"schema": "tfbuild.workspace/1", **mask_all(to_plain(report))}


def write_workspace_report(report: WorkspaceReport, folder: Path) -> Path:
    """Write report.json and report.html into the folder of the run; the path of the page."""
    from tfbuild.reporting.workspace_html import workspace_page

    document = workspace_document(report)
    _write(folder / "report.json", document)
    return write_aside(folder / "report.html", workspace_page(document))


# --- what this Bazel needs -----------------------------------------------------------------------


def _flags_of_release(plan: WorkspacePlan, version: str, bazel: str) -> tuple[str, ...]:
    flags = stand_in_flags(version, bazel) if plan.stand_ins else ()
    return (*flags, *(_offline_flags(version) if plan.offline else ()))


def _offline_flags(version: str) -> tuple[str, ...]:
    """The options with which Bazel downloads nothing; EnvironmentFailed where it has none."""
    major = int(version.partition(".")[0])
    if major < 4:
        raise EnvironmentFailed(
            f"Bazel {version} has no option to download nothing",
            code="bazel-not-offline",
            why="Bazel has one from 4.0 on",
            hint="leave --offline out: without a network it fails, and what it wanted is listed",
        )
    if major < 7:
        return ("--experimental_repository_disable_download",)
    return ("--repository_disable_download",)


# --- the build -----------------------------------------------------------------------------------


def _used(env: Environment) -> Pairs:
    """What it is built with, by name and version."""
    chain = env.toolchain
    return (
        ("Bazel", f"{chain.bazel_version} ({chain.bazel_origin})"),
        ("compiler", f"{chain.compiler} {chain.compiler_version}".strip() or "none found"),
    )


def _built(plan: WorkspacePlan, env: Environment) -> CachedBuild:
    (command,) = plan.commands
    return build_cached(command, plan.services, env)


def _wanted(plan: WorkspacePlan, tools: Tools) -> tuple[WantedArchive, ...]:
    """All that is to be fetched: Bazel goes on past the first, and compiles nothing."""
    (command,) = plan.commands
    at = command.argv.index("build") + 1
    kept = [word for word in command.argv if not word.startswith(_ABOUT_OUTPUT)]
    argv = (*kept[:at], "--nobuild", "--keep_going", *kept[at:])
    lines: list[str] = []
    with suppress(TfbuildError), open_workspace(plan, tools) as env:
        asking = replace(command, argv=argv, pty=False, quiet=True, ok_codes=_ALL_CODES)
        call_in_turn(asking, env, lines.append)
    replaced = [override.name for override in plan.overrides]
    replaced += stand_in_names() if plan.stand_ins else ()
    return wanted_archives(plan.workspace, lines, replaced)


def _not_fetched(
    wanted: tuple[WantedArchive, ...], plan: WorkspacePlan, error: BuildFailed
) -> FetchFailed:
    how = "and downloads are off" if plan.offline else "and could not"
    ins = set(stand_in_names()) & {archive.name for archive in wanted if archive.is_asked_for}
    hint = "put each into a folder and name it: --override-repository NAME=FOLDER"
    if ins and not plan.stand_ins:
        hint = f"--stand-ins replaces {', '.join(sorted(ins))}; for the others, {hint}"
    asked = [archive.name for archive in wanted if archive.is_asked_for]
    return FetchFailed(
        f"Bazel wanted to fetch {', '.join(asked)}, {how}",
        code="workspace-archives-missing",
        why=wanted_text(wanted),
        hint=f"{hint}; or --bazel-flag=--distdir=FOLDER with the archives under their own names",
        log=error.log,
    )


# --- what it made --------------------------------------------------------------------------------


def _collect(report: WorkspaceReport) -> int:
    """Copy the files to the output folder under their names: all of them when all are whole."""
    output = report.plan.output
    refuse_link(output)
    try:
        output.mkdir(parents=True, exist_ok=True)
        for file in report.files:
            _require_free(output, output / file.name)
        with part_folder(output) as aside:
            for file in report.files:
                (aside / file.name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(file.path, aside / file.name)
            for file in report.files:
                target = output / file.name
                _require_free(output, target)
                target.parent.mkdir(parents=True, exist_ok=True)
                (aside / file.name).replace(target)
    except OSError as error:
        raise EnvironmentFailed(
            f"the files could not be copied to {output}", code="output-not-written", why=str(error),
            hint="name another folder with --output",
        ) from error  # fmt: skip
    return len(report.files)


def _require_free(output: Path, target: Path) -> None:
    """OSError where something is in the way of a file: a checkout may bring it.

    A link on the way would lead out of the output folder.
    """
    inside = target.relative_to(output).parents
    for folder in (output / place for place in inside):
        if folder.is_symlink():
            raise OSError(errno.ELOOP, "a link is in the way", str(folder))
        if folder.exists() and not folder.is_dir():
            raise OSError(errno.ENOTDIR, "a file is in the way", str(folder))
    if target.is_dir() and not target.is_symlink():
        raise OSError(errno.EISDIR, "a folder is in the way", str(target))


def _write(path: Path, document: object) -> None:
    write_aside(path, json.dumps(document, indent=1) + "\n")


def _which(env: HostEnvironment) -> str:
    chain = env.toolchain
    return f"Bazel {chain.bazel_version} ({chain.bazel_origin})"


def _counted(made: CachedBuild) -> str:
    return counted_text(made.executed, made.elsewhere, made.cache_hits, made.remote_hits)


def _listed(products: Products) -> str:
    return f"{counted(len(products.files), 'file')} of {counted(products.targets, 'target')}"
