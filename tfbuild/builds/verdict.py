"""Turns what audit, smoke and perf found into an error where it is not good."""

from tfbuild.builds.failed_checks import audit_remedies, audit_sentences, smoke_sentences
from tfbuild.builds.speed import compare, noise_of
from tfbuild.core.counts import counted
from tfbuild.core.errors import AuditFailed, PerfRegressed, SmokeFailed
from tfbuild.core.reporter import Reporter
from tfbuild.core.reports import AuditReport, PerfReport, SmokeReport
from tfbuild.reporting.statistics import Interval, misses
from tfbuild.reporting.summary import load_text, tally


def check_audit(report: AuditReport) -> None:
    """Raise AuditFailed when a line of the audit failed, or nothing was looked at."""
    if not report.findings:
        raise AuditFailed(
            "the audit looked at nothing", code="audit-empty", hint="run `tfbuild audit WHEEL`"
        )
    bad = [finding for finding in report.findings if finding.state == "failed"]
    if bad:
        remedies = "" if report.wheel.endswith(".whl") else audit_remedies(bad)
        raise AuditFailed(
            "what was built is not what was asked for",
            code="wheel-not-as-asked",
            why=audit_sentences(bad),
            hint=remedies or "correct what the lines name, then build again",
        )


def tallied(audit: AuditReport) -> str:
    """How many lines passed, failed and were skipped, in a few words."""
    return tally([finding.state for finding in audit.findings])


def check_smoke(report: SmokeReport) -> None:
    """Raise SmokeFailed when a check failed, or none was run."""
    if all(check.state == "skipped" for check in report.checks):
        raise SmokeFailed(
            "the smoke test tried nothing of the wheel",
            code="smoke-empty",
            why="every check was skipped" if report.checks else "it has no checks",
            hint="the log has what its probes printed",
        )
    bad = [check for check in report.checks if check.state == "failed"]
    if bad:
        raise SmokeFailed(
            f"{len(bad)} of {counted(len(report.checks), 'smoke check')} failed",
            code="smoke-checks-failed",
            why=smoke_sentences(bad),
            hint="the report and the log say more of each check",
        )


def check_bars(report: PerfReport) -> None:
    """Raise PerfRegressed when a bar is missed, the noise of the machine granted to the wheel."""
    if bad := missed_bars(report):
        raise PerfRegressed(
            f"{len(bad)} speed bar{'s were' if len(bad) > 1 else ' was'} missed",
            code="speed-threshold-missed",
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
            code="slower-than-before",
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
    if said := noise_of(report):
        reporter.warn(
            f"the machine was busy while it was measured ({load_text(report.load, report.cpus)}): "
            f"{said}; do not count on these speeds: `tfbuild perf {report.wheel}` measures again",
            code="machine-was-busy",
        )


def is_proof(report: AuditReport | SmokeReport) -> bool:
    """Whether something was looked at, and nothing failed: only that is worth remembering."""
    lines = report.findings if isinstance(report, AuditReport) else report.checks
    states = {line.state for line in lines}
    return bool(states - {"skipped"}) and "failed" not in states
