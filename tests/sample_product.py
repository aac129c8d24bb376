"""A plan and a report of a build by a recipe, whole and as one reads them."""

from dataclasses import replace
from pathlib import Path

from tests.fakes import a_host
from tfbuild import __version__
from tfbuild.core.plans import AuditPolicy
from tfbuild.core.records import Command
from tfbuild.core.reports import (
    AuditFinding,
    AuditReport,
    FailureRecord,
    SmokeCheck,
    SmokeReport,
    StageRecord,
)
from tfbuild.recipes.recipe import Probe, Product
from tfbuild.recipes.records import (
    CMakeBuild,
    Input,
    Need,
    NeededPackage,
    ProductFile,
    ProductPlan,
    ProductReport,
)


def a_product_plan(output: Path) -> ProductPlan:
    """The plan of a small library on this machine."""
    return ProductPlan(
        id="0123456789abcdef",
        recipe="greet",
        recipe_sha256="b" * 64,
        summary="Says hello",
        license="MIT",
        version="1.10",
        target="linux-x86_64",
        options=(("loud", "on"),),
        source=Input(
            kind="archive", place="https://example.org/greet-1.10.tar.gz", version="1.10",
            sha256="a" * 64,
        ),
        env="host",
        needs=(Need(name="cmake", program="cmake", package="cmake"),),
        steps=(
            CMakeBuild(
                folder="", arguments=("-DGREET_LOUD=ON",), targets=(), environment=(),
                expect=(("GREET_LOUD", "on"),),
            ),
        ),
        product=Product(libraries=("lib/libgreet.so.1",), headers=("include/greet.h",)),
        audit=AuditPolicy(),
        exports=("greeting",),
        probes=(Probe(name="says", run=("bin/greet",), prints="HELLO"),),
        archive="greet-1.10-linux-x86_64.tar.gz",
        output=output,
        jobs=2,
        jobs_because="2 jobs: as many as processors",
        commands=(
            Command(argv=("cmake", "--build", "{build}"), stage="build", purpose="compile"),
        ),
    )  # fmt: skip


def a_product_report(output: Path) -> ProductReport:
    """The report of a build that passed."""
    plan = a_product_plan(output)
    return ProductReport(
        run_id="20261129-120000-abcd",
        started_at="2026-11-29T12:00:00+00:00",
        tfbuild_version=__version__,
        host=a_host(),
        plan=plan,
        source_sha256="a" * 64,
        tools=(("cc", "cc (Debian 12.2.0) 12.2.0"),),
        read_back=(("GREET_LOUD", "on"),),
        stages=(
            StageRecord(name="build", started=0.0, seconds=3.0, state="passed"),
            StageRecord(name="audit", started=3.0, seconds=0.1, state="passed", detail="1 passed"),
        ),
        archive=output / plan.archive,
        sha256="c" * 64,
        size=12_345,
        files=(
            ProductFile(name="lib/libgreet.so.1", size=0, target="libgreet.so.1.10.0"),
            ProductFile(name="lib/libgreet.so.1.10.0", size=12_000, sha256="d" * 64),
        ),
        needs=(NeededPackage(library="libz.so.1", package="zlib1g", version="1.2.13"),),
        audit=AuditReport(
            wheel=plan.archive,
            sha256="c" * 64,
            findings=(AuditFinding(name="hardening", asked="x", built="y", state="passed"),),
        ),
        smoke=SmokeReport(
            wheel=plan.archive, sha256="c" * 64, checks=(SmokeCheck(name="says", state="passed"),)
        ),
    )


def a_failed_product_report(output: Path) -> ProductReport:
    """The report of a build whose compiler refused."""
    failure = FailureRecord(
        message="greet could not be built", why="greet.c:1: error: no such type", hint="see it",
        exit_code=6,
    )  # fmt: skip
    begun = ProductReport(
        run_id="20261129-120000-abcd",
        started_at="2026-11-29T12:00:00+00:00",
        tfbuild_version=__version__,
        host=a_host(),
        plan=a_product_plan(output),
    )
    stage = StageRecord(name="build", started=0.0, seconds=3.0, state="failed")
    return replace(begun, stages=(stage,), failures=(failure,))
