"""Which of the found tools a plan means."""

from pathlib import Path

import pytest

from tests.fakes import RUNNING, a_host, a_request
from tfbuild.builds.stages.plan import make_plan
from tfbuild.builds.stages.resolve import resolve
from tfbuild.builds.tool_choice import find_compiler, find_python, is_pinned, is_release
from tfbuild.core.records import Interpreter, Pin, Plan, Program
from tfbuild.facts.tables import Tables


def planned(tables: Tables, folder: Path, *pins: Pin) -> Plan:
    request, host = a_request(folder, pins=pins), a_host()
    return make_plan(request, resolve(request, tables, host), tables, host)


def gxx(version: str, name: str = "g++") -> Program:
    return Program(name=name, path=f"/usr/bin/{name}", version=version)


def test_the_planned_compiler_comes_before_another(tables: Tables, tmp_path: Path) -> None:
    plan = planned(tables, tmp_path)
    assert find_compiler(plan, [gxx("14.2.0"), gxx("12.2.0", "g++-12")]) == gxx("12.2.0", "g++-12")
    assert find_compiler(plan, [gxx("8.3.0"), gxx("14.2.0")]) == gxx("14.2.0")
    assert find_compiler(plan, [gxx("16.0.0", "clang++")]) is None


def test_a_pinned_compiler_is_that_or_none(tables: Tables, tmp_path: Path) -> None:
    plan = planned(tables, tmp_path, Pin(axis="gcc", spec="12.2"))
    assert is_pinned(plan, "gcc")
    assert find_compiler(plan, [gxx("14.2.0")]) is None


def test_a_python_needs_its_headers(tables: Tables, tmp_path: Path) -> None:
    plan = planned(tables, tmp_path)
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
