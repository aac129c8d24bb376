"""The report and the lock as files, and what the output folder gets."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.fakes import FakeEnvironment
from tests.sample_report import WHEEL, a_report, an_environment
from tfbuild.builds.stages.report import deliver, lock_text, report_document, write_report
from tfbuild.core.environment_lock import read_environment
from tfbuild.core.paths import copy_aside
from tfbuild.facts.tables import read_yaml


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
    text = lock_text(report.lock, fake_env.toolchain, report)
    path = tmp_path / "lock.yaml"
    path.write_text(text)
    lock = read_yaml(path)
    assert lock["schema"] == "tfbuild.lock/1"
    assert lock["wheel"]["filename"] == WHEEL
    assert lock["tools"]["bazel"] == "4.2.3"
    assert {a["distribution"] for a in lock["artifacts"]} >= {"nanobind", "onednn-cpu-gomp"}
    assert all(len(a["sha256"]) == 64 for a in lock["artifacts"])
    assert str(tmp_path) not in text
    assert "://" not in text


def test_the_lock_has_one_line_for_each_package_of_a_container(
    tmp_path: Path, fake_env: FakeEnvironment
) -> None:
    report = a_report(tmp_path)
    path = tmp_path / "lock.yaml"
    path.write_text(lock_text(report.lock, fake_env.toolchain, report))
    assert "environment" not in read_yaml(path), "on the host it cannot be known"
    held = an_environment("dpkg g++-12 12.2.0-14 amd64", "dpkg tzdata 2026.10 all", "pip3.11 a 1.0")
    text = lock_text(replace(report.lock, environment=held), fake_env.toolchain, report)
    assert "\n      g++-12:amd64: 12.2.0-14\n" in text
    path.write_text(text)
    section = read_yaml(path)["environment"]
    assert section["base"] == "tfbuild/base:bookworm-1"
    assert section["packages"]["dpkg"]["tzdata:all"] == "2026.10"
    assert read_environment(section) == held


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
