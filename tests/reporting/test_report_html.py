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
from tfbuild.core.records import Choice, Device, State
from tfbuild.core.reports import KernelCode, Report, SmokeCheck, StageRecord
from tfbuild.reporting.html import Link
from tfbuild.reporting.report_html import report_page
from tfbuild.reporting.summary import install_command_here


def page_of(report: Report) -> str:
    return report_page(report_document(report))


def test_page_is_well_formed_and_needs_nothing_else(tmp_path: Path) -> None:
    page = page_of(a_report(tmp_path))
    assert all(way.startswith("#") for way in read_page(page).references)
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


def test_kernels_are_shown_where_there_are_some(tmp_path: Path) -> None:
    report = a_report(tmp_path)
    assert "kernels, from least to most" not in page_of(report)
    kernel = KernelCode(
        name="FillKernel", architecture="sm_90", functions=4, registers=18, stack=0, shared=0,
        local=0, spills=0, divisions=0, tensor=0, wide=1,
    )  # fmt: skip
    page = page_of(replace(report, audit=replace(report.audit, kernels=(kernel,))))
    assert "1 kernels, from least to most" in page
    assert "<b>FillKernel</b>" in page


def test_where_results_came_from(tmp_path: Path) -> None:
    report = a_report(tmp_path)
    counts = {"actions": 30, "actions_elsewhere": 20, "cache_hits": 70, "remote_hits": 70}
    page = page_of(replace(report, build=replace(report.build, **counts)))  # type: ignore[arg-type]
    rows = re.findall(
        r"<tr><td>([^<]*(?:machine|network)[^<]*)</td><td[^>]*>(\d+)</td>\s*<td[^>]*>(.*?)<", page
    )
    assert [(unescape(name), number, share) for name, number, share in rows] == [
        ("run on this machine", "10", "10 %"),
        ("run on other machines", "20", "20 %"),
        ("from a cache over the network", "70", "70 %"),
    ]
    nothing = {"actions": 0, "cache_hits": 0}
    page = page_of(replace(report, build=replace(report.build, **nothing)))  # type: ignore[arg-type]
    assert "Nothing had to be run" in page


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
    assert "in the container" not in page_of(report)
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
    head = page.partition("</header>")[0]
    assert "in the container tfbuild/env:x (debian 12)" in head


@pytest.mark.parametrize(
    ("device", "gpu", "state", "title"),
    [
        ("cpu", "skipped", "passed", "Ready to install"),
        ("cuda", "passed", "passed", "Ready to install"),
        ("cuda", "skipped", "unproven", "GPU code was compiled and never executed"),
    ],
)
def test_the_verdict_comes_first_with_the_next_command(
    tmp_path: Path, device: Device, gpu: State, state: str, title: str
) -> None:
    report = a_report(tmp_path)
    checks = (*a_smoke().checks, SmokeCheck(name="GPU: device list", state="passed"),
             SmokeCheck(name="GPU: MatMul float32", state=gpu))  # fmt: skip
    page = page_of(
        replace(
            report,
            plan=replace(report.plan, device=device),
            smoke=replace(report.smoke, checks=checks),
        )
    )
    before, _, after = page.partition(f'<div class="verdict {state}">')
    assert "<h1>" in before
    assert "<p" not in before
    assert title in after.partition("</p>")[0]
    command = re.findall(r"<code>(.*?)</code>\s*<button class=\"copy\"", after)
    wheel = str(report.plan.output / report.wheel.path.name)
    assert [unescape(words) for words in command] == [install_command_here(wheel)]


def test_after_a_failure_the_next_command_tries_that_stage_alone(tmp_path: Path) -> None:
    report = a_report(tmp_path)
    stages = (StageRecord(name="smoke", started=0, seconds=1, state="failed"),)
    page = page_of(replace(report, stages=stages, smoke=a_smoke("failed", "boom")))
    first = page.partition('<div class="verdict failed">')[2].partition("</div>")[0]
    assert "Not delivered: smoke failed" in first
    assert "What failed: import." in first
    assert f"<code>tfbuild smoke {report.wheel.path}</code>" in first


def test_links_are_shown_and_lead_where_they_should(tmp_path: Path) -> None:
    links = [Link(name="wheel", target="a.whl"), Link(name="log", target="../log.txt")]
    page = read_page(report_page(report_document(a_report(tmp_path)), links))
    assert [way for way in page.references if way[0] != "#"] == ["a.whl", "../log.txt"]


def test_a_reason_stands_once_and_is_named_by_its_number(tmp_path: Path) -> None:
    report = a_report(tmp_path)
    choices = tuple(
        Choice(axis=axis, value="1", evidence="documented", because=because)
        for axis, because in (("python", ("first", "shared")), ("gcc", ("shared",)))
    )
    skipped = tuple(SmokeCheck(name=name, state="skipped", reason="no GPU here") for name in "ab")
    page = page_of(
        replace(
            report,
            versions=replace(report.versions, choices=choices),
            smoke=replace(report.smoke, checks=(*skipped, *a_smoke().checks)),
        )
    )
    assert page.count("no GPU here") == 1
    assert "a; b" in page
    for sentence, name in (("shared", "why-2"),):
        assert page.count(sentence) == 1
        assert f'<li id="{name}">{sentence}</li>' in page
        assert page.count(f'href="#{name}"') == 2


