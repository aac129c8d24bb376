"""What `audit`, `smoke` and `perf` do: one stage on a wheel, or on the archive of a recipe."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from tfbuild.builds.expectations import policy_of_wheel
from tfbuild.builds.saved_files import read_perf
from tfbuild.commands.context import log_of, open_tools
from tfbuild.core.durations import clock
from tfbuild.core.errors import BadRequest, EnvironmentFailed, TfbuildError
from tfbuild.core.interfaces import Tools
from tfbuild.core.paths import file_digest
from tfbuild.core.plans import AuditPolicy
from tfbuild.core.records import Interpreter
from tfbuild.core.reports import AuditReport, SmokeReport
from tfbuild.core.serialization import to_plain
from tfbuild.facts.architectures import read_gpu
from tfbuild.facts.installed import open_tables
from tfbuild.reporting.console import ConsoleReporter, print_json, print_text
from tfbuild.reporting.summary import tally


def audit(wheel: Path, gpu: str, plan: str = "", *, as_json: bool, verbosity: int) -> None:
    """Print what a wheel or an archive is, line by line; AuditFailed where it is not right.

    Raises BadRequest where it cannot be read.
    """
    from tfbuild.builds.verdict import check_audit
    from tfbuild.reporting.kernels import kernel_table

    wheel = existing(wheel)
    with ConsoleReporter(verbosity) as reporter, open_tools(reporter) as tools:
        tables = open_tables()
        names = tuple(
            name
            for word in gpu.split(",")
            if word.strip()
            for name, _ in read_gpu(word.strip(), tables.gpus(), tools.host)
        )
        look = _audit_archive if is_archive(wheel) else _audit_wheel
        report = look(wheel, names, plan, tools)
    if as_json:
        print_json({"schema": "tfbuild.audit/1", **to_plain(report)})
    else:
        rows = [(f.state, f.name, f.asked, f.built, f.detail) for f in report.findings]
        reporter.table("", ("", "checked", "asked", "built", "why"), rows)
        if report.kernels:
            reporter.table("", *kernel_table(report.kernels))
        print_text(tally([f.state for f in report.findings]))
    with _reported(as_json):
        check_audit(report)


def smoke(wheel: Path, plan: str = "", *, full: bool, as_json: bool, verbosity: int) -> None:
    """Run the suite on a wheel, or the trials of an archive, and print each check.

    With full, the example programs are trained as well; plan names that of an archive. Raises
    SmokeFailed when a check fails, BadRequest and EnvironmentFailed where it cannot be tried here.
    """
    from tfbuild.builds.verdict import check_smoke

    wheel = existing(wheel)
    if full and is_archive(wheel):
        raise BadRequest(
            "--full trains the programs of the bundled runtime",
            code="option-of-wheels",
            why=f"{wheel.name} is the archive of a recipe",
            hint="leave it out",
        )
    with ConsoleReporter(verbosity) as reporter, open_tools(reporter, keep=True) as tools:
        reporter.stage("smoke")
        if is_archive(wheel):
            report = _smoke_archive(wheel, plan, tools)
        elif plan:
            raise BadRequest(
                "--plan is for the archive of a recipe",
                code="option-of-archives",
                why=f"{wheel.name} is a wheel: the same checks are made of each",
                hint="leave it out",
            )
        else:
            report = _smoke_wheel(wheel, tools, full=full)
        log = log_of(tools)
    if as_json:
        print_json({"schema": "tfbuild.smoke/2", **to_plain(report)})
    else:
        rows = [(r.state, r.name, clock(r.seconds), r.reason) for r in report.checks]
        reporter.table("", ("", "check", "time", "why"), rows)
        print_text(tally([r.state for r in report.checks]))
    with _reported(as_json, log):
        check_smoke(report)


def perf(
    wheel: Path, against: tuple[str, ...], compare: str = "", *, as_json: bool, verbosity: int
) -> None:
    """Measure a wheel and print the ratios.

    Raises PerfRegressed when a bar of the recipe is missed, or an earlier report is not reached,
    BadRequest where the file is no wheel.
    """
    from tfbuild.builds.stages.perf import measure_wheel, perf_needs
    from tfbuild.builds.stages.plan import read_bar, read_baselines
    from tfbuild.builds.verdict import check_bars, check_regression, warn_if_busy
    from tfbuild.reporting.text import perf_text

    wheel = existing(wheel)
    if is_archive(wheel):
        raise BadRequest(
            f"{wheel.name} is the archive of a recipe, and perf measures wheels",
            code="wheel-name-invalid",
            hint="`tfbuild audit` and `tfbuild smoke` take archives",
        )
    earlier = read_perf(Path(compare)) if compare else None
    baselines = read_baselines(against)
    recipe = open_tables().recipe("cpu")
    with ConsoleReporter(verbosity) as reporter, open_tools(reporter, keep=True) as tools:
        reporter.stage("perf")
        python = _python_for(wheel, tools)
        needs = perf_needs(wheel, baselines, python, tools)
        bars = tuple(read_bar(text) for text in recipe.perf_bars)
        report = measure_wheel(wheel, recipe.perf, python, tools, needs=needs, bars=bars)
        warn_if_busy(report, reporter)
        log = log_of(tools)
    if as_json:
        print_json({"schema": "tfbuild.perf/1", **to_plain(report)})
    else:
        print_text(perf_text(report))
    with _reported(as_json, log):
        check_bars(report)
        if earlier is not None:
            check_regression(report, earlier)


def is_archive(path: Path) -> bool:
    """Whether a file is, by its name, what a recipe delivers."""
    return path.name.endswith(".tar.gz")


def existing(wheel: Path) -> Path:
    """The path, made absolute; BadRequest when there is no such file."""
    if not wheel.is_file():
        raise BadRequest(
            f"there is no file {wheel}",
            code="file-missing",
            hint="name a wheel, or an archive; builds put theirs in dist/",
        )
    return wheel.absolute()


def _audit_wheel(wheel: Path, names: tuple[str, ...], plan: str, tools: Tools) -> AuditReport:
    from tfbuild.builds.stages.audit import audit_wheel
    from tfbuild.fetch.cuda_toolkit import find_toolkit_program

    # Of a wheel without a plan only this much is known: CUDA is never inside it.
    unplanned = AuditPolicy(excluded_libraries=open_tables().recipe("cuda").excluded_libraries)
    policy, said = policy_of_wheel(wheel, file_digest(wheel), plan)
    _note(said, tools)
    policy = policy or unplanned
    policy = replace(policy, architectures=names or policy.architectures)
    return audit_wheel(policy, wheel, tools, find_toolkit_program("cuobjdump", tools))


def _audit_archive(archive: Path, names: tuple[str, ...], plan: str, tools: Tools) -> AuditReport:
    from tfbuild.run.delivered import audit_delivered, read_delivered

    found = read_delivered(archive, plan)
    _note(found.said, tools)
    return audit_delivered(found, names, tools)


def _smoke_wheel(wheel: Path, tools: Tools, *, full: bool) -> SmokeReport:
    from tfbuild.builds.stages.smoke import smoke_needs, smoke_wheel

    recipe = open_tables().recipe("cpu")
    python = _python_for(wheel, tools)
    more = recipe.smoke_full_requirements if full else ()
    needs = smoke_needs(wheel, (*recipe.smoke_requirements, *more), python, tools)
    probes = (*recipe.smoke, *(recipe.smoke_full if full else ()))
    return smoke_wheel(wheel, probes, python, tools, needs=needs)


def _smoke_archive(archive: Path, plan: str, tools: Tools) -> SmokeReport:
    from tfbuild.run.delivered import read_delivered, smoke_delivered

    found = read_delivered(archive, plan)
    if found.plan is not None:
        _note(found.said, tools)
    return smoke_delivered(found, open_tables(), tools)


def _note(said: str, tools: Tools) -> None:
    if said:
        tools.reporter.note(said)


@contextmanager
def _reported(as_json: bool, log: str = "") -> Iterator[None]:  # noqa: FBT001
    """Give errors the log, and mark those whose findings stand in the document that was printed."""
    try:
        yield
    except TfbuildError as error:
        error.log = error.log or log
        error.is_printed = as_json
        raise


def _python_for(wheel: Path, tools: Tools) -> Interpreter:
    """An interpreter of this machine that the wheel can be installed into."""
    from tfbuild.wheels.wheel_file import is_for_python, parse_name

    name = parse_name(wheel.name)
    for python in tools.host.pythons:
        if is_for_python(name, python):
            return python
    raise EnvironmentFailed(
        f"this machine has no Python for {wheel.name}",
        code="wheel-python-missing",
        why=f"the wheel is for {name.python}-{name.abi}; "
        f"here are {', '.join(p.tag for p in tools.host.pythons) or 'none'}",
        hint="install that Python; `tfbuild doctor` shows those that are found",
    )
