"""Which Bazel a workspace gets, and how it is called."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from tests.failing import fails
from tests.fakes import FakeEnvironment, a_host
from tfbuild.builds.workspace_plan import plan_workspace, workspace_at
from tfbuild.core.interfaces import Tools
from tfbuild.core.records import Program
from tfbuild.core.workspaces import Override, WorkspacePlan, WorkspaceRequest
from tfbuild.facts.tables import Tables


@pytest.fixture
def request_(tmp_path: Path) -> WorkspaceRequest:
    folder = tmp_path / "space"
    folder.mkdir()
    (folder / "WORKSPACE").touch()
    return WorkspaceRequest(workspace=folder, targets=("//...",))


def tools(env: FakeEnvironment, *bazels: str) -> Tools:
    programs = tuple(Program(name="bazel", path="/usr/bin/bazel", version=v) for v in bazels)
    return replace(env.tools, host=a_host(bazels=programs))


def planned(
    request: WorkspaceRequest, tables: Tables, env: FakeEnvironment, *bazels: str
) -> WorkspacePlan:
    return plan_workspace(request, tables, tools(env, *bazels))


def test_who_names_the_release_in_which_order(
    request_: WorkspaceRequest,
    tables: Tables,
    fake_env: FakeEnvironment,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def bazel(request: WorkspaceRequest = request_) -> tuple[str, str]:
        plan = planned(request, tables, fake_env, "4.2.3")
        return plan.bazel.preferred, plan.bazel.accepted

    assert bazel() == ("4.2.3", ">=0.17")
    (request_.workspace / ".bazelversion").write_text("# ours\n5.3.0  # pinned\n")
    assert bazel() == ("5.3.0", "==5.3.0")
    monkeypatch.setenv("USE_BAZEL_VERSION", "6.x")
    assert bazel() == ("6.5.0", "==6.*")
    asked = replace(request_, bazel=">=7,<8", bazel_origin="command line")
    assert bazel(asked) == ("7.7.1", "<8,>=7")
    monkeypatch.setenv("USE_BAZEL_VERSION", "latest")
    assert bazel() == ("4.2.3", ">=0.17")
    monkeypatch.setenv("USE_BAZEL_VERSION", "last_green")
    with fails("bazel-release-malformed", "last_green"):
        bazel()


def test_an_endless_release_is_not_shown_whole(
    request_: WorkspaceRequest, tables: Tables, fake_env: FakeEnvironment
) -> None:
    (request_.workspace / ".bazelversion").write_text("7" * 4000)
    with fails("bazel-release-malformed") as caught:
        planned(request_, tables, fake_env, "4.2.3")
    assert len(f"{caught.value.message}{caught.value.why}") < 1000


@pytest.mark.parametrize("kind", ["link", "pipe"])
def test_a_file_that_is_none_of_the_workspace_is_not_shown(
    request_: WorkspaceRequest, tables: Tables, fake_env: FakeEnvironment, tmp_path: Path, kind: str
) -> None:
    path = request_.workspace / ".bazelversion"
    key = tmp_path / "key"
    key.write_text("sesame\n")
    path.symlink_to(key) if kind == "link" else os.mkfifo(path)
    with fails("bazelversion-unreadable", str(path)) as caught:
        planned(request_, tables, fake_env, "4.2.3")
    assert "sesame" not in f"{caught.value.message}{caught.value.why}"


def test_what_is_here_comes_before_what_was_fetched_and_that_before_the_newest(
    request_: WorkspaceRequest, tables: Tables, fake_env: FakeEnvironment
) -> None:
    assert planned(request_, tables, fake_env).bazel.preferred == tables.axis("bazel")[0].version
    (fake_env.tools.folders.cache / "bazels" / "debian12-3.5.1").mkdir(parents=True)
    assert planned(request_, tables, fake_env).bazel.preferred == "3.5.1"
    assert planned(request_, tables, fake_env, "2.1.0").bazel.preferred == "2.1.0"


def test_modules_alone_need_a_bazel_that_knows_them(
    request_: WorkspaceRequest, tables: Tables, fake_env: FakeEnvironment
) -> None:
    (request_.workspace / "WORKSPACE").rename(request_.workspace / "MODULE.bazel")
    plan = planned(request_, tables, fake_env, "4.2.3")
    assert plan.bazel.accepted == ">=6"
    assert plan.bazel.preferred != "4.2.3"


def test_what_was_asked_for_has_the_last_word(
    request_: WorkspaceRequest, tables: Tables, fake_env: FakeEnvironment, tmp_path: Path
) -> None:
    request = replace(
        request_,
        targets=("//...", "-//bad/..."),
        configs=("gcc",),
        flags=("--jobs=1", "--copt=-O1"),
        overrides=(Override(name="x", path=tmp_path),),
        jobs=3,
    )
    plan = planned(request, tables, fake_env)
    (command,) = plan.commands
    assert command.argv[-7:] == (
        "--config=gcc", f"--override_repository=x={tmp_path}", "--jobs=1", "--copt=-O1", "--",
        "//...", "-//bad/...",
    )  # fmt: skip
    assert "--jobs=3" in command.argv
    assert not any(word.startswith("--bazelrc") for word in command.argv)


def test_the_id_is_of_what_is_decided(
    request_: WorkspaceRequest, tables: Tables, fake_env: FakeEnvironment, tmp_path: Path
) -> None:
    def name(**changes: object) -> str:
        return planned(replace(request_, **changes), tables, fake_env, "4.2.3").id  # type: ignore[arg-type]

    (tmp_path / "moved").mkdir()
    (tmp_path / "moved" / "WORKSPACE").touch()
    same = {name(), name(jobs=7), name(output=tmp_path), name(workspace=tmp_path / "moved")}
    other = {
        name(targets=("//a",)),
        name(flags=("--copt=-g",)),
        name(stand_ins=True),
        name(offline=True),
        name(bazel="4.2.3"),
        name(overrides=(Override(name="x", path=tmp_path),)),
    }
    assert len(same) == 1
    assert len(other) == 6
    assert not same & other
    moved = (Override(name="x", path=tmp_path / "moved"),)
    assert name(overrides=moved) in other


def test_what_is_no_workspace(tmp_path: Path) -> None:
    (tmp_path / "MODULE.bazel").touch()
    (tmp_path / "below").mkdir()
    assert workspace_at(str(tmp_path / "below" / "..")) == tmp_path
    with fails("not-bazel-workspace", str(tmp_path / "below")) as caught:
        workspace_at(str(tmp_path / "below"))
    assert str(tmp_path) in caught.value.hint
    with fails("workspace-folder-missing", str(tmp_path / "nowhere")):
        workspace_at(str(tmp_path / "nowhere"))
