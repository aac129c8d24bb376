"""Everything a run found as one record, and the files that carry it."""

import json
from pathlib import Path
from typing import Any

from tfbuild.core.lock_file import LockFile, lock_path
from tfbuild.core.masking import mask_all
from tfbuild.core.paths import copy_aside, write_aside
from tfbuild.core.records import Lock, Toolchain, Wheel
from tfbuild.core.reports import Report
from tfbuild.core.serialization import to_plain
from tfbuild.wheels.components import bill_name

SCHEMA = "tfbuild.report/1"


def report_document(report: Report) -> dict[str, Any]:
    """The report as a JSON document with its schema's name; versions by axis, secrets hidden."""
    plain: dict[str, Any] = to_plain(report)
    plain["versions"] = {c.pop("axis"): c for c in plain["versions"]["choices"]}
    plain["plan"]["versions"] = {a: c["value"] for a, c in plain["versions"].items()}
    return {"schema": SCHEMA, **mask_all(plain)}


def lock_of_build(lock: Lock, toolchain: Toolchain, report: Report) -> LockFile:
    """What was fetched, by name, version and hash, and what the wheel was built with.

    The environment is there for a container only.
    """
    return LockFile(
        wheel=report.wheel.path.name,
        wheel_sha256=report.wheel.sha256,
        plan=lock.plan_id,
        versions=tuple((c.axis, c.value) for c in report.versions.choices),
        tools=(
            ("tfbuild", report.tfbuild_version),
            ("bazel", toolchain.bazel_version),
            ("compiler", toolchain.compiler_version),
            ("python", toolchain.python_version),
        ),
        artifacts=lock.artifacts,
        environment=lock.environment,
    )


def write_report(report: Report, folder: Path) -> tuple[Path, Path]:
    """Write report.json and report.html into folder and return their paths."""
    document = report_document(report)
    from tfbuild.reporting.report_html import report_page

    html = report_page(document)
    return (
        write_aside(folder / "report.json", json.dumps(document, indent=1) + "\n"),
        write_aside(folder / "report.html", html),
    )


def deliver(wheel: Wheel, folder: Path, output: Path) -> Path:
    """Move lock, bill, report and, last, the wheel from folder to output; the wheel's path there.

    A reader of the output folder sees whole files only, and a wheel only beside its report.
    """
    lock = lock_path(wheel.path).name
    for name in (lock, bill_name(wheel.path), "report.json", "report.html"):
        copy_aside(folder / name, output / name)
    return copy_aside(wheel.path, output / wheel.path.name)
