"""A failed action is run again with its own words, variables and folder, and no others."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.builds.stages.test_configure_tree import plan_of
from tests.failing import fails
from tests.fakes import FakeEnvironment
from tests.sample_product import a_product_plan
from tfbuild.bazel.failed_action import FailedAction, FailedActions
from tfbuild.builds.debug import (
    action_line,
    choose_action,
    differences,
    open_scene,
    run_again,
)
from tfbuild.core.environments import EnvironmentPlan
from tfbuild.core.interfaces import Tools
from tfbuild.core.process import ProcessRunner, run
from tfbuild.core.records import Command
from tfbuild.core.serialization import to_plain
from tfbuild.facts.tables import Tables
from tfbuild.recipes.records import TreeBuild
from tfbuild.run.report import plan_document


def an_action(folder: Path, *argv: str, label: str = "//:bad") -> FailedAction:
    return FailedAction(
        label=label, mnemonic="Genrule", argv=argv, env=(("A", "a b'c"), ("PATH", "/bin:/usr/bin")),
        folder=str(folder), sandbox="/out/sandbox/8/execroot/tiny", output="", exit_code=3,
    )  # fmt: skip


def kept(*actions: FailedAction) -> FailedActions:
    return FailedActions(
        run="one", source="/src", environment="host", bazel_version="4.2.3", actions=actions
    )


@pytest.fixture
def tools(fake_env: FakeEnvironment) -> Tools:
    return replace(fake_env.tools, runner=ProcessRunner())


def test_it_has_its_own_variables_and_no_others(
    tools: Tools, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MINE", "1")
    action = an_action(tmp_path, "sh", "-c", 'echo "$A,$MINE" in "$(pwd)"; exit 3')
    heard: list[str] = []
    with open_scene(kept(action), action, tools) as scene:
        assert run_again(action, scene, heard.append) == 3
    assert heard == [f"a b'c, in {tmp_path}"]


def test_ended_by_a_signal(tools: Tools, tmp_path: Path) -> None:
    action = an_action(tmp_path, "sh", "-c", "kill -SEGV $$")
    with open_scene(kept(action), action, tools) as scene:
        assert run_again(action, scene, lambda _: None) == -11


def test_the_line_is_one_that_a_shell_takes(tmp_path: Path) -> None:
    folder = tmp_path / "a folder's"
    folder.mkdir()
    action = an_action(folder, "sh", "-c", 'echo "$A"')
    done = run(Command(argv=("sh", "-c", action_line(action))))
    assert done.stdout == "a b'c\n"


def test_one_of_several_is_chosen_by_its_target(tmp_path: Path) -> None:
    one, two = an_action(tmp_path, "x"), an_action(tmp_path, "y", label="//:worse")
    assert choose_action(kept(one, two), "") == one
    assert choose_action(kept(one, two), "//:worse") == two
    with fails("failed-action-unknown", "//:worse"):
        choose_action(kept(one, two), "//:worst")


def test_what_differs_from_the_build_is_named(tmp_path: Path) -> None:
    action = an_action(tmp_path, "x")
    of_bazel = kept(action)
    assert "not in a sandbox" in differences(of_bazel, action)[0]
    assert "sandbox" not in differences(of_bazel, replace(action, sandbox=""))[0]
    by_bazel = replace(of_bazel, recipe="greet")
    assert "not in a sandbox" in differences(by_bazel, action)[0]
    by_make = replace(by_bazel, bazel_version="")
    assert "the next build goes on" in differences(by_make, action)[0]


def test_a_folder_that_is_gone(tools: Tools, tmp_path: Path) -> None:
    action = an_action(tmp_path / "gone", "x")
    with (
        fails("action-folder-gone", str(tmp_path / "gone")),
        open_scene(kept(action), action, tools),
    ):
        pass


def test_a_container_needs_the_plan_of_the_run(tools: Tools, tmp_path: Path) -> None:
    action = an_action(tmp_path, "x")
    (tools.folders.run / "plan.json").write_text(json.dumps({"schema": "tfbuild.plan/2"}))
    with (
        fails("kept-plan-unreadable", "plan.json"),
        open_scene(replace(kept(action), environment="docker"), action, tools),
    ):
        pass


@pytest.mark.parametrize("product", ["wheel", "archive"])
def test_what_ran_in_a_tree_is_opened_only_where_a_build_would_have_an_image(
    tables: Tables, tools: Tools, tmp_path: Path, product: str
) -> None:
    plan = plan_of(tables, tmp_path, "2.6.5")
    tree = replace(plan.tree, unpackaged=("opt_einsum",))
    place = EnvironmentPlan(kind="docker", base="debian:bookworm")
    plan = replace(plan, environment=place, tree=tree)
    if product == "wheel":
        document = {"schema": "tfbuild.plan/2", **to_plain(plan)}
    else:
        whole = replace(a_product_plan(tmp_path), steps=(TreeBuild(plan=plan),))
        document = plan_document(whole)
    (tools.folders.run / "plan.json").write_text(json.dumps(document))
    action = an_action(tmp_path, "true")
    with (
        fails("image-not-makeable", "opt_einsum"),
        open_scene(replace(kept(action), environment="docker"), action, tools),
    ):
        pytest.fail("it was opened")
