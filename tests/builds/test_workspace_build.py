"""A workspace's build from its request to its record, with a Bazel that plays its part."""

import json
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.bazel.bazel_events import FAILURES, event_lines
from tests.failing import fails
from tests.fakes import FakeEnvironment, a_host
from tests.schema_maker import check
from tfbuild.builds.workspace_build import WorkspaceBuild, plan_document
from tfbuild.builds.workspace_plan import plan_workspace
from tfbuild.core.deadline import TimeIsUp
from tfbuild.core.errors import DeadlineReached
from tfbuild.core.interfaces import Tools, Watch
from tfbuild.core.records import Command, Completed, Program
from tfbuild.core.workspaces import WorkspaceReport, WorkspaceRequest
from tfbuild.facts.tables import Tables
from tfbuild.run.execute import execute

SUMMARY = "INFO: 5 processes: 1 internal, 1 disk cache hit, 3 linux-sandbox."
NO_PACKAGE = (
    "ERROR: no such package '@rules_cc//cc': java.io.IOException: Failed to download repo rules_cc:"
    " download is disabled."
)
Play = Callable[[Command], Completed]


class Stage:
    """A workspace with one library, and what its Bazel does when it is called."""

    def __init__(self, env: FakeEnvironment, tables: Tables, folder: Path) -> None:
        self.folder, self.tables = folder / "space", tables
        self.folder.mkdir()
        (self.folder / "WORKSPACE").write_text('http_archive(name="gtest", urls=["https://g/z"])')
        bazel = Program(name="bazel", path="/usr/bin/bazel", version="4.2.3")
        self.tools: Tools = replace(env.tools, host=a_host(bazels=(bazel,)))
        self.work, self.env = env.toolchain.work, env
        self.library = folder / "bazel-out/k8-fastbuild/bin/a/liba.a"
        self.library.parent.mkdir(parents=True)
        self.library.write_bytes(b"!<arch>\n")
        self.calls: list[tuple[str, ...]] = []
        env.runner.answers |= {
            "stat": lambda *_: Completed(code=0, stdout=f"8 regular file {self.library}\n"),
            "sha256sum": lambda *_: Completed(code=0, stdout=f"{'ab' * 32}  {self.library}\n"),
        }

    def request(self, **changes: Any) -> WorkspaceRequest:
        request = WorkspaceRequest(workspace=self.folder, targets=("//...",))
        return replace(request, **changes)

    def build(self, play: Play, **changes: Any) -> WorkspaceReport:
        def answer(command: Command, watch: Watch | None) -> Completed:
            self.calls.append(command.argv)
            completed = play(command)
            for line in completed.last_lines:
                if watch:
                    watch(line)
            return completed

        self.env.runner.answers["bazel"] = answer
        build = WorkspaceBuild(self.request(**changes), self.tables, self.tools)
        return execute(build, self.tools)

    def record(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.tools.folders.run / "report.json").read_text())
        check("workspace", found)
        return found

    def builds(self, _: Command) -> Completed:
        files = [{"name": "a/liba.a", "uri": self.library.as_uri()}]
        groups = [{"name": "default", "fileSets": [{"id": "0"}]}]
        events = event_lines(
            {"id": {"namedSet": {"id": "0"}}, "namedSetOfFiles": {"files": files}},
            {
                "id": {"targetCompleted": {"label": "//a:a"}},
                "completed": {"success": True, "outputGroup": groups},
            },
        )
        (self.work / "events.json").write_text(events)
        return Completed(code=0, stdout=SUMMARY, last_lines=(SUMMARY,))

    def breaks(self, _: Command) -> Completed:
        (self.work / "events.json").write_text(event_lines(*FAILURES["4.2.3"]))
        return Completed(code=1, last_lines=("ERROR: //:bad failed",))

    def lacks(self, _: Command) -> Completed:
        return Completed(code=1, last_lines=(NO_PACKAGE,))


@pytest.fixture
def stage(fake_env: FakeEnvironment, tables: Tables, tmp_path: Path) -> Stage:
    return Stage(fake_env, tables, tmp_path)


def test_targets_are_built_listed_and_recorded(stage: Stage) -> None:
    report = stage.build(stage.builds)
    assert (report.targets, report.actions, report.cache_hits) == (1, 3, 1)
    (file,) = report.files
    assert (file.name, file.target, file.size) == ("a/liba.a", "//a:a", 8)
    record = stage.record()
    assert record["run_id"] == "one"
    assert record["failures"] == []
    page = (stage.tools.folders.run / "report.html").read_text()
    assert "a/liba.a" in page
    check("workspace.plan", json.loads((stage.tools.folders.run / "plan.json").read_text()))


