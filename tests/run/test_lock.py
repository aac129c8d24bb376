"""Locks of recipes: written by a build, and held by the next, whatever of them was edited."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.failing import fails
from tests.sample_product import a_product_plan, a_product_report
from tests.sample_recipes import A_RECIPE, a_tree, written
from tests.sample_report import an_environment
from tests.shared_libraries import real_tools
from tfbuild.core.lock_file import LockFile, archive_lock_path, lock_text, read_lock_file
from tfbuild.core.process import find_program
from tfbuild.core.records import Artifact
from tfbuild.core.run_folder import make_work
from tfbuild.facts.tables import Tables
from tfbuild.places.folders import folders_of
from tfbuild.places.place import open_place
from tfbuild.recipes.reader import read_recipe
from tfbuild.recipes.recipe import Recipe
from tfbuild.recipes.records import NOT_HELD, Held, ProductReport, ProductRequest
from tfbuild.run.decide import decide_product
from tfbuild.run.execute import execute
from tfbuild.run.lock import (
    held_by,
    lock_of_product,
    require_artifacts,
    require_source,
    require_tools,
    with_lock,
)
from tfbuild.run.product_build import ProductBuild

TOOL = Artifact(
    distribution="ninja", version="1.11.1", filename="ninja-1.11.1-py3-none-any.whl",
    sha256="e" * 64, kind="tool",
)  # fmt: skip


def a_lock(folder: Path) -> LockFile:
    report = replace(a_product_report(folder), artifacts=(TOOL,))
    return lock_of_product(report)


@pytest.fixture
def recipe(tmp_path: Path) -> Recipe:
    return read_recipe(written(tmp_path, A_RECIPE))


def test_a_lock_says_what_was_used_and_is_read_back_whole(tmp_path: Path) -> None:
    lock = replace(a_lock(tmp_path), environment=an_environment("dpkg zlib1g 1.2.13 amd64"))
    path = archive_lock_path(tmp_path / lock.archive)
    path.write_text(lock_text(lock))
    assert path.name == "greet-1.10-linux-x86_64.tar.gz.lock.yaml"
    assert read_lock_file(path) == lock
    held = held_by(lock)
    assert (held.source_sha256, held.artifacts) == ("a" * 64, (TOOL,))
    assert held.tools == (("cc", "cc (Debian 12.2.0) 12.2.0"),)
    assert held.environment.packages[0].name == "zlib1g"


def test_the_version_of_a_lock_is_built(tmp_path: Path, recipe: Recipe) -> None:
    asked = ProductRequest(recipe="greet", lock=a_lock(tmp_path))
    assert with_lock(asked, recipe).version == "1.10"
    assert with_lock(replace(asked, lock=None), recipe).version == ""
    with fails("lock-differs", "version=1.9", "1.10"):
        with_lock(replace(asked, version="1.9"), recipe)


def test_platform_and_options_of_a_lock_are_built(tmp_path: Path, recipe: Recipe) -> None:
    lock = replace(a_lock(tmp_path), options=(("shared", "off"), ("tests", "on")))
    asked = ProductRequest(recipe="greet", lock=lock)
    for options in ((), (("tests", "on"),)):
        held = with_lock(replace(asked, options=options), recipe)
        assert (held.target, held.options) == ("linux-x86_64", lock.options)
    more = with_lock(replace(asked, options=(("insecure", "off"),)), recipe)
    assert more.options == (*lock.options, ("insecure", "off")), "a lock drops nothing"
    with fails("lock-differs", "tests=off", "on"):
        with_lock(replace(asked, options=(("tests", "off"),)), recipe)
    with fails("lock-differs", "platform=linux-aarch64", "linux-x86_64"):
        with_lock(replace(asked, target="linux-aarch64"), recipe)


def test_a_lock_of_before_options_holds_none(tmp_path: Path, recipe: Recipe) -> None:
    lock = replace(a_lock(tmp_path), options=(), target="")
    asked = ProductRequest(recipe="greet", lock=lock, options=(("shared", "on"),))
    assert with_lock(asked, recipe).options == asked.options


def test_a_lock_of_something_else_is_refused(tmp_path: Path, recipe: Recipe) -> None:
    lock = a_lock(tmp_path)
    assert lock.source
    other = replace(lock, source=replace(lock.source, recipe="shout"))
    with fails("lock-of-other-recipe", "shout", "greet"):
        with_lock(ProductRequest(recipe="greet", lock=other), recipe)
    with fails("lock-of-other-recipe", "greet"):
        with_lock(ProductRequest(recipe="greet", lock=LockFile()), recipe)
    inside = replace(lock, environment=an_environment("dpkg zlib1g 1.2.13 amd64"))
    asked = ProductRequest(recipe="greet", lock=inside, env="host")
    with fails("lock-needs-container", "debian 12", "--env docker"):
        with_lock(asked, recipe)
    with_lock(replace(asked, env="docker"), recipe)


def test_other_source_code_and_other_tools_are_named(tmp_path: Path) -> None:
    held = held_by(a_lock(tmp_path))
    source = a_product_plan(tmp_path).source
    require_source(held, source, "a" * 64)
    require_source(held, source, "")  # of a source package it is known when it is fetched
    with fails("lock-source-differs", "1.10", "a" * 64, "b" * 64):
        require_source(held, source, "b" * 64)
    require_tools(held, (("cc", "cc (Debian 12.2.0) 12.2.0"), ("make", "GNU Make 4.3")))
    with fails("lock-tools-differ", "cc: ", "cc (Debian 12.2.0) 12.2.0", "cc 13") as other:
        require_tools(held, (("cc", "cc 13"),))
    assert len(other.value.why.splitlines()) == 1
    with fails("lock-tools-differ", "cc: ", "cc (Debian 12.2.0) 12.2.0"):
        require_tools(held, ())


def test_other_files_of_the_package_index_are_named(tmp_path: Path) -> None:
    held = held_by(a_lock(tmp_path))
    require_artifacts(held, (TOOL,))
    require_artifacts(NOT_HELD, (replace(TOOL, sha256="f" * 64),))
    with fails("lock-artifacts-differ", TOOL.filename, "e" * 64, "f" * 64):
        require_artifacts(held, (replace(TOOL, sha256="f" * 64),))
    with fails("lock-artifacts-differ", "other.whl", "none"):
        require_artifacts(held, (TOOL, replace(TOOL, filename="other.whl")))


def test_versions_of_a_tree_are_in_its_lock(tmp_path: Path) -> None:
    lock = replace(a_lock(tmp_path), versions=(("python", "3.9"), ("cuda", "none")))
    path = tmp_path / "a.lock.yaml"
    path.write_text(lock_text(lock))
    assert read_lock_file(path) == lock
    assert "versions" not in lock_text(a_lock(tmp_path)), "other products have none"


@pytest.mark.slow
@pytest.mark.skipif(
    not (find_program("cmake") and find_program("ninja")), reason="there is no CMake with Ninja"
)
def test_a_build_holds_the_lock_of_an_earlier_one(
    tmp_path: Path, tables: Tables, recipe: Recipe, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    tools, tree = real_tools(tmp_path / "work"), a_tree(tmp_path / "tree")
    make_work(tools.folders.work)
    tools.folders.run.mkdir(parents=True, exist_ok=True)
    output = tmp_path / "dist"

    def build(lock: LockFile | None = None) -> ProductReport:
        request = ProductRequest(
            recipe="greet", source=str(tree), output=output, lock=lock, env="host", jobs=1
        )
        return execute(ProductBuild(request, tables, tools, recipe), tools)

    first = build()
    lock = read_lock_file(archive_lock_path(first.archive))
    assert (lock.archive_sha256, lock.plan) == (first.sha256, first.plan.id)
    assert {"cc", "cmake", "ninja"} <= set(dict(lock.tools))
    assert build(lock).sha256 == first.sha256
    edited = tuple((n, "ninja 0.1" if n == "ninja" else v) for n, v in lock.tools)
    with fails("lock-tools-differ", "ninja 0.1"):
        build(replace(lock, tools=edited))
    (tree / "greet.h").write_text("// another\n" + (tree / "greet.h").read_text())
    with fails("lock-source-differs"):
        build(lock)


@pytest.mark.docker
@pytest.mark.slow
def test_a_container_with_another_package_is_refused(
    tmp_path: Path, tables: Tables, recipe: Recipe
) -> None:
    tools, tree = real_tools(tmp_path / "work"), a_tree(tmp_path / "tree")
    request = ProductRequest(recipe="greet", source=str(tree), env="docker", jobs=1)
    plan = decide_product(request, recipe, tables, tools)
    folders = folders_of(tools.folders.work, plan.build_id)
    with open_place(plan, tools, folders) as place:
        found = place.environment
    assert found.system == "debian"
    with open_place(replace(plan, held=Held(environment=found)), tools, folders) as place:
        assert place.is_container
    edited = tuple(
        replace(package, version="0.1") if package.name == "cmake" else package
        for package in found.packages
    )
    held = Held(environment=replace(found, packages=edited))
    with (
        fails("environment-drifted", "cmake 0.1") as caught,
        open_place(replace(plan, held=held), tools, folders),
    ):
        pass
    assert "--image" not in caught.value.hint
