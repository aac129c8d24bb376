"""Reports as text; plans as text are tested with the stage that makes them."""

from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest

from tests.sample_report import a_perf, a_report, an_environment
from tfbuild.core.environments import EnvironmentPlan, System
from tfbuild.core.lock_file import read_lock_file
from tfbuild.core.records import Command, Evidence
from tfbuild.reporting.text import (
    comment_line,
    perf_text,
    plan_script,
    plan_text,
    ratio_lines,
    reasons_text,
    report_text,
)


def test_a_skipped_check_is_said_to_be_skipped(tmp_path: Path) -> None:
    text = report_text(a_report(tmp_path), "/out/a.whl")
    assert "smoke   1 passed, 1 skipped" in text
    assert "1 skipped: no GPU" in text
    assert "perf    against numpy 2.4: 1 faster\n" in text


def test_the_last_lines_say_what_was_made_and_what_to_type_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report, folder = a_report(tmp_path), tmp_path / "dist"
    monkeypatch.chdir(tmp_path)
    assert report_text(report, str(folder / "a 1.whl")).splitlines() == [
        "wheel   dist/a 1.whl",
        "        0.0 MB",
        f"        sha256 {report.wheel.sha256}",
        "audit   1 passed",
        "smoke   1 passed, 1 skipped",
        "        1 skipped: no GPU",
        "perf    against numpy 2.4: 1 faster",
        "report  dist/report.html",
        "next    pip install 'dist/a 1.whl'",
    ]
    assert "next    pip install /out/a.whl\n" in report_text(report, "/out/a.whl")
    assert "not executed" not in report_text(report, "/out/a.whl")
    for_gpus = replace(report, plan=replace(report.plan, device="cuda"))
    assert "gpu     compiled for GPUs and not executed" in report_text(for_gpus, "/out/a.whl")


def test_what_cannot_be_decided_has_no_number() -> None:
    perf = a_perf()
    ratio = replace(perf.ratios[0], verdict="undecidable", value=1.23)
    (line,) = ratio_lines(replace(perf, ratios=(ratio,), load=9.7, cpus=2))
    assert line == "matmul_1024 against numpy 2.4: undecided (load 10 on 2 processors)"


def test_a_tally_of_speeds_says_the_load_where_something_is_open(tmp_path: Path) -> None:
    report = a_report(tmp_path)
    ratio = replace(a_perf().ratios[0], verdict="undecidable", value=1.23)
    perf = replace(a_perf(), ratios=(*a_perf().ratios, ratio), load=9.7, cpus=2)
    text = report_text(replace(report, perf=perf), "/out/a.whl")
    said = "perf    against numpy 2.4: 1 faster, 1 undecided (load 10 on 2 processors)"
    assert said in text.splitlines()
    assert "1.23" not in text


def test_each_choice_stands_with_its_evidence_and_its_reasons(tmp_path: Path) -> None:
    report = a_report(tmp_path)
    lines, reasons = plan_text(report.plan).splitlines(), reasons_text(report.plan).splitlines()
    for choice in report.versions.choices:
        assert choice.evidence in get_args(Evidence)
        head = f"  {choice.axis:<8} {choice.value}  ({choice.evidence})"
        assert head in lines
        at = reasons.index(f"  {choice.axis:<8} {choice.value}")
        assert reasons[at + 1] == f"           because {choice.because[0]}"


def test_the_script_spells_every_choice_out(tmp_path: Path) -> None:
    report = a_report(tmp_path)
    script = plan_script(report.plan)
    for choice in report.versions.choices:
        assert f"{choice.axis}=" in script


def test_the_script_is_for_the_same_container(tmp_path: Path) -> None:
    plan = a_report(tmp_path).plan
    place = EnvironmentPlan(
        kind="docker",
        image="mine:1",
        image_id="sha256:1",
        cpus=1.5,
        memory_mb=4000,
        pids=4096,
    )
    script = plan_script(replace(plan, environment=place))
    for words in (
        "--env=docker",
        "--image=sha256:1",
        "--cpus=1.5",
        "--memory=4000m",
        "--pids=4096",
    ):
        assert words in script
    assert "in a container of image mine:1 (sha256:1), 1.5 processors" in plan_text(
        replace(plan, environment=place)
    )
    assert "--env" not in plan_script(plan)


def test_a_lock_goes_with_the_script_that_is_held_to_it(tmp_path: Path) -> None:
    plan = a_report(tmp_path).plan
    lock = an_environment("dpkg gcc-12 12.2.0-14 amd64")
    place = EnvironmentPlan(kind="docker", system=System(name="debian 12"), lock=lock)
    script = plan_script(replace(plan, environment=place))
    text = script.partition("<<'END_OF_LOCK'\n")[2].partition("END_OF_LOCK")[0]
    path = tmp_path / "a.lock.yaml"
    path.write_text(text)
    assert read_lock_file(path).environment == lock
    assert "'os=debian 12'" in script


def test_perf_text_holds_measurements_ratios_roofline_and_gaps() -> None:
    text = perf_text(a_perf())
    for part in (
        "470.000 GFLOP/s",
        "1.20x",
        "94% of this machine's measured peak (90% to 96% in the rounds), 500.000 GFLOP/s",
        "other programs took 0% of the processors' time",
        "skipped: conv2d: not run",
    ):
        assert part in text


def test_more_than_the_peak_is_at_the_peak() -> None:
    perf = a_perf()
    roof = replace(perf.roofline[0], peak=450.0, low=0.99, high=1.1)
    text = perf_text(replace(perf, roofline=(roof,)))
    assert "matmul_1024: at this machine's measured peak (99% to 100% in the rounds), 450" in text
    assert "104%" not in text


def test_every_line_of_a_command_is_a_comment_where_it_is_shown_as_one() -> None:
    command = Command(argv=("configure", "a\ntouch pwned"))
    assert all(line.startswith("#") for line in comment_line(command).splitlines())
