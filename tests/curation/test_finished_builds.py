"""Finished builds are believed as far as their files can be checked."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.failing import fails
from tests.finished_builds import A_GPU, CUDA, NEW, NO_GPU, OLD, ON_GPU, Change, a_finished, changed
from tfbuild.core.lock_file import lock_path
from tfbuild.core.reports import AuditFinding, SmokeCheck
from tfbuild.curation.finished_builds import find_reports, read_finished

IMPORT = SmokeCheck(name="import", state="passed")


def test_a_whole_build_is_read(tmp_path: Path) -> None:
    path = a_finished(tmp_path / "dist", {**OLD, "bazel": "3.5.1"})
    finished = read_finished(path, tmp_path / "dist")
    assert [finished.version(axis) for axis in ("python", "gcc", "cuda")] == ["3.9", "10.2", ""]
    assert dict(finished.tools)["bazel"] == "3.5.1"
    assert finished.gpu == ""


def test_reports_are_found_in_every_cell(tmp_path: Path) -> None:
    for name in ("b", "a/deep"):
        a_finished(tmp_path / "dist" / name, OLD)
    (tmp_path / "dist" / "matrix.json").write_text("{}")
    found = [path.relative_to(tmp_path).as_posix() for path in find_reports(tmp_path / "dist")]
    assert found == ["dist/a/deep/report.json", "dist/b/report.json"]
    with fails("file-missing", str(tmp_path / "nothing")):
        find_reports(tmp_path / "nothing")


@pytest.mark.parametrize(
    ("checks", "gpus", "says"),
    [
        ((IMPORT, *ON_GPU), (A_GPU,), "H200 (sm_90)"),
        ((IMPORT, *NO_GPU), (A_GPU,), ""),
        ((IMPORT, ON_GPU[0]), (A_GPU,), ""),  # seen, but no kernel ran
        ((IMPORT, *ON_GPU), (), ""),
    ],
)
def test_only_kernels_that_ran_prove_something_about_a_gpu(
    tmp_path: Path, checks: tuple[SmokeCheck, ...], gpus: tuple[object, ...], says: str
) -> None:
    path = a_finished(tmp_path / "dist", CUDA, checks=checks, gpus=gpus)
    assert read_finished(path, tmp_path).gpu == says


def put(*keys: str | int, value: Any) -> Change:
    def change(document: Any) -> None:
        for key in keys[:-1]:
            document = document[key]
        document[keys[-1]] = value

    return change


@pytest.mark.parametrize(
    ("change", "code", "named"),
    [
        (put("schema", value="tfbuild.report/3"), "not-a-report", "tfbuild.report/2"),
        (lambda document: document.pop("smoke"), "report-unreadable", "smoke"),
        (put("failures", value=[{"message": "broken"}]), "reported-build-failed", ""),
        (put("versions", value=[]), "report-unreadable", "list"),
        (put("versions", "python", "value", value="3.13"), "report-unreadable", "plan"),
        (put("audit", "findings", 0, "state", value="perhaps"), "report-unreadable", "perhaps"),
        (put("wheel", "path", value="\0"), "reported-wheel-missing", ""),
        (put("wheel", "path", value="../../other.whl"), "reported-wheel-missing", "other.whl"),
        (put("wheel", "sha256", value="0" * 64), "reported-wheel-changed", "000000000000..."),
        (put("smoke", "sha256", value="0" * 64), "reported-wheel-changed", "000000000000..."),
        (put("plan", "id", value="another"), "reported-lock-other", ".lock.yaml"),
        (put("wheel", "version", value="0.2.0"), "reported-wheel-other", "0.1.0 for cp39"),
        (put("audit", "findings", value=[]), "reported-audit-empty", ""),
        (put("smoke", "checks", value=[]), "reported-wheel-untried", ""),
        (put("smoke", "checks", 0, "state", value="skipped"), "reported-wheel-untried", ""),
        (put("smoke", "checks", 0, "state", value="failed"), "reported-smoke-failed", "import"),
    ],
)
def test_a_report_that_says_otherwise_is_not_believed(
    tmp_path: Path, change: Change, code: str, named: str
) -> None:
    path = changed(a_finished(tmp_path / "dist", OLD), change)
    with fails(code, named):
        read_finished(path, tmp_path)


def test_a_python_that_the_wheel_is_not_for(tmp_path: Path) -> None:
    path = a_finished(tmp_path / "dist", OLD)
    other = a_finished(tmp_path / "other", NEW)
    wheel, lock = (next(path.parent.glob(name)) for name in ("*.whl", "*.yaml"))
    said = json.loads(path.read_text())["versions"]
    changed(path, put("versions", value=json.loads(other.read_text())["versions"]))
    changed(path, put("plan", "versions", value={a: c["value"] for a, c in said.items()}))
    with fails("report-unreadable", "plan"):
        read_finished(path, tmp_path)
    versions = json.loads(other.read_text())["versions"]
    changed(path, put("plan", "versions", value={a: c["value"] for a, c in versions.items()}))
    lock.write_text(lock.read_text().replace("python: '3.9'", "python: '3.13'"))
    with fails("reported-wheel-other", "0.1.0 for cp39", "cp313"):
        read_finished(path, tmp_path)
    assert wheel.is_file()


def test_a_failed_finding(tmp_path: Path) -> None:
    bad = AuditFinding(name="glibc", asked="2.31", built="2.36", state="failed")
    path = a_finished(tmp_path / "dist", OLD, findings=(bad,))
    with fails("reported-audit-failed", "glibc"):
        read_finished(path, tmp_path)


@pytest.mark.parametrize("text", ["", "[]", "null", "3", "{}", "[" * 100_000, '{"schema":'])
def test_what_is_no_report(tmp_path: Path, text: str) -> None:
    path = tmp_path / "report.json"
    path.write_text(text)
    with fails("report-unreadable"):
        read_finished(path, tmp_path)
    path.write_bytes(b"\xff\xfe")
    with fails("report-unreadable", "UTF-8"):
        read_finished(path, tmp_path)


def damage(path: Path) -> None:
    raw = bytearray(path.read_bytes())
    raw[len(raw) // 2] ^= 1
    path.write_bytes(bytes(raw))


@pytest.mark.parametrize(
    ("pattern", "act", "code", "exit_code"),
    [
        ("*.whl", damage, "reported-wheel-changed", 7),
        ("*.whl", Path.unlink, "reported-wheel-missing", 2),
        ("*.yaml", Path.unlink, "reported-lock-missing", 2),
        ("*.yaml", lambda path: path.write_text("a: b"), "not-a-lock", 2),
        ("*.yaml", lambda path: path.write_text("[" * 99_999), "not-yaml", 2),
        ("*.yaml", lambda path: path.write_bytes(b"\xff"), "file-unreadable", 2),
    ],
)
def test_what_lies_beside_a_report_is_looked_at(
    tmp_path: Path, pattern: str, act: Callable[[Path], object], code: str, exit_code: int
) -> None:
    path = a_finished(tmp_path / "dist", OLD)
    act(next(path.parent.glob(pattern)))
    with fails(code) as caught:
        read_finished(path, tmp_path)
    assert caught.value.exit_code == exit_code


def test_a_tool_without_a_version_is_no_lock(tmp_path: Path) -> None:
    path = a_finished(tmp_path / "dist", OLD)
    lock = next(path.parent.glob("*.yaml"))
    text = re.sub("compiler: .*", "compiler:", lock.read_text())
    assert text != lock.read_text()
    lock.write_text(text)
    with fails("lock-entry-wrong", lock.name, "'tools'") as caught:
        read_finished(path, tmp_path)
    assert "resolve" not in caught.value.hint, "another lock is no remedy here"


def test_links_out_of_the_folder_are_not_followed(tmp_path: Path) -> None:
    real = a_finished(tmp_path / "real", OLD)
    dist = tmp_path / "dist"
    dist.mkdir()
    (dist / "report.json").symlink_to(real)
    with fails("report-outside-folder", str(dist)):
        read_finished(dist / "report.json", dist)
    (dist / "report.json").unlink()
    wheel = next(real.parent.glob("*.whl"))
    real.rename(dist / "report.json")
    (dist / wheel.name).symlink_to(wheel)
    with fails("reported-wheel-outside", str(dist)):
        read_finished(dist / "report.json", dist)
    (dist / wheel.name).unlink()
    wheel.rename(dist / wheel.name)
    lock_path(dist / wheel.name).symlink_to(lock_path(wheel))
    with fails("reported-lock-outside", str(dist)):
        read_finished(dist / "report.json", dist)
