import re
from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest

from tests.reporting.pages import HARMLESS, HOSTILE, prefixed, read_page
from tests.sample_report import a_report, a_smoke, an_audit, an_environment
from tfbuild.builds.stages.report import report_document
from tfbuild.core.build_course import NO_COURSE
from tfbuild.core.environments import EnvironmentLock, Package
from tfbuild.core.reports import Report
from tfbuild.reporting.report_html import report_page


def page_of(report: Report) -> str:
    return report_page(report_document(report))


def test_page_is_well_formed_and_needs_nothing_else(tmp_path: Path) -> None:
    page = page_of(a_report(tmp_path))
    assert read_page(page).references == []
    assert "<script" not in page
    assert not re.search(r"https?:|@import|url\(", page)


def test_page_shows_what_the_report_holds(tmp_path: Path) -> None:
    report = a_report(tmp_path)
    page = page_of(report)
    for text in (report.wheel.sha256, report.run_id, report.plan.id, "matmul_1024", "no GPU"):
        assert text in page
    for choice in report.versions.choices:
        assert choice.value in page
    for artifact in report.lock.artifacts:
        assert artifact.filename in page


def test_how_it_was_built_is_shown(tmp_path: Path) -> None:
    page = page_of(a_report(tmp_path))
    for text in ("812 MB", "Compiling a.cc", "Linking all (1.5 s)", "12 to 19 s", "16 s", "25%"):
        assert text in page
    assert "after 4 were too many" in page
    report = a_report(tmp_path)
    unseen = replace(report, build=replace(report.build, course=NO_COURSE))
    assert "How it was built" not in page_of(unseen)


def test_the_container_is_shown_with_its_packages(tmp_path: Path) -> None:
    report = a_report(tmp_path)
    assert "container" not in page_of(report)
    gcc = Package(manager="dpkg", name="gcc-12", version="12.2.0-14<", architecture="amd64")
    environment = EnvironmentLock(
        image="tfbuild/env:x", id="sha256:77", base="tfbuild/base:y", base_id="sha256:66",
        system="debian", release="12", packages=(gcc,),
    )  # fmt: skip
    page = page_of(replace(report, lock=replace(report.lock, environment=environment)))
    for text in ("tfbuild/env:x", "sha256:77", "tfbuild/base:y", "debian 12", "gcc-12"):
        assert text in page
    assert "12.2.0-14&lt;" in page
    assert "packages in the container: 1" in page


def test_failures_are_shown_first_and_by_word(tmp_path: Path) -> None:
    report = replace(a_report(tmp_path), audit=an_audit("failed"), smoke=a_smoke("failed", "boom"))
    page = page_of(report)
    assert '<div class="tile failed">' in page
    assert "boom" in page
    assert "✗ failed" in page


def test_failed_findings_stand_above_the_others(tmp_path: Path) -> None:
    passed, failed = (
        replace(an_audit(state).findings[0], name=name)
        for name, state in (("first", "passed"), ("second", "failed"))
    )
    audit = replace(an_audit(), findings=(passed, failed))
    page = page_of(replace(a_report(tmp_path), audit=audit))
    assert page.index("<b>second</b>") < page.index("<b>first</b>")


def test_what_did_not_run_is_told(tmp_path: Path) -> None:
    report = a_report(tmp_path)
    report = replace(
        report,
        smoke=replace(report.smoke, rungs=()),
        perf=replace(report.perf, measurements=(), ratios=(), roofline=()),
        audit=replace(report.audit, findings=()),
    )
    page = page_of(report)
    for text in ("The audit was not run.", "The ladder was not run.", "Speed was not measured."):
        assert text in page


def test_speed_stands_with_how_busy_the_machine_was(tmp_path: Path) -> None:
    report = a_report(tmp_path)
    page = unescape(page_of(report))
    assert "94% of this machine's measured peak (90% to 96% in the rounds)" in page
    assert "Other programs took 0% of the processors' time meanwhile." in page
    busy = unescape(page_of(replace(report, perf=replace(report.perf, others=0.4))))
    assert "The machine was busy" in busy
    assert "other programs took 40% of the processors' time" in busy


def test_text_is_escaped(tmp_path: Path) -> None:
    report = replace(a_report(tmp_path), smoke=a_smoke("failed", "<b>&</b>"))
    assert "&lt;b&gt;&amp;&lt;/b&gt;" in page_of(report)


@pytest.mark.parametrize("kept", [(), ("state",), ("reason",)], ids=str)
def test_no_text_of_a_report_becomes_markup(tmp_path: Path, kept: tuple[str, ...]) -> None:
    report = a_report(tmp_path)
    (rung, *others) = report.smoke.rungs
    full = replace(
        report,
        smoke=replace(report.smoke, rungs=(replace(rung, detail=(("a", "b"),)), *others)),
        lock=replace(report.lock, environment=an_environment("dpkg gcc-12 12.2.0 amd64")),
    )
    document = report_document(full)
    hostile, harmless = (
        read_page(
            report_page(prefixed(document, prefix, kept=(*kept, "noise_floor"), maps=("versions",)))
        )
        for prefix in (HOSTILE, HARMLESS)
    )
    assert hostile.shape == harmless.shape
    assert hostile.references == []
    assert hostile.text.count("<script>") == harmless.text.count("lscriptg") > 20


def test_a_text_is_broken_at_its_semicolons_only(tmp_path: Path) -> None:
    finding = replace(an_audit().findings[0], asked="a & b <c> d; e")
    report = replace(a_report(tmp_path), audit=replace(an_audit(), findings=(finding,)))
    assert "<td>a &amp; b &lt;c&gt; d;<br>e</td>" in page_of(report)
