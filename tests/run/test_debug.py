"""The command of a recipe's build that failed is run again where it ran."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest

from tests.failing import fails
from tests.sample_product import a_product_plan
from tests.sample_recipes import A_RECIPE, a_tree, written
from tests.shared_libraries import real_tools
from tfbuild.bazel.failed_action import FailedAction, FailedActions, find_failed_actions
from tfbuild.builds.debug import action_line, choose_action, run_again
from tfbuild.core.any_tree import remove_tree
from tfbuild.core.interfaces import Tools
from tfbuild.core.process import find_program
from tfbuild.core.run_folder import make_work
from tfbuild.facts.tables import Tables
from tfbuild.recipes.reader import read_recipe
from tfbuild.recipes.records import ProductRequest
from tfbuild.run.debug import open_scene
from tfbuild.run.execute import execute
from tfbuild.run.product_build import ProductBuild
from tfbuild.run.report import plan_document

pytestmark = pytest.mark.skipif(
    not (find_program("cmake") and find_program("ninja")), reason="there is no CMake with Ninja"
)


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tools:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    found = real_tools(tmp_path / "work")
    make_work(found.folders.work)
    run = found.folders.work / "runs" / "one"
    run.mkdir(parents=True)
    return replace(found, folders=replace(found.folders, run=run))


def failed(
    tools: Tools,
    tables: Tables,
    tree: Path,
    code: str,
    env: Literal["host", "docker"] = "host",
) -> FailedActions:
    """What is kept of a build of the tree that ends with the error of that code."""
    recipe = read_recipe(written(tree.parent, A_RECIPE))
    request = ProductRequest(
        recipe="greet", source=str(tree), output=tree.parent / "dist", env=env, jobs=1
    )
    with fails(code, "tfbuild debug"):
        execute(ProductBuild(request, tables, tools, recipe), tools)
    return find_failed_actions(tools.folders.work)


def heard_again(kept: FailedActions, tools: Tools) -> tuple[int, str]:
    heard: list[str] = []
    action = choose_action(kept, "")
    with open_scene(kept, action, tools) as scene:
        code = run_again(action, scene, heard.append)
    return code, "\n".join(heard)


def test_a_compile_error_comes_again_and_goes_when_its_source_is_right(
    tools: Tools, tables: Tables, tmp_path: Path
) -> None:
    tree = a_tree(tmp_path / "tree")
    (tree / "greet.c").write_text("int x = ;\n")
    kept = failed(tools, tables, tree, "build-command-failed")
    code, said = heard_again(kept, tools)
    assert code != 0
    assert "greet.c:1" in said
    (action,) = kept.actions
    assert action.argv[:2] == ("cmake", "--build")
    assert "-fstack-protector-strong" in dict(action.env)["CFLAGS"]
    assert "cmake --build" in action_line(action)
    (Path(kept.source) / "greet.c").write_text((a_tree(tmp_path / "fine") / "greet.c").read_text())
    assert heard_again(kept, tools)[0] == 0


def test_a_configuration_that_failed_is_run_again(
    tools: Tools, tables: Tables, tmp_path: Path
) -> None:
    tree = a_tree(tmp_path / "tree")
    with (tree / "CMakeLists.txt").open("a") as stream:
        stream.write("message(FATAL_ERROR not-today)\n")
    kept = failed(tools, tables, tree, "configure-command-failed")
    assert kept.actions[0].mnemonic == "configure"
    code, said = heard_again(kept, tools)
    assert (code, "not-today" in said) == (1, True)
    remove_tree(tools.folders.work / "native")
    with fails("action-folder-gone"):
        heard_again(kept, tools)


def test_a_container_is_opened_by_the_plan_of_the_run(tools: Tools, tmp_path: Path) -> None:
    action = FailedAction(
        label="greet", mnemonic="build", argv=("true",), env=(), folder=str(tmp_path), sandbox="",
        output="", exit_code=1,
    )  # fmt: skip
    kept = FailedActions(
        run="one", source="/src", environment="docker", bazel_version="", recipe="greet",
        actions=(action,),
    )  # fmt: skip
    plan = tools.folders.run / "plan.json"
    plan.write_text(json.dumps({"schema": "x", "id": 3}))
    with fails("kept-plan-unreadable", "one"):
        heard_again(kept, tools)
    plan.write_text(json.dumps(plan_document(a_product_plan(tmp_path / "dist"))))
    with fails("debug-place-differs"):
        heard_again(kept, tools)


@pytest.mark.docker
@pytest.mark.slow
def test_what_failed_in_a_container_is_run_in_one(
    tools: Tools, tables: Tables, tmp_path: Path
) -> None:
    tree = a_tree(tmp_path / "tree")
    (tree / "greet.c").write_text("int x = ;\n")
    kept = failed(tools, tables, tree, "build-command-failed", "docker")
    assert kept.environment == "docker"
    code, said = heard_again(kept, tools)
    assert (code != 0, "greet.c:1" in said) == (True, True)
