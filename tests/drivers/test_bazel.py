"""Recipes of Bazel workspaces."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.shared_libraries import real_tools
from tfbuild.core.errors import EnvironmentFailed
from tfbuild.core.run_folder import make_work
from tfbuild.drivers.bazel import BazelDriver
from tfbuild.drivers.driver import Site, driver_of
from tfbuild.places.folders import folders_of, make_folders
from tfbuild.places.place import Place
from tfbuild.recipes.records import BazelBuild

STEP = BazelBuild(
    folder="", arguments=("--copt=-DX",), targets=("//:greet",), environment=(), expect=()
)


def site(folder: Path) -> Site:
    tools = real_tools(folder)
    make_work(tools.folders.work)
    tools.folders.run.mkdir(parents=True, exist_ok=True)
    folders = folders_of(tools.folders.work, "greet")
    make_folders(folders, tools.folders.work)
    place = Place(runner=tools.runner, words={})
    return Site(place=place, folders=folders, prefix="/opt/greet", jobs=1, tools=tools)


def test_its_step_finds_it() -> None:
    assert isinstance(driver_of(STEP), BazelDriver)


def test_a_plan_shows_the_call_with_the_recipes_arguments_last() -> None:
    (command,) = BazelDriver().commands(replace(STEP, folder="a"), prefix="/opt/x", jobs=3)
    assert command.argv[:3] == ("bazel", "build", "--jobs=3")
    assert command.argv[-2:] == ("--copt=-DX", "//:greet")
    assert command.cwd == "{source}/a"


def test_a_container_has_no_bazel(tmp_path: Path) -> None:
    here = site(tmp_path)
    inside = replace(here, place=replace(here.place, is_container=True))
    with pytest.raises(EnvironmentFailed, match="not in a container"):
        BazelDriver().build(STEP, inside)
