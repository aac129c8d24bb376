"""The finished library, read back."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.fakes import a_host
from tests.lite_trees import LIBRARY, lite_tree
from tests.shared_libraries import compile_c
from tfbuild.core.reports import AuditReport
from tfbuild.facts.tables import Tables
from tfbuild.facts.targets import find_target, target_of
from tfbuild.lite.audit import audit_library
from tfbuild.lite.plan import plan_lite
from tfbuild.lite.records import LiteLibrary, LitePlan, LiteRequest

HERE = target_of(a_host())
SONAME = "-Wl,-soname,libtensorflow-lite.so"
NEEDS = (("libc.so.6", "libc6", "2.43"),)


@pytest.fixture
def plan(tmp_path: Path, tables: Tables) -> LitePlan:
    request = LiteRequest(source=lite_tree(tmp_path / "tree"), output=tmp_path)
    return plan_lite(request, tables, a_host())


def library(plan: LitePlan, folder: Path, *flags: str, text: str = LIBRARY) -> LiteLibrary:
    path = compile_c(folder, text, f"-I{plan.tree.source}", *flags, name="libtensorflow-lite.so")
    return LiteLibrary(
        path=path, sha256="0" * 64, size=path.stat().st_size, headers=folder, needs=NEEDS,
        compiler="gcc", seconds=1.0,
    )  # fmt: skip


def states(report: AuditReport) -> dict[str, str]:
    return {finding.name: finding.state for finding in report.findings}


def test_a_good_library_passes(plan: LitePlan, tmp_path: Path) -> None:
    report = audit_library(plan, library(plan, tmp_path, SONAME, "-s"), HERE)
    assert set(states(report).values()) == {"passed"}, report


def test_a_function_that_is_missing_is_named(plan: LitePlan, tmp_path: Path) -> None:
    hidden = "#define TfLiteTensorByteSize TfLiteTensorBytes\n" + LIBRARY
    made = library(plan, tmp_path, SONAME, "-s", text=hidden)
    report = audit_library(plan, made, HERE)
    (found,) = (f for f in report.findings if f.state == "failed")
    assert found.name == "C interface"
    assert "TfLiteTensorByteSize is declared and not there" in found.detail


@pytest.mark.parametrize(
    ("flags", "name"),
    [
        (("-s",), "identity"),
        ((SONAME,), "symbols"),
        ((SONAME, "-s", "-Wl,-z,execstack"), "hardening"),
        ((SONAME, "-s", "-Wl,-rpath,/opt/lib"), "search paths"),
    ],
)
def test_what_is_wrong_fails(
    plan: LitePlan, tmp_path: Path, flags: tuple[str, ...], name: str
) -> None:
    assert states(audit_library(plan, library(plan, tmp_path, *flags), HERE))[name] == "failed"


def test_a_library_that_no_package_has(plan: LitePlan, tmp_path: Path) -> None:
    made = replace(library(plan, tmp_path, SONAME, "-s"), needs=(("libc.so.6", "", ""),))
    assert states(audit_library(plan, made, HERE))["libraries needed"] == "failed"


def test_another_machine_and_an_older_system(plan: LitePlan, tmp_path: Path) -> None:
    made = library(plan, tmp_path, SONAME, "-s")
    old = replace(plan, system=replace(plan.system, glibc="2.1"))
    found = states(audit_library(old, made, find_target("linux-aarch64")))
    assert (found["identity"], found["glibc"]) == ("failed", "failed")


def test_a_broken_library_is_one_failed_line(plan: LitePlan, tmp_path: Path) -> None:
    made = library(plan, tmp_path, SONAME)
    made.path.write_bytes(made.path.read_bytes()[:300])
    assert states(audit_library(plan, made, HERE)) == {"library": "failed"}
