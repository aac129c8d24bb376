"""Folders as finished builds leave them: a small wheel, its lock and its report, in agreement."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.fakes import FakeEnvironment, a_host
from tests.sample_report import a_report
from tests.shared_libraries import tiny_wheel
from tfbuild.builds.stages.report import lock_of_build, report_document
from tfbuild.core.lock_file import lock_path, lock_text
from tfbuild.core.paths import file_digest, write_aside
from tfbuild.core.records import Artifact, Choice, Gpu, Versions
from tfbuild.core.reports import AuditFinding, AuditReport, Report, SmokeCheck, SmokeReport

Change = Callable[[dict[str, Any]], object]
OLD = {"python": "3.9", "numpy": "1.23.5", "bazel": "3.5.1", "gcc": "10.2", "glibc": "2.31"}
NEW = {"python": "3.13", "numpy": "2.3.5", "bazel": "4.2.3", "gcc": "14.2", "glibc": "2.41"}
CUDA = {**NEW, "cuda": "13.0", "cudnn": "9.14.0", "gpu": "sm_90"}
SYSTEMS = {"2.31": "11", "2.36": "12", "2.41": "13", "2.43": "14"}
A_GPU = Gpu(name="H200", architecture="sm_90")
ON_GPU = (
    SmokeCheck(name="GPU: device list", state="passed"),
    SmokeCheck(name="GPU: MatMul", state="passed"),
)
NO_GPU = tuple(replace(check, state="skipped", reason="no GPU is seen") for check in ON_GPU)


def a_finished(
    folder: Path,
    versions: dict[str, str],
    *,
    day: str = "2026-02-03",
    checks: Sequence[SmokeCheck] = (SmokeCheck(name="import", state="passed"), *NO_GPU),
    findings: Sequence[AuditFinding] = (
        AuditFinding(name="tag", asked="x", built="x", state="passed"),
    ),
    **host: object,
) -> Path:
    """The report of a build in a folder; its NumPy is the one of the smoke test as well."""
    folder.mkdir(parents=True, exist_ok=True)
    tag = "cp" + versions["python"].replace(".", "")
    wheel = tiny_wheel(
        folder, name="tfbuild_runtime", version="0.1.0", tags=f"{tag}-{tag}-linux_x86_64"
    )
    digest = file_digest(wheel)
    base = a_report(folder)
    numpy = Artifact(
        distribution="numpy", version=versions["numpy"], sha256="1" * 64, kind="smoke",
        filename=f"numpy-{versions['numpy']}-{tag}-{tag}-linux_x86_64.whl",
    )  # fmt: skip
    glibc = versions["glibc"]
    machine = {"glibc": glibc, "distribution_version": SYSTEMS[glibc], **host}
    report = replace(
        _with_versions(base, {"runtime": "0.1.0", **versions}),
        started_at=f"{day}T23:00:00+00:00",
        host=a_host(**machine),
        wheel=replace(base.wheel, path=Path("/elsewhere") / wheel.name, sha256=digest),
        audit=AuditReport(wheel=wheel.name, sha256=digest, findings=tuple(findings)),
        smoke=SmokeReport(
            wheel=wheel.name, sha256=digest, checks=tuple(checks), artifacts=(numpy,)
        ),
    )
    chain = replace(
        FakeEnvironment(folder.with_name(f"{folder.name}.environment")).toolchain,
        bazel_version=versions["bazel"],
        compiler_version=f"{versions['gcc']}.0",
    )
    lock = replace(report.lock, plan_id=report.plan.id)
    write_aside(lock_path(wheel), lock_text(lock_of_build(lock, chain, report)))
    return write_aside(folder / "report.json", json.dumps(report_document(report)))


def changed(path: Path, change: Change) -> Path:
    """The JSON file after a change of its document."""
    document = json.loads(path.read_text())
    change(document)
    return write_aside(path, json.dumps(document))


def _with_versions(report: Report, versions: dict[str, str]) -> Report:
    choices = tuple(
        Choice(axis=axis, value=value, evidence="measured", because=("a test",))
        for axis, value in versions.items()
    )
    chosen = Versions(choices=choices)
    device = "cuda" if "cuda" in versions else "cpu"
    plan = replace(report.plan, versions=chosen, device=device)  # type: ignore[arg-type]
    return replace(report, versions=chosen, plan=plan)
