import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.fakes import a_host
from tests.sample_report import a_perf, a_report, an_environment
from tfbuild.builds.saved_files import (
    read_host,
    read_lock,
    read_locked_environment,
    read_perf,
    read_policy,
)
from tfbuild.builds.stages.report import report_document
from tfbuild.core.environment_lock import environment_document
from tfbuild.core.errors import BadRequest, TfbuildError
from tfbuild.core.records import EnvironmentLock
from tfbuild.core.serialization import to_plain
from tfbuild.facts.tables import to_yaml


def written(path: Path, document: object) -> Path:
    path.write_text(json.dumps(document))
    return path


def test_policy_of_a_plan(tmp_path: Path) -> None:
    plan = a_report(tmp_path).plan
    path = written(tmp_path / "plan.json", {"schema": "tfbuild.plan/1", **to_plain(plan)})
    assert read_policy(path) == plan.audit


def test_speeds_of_a_report_and_of_perf_itself(tmp_path: Path) -> None:
    report = replace(a_report(tmp_path), perf=a_perf(1.7))
    whole = written(tmp_path / "report.json", report_document(report))
    alone = written(tmp_path / "p.json", {"schema": "tfbuild.perf/1", **to_plain(report.perf)})
    assert read_perf(whole) == read_perf(alone) == report.perf


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"schema": "tfbuild.plan/1"}', '{"schema": "tfbuild.perf/1"}']
)
def test_other_files_are_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(text)
    with pytest.raises(BadRequest):
        read_perf(path)
    with pytest.raises(BadRequest):
        read_policy(path)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(BadRequest, match="cannot read"):
        read_perf(tmp_path / "x.json")


def test_the_machine_of_a_doctor(tmp_path: Path) -> None:
    host = a_host(cpus=64, distribution="rocky", distribution_version="8.9")
    document = {"schema": "tfbuild.doctor/1", "checks": [], "host": to_plain(host)}
    assert read_host(written(tmp_path / "there.json", document)) == host


@pytest.mark.parametrize(
    "document",
    [{"schema": "tfbuild.plan/1"}, {"schema": "tfbuild.doctor/1"},
     {"schema": "tfbuild.doctor/1", "host": {"machine": "x86_64"}}, [], 3],
)  # fmt: skip
def test_a_file_without_a_machine_is_refused(tmp_path: Path, document: object) -> None:
    with pytest.raises(BadRequest) as caught:
        read_host(written(tmp_path / "there.json", document))
    assert "there.json" in caught.value.message
    assert caught.value.hint


LOCK = "schema: tfbuild.lock/1\nversions:\n  python: '3.10'\n  cuda: none\n  os: debian 12\n"


def test_versions_of_a_lock(tmp_path: Path) -> None:
    path = tmp_path / "a.lock.yaml"
    path.write_text("# a comment\n" + LOCK)
    assert read_lock(path) == {"python": "3.10", "cuda": "none", "os": "debian 12"}


@pytest.mark.parametrize(
    "text",
    ["", "- a\n", "versions: {}\n", LOCK.replace("lock/1", "lock/2"), LOCK.partition("  ")[0],
     "schema: tfbuild.lock/1\nversions: [python]\n", "schema: [\n", LOCK + "  5: x\n"],
)  # fmt: skip
def test_a_broken_lock_is_named(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.lock.yaml"
    path.write_text(text)
    with pytest.raises(TfbuildError) as caught:
        read_lock(path)
    assert caught.value.exit_code == 2
    assert "a.lock.yaml" in caught.value.message


def test_a_lock_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(BadRequest) as caught:
        read_lock(tmp_path / "a.lock.yaml")
    assert "resolve --lock" in caught.value.hint


def test_the_environment_of_a_lock(tmp_path: Path) -> None:
    path = tmp_path / "a.lock.yaml"
    path.write_text(LOCK)
    assert read_locked_environment(path) == EnvironmentLock()
    held = an_environment("dpkg gcc-12 12.2.0-14 amd64")
    path.write_text(LOCK + to_yaml({"environment": environment_document(held)}))
    assert read_locked_environment(path) == held
    path.write_text(LOCK + "environment:\n  packages: [gcc-12]\n")
    with pytest.raises(BadRequest) as caught:
        read_locked_environment(path)
    assert "a.lock.yaml" in caught.value.message
    assert caught.value.hint
