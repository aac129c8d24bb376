"""Carries out a build of any kind: the one order of it, and what is kept of one that fails."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import Any

from tfbuild.builds.delivery import report_finished
from tfbuild.builds.run import AnyReport, Build, Run
from tfbuild.builds.time_limit import in_time
from tfbuild.builds.timeline import Timeline
from tfbuild.core.errors import AuditFailed, PerfRegressed, SmokeFailed, TfbuildError
from tfbuild.core.interfaces import Tools
from tfbuild.core.reports import FailureRecord
from tfbuild.core.run_folder import alone

_JUDGED = (AuditFailed, SmokeFailed, PerfRegressed)  # raised of what a stage has found


def execute(build: Build[AnyReport], tools: Tools, timeline: Timeline | None = None) -> AnyReport:
    """Plan, build, prove and deliver; nothing is delivered that has not passed.

    Who brings the timeline has the times of a build that fails, too. The first failure ends it, as
    the TfbuildError of its stage, with a report of the run in the run's folder as soon as there is
    a plan. Raises EnvironmentFailed where another build is at work in the same folder, and
    DeadlineReached.
    """
    timeline, folders = timeline or Timeline(reporter=tools.reporter), tools.folders
    with (
        alone(folders.work),
        _recorded(build, tools, timeline) as known,
        in_time(build.deadline, folders, timeline, is_cached=build.is_cached),
        ExitStack() as stack,
    ):
        run = Run(tools, timeline, stack)
        if build.output:
            report_finished(build.output, tools.reporter)
        known.report = build.decide(run)
        for report in build.build(known.report, run):
            known.report = report
        done = replace(known.report, stages=tuple(timeline.stages))
        return build.deliver(done, run)


# --- inside ------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Known:
    """The report as far as the run has come."""

    report: Any = None


@contextmanager
def _recorded(build: Build[Any], tools: Tools, timeline: Timeline) -> Iterator[_Known]:
    """Write the report of a build that fails inside, as far as it came, and say where it is."""
    known = _Known()
    try:
        yield known
    except TfbuildError as error:
        if isinstance(error, _JUDGED):
            timeline.fail_last()
        if known.report is not None:
            _write_failure(build, known.report, error, tools, timeline)
        raise


def _write_failure(
    build: Build[AnyReport],
    report: AnyReport,
    error: TfbuildError,
    tools: Tools,
    timeline: Timeline,
) -> None:
    failure = FailureRecord(
        message=error.message,
        why=error.why,
        hint=error.hint,
        exit_code=error.exit_code,
        code=error.code,
    )
    done = replace(report, stages=tuple(timeline.stages), failures=(failure,))
    page = build.write(done, tools.folders.run)
    made = build.made(report)
    left = f"nothing was put into {build.output}: what was made is {made}" if made else ""
    error.hint = "\n".join(filter(None, (error.hint, left)))
    error.report = str(page)
