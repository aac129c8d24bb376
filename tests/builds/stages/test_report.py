"""The report and the lock as files, and what the output folder gets."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.fakes import FakeEnvironment
from tests.sample_report import WHEEL, a_report, an_environment
from tfbuild.builds.stages.report import deliver, lock_of_build, report_document, write_report
from tfbuild.core.environments import NO_ENVIRONMENT
from tfbuild.core.lock_file import lock_text, read_lock_file
from tfbuild.core.paths import copy_aside
from tfbuild.core.records import RivalPlan


def test_versions_are_by_axis(tmp_path: Path) -> None:
    document = report_document(a_report(tmp_path))
    assert document["schema"] == "tfbuild.report/1"
    assert document["versions"]["bazel"]["value"] == "4.2.3"
    assert document["plan"]["versions"]["bazel"] == "4.2.3"


def test_json_and_html_are_written(tmp_path: Path) -> None:
    as_json, as_html = write_report(a_report(tmp_path), tmp_path)
    assert json.loads(as_json.read_text())["run_id"] == "20260101-000000-abcd"
    assert as_html.read_text().lstrip().lower().startswith("<!doctype html>")


def test_the_lock_names_files_and_hashes_but_no_place(
    tmp_path: Path, fake_env: FakeEnvironment
) -> None:
    report = a_report(tmp_path)
    lock = lock_of_build(report.lock, fake_env.toolchain, report)
    assert (lock.wheel, lock.plan) == (WHEEL, report.lock.plan_id)
    assert dict(lock.tools)["bazel"] == "4.2.3"
    assert {a.distribution for a in lock.artifacts} >= {"nanobind", "onednn-cpu-gomp"}
    text = lock_text(lock)
    assert str(tmp_path) not in text
    assert "://" not in text
    path = tmp_path / "a.lock.yaml"
    path.write_text(text)
    assert read_lock_file(path) == lock


def test_the_lock_has_the_packages_of_a_container_only(
    tmp_path: Path, fake_env: FakeEnvironment
) -> None:
    report = a_report(tmp_path)
    on_host = lock_of_build(report.lock, fake_env.toolchain, report)
    assert on_host.environment == NO_ENVIRONMENT, "on the host it cannot be known"
    held = an_environment("dpkg g++-12 12.2.0-14 amd64", "dpkg tzdata 2026.10 all", "pip3.11 a 1.0")
    inside = lock_of_build(replace(report.lock, environment=held), fake_env.toolchain, report)
    assert inside.environment == held


def test_the_wheel_comes_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    report = a_report(tmp_path)
    beside = [Path(WHEEL).with_suffix(end).name for end in (".lock.yaml", ".cdx.json")]
    names = [*beside, "report.json", "report.html", WHEEL]
    for name in names:
        (tmp_path / name).write_text(name)
    order: list[str] = []

    def copy(source: Path, target: Path) -> Path:
        order.append(target.name)
        return copy_aside(source, target)

    monkeypatch.setattr("tfbuild.builds.stages.report.copy_aside", copy)
    path = deliver(report.wheel, tmp_path, tmp_path / "dist")
    assert path == tmp_path / "dist" / WHEEL
    assert order == names


def test_no_secret_is_in_a_report(tmp_path: Path) -> None:
    report = a_report(tmp_path)
    rival = RivalPlan(name="numpy @ https://me:a/s3cret@host/n.whl?token=s3cret")
    report = replace(report, plan=replace(report.plan, rivals=(rival,)))
    for path in write_report(report, tmp_path):
        assert "s3cret" not in path.read_text()
    assert "numpy @ https://****@host/n.whl?token=****" in json.dumps(report_document(report))
