"""The report and the lock as files, and what the output folder gets."""

import json
import re
import resource
import shlex
import shutil
import subprocess
from dataclasses import replace
from html import unescape
from pathlib import Path
from urllib.parse import unquote

import pytest

from tests.failing import fails
from tests.fakes import FakeEnvironment
from tests.sample_report import WHEEL, a_report, a_wheel, an_environment
from tests.schema_maker import check
from tfbuild.builds.stages.report import deliver, lock_of_build, report_document, write_report
from tfbuild.core.environments import NO_ENVIRONMENT
from tfbuild.core.lock_file import lock_text, read_lock_file
from tfbuild.core.paths import file_digest
from tfbuild.core.plans import BaselinePlan
from tfbuild.core.report_seal import is_own
from tfbuild.core.reports import Report

NAMES = [
    *(Path(WHEEL).with_suffix(end).name for end in (".lock.yaml", ".cdx.json")),
    *("report.json", "report.html"),
]


def test_versions_are_by_axis(tmp_path: Path) -> None:
    document = report_document(a_report(tmp_path))
    assert document["schema"] == "tfbuild.report/2"
    assert document["versions"]["bazel"]["value"] == "4.2.3"
    assert document["plan"]["versions"]["bazel"] == "4.2.3"


def test_json_and_html_are_written(tmp_path: Path) -> None:
    as_html = write_report(a_report(tmp_path), tmp_path)
    as_json = tmp_path / "report.json"
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


@pytest.fixture
def proven(tmp_path: Path) -> Report:
    """Of a wheel of some size, with all that belongs to it, in the folder of its run."""
    for name in NAMES:
        (tmp_path / name).write_text(f"new {name}")
    wheel = a_wheel(tmp_path)
    wheel.path.write_bytes(b"w" * 3_000_000)
    return replace(a_report(tmp_path), wheel=replace(wheel, sha256=file_digest(wheel.path)))


def files_in(folder: Path) -> dict[str, str]:
    """Of each file, hidden ones included, the beginning."""
    return {path.name: path.read_text()[:100] for path in folder.iterdir()}


def test_all_is_delivered(proven: Report, tmp_path: Path) -> None:
    path = deliver(proven, tmp_path, tmp_path / "a" / "dist")
    assert path == tmp_path / "a" / "dist" / WHEEL
    assert file_digest(path) == proven.wheel.sha256
    names = {name: f"new {name}" for name in NAMES if not name.startswith("report")}
    files = {name: text for name, text in files_in(path.parent).items() if "report" not in name}
    assert files == names | {WHEEL: "w" * 100}
    assert {"report.json", "report.html"} < {file.name for file in path.parent.iterdir()}
    report = path.with_name("report.json")
    check("report", document := json.loads(report.read_text()))
    assert {**document, "seal": ""} == json.loads(json.dumps(report_document(proven)))
    assert is_own(document), "tfbuild believes by itself what it has delivered"


def test_the_delivered_page_leads_to_what_lies_beside_it_and_to_the_run(
    proven: Report, tmp_path: Path
) -> None:
    run, output = tmp_path, tmp_path / "a 1" / "dist"
    (run / "log.txt").write_text("said")
    page = deliver(proven, run, output).with_name("report.html").read_text()
    found = dict(re.findall(r'<a href="([^"#]+)">(\w+)</a>', page))
    assert {name: (output / unquote(way)).resolve() for way, name in found.items()} == {
        "wheel": output / WHEEL,
        "lock": output / NAMES[0],
        "sbom": output / NAMES[1],
        "log": run / "log.txt",
    }
    assert f"pip install {shlex.quote(str(proven.plan.output / WHEEL))}" in unescape(page)


def test_what_is_not_the_proven_wheel_is_not_delivered(proven: Report, tmp_path: Path) -> None:
    proven.wheel.path.write_bytes(b"v" * 3_000_000)
    with fails("proven-wheel-changed", WHEEL):
        deliver(proven, tmp_path, tmp_path / "dist")
    assert files_in(tmp_path / "dist") == {}


def test_a_full_disk_is_named_and_leaves_what_was_there(proven: Report, tmp_path: Path) -> None:
    output = tmp_path / "small"
    output.mkdir()
    words = ["mount", "-t", "tmpfs", "-o", "size=2m", "none", str(output)]
    if shutil.which("mount") is None or subprocess.run(words, check=False).returncode:
        pytest.skip("only root can make a small disk")
    try:
        (output / WHEEL).write_text("old wheel")
        (output / "report.json").write_text("old report")
        with fails("disk-full", str(output), WHEEL):
            deliver(proven, tmp_path, output)
        assert files_in(output) == {WHEEL: "old wheel", "report.json": "old report"}
    finally:
        subprocess.run(["umount", str(output)], check=True)


def test_a_limit_on_files_is_named_and_leaves_nothing(proven: Report, tmp_path: Path) -> None:
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2_000_000, limits[1]))
    try:
        with fails("file-size-limit", "2000000", "ulimit -f"):
            deliver(proven, tmp_path, tmp_path / "dist")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert files_in(tmp_path / "dist") == {}


def test_no_secret_is_in_a_report(tmp_path: Path) -> None:
    report = a_report(tmp_path)
    baseline = BaselinePlan(name="numpy @ https://me:a/s3cret@host/n.whl?token=s3cret")
    report = replace(report, plan=replace(report.plan, baselines=(baseline,)))
    page = write_report(report, tmp_path)
    for path in (page, tmp_path / "report.json"):
        assert "s3cret" not in path.read_text()
    assert "numpy @ https://****@host/n.whl?token=****" in json.dumps(report_document(report))
