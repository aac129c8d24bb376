"""Recipes of Bazel workspaces."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.shared_libraries import real_tools
from tfbuild.core.environments import Services
from tfbuild.core.errors import EnvironmentFailed
from tfbuild.core.interfaces import Tools
from tfbuild.core.run_folder import make_work
from tfbuild.core.workspaces import WorkspacePlan
from tfbuild.drivers.bazel import BazelDriver
from tfbuild.drivers.driver import Site, driver_of, tools_of
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


def test_a_lock_names_the_release_of_bazel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    @contextmanager
    def opened(_plan: WorkspacePlan, _tools: Tools) -> Iterator[SimpleNamespace]:
        yield SimpleNamespace(toolchain=SimpleNamespace(bazel_version="7.7.1"))

    monkeypatch.setattr("tfbuild.drivers.bazel.open_workspace", opened)
    here = site(tmp_path)
    (here.folders.source / "WORKSPACE").touch()
    assert ("bazel", "7.7.1") in tools_of(STEP, here)


def test_caches_and_farms_of_the_plan_are_those_of_bazel(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Services] = []

    @contextmanager
    def opened(plan: WorkspacePlan, _: Tools) -> Iterator[None]:
        seen.append(plan.services)
        raise EnvironmentFailed("no Bazel is called here")
        yield

    monkeypatch.setattr("tfbuild.drivers.bazel.open_workspace", opened)
    here = site(tmp_path)
    (here.folders.source / "WORKSPACE").touch()
    wanted = Services(disk_limit_mb=500, cache="http://127.0.0.1:9/a", is_required=True)
    with pytest.raises(EnvironmentFailed, match="no Bazel is called"):
        BazelDriver().build(STEP, replace(here, services=wanted))
    (found,) = seen
    assert (found.disk_limit_mb, found.cache, found.is_required) == (500, wanted.cache, True)
