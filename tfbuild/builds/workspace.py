"""The build of any Bazel workspace, step by step: the same driver, no wheel, its own record."""

import errno
import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import tfbuild
from tfbuild.bazel.cached_build import build_cached
from tfbuild.bazel.folders import require_usable
from tfbuild.bazel.products import Products, read_products
from tfbuild.bazel.server import passing_server
from tfbuild.bazel.turns import call_in_turn
from tfbuild.bazel.wanted import speaks_of_fetching, wanted_archives, wanted_text
from tfbuild.builds.stand_ins import stand_in_flags, stand_in_names
from tfbuild.builds.time_limit import in_time
from tfbuild.builds.timeline import Timeline
from tfbuild.builds.workspace_plan import plan_workspace
from tfbuild.core.disk_space import FLOOR_MB, require_room
from tfbuild.core.errors import BuildFailed, EnvironmentFailed, FetchFailed, TfbuildError
from tfbuild.core.interfaces import Environment, HostEnvironment, Tools
from tfbuild.core.masking import mask_all
from tfbuild.core.parts import part_folder
from tfbuild.core.paths import write_aside
from tfbuild.core.records import Pairs, Toolchain
from tfbuild.core.reports import FailureRecord
from tfbuild.core.run_folder import alone, make_work
from tfbuild.core.serialization import to_plain
from tfbuild.core.workspaces import (
    WantedArchive,
    WorkspacePlan,
    WorkspaceReport,
    WorkspaceRequest,
)
from tfbuild.facts.tables import Tables
from tfbuild.fetch.bazel import provide_bazel, require_sound
from tfbuild.fetch.cache import hold_cache
from tfbuild.reporting.rebuilds import tell_rebuild
from tfbuild.reporting.summary import counted_text

_ALL_CODES = tuple(range(64))
_ABOUT_OUTPUT = ("--build_event_", "--explain=", "--verbose_failures")


def build_workspace(
    request: WorkspaceRequest, tables: Tables, tools: Tools, timeline: Timeline | None = None
) -> WorkspaceReport:
    """Plan, open the environment, drive Bazel, list what it made; the record lies in the run.

    Raises the error of what failed, FetchFailed with all that was to be fetched among them; the
    record is written for a build that failed as well.
    """
    timeline = timeline or Timeline(reporter=tools.reporter)
    with (
        alone(tools.folders.work),
        _recorded(timeline, tools) as known,
        in_time(request.deadline, tools.folders, timeline),
        ExitStack() as stack,
    ):
        plan = timeline.run(
            "decide", lambda: plan_workspace(request, tables, tools), lambda p: p.bazel_because
        )
        _write(tools.folders.run / "plan.json", plan_document(plan))
        env = timeline.run(
            "environment", lambda: stack.enter_context(open_workspace(plan, tools)), _which
        )
        known.append(report := _report(plan, env, timeline))
        with _naming_what_was_wanted(known, tools):
            known.append(report := _built(report, env, timeline))
        if plan.collect:
            timeline.run("collect", lambda: _collect(report, env), lambda n: f"{n} files")
    report = replace(report, stages=tuple(timeline.stages))
    write_workspace_report(report, tools.folders.run)
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


def write_workspace_report(report: WorkspaceReport, folder: Path) -> None:
    """Write report.json and report.html into the folder of the run."""
    from tfbuild.reporting.workspace_html import workspace_page

    document = workspace_document(report)
    _write(folder / "report.json", document)
    write_aside(folder / "report.html", workspace_page(document))


# --- what this Bazel needs -----------------------------------------------------------------------


def _flags_of_release(plan: WorkspacePlan, version: str, bazel: str) -> tuple[str, ...]:
    flags = stand_in_flags(version, bazel) if plan.stand_ins else ()
    return (*flags, *(_offline_flags(version) if plan.offline else ()))


def _offline_flags(version: str) -> tuple[str, ...]:
    """How a Bazel is told to download nothing; EnvironmentFailed for one that cannot be."""
    major = int(version.partition(".")[0])
    if major < 4:
        raise EnvironmentFailed(
            f"Bazel {version} cannot be told to download nothing",
            why="it has an option for that from 4.0 on",
            hint="leave --offline out: without a network it fails, and what it wanted is listed",
        )
    if major < 7:
        return ("--experimental_repository_disable_download",)
    return ("--repository_disable_download",)


