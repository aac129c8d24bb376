"""Pythons: headers, environments, numpy, an extension against the headers."""

import sys
import sysconfig
from dataclasses import replace
from pathlib import Path

import pytest

from tests.doctor.checks.contexts import a_context, a_script, the_line
from tests.fakes import RUNNING
from tfbuild.core.process import find_program
from tfbuild.core.records import Interpreter, Program
from tfbuild.doctor.checks import python
from tfbuild.doctor.checks.model import BuildNeeds
from tfbuild.facts.own_packages import OwnPackages

BARE = Interpreter(path="/usr/bin/python3.12", version="3.12.1", tag="cp312")
HEADERS = sysconfig.get_path("include")
HERE = Interpreter(path=sys.executable, version=f"{RUNNING}.1", tag="cp", headers=HEADERS)


def test_headers(tmp_path: Path) -> None:
    assert the_line(python.headers(a_context(tmp_path))).state == "pass"
    line = the_line(python.headers(a_context(tmp_path, pythons=(BARE,))))
    assert line.state == "failure"
    assert "python3.12-dev" in line.fix
    line = the_line(
        python.headers(a_context(tmp_path, pythons=(), needs=BuildNeeds(python=">=3.10")))
    )
    assert "no Python" in line.detail


def test_a_python_that_no_package_brings_comes_with_a_container(tmp_path: Path) -> None:
    offers = {
        "debian 12": {"gcc": ("12.2",), "python": ("3.11",), "bazel": ("4.2.3",)},
        "debian 13": {"gcc": ("14.2",), "python": ("3.13",), "bazel": ("4.2.3",)},
    }
    context = a_context(tmp_path, pythons=(), needs=BuildNeeds(python="3.13"))
    here = replace(context, packages=OwnPackages(system="debian 12", offers=offers))
    fix = the_line(python.headers(here)).fix
    assert fix == "build with --env docker: it is in the packages of debian 13"
    assert "dev" in the_line(python.headers(context)).fix


def test_a_python_outside_the_constraint_does_not_count(tmp_path: Path) -> None:
    context = a_context(tmp_path, needs=BuildNeeds(python=">=3.6,<3.9"))
    line = the_line(python.headers(context))
    assert (line.state, RUNNING in line.detail) == ("failure", True)
    assert the_line(python.numpy(context)).state == "skipped"
    assert the_line(python.extension(context)).state == "skipped"


def test_a_build_that_fetches_its_python_needs_none(tmp_path: Path) -> None:
    context = a_context(tmp_path, pythons=(BARE,), needs=BuildNeeds(fetches=("python",)))
    assert the_line(python.headers(context)).state == "warning"


def test_venv(tmp_path: Path) -> None:
    assert the_line(python.venv(a_context(tmp_path))).state == "pass"
    bare = Interpreter(path="/p", version="3.12.1", tag="cp312", can_venv=False)
    line = the_line(python.venv(a_context(tmp_path, pythons=(bare,))))
    assert (line.state, "python3.12-venv" in line.fix) == ("failure", True)


@pytest.mark.parametrize(
    ("numpy", "needs", "state"),
    [
        ("1.19.5", BuildNeeds(numpy="1.19"), "pass"),
        ("1.26.4", BuildNeeds(numpy="1.19"), "warning"),
        ("none", BuildNeeds(numpy=">=1.19,<2"), "warning"),
        ("none", BuildNeeds(fetches=("numpy",)), "pass"),
        ("2.1.0", BuildNeeds(), "pass"),
        ("none", BuildNeeds(), "warning"),
    ],
)
def test_numpy(tmp_path: Path, numpy: str, needs: BuildNeeds, state: str) -> None:
    script = a_script(tmp_path / "python", f"echo {numpy}")
    there = Interpreter(path=script, version="3.9.1", tag="cp39")
    line = the_line(python.numpy(a_context(tmp_path, pythons=(there,), needs=needs)))
    assert line.state == state
    assert numpy in line.detail
    if line.fix:
        assert "pip install 'numpy" in line.fix


def test_numpy_is_asked_for_really(tmp_path: Path) -> None:
    line = the_line(python.numpy(a_context(tmp_path, needs=BuildNeeds(fetches=("numpy",)))))
    assert f"{RUNNING}.1: " in line.detail
    assert "no answer" not in line.detail


@pytest.mark.skipif(not find_program("g++"), reason="there is no g++ here")
def test_an_extension_is_really_compiled(tmp_path: Path) -> None:
    if not (Path(HEADERS) / "Python.h").is_file():
        pytest.skip("this Python has no headers")
    gxx = Program(name="g++", path=find_program("g++"), version="12")
    assert the_line(
        python.extension(a_context(tmp_path, pythons=(HERE,), compilers=(gxx,)))
    ).state == ("pass")


@pytest.mark.skipif(not find_program("g++"), reason="there is no g++ here")
def test_headers_without_their_configuration(tmp_path: Path) -> None:
    """Python.h alone, as where a distribution has pyconfig.h in another package."""
    (tmp_path / "Python.h").write_text('#include "pyconfig.h"\n')
    half = Interpreter(path="/p", version="3.11.2", tag="cp311", headers=str(tmp_path))
    gxx = Program(name="g++", path=find_program("g++"), version="12")
    line = the_line(python.extension(a_context(tmp_path, pythons=(half,), compilers=(gxx,))))
    assert line.state == "failure"
    assert "pyconfig.h" in line.detail
    assert "python3.11-dev" in line.fix


def test_an_extension_without_a_compiler(tmp_path: Path) -> None:
    assert the_line(python.extension(a_context(tmp_path, compilers=()))).state == "skipped"
