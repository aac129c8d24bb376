"""Findings become errors."""

from dataclasses import replace

import pytest

from tests.failing import fails
from tests.fakes import RecordingReporter
from tests.sample_report import a_perf, a_smoke, an_audit
from tfbuild.builds.verdict import (
    check_audit,
    check_bars,
    check_regression,
    check_smoke,
    missed_bars,
    warn_if_busy,
)
from tfbuild.core.records import State
from tfbuild.core.reports import AuditFinding, AuditReport, SmokeCheck


def test_good_findings_pass() -> None:
    check_audit(an_audit())
    check_smoke(a_smoke())
    check_bars(a_perf())


def test_each_bad_finding_is_named() -> None:
    with fails("wheel-not-as-asked", "tag: ", "cp311") as audit:
        check_audit(an_audit("failed"))
    assert "/" not in audit.value.hint, "a wheel alone has no output folder"
    assert "recipe" not in audit.value.hint, "of a wheel no recipe is known"
    exports = AuditFinding(name="exports", asked="all 2", built="1 of them", state="failed")
    archive = AuditReport(wheel="x.tar.gz", sha256="", findings=(exports,))
    with fails("wheel-not-as-asked", "exports: expected all 2, found 1 of them", "audit.exports"):
        check_audit(archive)
    with fails("smoke-checks-failed", "import: it crashed"):
        check_smoke(a_smoke("failed", "it crashed"))
    with fails("speed-threshold-missed", "matmul_1024", "numpy 2.4"):
        check_bars(a_perf(high=0.5))


def test_noise_is_granted_to_the_wheel() -> None:
    assert missed_bars(a_perf(high=0.99)) == []
    assert missed_bars(a_perf(high=0.97)) != []
    assert missed_bars(a_perf(high=0.5, bar=0.0)) == []


def test_a_busy_machine_is_warned_of(reporter: RecordingReporter) -> None:
    warn_if_busy(a_perf(), reporter)
    assert not reporter.said
    warn_if_busy(replace(a_perf(), others=0.4), reporter)
    warn_if_busy(replace(a_perf(), noise_floor=(("matmul_1024", "0.3"),)), reporter)
    assert [kind for kind, _ in reporter.said] == ["warn", "warn"]
    assert "took 40% of the processors' time" in reporter.said[0][1]


def test_a_slower_wheel_than_in_an_earlier_report() -> None:
    with fails("slower-than-before", "matmul_1024"):
        check_regression(a_perf(high=0.6), a_perf(high=1.3))
    check_regression(a_perf(high=1.3), a_perf(high=0.6))
    check_regression(a_perf(high=1.3), a_perf(high=1.3))


@pytest.mark.parametrize("states", [(), ("skipped", "skipped")])
def test_a_smoke_test_that_tried_nothing_has_failed(states: tuple[State, ...]) -> None:
    checks = tuple(SmokeCheck(name=str(n), state=state) for n, state in enumerate(states))
    with fails("smoke-empty"):
        check_smoke(replace(a_smoke(), checks=checks))