def test_a_stage_that_was_reused_shows_what_it_took_then(tmp_path: Path) -> None:
    stage = StageRecord(
        name="smoke", started=0, seconds=0.1, state="reused", reused_from="other-run",
        original_seconds=32.0,
    )  # fmt: skip
    page = page_of(replace(a_report(tmp_path), stages=(stage,)))
    assert "smoke was taken from run other-run, where it took 32 s." in page
    dated = replace(stage, reused_from="20261128-231505-ca5b")
    page = page_of(replace(a_report(tmp_path), stages=(dated,)))
    assert "from run 20261128-231505-ca5b of 2026-11-28 23:15 UTC, where it took 32 s." in page
    assert "0.1 s, reused (took 32 s)" in page
    assert "<span>whole run, 32 s when it was made</span>" in page


def test_numbers_of_which_none_was_decided_are_folded(tmp_path: Path) -> None:
    report = a_report(tmp_path)
    open_one = replace(report.perf.ratios[0], verdict="undecidable")
    folded = "<details><summary>No verdict in 1 comparison: load 10 on 2 processors."
    busy = replace(report.perf, ratios=(open_one,), load=10.0, cpus=2)
    assert folded in page_of(replace(report, perf=busy))
    one_decided = replace(busy, ratios=(open_one, report.perf.ratios[0]))
    for perf in (one_decided, replace(busy, ratios=())):
        assert "comparisons was decided" not in page_of(replace(report, perf=perf))


def test_failures_are_shown_first_and_by_word(tmp_path: Path) -> None:
    report = replace(a_report(tmp_path), audit=an_audit("failed"), smoke=a_smoke("failed", "boom"))
    page = page_of(report)
    assert '<div class="tile failed">' in page
    assert "boom" in page
    assert "✗ failed" in page


def test_what_failed_stands_above_what_passed_and_that_above_what_was_skipped(
    tmp_path: Path,
) -> None:
    states: tuple[State, ...] = ("passed", "skipped", "failed")
    findings = tuple(replace(an_audit(state).findings[0], name=f"{state} line") for state in states)
    checks = tuple(SmokeCheck(name=f"{state} check", state=state, reason=state) for state in states)
    report = a_report(tmp_path)
    page = page_of(
        replace(
            report,
            audit=replace(an_audit(), findings=findings),
            smoke=replace(report.smoke, checks=checks),
        )
    )
    for kind in ("line", "check"):
        places = [page.rindex(f"{state} {kind}") for state in ("failed", "passed", "skipped")]
        assert places == sorted(places)


def test_what_did_not_run_is_reported(tmp_path: Path) -> None:
    report = a_report(tmp_path)
    report = replace(
        report,
        smoke=replace(report.smoke, checks=()),
        perf=replace(report.perf, measurements=(), ratios=(), roofline=()),
        audit=replace(report.audit, findings=()),
    )
    page = page_of(report)
    for text in ("The audit was not run.", "The suite was not run.", "Speed was not measured."):
        assert text in page


def test_speed_stands_with_how_busy_the_machine_was(tmp_path: Path) -> None:
    report = a_report(tmp_path)
    page = unescape(page_of(report))
    assert "94% of this machine's measured peak (90% to 96% in the rounds)" in page
    assert "Other programs took 0% of the processors' time meanwhile (" in page
    busy = unescape(page_of(replace(report, perf=replace(report.perf, others=0.4))))
    assert "The machine was busy" in busy
    assert "other programs took 40% of the processors' time" in busy


def test_text_is_escaped(tmp_path: Path) -> None:
    report = replace(a_report(tmp_path), smoke=a_smoke("failed", "<b>&</b>"))
    assert "&lt;b&gt;&amp;&lt;/b&gt;" in page_of(report)


@pytest.mark.parametrize("kept", [(), ("state",), ("reason",)], ids=str)
def test_no_text_of_a_report_becomes_markup(tmp_path: Path, kept: tuple[str, ...]) -> None:
    report = a_report(tmp_path)
    (check, *others) = report.smoke.checks
    full = replace(
        report,
        smoke=replace(report.smoke, checks=(replace(check, detail=(("a", "b"),)), *others)),
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
    assert all(re.fullmatch(r"#why-\d+", way) for way in hostile.references)
    assert hostile.text.count("<script>") == harmless.text.count("lscriptg") > 20


def test_a_text_is_broken_at_its_semicolons_only(tmp_path: Path) -> None:
    finding = replace(an_audit().findings[0], asked="a & b <c> d; e")
    report = replace(a_report(tmp_path), audit=replace(an_audit(), findings=(finding,)))
    assert '<td data-label="asked">a &amp; b &lt;c&gt; d;<br>e</td>' in page_of(report)