def test_the_tree_is_not_touched_and_no_file_is_copied(stage: Stage, tmp_path: Path) -> None:
    stage.build(stage.builds, output=tmp_path / "out")
    assert [path.name for path in stage.folder.iterdir()] == ["WORKSPACE"]
    assert not (tmp_path / "out").exists()


def test_files_are_collected_where_that_is_asked_for(stage: Stage, tmp_path: Path) -> None:
    stage.build(stage.builds, collect=True, output=tmp_path / "out")
    found = [path for path in (tmp_path / "out").rglob("*") if path.is_file()]
    assert found == [tmp_path / "out" / "a" / "liba.a"]
    stages = [row["name"] for row in stage.record()["stages"]]
    assert stages == ["decide", *stage.env.reporter.coming]


def test_no_file_is_collected_through_a_link(stage: Stage, tmp_path: Path) -> None:
    (tmp_path / "keys").mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "a").symlink_to(tmp_path / "keys")
    with fails("output-not-written", str(tmp_path / "out" / "a")):
        stage.build(stage.builds, collect=True, output=tmp_path / "out")
    assert list((tmp_path / "keys").iterdir()) == []


@pytest.mark.parametrize("in_the_way", ["a", "a/liba.a/x"])
def test_nothing_is_collected_where_something_is_in_the_way(
    in_the_way: str, stage: Stage, tmp_path: Path
) -> None:
    other = tmp_path / "out" / in_the_way
    other.parent.mkdir(parents=True)
    other.write_text("the user's")
    before = sorted((tmp_path / "out").rglob("*"))
    with fails("output-not-written", "in the way"):
        stage.build(stage.builds, collect=True, output=tmp_path / "out")
    assert sorted((tmp_path / "out").rglob("*")) == before


def test_a_failure_is_recorded_and_can_be_debugged(stage: Stage) -> None:
    with fails("action-failed", "//:bad", "tfbuild debug", "report.html"):
        stage.build(stage.breaks)
    (failure,) = stage.record()["failures"]
    assert failure["exit_code"] == 6
    assert (stage.tools.folders.run / "failed_actions.json").is_file()
    assert "Why it failed" in (stage.tools.folders.run / "report.html").read_text()


def test_a_deadline_that_ends_it_is_recorded(stage: Stage) -> None:
    def play(command: Command) -> Completed:
        if "build" in command.argv:
            raise TimeIsUp
        return stage.builds(command)

    later = time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime(time.time() + 3600))
    with fails("deadline-reached", "build", "report.html"):
        stage.build(play, deadline=later)
    (failure,) = stage.record()["failures"]
    assert failure["exit_code"] == DeadlineReached.exit_code


def test_all_that_could_not_be_fetched_is_reported_at_once(stage: Stage) -> None:
    with fails("workspace-archives-missing", "rules_cc", "https://g/z", "--stand-ins"):
        stage.build(stage.lacks, offline=True)
    assert [(w["name"], w["is_asked_for"]) for w in stage.record()["wanted"]] == [
        ("rules_cc", True), ("gtest", False),
    ]  # fmt: skip
    built, asked = stage.calls
    assert "--experimental_repository_disable_download" in built
    assert {"--nobuild", "--keep_going"} <= set(asked)
    assert not any("build_event" in word or "explain" in word for word in asked)


def test_what_stands_in_is_put_in_place(stage: Stage) -> None:
    stage.build(stage.builds, stand_ins=True)
    (argv,) = stage.calls
    assert any(word.startswith("--override_repository=rules_cc=/") for word in argv)
    assert argv[-1] == "//..."


def test_a_bazel_that_cannot_be_kept_from_downloading_is_refused(stage: Stage) -> None:
    old = Program(name="bazel", path="/usr/bin/bazel", version="2.1.0")
    stage.tools = replace(stage.tools, host=a_host(bazels=(old,)))
    with fails("bazel-not-offline", "2.1.0"):
        stage.build(stage.builds, offline=True)


def test_the_plan_that_is_shown_is_the_one_that_runs(stage: Stage) -> None:
    plan = plan_workspace(stage.request(), stage.tables, stage.tools)
    assert stage.build(stage.builds).plan == plan
    check("workspace.plan", plan_document(plan))
