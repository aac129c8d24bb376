"""Turns what audit, smoke and perf found into a report, and into an error where it is not good."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

import tfbuild
from tfbuild.builds.speed import compare, unrest_of
from tfbuild.builds.stages.report import lock_of_build, write_report
from tfbuild.builds.timeline import Timeline
from tfbuild.core.errors import AuditFailed, PerfRegressed, SmokeFailed, TfbuildError
from tfbuild.core.interfaces import Environment
from tfbuild.core.lock_file import lock_path, lock_text
from tfbuild.core.outputs import BuildOutput, Wheel
from tfbuild.core.paths import write_aside
from tfbuild.core.records import Plan, Request
from tfbuild.core.reporter import Reporter
from tfbuild.core.reports import AuditReport, PerfReport, Report, SmokeReport
from tfbuild.fetch.wheelhouse import with_sizes
from tfbuild.reporting.statistics import Interval, misses
from tfbuild.reporting.summary import load_text, tally


@dataclass(frozen=True, slots=True)
class Run:
    """What every report of this run holds."""

    request: Request
    plan: Plan
    env: Environment
    output: BuildOutput
    wheel: Wheel
    timeline: Timeline


def check_audit(report: AuditReport) -> None:
    """Raise AuditFailed when a line of the audit failed, or nothing was looked at."""
    if not report.findings:
        raise AuditFailed("the audit looked at nothing", hint="run `tfbuild audit WHEEL`")
    bad = [finding for finding in report.findings if finding.state == "failed"]
    if bad:
        raise AuditFailed(
            "what was built is not what was asked for",
            why="\n".join(
                f"{f.name}: asked {f.asked}, built {f.built}"
                + (f" ({f.detail})" if f.detail else "")
                for f in bad
            ),
            hint="mend what the lines name, then build again",
        )


def tallied(audit: AuditReport) -> str:
    """How many lines passed, failed and were skipped, in a few words."""
    return tally([finding.state for finding in audit.findings])


def check_smoke(report: SmokeReport) -> None:
    """Raise SmokeFailed when a rung failed, or none was climbed."""
    if all(rung.state == "skipped" for rung in report.rungs):
        raise SmokeFailed(
            "the smoke test tried nothing of the wheel",
            why="every rung was skipped" if report.rungs else "it has no rungs",
            hint="the log has what its probes printed",
        )
    bad = [rung for rung in report.rungs if rung.state == "failed"]
    if bad:
        raise SmokeFailed(
            f"{len(bad)} of {len(report.rungs)} smoke rungs failed",
            why="\n".join(f"{rung.name}: {rung.reason}" for rung in bad),
            hint="the log has each rung's output",
        )


def check_bars(report: PerfReport) -> None:
    """Raise PerfRegressed when a bar is missed, the noise of the machine granted to the wheel."""
    if bad := missed_bars(report):
        raise PerfRegressed(
            f"{len(bad)} speed bar{'s were' if len(bad) > 1 else ' was'} missed",
            why="\n".join(bad),
            hint="measure again on a quiet machine with `tfbuild perf`; bars stand in the recipe",
        )


def check_regression(new: PerfReport, old: PerfReport) -> None:
    """Raise PerfRegressed when the wheel is slower than in an earlier report, noise granted.

    Only ratios to the same subject, measured in the same rounds, are compared: a slower machine or
    a busy hour is no regression.
    """
    if slower := [ratio for ratio in compare(new, old) if ratio.verdict == "slower"]:
        raise PerfRegressed(
            "the wheel is slower than in the earlier report",
            why="\n".join(
                f"{r.name}: {r.value:.2f}x of what it was ({r.low:.2f} to {r.high:.2f}), "
                f"{r.against}"
                for r in slower
            ),
            hint="look at what changed between the two wheels, or measure again",
        )


def missed_bars(report: PerfReport) -> list[str]:
    """One sentence for each bar that is missed."""
    floors = dict(report.noise_floor)
    return [
        f"{r.name} against {r.against}: {r.value:.2f}x ({r.low:.2f} to {r.high:.2f}), "
        f"the bar is {r.bar:g}x"
        for r in report.ratios
        if r.bar
        and misses(
            Interval(value=r.value, low=r.low, high=r.high), float(floors.get(r.name, 0)), r.bar
        )
    ]


def warn_if_busy(report: PerfReport, reporter: Reporter) -> None:
    """Say that speeds do not count, where the machine was busy while they were measured."""
    if said := unrest_of(report):
        reporter.warn(
            f"the machine was busy while it was measured ({load_text(report.load, report.cpus)}): "
            f"{said}; do not count on these speeds: `tfbuild perf {report.wheel}` measures again"
        )


def is_proof(report: AuditReport | SmokeReport) -> bool:
    """Whether something was looked at, and nothing failed: only that is worth remembering."""
    lines = report.findings if isinstance(report, AuditReport) else report.rungs
    states = {line.state for line in lines}
    return bool(states - {"skipped"}) and "failed" not in states


@contextmanager
def reported(run: Run, audit: AuditReport, *later: SmokeReport | PerfReport) -> Iterator[None]:
    """Write the report of the run, where what is checked inside fails, and tell where it is."""
    try:
        yield
    except TfbuildError as error:
        run.timeline.fail_last()
        name, sha256 = run.wheel.path.name, run.wheel.sha256
        smoke = next((r for r in later if isinstance(r, SmokeReport)), None)
        perf = next((r for r in later if isinstance(r, PerfReport)), None)
        write_run(
            run,
            audit,
            smoke or SmokeReport(wheel=name, sha256=sha256, rungs=()),
            perf or PerfReport(wheel=name, sha256=sha256, measurements=(), ratios=()),
        )
        folder = run.env.tools.folders.run
        error.hint += (
            f"; nothing was put into {run.request.output}: the wheel is {run.wheel.path}, "
            f"the report {folder / 'report.html'}"
        )
        raise


def write_run(run: Run, audit: AuditReport, smoke: SmokeReport, perf: PerfReport) -> Report:
    """Make the report, and write it and the lock into the run's folder."""
    tools, chain = run.env.tools, run.env.toolchain
    fetched = (*chain.lock.artifacts, *smoke.artifacts, *perf.artifacts)
    # An index often tells no size; and what two stages have used is one line.
    lock = replace(chain.lock, artifacts=tuple(dict.fromkeys(with_sizes(fetched, tools))))
    report = Report(
        run_id=tools.folders.run.name,
        started_at=run.timeline.started_at,
        tfbuild_version=tfbuild.__version__,
        request=run.request,
        host=tools.host,
        versions=run.plan.versions,
        plan=run.plan,
        lock=lock,
        build=run.output,
        wheel=run.wheel,
        audit=audit,
        smoke=smoke,
        perf=perf,
        stages=tuple(run.timeline.stages),
    )
    folder = tools.folders.run
    name = lock_path(run.wheel.path).name
    write_aside(folder / name, lock_text(lock_of_build(lock, chain, report)))
    write_report(report, folder)  # last: its page links to what is there
    return report
