"""Everything a run found as one record, and the files that carry it."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tfbuild.builds.delivery import delivery
from tfbuild.core.errors import WheelFailed
from tfbuild.core.layout import LOG, SCRIPT
from tfbuild.core.lock_file import LockFile, lock_path
from tfbuild.core.masking import mask_all
from tfbuild.core.paths import copy_aside, file_digest, write_aside
from tfbuild.core.plans import Plan
from tfbuild.core.records import Lock, Toolchain
from tfbuild.core.report_seal import sealed
from tfbuild.core.reports import Report
from tfbuild.core.serialization import to_plain
from tfbuild.wheels.components import sbom_name

SCHEMA = "tfbuild.report/2"


def write_plan(plan: Plan, folder: Path) -> Path:
    """Write plan.json into a run's folder, before anything is done by it."""
    document = {"schema": "tfbuild.plan/2", **mask_all(to_plain(plan))}
    return write_aside(folder / "plan.json", json.dumps(document, indent=1) + "\n")


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


def write_report(report: Report, folder: Path) -> Path:
    """Write report.json and report.html into a run's folder and return the path of the page."""
    document = report_document(report)
    page = _page(document, report.wheel.path, run=folder, folder=folder)
    write_aside(folder / "report.json", json.dumps(document, indent=1) + "\n")
    return write_aside(folder / "report.html", page)


def deliver(report: Report, folder: Path, output: Path) -> Path:
    """Copy wheel, lock, SBOM and report of a run to output, and return the wheel's path there.

    The page is written anew, as its links lead from where it lies.

    A reader of the output folder sees all of them or none, and a wheel only beside its report.
    Raises WheelFailed where the copy is not the wheel that was proven, and what delivery raises.
    """
    wheel = report.wheel
    document = report_document(report)
    page = _page(document, output / wheel.path.name, run=folder, folder=output)
    with delivery(output, last=wheel.path.name) as aside:
        for name in (lock_path(wheel.path).name, sbom_name(wheel.path)):
            copy_aside(folder / name, aside / name)
        write_aside(aside / "report.json", json.dumps(sealed(document), indent=1) + "\n")
        write_aside(aside / "report.html", page)
        copy = copy_aside(wheel.path, aside / wheel.path.name)
        if file_digest(copy) != wheel.sha256:
            raise WheelFailed(
                f"{wheel.path.name} is not the wheel that was proven",
                code="proven-wheel-changed",
                why="it has changed since, or while it was copied",
                hint="run the same command again, and check the disk where this comes back",
            )
    return output / wheel.path.name


def _page(document: Mapping[str, Any], wheel: Path, *, run: Path, folder: Path) -> str:
    """The page as it lies in folder, with links to what the run has made until now."""
    from tfbuild.reporting.html import link_to
    from tfbuild.reporting.report_html import report_page

    files = {}
    if document["wheel"]["sha256"]:
        names = {"lock": lock_path(wheel).name, "sbom": sbom_name(wheel)}
        beside = {key: folder / name for key, name in names.items() if (run / name).is_file()}
        files = {"wheel": wheel, **beside}
    written = (("log", run / LOG), ("script", run / SCRIPT))
    files |= {key: path for key, path in written if path.is_file()}
    return report_page(document, [link_to(name, str(path), folder) for name, path in files.items()])
