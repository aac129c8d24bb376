"""What each stage of a build gets."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from tests.fakes import FakeEnvironment
from tests.sample_report import a_report
from tfbuild.builds.run import Run
from tfbuild.builds.timeline import Timeline
from tfbuild.core.reports import Report


def test_what_a_stage_opens_stays_open_to_the_end(fake_env: FakeEnvironment) -> None:
    closed = []

    @contextmanager
    def place() -> Iterator[str]:
        yield "here"
        closed.append(True)

    timeline = Timeline(reporter=fake_env.reporter)
    with ExitStack() as stack:
        run = Run(fake_env.tools, timeline, stack)
        assert run.opened("environment", place(), str.upper) == "here"
        assert run.stage("build", lambda: 3) == 3
        assert not closed
    assert closed
    assert [(stage.name, stage.detail) for stage in timeline.stages] == [
        ("environment", "HERE"), ("build", ""),
    ]  # fmt: skip


def test_a_report_that_begins_names_its_run(fake_env: FakeEnvironment) -> None:
    folder = fake_env.tools.folders.run
    sample = a_report(folder)
    timeline = Timeline(reporter=fake_env.reporter)
    with ExitStack() as stack:
        run = Run(fake_env.tools, timeline, stack)
        report = run.begun(
            Report, request=sample.request, versions=sample.versions, plan=sample.plan
        )
    assert (report.run_id, report.started_at) == (folder.name, timeline.started_at)
    assert report.host == fake_env.tools.host
    assert (report.stages, report.failures) == ((), ())
