"""Everything a run found as one record, and the files that carry it."""

import json
from pathlib import Path
from typing import Any

from tfbuild.builds.delivery import delivery
from tfbuild.core.errors import WheelFailed
from tfbuild.core.lock_file import LockFile, lock_path
from tfbuild.core.masking import mask_all
from tfbuild.core.paths import copy_aside, file_digest, write_aside
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
    """Copy wheel, lock, bill and reports of a run to output, and return the wheel's path there.

    A reader of the output folder sees all of them or none, and a wheel only beside its report.
    Raises WheelFailed where the copy is not the wheel that was proven, and what delivery raises.
    """
    lock = lock_path(wheel.path).name
    with delivery(output, last=wheel.path.name) as aside:
        for name in (lock, bill_name(wheel.path), "report.json", "report.html"):
            copy_aside(folder / name, aside / name)
        copy = copy_aside(wheel.path, aside / wheel.path.name)
        if file_digest(copy) != wheel.sha256:
            raise WheelFailed(
                f"{wheel.path.name} is not the wheel that was proven",
                why="it has changed since, or while it was copied",
                hint="run the same command again, and check the disk where this comes back",
            )
    return output / wheel.path.name
