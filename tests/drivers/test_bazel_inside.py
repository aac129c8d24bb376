"""A Bazel in the container of a recipe: which one it is, and what it may go on with."""

from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from tests.failing import fails
from tests.local_container import Box
from tests.shared_libraries import real_tools
from tfbuild.builds.workspace_plan import plan_workspace
from tfbuild.containers.engine import Container
from tfbuild.containers.image_contents import ImageContents
from tfbuild.containers.runner import ContainerRunner
from tfbuild.core.environments import EnvironmentLock
from tfbuild.core.errors import EnvironmentFailed
from tfbuild.core.interfaces import Tools
from tfbuild.core.plans import BazelPlan
from tfbuild.core.records import Program
from tfbuild.core.run_folder import make_work
from tfbuild.core.workspaces import WorkspacePlan, WorkspaceRequest
from tfbuild.drivers import bazel_inside
from tfbuild.drivers.bazel_inside import begin_inside, end_inside, open_inside
from tfbuild.drivers.site import Site
from tfbuild.facts.tables import Tables
from tfbuild.fetch.bazel import FoundBazel
from tfbuild.places.folders import folders_of, make_folders
from tfbuild.places.place import Place
from tfbuild.recipes.records import BazelBuild

STEP = BazelBuild(folder="", arguments=(), targets=("//:greet",), environment=(), expect=())


def program(path: Path, script: str) -> str:
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return str(path)


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Site:
    """A container that is this machine, with a Bazel that writes down what it is called with."""
    inside = tmp_path / "inside"
    inside.mkdir()
    monkeypatch.setattr(bazel_inside, "CACHE_INSIDE", str(inside))
    tools = real_tools(tmp_path)
    make_work(tools.folders.work)
    folders = folders_of(tools.folders.work, "greet")
    make_folders(folders, tools.folders.work)
    (folders.source / "WORKSPACE").touch()
    path = program(tmp_path / "bazel", f'echo "$@" >> {tmp_path}/called')
    bazel = Program(name="bazel", path=path, version="4.2.3")
    host = replace(tools.host, bazels=(bazel,), compilers=(), pythons=())
    place = Place(
        runner=ContainerRunner(container=cast("Container", Box())),
        words={},
        is_container=True,
        inside=ImageContents(host=host),
        environment=EnvironmentLock(id="sha256:7"),
    )
    return Site(
        place=place, folders=folders, prefix="/opt/greet", jobs=1, tools=tools, source_sha256="a"
    )


def a_plan(site: Site, tables: Tables, bazel: str = "") -> WorkspacePlan:
    assert site.place.inside
    tools = replace(site.tools, host=site.place.inside.host)
    request = WorkspaceRequest(
        workspace=site.folders.source, targets=("//:greet",), bazel=bazel, stand_ins=True
    )
    return plan_workspace(request, tables, tools)


def test_it_is_that_of_the_image_and_keeps_all_inside(
    site: Site, tables: Tables, tmp_path: Path
) -> None:
    plan = a_plan(site, tables)
    with open_inside(plan, site) as env:
        chain = env.toolchain
        end_inside(plan, env)
    assert (chain.bazel_version, chain.bazel_origin, chain.image) == ("4.2.3", "image", "sha256:7")
    assert chain.cache == tmp_path / "inside"
    assert chain.work == site.folders.exchange
    assert any(flag.startswith("--override_repository=rules_cc=") for flag in chain.bazel_flags)
    called = (tmp_path / "called").read_text()
    assert called.endswith("shutdown\n")
    assert f"--output_user_root={tmp_path}/inside/bazel" in called


@pytest.mark.parametrize("code", [0, 1])
def test_another_release_comes_from_the_cache_where_it_runs_inside(
    site: Site, tables: Tables, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    asked: list[Tools] = []
    path = program(tmp_path / "other", f"echo here; exit {code}")

    def provided(_plan: BazelPlan, tools: Tools) -> FoundBazel:
        asked.append(tools)
        return FoundBazel(path=path, version="6.1.0", origin="download")

    monkeypatch.setattr(bazel_inside, "provide_bazel", provided)
    plan = a_plan(site, tables, "6.1.0")
    if code:
        with fails("bazel-not-run-inside", "6.1.0"), open_inside(plan, site):
            pass
    else:
        with open_inside(plan, site) as env:
            assert (env.toolchain.bazel, env.toolchain.bazel_origin) == (path, "download")
    assert [tools.host.bazels for tools in asked] == [()]  # what is on PATH here is not there


def test_one_that_cannot_be_had_is_not_asked_for_on_path(
    site: Site, tables: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    def provided(*_: object) -> FoundBazel:
        raise EnvironmentFailed("none", code="bazel-not-obtainable", hint="put one on PATH")

    monkeypatch.setattr(bazel_inside, "provide_bazel", provided)
    plan = a_plan(site, tables, "6.1.0")
    with fails("bazel-not-obtainable", "os=") as caught, open_inside(plan, site):
        pass
    assert "PATH" not in caught.value.hint


def test_what_is_kept_is_of_one_state_of_the_source_code(
    site: Site, tables: Tables, tmp_path: Path
) -> None:
    kept = tmp_path / "inside" / "outputs"
    with open_inside(a_plan(site, tables), site) as env:
        for source, stays in (("a", False), ("a", True), ("b", False)):
            kept.touch()
            (site.folders.build / "old").touch()
            begin_inside(STEP, replace(site, source_sha256=source), env)
            assert kept.exists() == (site.folders.build / "old").exists() == stays, source
