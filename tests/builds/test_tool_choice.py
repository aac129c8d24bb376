"""Which of the found tools a plan means."""

from pathlib import Path

import pytest

from tests.fakes import RUNNING, a_host, a_request
from tests.planning import planned
from tfbuild.builds.tool_choice import find_compiler, find_python, is_release
from tfbuild.core.records import Interpreter, Pin, Program
from tfbuild.facts.tables import Tables


def gxx(version: str, name: str = "g++") -> Program:
    return Program(name=name, path=f"/usr/bin/{name}", version=version)


def test_the_planned_compiler_comes_before_another(tables: Tables, tmp_path: Path) -> None:
    plan = planned(a_request(tmp_path), tables, a_host(compilers=()))
    preferred = gxx(f"{plan.compiler.preferred}.0", "g++-x")
    assert find_compiler(plan, [gxx("14.2.0"), preferred]) == preferred
    assert find_compiler(plan, [gxx("8.3.0"), gxx("14.2.0")]) == gxx("14.2.0")
    assert find_compiler(plan, [gxx("16.0.0", "clang++")]) is None


def test_a_pinned_compiler_is_that_or_none(tables: Tables, tmp_path: Path) -> None:
    request = a_request(tmp_path, pins=(Pin(axis="gcc", spec="12.2"),))
    plan = planned(request, tables, a_host(compilers=()))
    assert find_compiler(plan, [gxx("14.2.0")]) is None


def test_a_python_needs_its_headers(tables: Tables, tmp_path: Path) -> None:
    plan = planned(a_request(tmp_path), tables)
    bare = Interpreter(path="/a", version=f"{RUNNING}.1", tag="cp")
    whole = Interpreter(path="/b", version=f"{RUNNING}.9", tag="cp", headers="/include")
    assert find_python(plan, [bare, whole]) == whole
    assert find_python(plan, [bare]) is None


@pytest.mark.parametrize(
    ("version", "wanted", "fits"),
    [("3.11.2", "3.11", True), ("3.1.2", "3.11", False), ("12", "12", True), ("12", "12.2", False)],
)
def test_patch_releases_are_of_the_release(version: str, wanted: str, fits: bool) -> None:
    assert is_release(version, wanted) is fits
