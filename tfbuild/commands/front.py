"""What each command does: opens the doors, calls the pipeline or one stage, prints the result."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from tfbuild.builds.saved_files import read_lock, read_locked_environment, read_perf, read_policy
from tfbuild.builds.stages.request import make_request
from tfbuild.core.environment_lock import NO_ENVIRONMENT
from tfbuild.core.errors import BadRequest, EnvironmentFailed, TfbuildError
from tfbuild.core.interfaces import Tools
from tfbuild.core.paths import Folders, cache_folder, data_folder, work_folder
from tfbuild.core.process import ProcessRunner
from tfbuild.core.records import AuditPolicy, Request
from tfbuild.core.reporter import Reporter
from tfbuild.core.serialization import to_plain
from tfbuild.core.settings import Settings, gather
from tfbuild.core.versions import did_you_mean
from tfbuild.facts.architectures import read_gpu
from tfbuild.facts.tables import Tables
from tfbuild.reporting.console import ConsoleReporter, print_json, print_text

_STYLES = ("text", "json", "script")


def build(
    words: tuple[str, ...], flags: Mapping[str, str], *, as_json: bool, verbosity: int
) -> None:
    """Run the whole chain and print where the wheel is, or the report as JSON."""
    from tfbuild.builds.pipeline import build as run
    from tfbuild.builds.stages.report import report_document
    from tfbuild.commands.text import report_text

    with ConsoleReporter(verbosity) as reporter:
        request = read_request(words, flags, reporter)
        with open_tools(reporter, keep=True) as tools:
            delivered = run(request, open_tables(), tools)
    if as_json:
        print_json({**report_document(delivered.report), "delivered": str(delivered.wheel)})
    else:
        print_text(report_text(delivered.report, str(delivered.wheel)))


def show_plan(words: tuple[str, ...], flags: Mapping[str, str], *, style: str) -> None:
    """Print the plan as text, JSON or a script."""
    from tfbuild.builds.stages.plan import make_plan
    from tfbuild.builds.stages.resolve import resolve
    from tfbuild.commands.text import plan_script, plan_text
    from tfbuild.containers.images import find_place

    if style not in _STYLES:
        raise BadRequest(f"--format is '{style}'", hint=did_you_mean(style, _STYLES))
    with ConsoleReporter() as reporter, open_tools(reporter) as tools:
        request = read_request(words, flags, reporter)
        tables = open_tables()
        place = find_place(request, tables, tools)
        versions = resolve(request, tables, place.host)
        plan = make_plan(request, versions, tables, place.host)
    if style == "json":
        print_json({"schema": "tfbuild.plan/1", **to_plain(plan)})
    else:
        print_text((plan_script if style == "script" else plan_text)(plan, request))


def audit(wheel: Path, gpu: str, plan: str = "", *, as_json: bool, verbosity: int) -> None:
    """Print what a wheel is, line by line; AuditFailed when it is not what it should be."""
    from tfbuild.builds.stages.audit import audit_wheel
    from tfbuild.builds.verdict import check_audit

    wheel = _existing(wheel)
    with ConsoleReporter(verbosity) as reporter, open_tools(reporter) as tools:
        tables = open_tables()
        names = tuple(
            name
            for word in gpu.split(",")
            if word.strip()
            for name, _ in read_gpu(word.strip(), tables.gpus(), tools.host)
        )
        # Of a wheel without a plan only this much is known: CUDA is never inside it.
        unplanned = AuditPolicy(excluded_libraries=tables.recipe("cuda").excluded_libraries)
        policy = read_policy(Path(plan)) if plan else unplanned
        policy = replace(policy, architectures=names or policy.architectures)
        report = audit_wheel(policy, wheel, tools)
    if as_json:
        print_json({"schema": "tfbuild.audit/1", **to_plain(report)})
    else:
        rows = [(f.state, f.name, f.asked, f.built, f.detail) for f in report.findings]
        reporter.table("", ("", "checked", "asked", "built", "why"), rows)
    with _told(as_json):
        check_audit(report)


def smoke(wheel: Path, *, as_json: bool, verbosity: int) -> None:
    """Run the ladder on a wheel and print each rung; SmokeFailed when one fails."""
    from tfbuild.builds.stages.smoke import smoke_wheel
    from tfbuild.builds.verdict import check_smoke

    wheel = _existing(wheel)
    recipe = open_tables().recipe("cpu")
    with ConsoleReporter(verbosity) as reporter, open_tools(reporter, keep=True) as tools:
        reporter.stage("smoke")
        report = smoke_wheel(
            wheel,
            recipe.smoke,
            _python_for(wheel, tools),
            tools,
            requirements=recipe.smoke_requirements,
        )
    if as_json:
        print_json({"schema": "tfbuild.smoke/1", **to_plain(report)})
    else:
        rows = [(r.state, r.name, f"{r.seconds:.1f} s", r.reason) for r in report.rungs]
        reporter.table("", ("", "rung", "time", "why"), rows)
    with _told(as_json):
        check_smoke(report)


def perf(
    wheel: Path, against: tuple[str, ...], compare: str = "", *, as_json: bool, verbosity: int
) -> None:
    """Measure a wheel and print the ratios.

    Raises PerfRegressed when a bar of the recipe is missed, or an earlier report is not reached.
    """
    from tfbuild.builds.stages.perf import measure_wheel
    from tfbuild.builds.stages.plan import read_bar
    from tfbuild.builds.verdict import check_bars, check_regression
    from tfbuild.commands.text import perf_text

    wheel = _existing(wheel)
    earlier = read_perf(Path(compare)) if compare else None
    recipe = open_tables().recipe("cpu")
    with ConsoleReporter(verbosity) as reporter, open_tools(reporter, keep=True) as tools:
        reporter.stage("perf")
        report = measure_wheel(
            wheel,
            recipe.perf,
            _python_for(wheel, tools),
            tools,
            against=against,
            bars=tuple(read_bar(text) for text in recipe.perf_bars),
        )
    if as_json:
        print_json({"schema": "tfbuild.perf/1", **to_plain(report)})
    else:
        print_text(perf_text(report))
    with _told(as_json):
        check_bars(report)
        if earlier is not None:
            check_regression(report, earlier)


def config_show(*, as_json: bool) -> None:
    """Print each setting, its value and who set it."""
    settings = read_settings((), {})
    if as_json:
        rows = [to_plain(setting) for setting in settings.values]
        print_json(
            {"schema": "tfbuild.config/1", "settings": rows, "warnings": list(settings.warnings)}
        )
        return
    reporter = ConsoleReporter()
    for warning in settings.warnings:
        reporter.warn(warning)
    rows = [(s.name, s.value, s.origin) for s in settings.values]
    if rows:
        reporter.table("", ("setting", "value", "set by"), rows)
    else:
        print_text("nothing is set: every choice is tfbuild's own")


@contextmanager
def _told(as_json: bool) -> Iterator[None]:  # noqa: FBT001
    """Mark errors whose findings stand in the document that was printed: one document is enough."""
    try:
        yield
    except TfbuildError as error:
        error.is_told = as_json
        raise


# --- doors ---------------------------------------------------------------------------------------


@contextmanager
def open_tools(reporter: ConsoleReporter, *, keep: bool = False) -> Iterator[Tools]:
    """The real doors of this machine; with keep, a run folder that holds log and script."""
    from tfbuild.core.run_folder import new_run
    from tfbuild.doctor.survey import look_at_host

    work, cache = work_folder(), cache_folder()
    run = new_run(work) if keep else work / "runs" / "none"
    folders = Folders(cache=cache, work=work, run=run)
    runner = ProcessRunner(
        log=run / "log.txt" if keep else None,
        script=run / "rerun.sh" if keep else None,
        reporter=reporter,
    )
    host = look_at_host(runner, cache)
    try:
        yield Tools(runner=runner, reporter=reporter, folders=folders, host=host)
    except TfbuildError as error:
        error.log = error.log or (str(runner.log) if runner.log else "")
        raise


def open_tables() -> Tables:
    """The matrices and recipes of this installation."""
    return Tables(matrices=data_folder("matrices"), recipes=data_folder("recipes"))


def read_request(words: tuple[str, ...], flags: Mapping[str, str], reporter: Reporter) -> Request:
    """The request that words and flags mean, with its lock; what looks odd is told."""
    settings = read_settings(words, flags)
    for warning in settings.warnings:
        reporter.warn(warning)
    lock = settings.text("lock")
    if not lock:
        return make_request(settings)
    environment = read_locked_environment(Path(lock))
    request = make_request(settings, read_lock(Path(lock)))
    if environment != NO_ENVIRONMENT and request.env == "host":
        reporter.warn("the lock's environment is a container's: on this machine it is not checked")
    return replace(request, environment=environment)


def read_settings(words: tuple[str, ...], flags: Mapping[str, str]) -> Settings:
    """All wishes, from every place where they may stand."""
    return gather(words, flags, Path.cwd(), os.environ)


def _existing(wheel: Path) -> Path:
    """The path, made absolute; BadRequest when there is no such file."""
    if not wheel.is_file():
        raise BadRequest(
            f"there is no file {wheel}", hint="name a wheel; builds put theirs in dist/"
        )
    return wheel.absolute()


def _python_for(wheel: Path, tools: Tools) -> str:
    """An interpreter of this machine that the wheel can be installed into."""
    from tfbuild.wheels.wheel_file import parse_name

    wanted = parse_name(wheel.name).python.split(".")
    for python in tools.host.pythons:
        if python.tag in wanted or "py3" in wanted:
            return python.path
    raise EnvironmentFailed(
        f"this machine has no Python for {wheel.name}",
        why=f"the wheel is for {' '.join(wanted)}; "
        f"here are {', '.join(p.tag for p in tools.host.pythons) or 'none'}",
        hint="install that Python; `tfbuild doctor` shows those that are found",
    )
