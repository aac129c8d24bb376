import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.failing import fails
from tests.fakes import a_host
from tests.sample_report import a_perf, a_report
from tfbuild.builds.saved_files import read_host, read_perf, read_policy
from tfbuild.builds.stages.report import report_document
from tfbuild.core.records import Program
from tfbuild.core.serialization import to_plain


def written(path: Path, document: object) -> Path:
    path.write_text(json.dumps(document))
    return path


def test_policy_of_a_plan(tmp_path: Path) -> None:
    plan = a_report(tmp_path).plan
    path = written(tmp_path / "plan.json", {"schema": "tfbuild.plan/2", **to_plain(plan)})
    assert read_policy(path) == plan.audit
    report = written(tmp_path / "report.json", report_document(a_report(tmp_path)))
    assert read_policy(report) == plan.audit


def test_speeds_of_a_report_and_of_perf_itself(tmp_path: Path) -> None:
    report = replace(a_report(tmp_path), perf=a_perf(1.7))
    whole = written(tmp_path / "report.json", report_document(report))
    alone = written(tmp_path / "p.json", {"schema": "tfbuild.perf/1", **to_plain(report.perf)})
    assert read_perf(whole) == read_perf(alone) == report.perf


@pytest.mark.parametrize(
    ("text", "perf", "policy"),
    [
        ("", "saved-file-unreadable", "saved-file-unreadable"),
        ("[]", "saved-file-wrong-kind", "saved-file-wrong-kind"),
        ("{}", "saved-file-wrong-kind", "saved-file-wrong-kind"),
        ('{"schema": "tfbuild.plan/2"}', "saved-file-wrong-kind", "saved-file-wrong-fields"),
        ('{"schema": "tfbuild.perf/1"}', "saved-file-wrong-fields", "saved-file-wrong-kind"),
        ('{"schema": "tfbuild.report/2"}', "saved-file-wrong-fields", "saved-file-wrong-fields"),
    ],
)
def test_other_files_are_refused(tmp_path: Path, text: str, perf: str, policy: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(text)
    with fails(perf, str(path)):
        read_perf(path)
    with fails(policy, str(path)):
        read_policy(path)


DAMAGED = (
    b'{"schema": "tfbuild.report/2", "perf": ' + b"[" * 100_000,
    b'{"schema": "tfbuild.report/2", "perf": {"speeds": ' + b"9" * 400 + b"}}",
    b'{"schema": "tfbuild.report/2", "perf": {"speeds": NaN}}',
    b'{"schema": "tfbuild.report/2", "perf": {"\\ud800": 1}}',
    b"\xff\xfe",
)


@pytest.mark.parametrize("content", DAMAGED, ids=range(len(DAMAGED)))
@pytest.mark.parametrize("read", [read_perf, read_policy, read_host])
def test_damage_is_reported_with_the_file(
    tmp_path: Path, content: bytes, read: Callable[[Path], object]
) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(content)
    with fails("saved-file-unreadable", str(path)) as caught:
        read(path)
    assert caught.value.hint


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with fails("saved-file-unreadable", str(tmp_path / "pipe")):
        read_perf(tmp_path / "pipe")


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with fails("saved-file-unreadable", str(tmp_path / "x.json")):
        read_perf(tmp_path / "x.json")


def test_the_machine_of_a_doctor(tmp_path: Path) -> None:
    host = a_host(cpus=64, distribution="rocky", distribution_version="8.9")
    document = {"schema": "tfbuild.doctor/2", "checks": [], "host": to_plain(host)}
    assert read_host(written(tmp_path / "there.json", document)) == host


def test_a_machine_with_more_than_any_has_is_refused(tmp_path: Path) -> None:
    """The resolver takes time for each of them, for compilers by the square."""
    many = tuple(Program(name="g++", path=f"/g{n}", version=f"{n}.1") for n in range(5000))
    host = a_host(compilers=many)
    document = {"schema": "tfbuild.doctor/2", "checks": [], "host": to_plain(host)}
    with fails("machine-too-large", "there.json", "5,000 compilers"):
        read_host(written(tmp_path / "there.json", document))


@pytest.mark.parametrize(
    ("document", "code"),
    [
        ({"schema": "tfbuild.plan/2"}, "saved-file-wrong-kind"),
        ({"schema": "tfbuild.doctor/2"}, "saved-file-wrong-fields"),
        (
            {"schema": "tfbuild.doctor/2", "host": {"machine": "x86_64"}},
            "saved-file-wrong-fields",
        ),
        ([], "saved-file-wrong-kind"),
        (3, "saved-file-wrong-kind"),
    ],
)
def test_a_file_without_a_machine_is_refused(tmp_path: Path, document: object, code: str) -> None:
    with fails(code, "there.json") as caught:
        read_host(written(tmp_path / "there.json", document))
    assert caught.value.hint
