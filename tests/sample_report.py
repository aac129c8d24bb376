"""A whole report of a build that never was, for tests of what is made of reports."""

from dataclasses import replace
from pathlib import Path

from tests.fakes import a_host, a_request
from tfbuild import __version__
from tfbuild.builds.stages.plan import make_plan
from tfbuild.builds.stages.resolve import resolve
from tfbuild.core.build_course import ActionUse, BuildCourse, KindUse, TimeStatement
from tfbuild.core.environments import EnvironmentLock, EnvironmentPlan, Package
from tfbuild.core.outputs import BuildOutput, Wheel
from tfbuild.core.paths import data_folder
from tfbuild.core.records import Lock
from tfbuild.core.reports import (
    AuditFinding,
    AuditReport,
    Measurement,
    PerfReport,
    Ratio,
    Report,
    Roofline,
    SmokeCheck,
    SmokeReport,
    StageRecord,
)
from tfbuild.facts.tables import Tables

COURSE = BuildCourse(
    jobs=2,
    kinds=(KindUse(kind="CppCompile", actions=9, seconds=40.0, longest=7.5, memory_mb=812),),
    longest=(ActionUse(name="Compiling a.cc", kind="CppCompile", seconds=7.5, memory_mb=812),),
    critical_path=(ActionUse(name="Linking all", kind="", seconds=1.5, memory_mb=0),),
    cached_share=0.25,
    estimates=(TimeStatement(at=10.0, low=12.0, high=19.0, actual=16.0),),
    pauses=3,
    narrowed_from=4,
    server_mb=230,
    least_free_mb=90,
)
SHA = "0" * 64
WHEEL = "tfbuild_runtime-0.1.0-cp311-cp311-manylinux_2_34_x86_64.whl"


def an_audit(state: str = "passed") -> AuditReport:
    finding = AuditFinding(name="tag", asked="cp311", built="cp311", state=state)  # type: ignore[arg-type]
    return AuditReport(wheel=WHEEL, sha256=SHA, findings=(finding,))


def a_smoke(state: str = "passed", reason: str = "") -> SmokeReport:
    check = SmokeCheck(name="import", state=state, seconds=0.2, reason=reason)  # type: ignore[arg-type]
    skipped = SmokeCheck(name="gpu_matmul", state="skipped", reason="no GPU")
    return SmokeReport(wheel=WHEEL, sha256=SHA, checks=(check, skipped))


def a_perf(high: float = 1.3, bar: float = 1.0) -> PerfReport:
    measurement = Measurement(
        name="matmul_1024", subject="wheel", unit="GFLOP/s", value=470.0, low=460.0, high=480.0,
        samples=10, higher_is_better=True,
    )  # fmt: skip
    ratio = Ratio(
        name="matmul_1024", against="numpy 2.4", value=high - 0.1, low=high - 0.2, high=high,
        verdict="faster", bar=bar,
    )  # fmt: skip
    return PerfReport(
        wheel=WHEEL,
        sha256=SHA,
        measurements=(measurement,),
        ratios=(ratio,),
        noise_floor=(("matmul_1024", "0.02"),),
        roofline=(
            Roofline(
                name="matmul_1024", peak=500.0, achieved=470.0, unit="GFLOP/s", low=0.9, high=0.96
            ),
        ),
        skipped=(("conv2d", "not run"),),
    )


def a_wheel(folder: Path) -> Wheel:
    return Wheel(
        path=folder / WHEEL, distribution="tfbuild-runtime", version="0.1.0",
        tags=("cp311-cp311-manylinux_2_34_x86_64",), size=1000, installed_size=2000, sha256=SHA,
    )  # fmt: skip


def an_environment(*packages: str, **changes: str) -> EnvironmentLock:
    """What a container on Debian held; packages as in `dpkg g++-12 12.2.0-14 amd64`."""
    words = [tuple(package.split()) for package in packages]
    lock = EnvironmentLock(
        image="tfbuild/env:bookworm-1", id="sha256:1", base="tfbuild/base:bookworm-1",
        base_id="sha256:0", system="debian", release="12",
        packages=tuple(
            Package(manager=manager, name=name, version=version, architecture="".join(architecture))
            for manager, name, version, *architecture in words
        ),
    )  # fmt: skip
    return replace(lock, **changes)  # type: ignore[arg-type]


def a_report(folder: Path) -> Report:
    """Every stage passed, one check skipped."""
    tables = Tables(matrices=data_folder("matrices"), recipes=data_folder("recipes"))
    request, host = a_request(folder), a_host()
    versions = resolve(request, tables, host)
    plan = make_plan(request, versions, tables, host, EnvironmentPlan())
    return Report(
        run_id="20260101-000000-abcd",
        started_at="2026-01-01T00:00:00+00:00",
        tfbuild_version=__version__,
        request=request,
        host=host,
        versions=versions,
        plan=plan,
        lock=Lock(plan_id=plan.id, artifacts=plan.artifacts),
        build=BuildOutput(
            files=(("a.so", folder / "a.so"),),
            seconds=1.0,
            actions=3,
            cache_hits=1,
            course=COURSE,
        ),
        wheel=a_wheel(folder),
        audit=an_audit(),
        smoke=a_smoke(),
        perf=a_perf(),
        stages=(StageRecord(name="build", started=0.0, seconds=1.0, state="passed"),),
    )
