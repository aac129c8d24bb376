"""Programs are compiled against a folder as users would, and run."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from tests.builds.stages.test_configure_tree import plan_of
from tests.shared_libraries import compile_c, needs, real_tools
from tfbuild.core.environments import EnvironmentPlan
from tfbuild.core.outputs import BuildOutput
from tfbuild.core.records import Plan
from tfbuild.core.reports import Rung
from tfbuild.facts.tables import Tables
from tfbuild.run import library_build, library_smoke
from tfbuild.run.library_smoke import try_library

HEADER = '#ifdef __cplusplus\nextern "C"\n#endif\nconst char* TF_Version(void);\n'
PROGRAM = """
#include <stdio.h>
#include <tensorflow/c/c_api.h>
int main(void) { printf("TensorFlow %s: 2 + 3 = 5\\n", TF_Version()); return 0; }
"""


@pytest.fixture
def plan(tables: Tables, tmp_path: Path) -> Plan:
    return plan_of(tables, tmp_path, "2.6.5")


@pytest.fixture
def folder(plan: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A library of one function, laid out, and small programs that call it."""
    needs("cc", "c++", "pkg-config")
    built = tmp_path / "built"
    built.mkdir()
    source = 'const char* TF_Version(void) { return "2.6.5"; }\n'
    files = [("tensorflow/include/tensorflow/c/c_api.h", built / "c_api.h")]
    files[0][1].write_text(HEADER)
    for name in ("libtensorflow_cc.so.2", "libtensorflow_framework.so.2"):
        path = compile_c(built, source, f"-Wl,-soname,{name}", name=name)
        files.append((f"tensorflow/{name}", path))
    programs = {"c": tmp_path / "try.c", "c++": tmp_path / "try.cc"}
    for path in programs.values():
        path.write_text(PROGRAM)
    monkeypatch.setattr(library_smoke, "_PROGRAMS", programs)
    target = tmp_path / "library"
    library_build._lay_out(BuildOutput(files=tuple(files), seconds=1.0), plan, target)
    return target


def rungs_of(folder: Path, plan: Plan, tmp_path: Path) -> tuple[Rung, ...]:
    aside = tmp_path / "aside"
    shutil.rmtree(aside, ignore_errors=True)
    aside.mkdir()
    libraries = ("lib/libtensorflow_cc.so.2", "lib/libtensorflow_framework.so.2")
    return try_library(folder, libraries, plan, real_tools(tmp_path / "work"), aside)


def test_both_interfaces_are_tried_wherever_the_folder_lies(
    folder: Path, plan: Plan, tmp_path: Path
) -> None:
    moved = folder.rename(tmp_path / "elsewhere")
    found = rungs_of(moved, plan, tmp_path)
    assert [(rung.name, rung.state) for rung in found] == [
        ("C interface", "passed"), ("C++ interface", "passed"),
    ], found  # fmt: skip


def test_a_library_of_another_release_fails(folder: Path, plan: Plan, tmp_path: Path) -> None:
    other = replace(plan, tree=replace(plan.tree, release="2.7.0"))
    in_c, in_cc = rungs_of(folder, other, tmp_path)
    assert (in_c.state, in_cc.state) == ("failed", "passed")
    assert "it did not print '2.7.0: 2 + 3 = 5'" in in_c.reason


def test_a_header_that_is_missing_fails(folder: Path, plan: Plan, tmp_path: Path) -> None:
    (folder / "include/tensorflow/c/c_api.h").unlink()
    assert {rung.state for rung in rungs_of(folder, plan, tmp_path)} == {"failed"}


def test_what_an_image_of_the_user_has_built_is_not_tried_here(
    folder: Path, plan: Plan, tmp_path: Path
) -> None:
    inside = replace(plan, environment=EnvironmentPlan(kind="docker", image="mine:1"))
    (skipped,) = rungs_of(folder, inside, tmp_path)
    assert skipped.state == "skipped"
    assert "an image of yours" in skipped.reason