# --- the build -----------------------------------------------------------------------------------


def _report(plan: WorkspacePlan, env: Environment, timeline: Timeline) -> WorkspaceReport:
    chain, tools = env.toolchain, env.tools
    named: Pairs = (
        ("Bazel", f"{chain.bazel_version} ({chain.bazel_origin})"),
        ("compiler", f"{chain.compiler} {chain.compiler_version}".strip() or "none found"),
    )
    return WorkspaceReport(
        run_id=tools.folders.run.name,
        started_at=timeline.started_at,
        tfbuild_version=tfbuild.__version__,
        host=tools.host,
        plan=plan,
        tools=named,
        stages=(),
    )


def _built(report: WorkspaceReport, env: Environment, timeline: Timeline) -> WorkspaceReport:
    require_room(env.toolchain.cache, FLOOR_MB, "this build")
    (command,) = report.plan.commands
    made = timeline.run(
        "build",
        lambda: build_cached(command, report.plan.services, env),
        lambda done: counted_text(done.executed, done.elsewhere, done.cache_hits, done.remote_hits),
    )
    tell_rebuild(made.rebuild, env.tools.reporter)
    products = timeline.run("list", lambda: read_products(env), _listed)
    return replace(
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


@contextmanager
def _recorded(timeline: Timeline, tools: Tools) -> Iterator[list[WorkspaceReport]]:
    """Write the record of a build that fails inside, as far as it is in the list, and tell it."""
    known: list[WorkspaceReport] = []
    try:
        yield known
    except TfbuildError as error:
        if known:
            told = FailureRecord(
                message=error.message, why=error.why, hint=error.hint, exit_code=error.exit_code
            )
            done = replace(known[-1], stages=tuple(timeline.stages), failures=(told,))
            write_workspace_report(done, tools.folders.run)
            error.hint += f"; the report is {tools.folders.run / 'report.html'}"
        raise


@contextmanager
def _naming_what_was_wanted(known: list[WorkspaceReport], tools: Tools) -> Iterator[None]:
    """Raise FetchFailed with all that a build wanted to fetch which fails inside for want of it."""
    try:
        yield
    except BuildFailed as error:
        if not speaks_of_fetching(error.why):
            raise
        plan = known[-1].plan
        wanted = _wanted(plan, tools)
        if not wanted:
            raise
        known.append(replace(known[-1], wanted=wanted))
        raise _not_fetched(wanted, plan, error) from error


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
        why=wanted_text(wanted),
        hint=f"{hint}; or --bazel-flag=--distdir=FOLDER with the archives under their own names",
        log=error.log,
    )


# --- what it made --------------------------------------------------------------------------------


def _collect(report: WorkspaceReport, env: Environment) -> int:
    """Copy the files to the output folder under their names; each appears when it is whole."""
    output = report.plan.output
    try:
        output.mkdir(parents=True, exist_ok=True)
        with part_folder(output) as aside:
            for file in report.files:
                env.copy_out(file.path, aside / file.name)
            for file in report.files:
                target = output / file.name
                _require_no_link(output, target)
                target.parent.mkdir(parents=True, exist_ok=True)
                (aside / file.name).replace(target)
    except OSError as error:
        raise EnvironmentFailed(
            f"the files could not be copied to {output}", why=str(error),
            hint="name another folder with --output",
        ) from error  # fmt: skip
    return len(report.files)


def _require_no_link(output: Path, target: Path) -> None:
    """OSError where a link on the way leads out of the output folder: a checkout may bring it."""
    inside = target.relative_to(output).parents
    for folder in (output, *(output / place for place in inside)):
        if folder.is_symlink():
            raise OSError(errno.ELOOP, "a link is in the way", str(folder))


def _write(path: Path, document: object) -> None:
    write_aside(path, json.dumps(document, indent=1) + "\n")


def _which(env: HostEnvironment) -> str:
    chain = env.toolchain
    return f"Bazel {chain.bazel_version} ({chain.bazel_origin})"


def _listed(products: Products) -> str:
    return f"{len(products.files)} files of {products.targets} targets"
