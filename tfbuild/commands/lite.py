"""What `build --lite` and `plan --lite` do: TensorFlow Lite's library of a tree."""

from collections.abc import Mapping, Sequence

from tfbuild.builds.delivery import require_output
from tfbuild.commands.context import open_tools, read_settings
from tfbuild.core.errors import BadRequest
from tfbuild.core.paths import named_path, real_path
from tfbuild.core.serialization import to_plain
from tfbuild.facts.installed import open_tables
from tfbuild.lite.records import LitePlan, LiteReport, LiteRequest
from tfbuild.reporting.console import ConsoleReporter, print_json, print_text
from tfbuild.reporting.summary import tally
from tfbuild.reporting.text import command_line


def build(
    words: tuple[str, ...],
    flags: Mapping[str, str],
    models: Sequence[str],
    *,
    as_json: bool,
    verbosity: int,
) -> None:
    """Build the library and print where its archive is, or the report as JSON."""
    from tfbuild.lite.pipeline import build_lite, report_of_lite

    with ConsoleReporter(verbosity) as reporter:
        request = _request(words, flags, models, reporter)
        require_output(request.output)
        with open_tools(reporter, keep=True) as tools:
            report = build_lite(request, open_tables(), tools)
    if as_json:
        print_json(report_of_lite(report))
    else:
        print_text(_report_text(report))


def show_plan(
    words: tuple[str, ...], flags: Mapping[str, str], models: Sequence[str], *, style: str
) -> None:
    """Print the plan as text or JSON."""
    from tfbuild.lite.plan import plan_lite

    if style not in {"text", "json"}:
        raise BadRequest(f"--lite has no plan as {style}", hint="write --format text or json")
    with ConsoleReporter() as reporter, open_tools(reporter) as tools:
        request = _request(words, flags, models, reporter)
        plan = plan_lite(request, open_tables(), tools.host)
    if style == "json":
        print_json({"schema": "tfbuild.lite-plan/1", **to_plain(plan)})
    else:
        print_text(_plan_text(plan))


def _request(
    words: tuple[str, ...],
    flags: Mapping[str, str],
    models: Sequence[str],
    reporter: ConsoleReporter,
) -> LiteRequest:
    from tfbuild.builds.stages.request import limits_of

    settings = read_settings(words, flags, reporter)
    if not settings.text("source"):
        raise BadRequest(
            "--lite needs a TensorFlow source tree", hint="name its top folder with --source"
        )
    if settings.text("env") == "host":
        raise BadRequest(
            "TensorFlow Lite is built in a container, not on this machine itself",
            why="what it needs are packages of one release of Debian",
            hint="leave --env host out",
        )
    jobs, cpus, memory_mb = limits_of(settings)
    return LiteRequest(
        source=real_path(named_path(settings.text("source"))),
        output=named_path(settings.text("output") or "dist").absolute(),
        system=settings.text("os"),
        models=tuple(named_path(model).absolute() for model in models),
        jobs=jobs,
        cpus=cpus,
        memory_mb=memory_mb,
    )


def _plan_text(plan: LitePlan) -> str:
    lines = [
        f"plan {plan.id}: TensorFlow Lite {plan.tree.release}, {plan.jobs} jobs",
        f"built in a container of {plan.system.name}",
        "",
        f"packages: {' '.join(plan.packages)}",
        *(f"stand-in: {name}, linked and included by no source" for name in plan.stand_ins),
    ]
    for command in plan.commands:
        lines += ["", f"{command.stage}: {command.purpose}", f"  {command_line(command)}"]
    count = len(plan.tree.functions)
    lines += [
        "",
        f"audit: {count} functions of the C interface, libraries, glibc, CPU level",
        "smoke: the tree's own models and yours, beside LiteRT",
        f"into {plan.output / plan.archive}",
    ]
    return "\n".join(lines) + "\n"


def _report_text(report: LiteReport) -> str:
    library = report.library
    packages = sorted({package for _, package, _ in library.needs})
    return (
        f"archive {report.archive}\n"
        f"        {library.size / 1e6:.1f} MB of library, sha256 {library.sha256}\n"
        f"        needs {' '.join(packages)}\n"
        f"audit   {tally([f.state for f in report.audit.findings])}\n"
        f"smoke   {tally([r.state for r in report.smoke.rungs])}\n"
    )
