"""A workspace's record with something in each of its parts."""

from pathlib import Path

from tests.fakes import a_host
from tfbuild import __version__
from tfbuild.core.build_course import BuildCourse, KindUse
from tfbuild.core.plans import BazelPlan
from tfbuild.core.rebuilds import Change, CostOfRebuild, Rebuild
from tfbuild.core.records import Command
from tfbuild.core.reports import FailureRecord, StageRecord
from tfbuild.core.workspaces import (
    BuiltFile,
    Override,
    WantedArchive,
    WorkspacePlan,
    WorkspaceReport,
)


def a_workspace_plan() -> WorkspacePlan:
    bazel = BazelPlan(
        preferred="4.2.3", accepted=">=4", startup_flags=(), flags=("--copt=-O1",),
        targets=("//...",), outputs=(),
    )  # fmt: skip
    return WorkspacePlan(
        id="0123456789abcdef",
        workspace=Path("/src/space"),
        bazel=bazel,
        bazel_because="nothing names a release",
        configs=("gcc",),
        asked_flags=("--copt=-O1",),
        overrides=(Override(name="gtest", path=Path("/src/gtest")),),
        stand_ins=True,
        offline=True,
        commands=(Command(argv=("{bazel}", "build", "//..."), stage="build", purpose="build"),),
        jobs=2,
        jobs_because="2 jobs: asked for",
    )


def a_workspace_report() -> WorkspaceReport:
    return WorkspaceReport(
        run_id="one",
        started_at="2026-01-02T03:04:05+00:00",
        tfbuild_version=__version__,
        host=a_host(),
        plan=a_workspace_plan(),
        tools=(("Bazel", "4.2.3 (PATH)"),),
        stages=(StageRecord(name="build", started=0.0, seconds=9.0, state="passed", detail="ok"),),
        targets=7,
        actions=3,
        cache_hits=2,
        course=BuildCourse(
            jobs=2,
            kinds=(KindUse(kind="CppCompile", actions=3, seconds=8.5, longest=4.0, memory_mb=300),),
        ),
        rebuild=Rebuild(
            since="zero",
            changes=(Change(kind="source", name="a/b.h", how="changed"),),
            actions=3,
            reasons=(CostOfRebuild(name="One of the files has changed", actions=3, seconds=2.5),),
            targets=(CostOfRebuild(name="//a:b", actions=3, seconds=2.5),),
        ),
        files=tuple(
            BuiltFile(
                target="//a:b", path=f"/out/bin/a/{n}.so", name=f"a/{n}.so", size=10**6, sha256="ab"
            )
            for n in range(7)
        ),
        wanted=(WantedArchive(name="zlib", urls=("https://z/z.tgz",), sha256="cd"),),
        failures=(FailureRecord(message="no zlib", why="because", hint="get it", exit_code=10),),
    )
