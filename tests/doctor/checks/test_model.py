"""What checks are made of: asking programs, judging versions, naming remedies."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.doctor.checks.contexts import a_context, a_script
from tfbuild.core.records import Program
from tfbuild.doctor.checks import model
from tfbuild.doctor.checks.model import (
    BuildNeeds,
    accepts,
    build_compiler,
    compiler_of,
    error_line,
    failed,
    install,
    listed,
    passed,
    softened,
)

OLD = Program(name="g++-9", path="/g9", version="9.4.0")
NEW = Program(name="g++", path="/g13", version="13.2.0")
CLANG = Program(name="clang++-17", path="/c17", version="17.0.6")


def test_programs_run_in_the_temporary_folder_and_leave_things_there(tmp_path: Path) -> None:
    context = a_context(tmp_path)
    script = a_script(tmp_path / "tool", 'pwd; echo "$TMPDIR $CCACHE_DISABLE"; touch left')
    said = context.ask(script)
    assert said.is_ok
    assert said.text.split() == [str(context.folder), str(context.folder), "1"]
    assert (context.folder / "left").is_file()


def test_what_fails_says_why(tmp_path: Path) -> None:
    context = a_context(tmp_path)
    said = context.ask(a_script(tmp_path / "tool", "echo 'error: not that' >&2; exit 3"))
    assert (said.is_ok, said.text) == (False, "error: not that")
    assert not context.ask(str(tmp_path / "nowhere")).is_ok


def test_what_hangs_is_stopped(tmp_path: Path) -> None:
    said = a_context(tmp_path).ask(a_script(tmp_path / "tool", "exec sleep 600"), seconds=0.3)
    assert not said.is_ok
    assert "time limit" in said.text


@pytest.mark.parametrize(
    ("spec", "version", "held"),
    [
        ("", "1.0", True),
        ("", "", True),
        (">=9,<17", "12.2.0", True),
        (">=9,<17", "8.5.0", False),
        (">=9,<17", "", False),
        ("9 | >=13", "13.1", True),
        ("9 | >=13", "9.4.0", True),
        ("9 | >=13", "11.4", False),
        ("none", "12.2.0", False),
        ("any", "12.2.0", True),
    ],
)
def test_ranges_of_constraints(spec: str, version: str, held: bool) -> None:
    assert accepts(spec, version) is held


def test_the_compiler_is_the_first_that_fits_else_the_first(tmp_path: Path) -> None:
    context = a_context(tmp_path, needs=BuildNeeds(gcc="<10"), compilers=(NEW, OLD, CLANG))
    assert compiler_of(context, "g++") == build_compiler(context) == OLD
    context = replace(context, needs=BuildNeeds(gcc="none", clang="18"))
    assert build_compiler(context) == CLANG
    assert compiler_of(a_context(tmp_path, compilers=()), "g++") is None


def test_remedies_are_those_of_the_distribution(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tools = a_context(tmp_path).tools
    monkeypatch.setattr(model, "find_program", lambda name: "/x" if name == "dnf" else "")
    assert install(tools, "g++", "gcc-c++") == "sudo dnf install gcc-c++"
    monkeypatch.setattr(model, "find_program", lambda _name: "")
    assert "package manager" in install(tools, "g++")


def test_one_compiler_under_two_names_is_reported_once() -> None:
    twin = replace(NEW, name="g++-13", path="/g13b")
    assert listed((NEW, twin, OLD)) == "13.2.0 at /g13, 9.4.0 at /g9"


def test_only_failures_are_softened() -> None:
    assert softened(failed("a", "b")).state == "warning"
    assert softened(passed("a")).state == "pass"


def test_the_first_error_line_is_found() -> None:
    assert error_line("In file x:\n  x.cc:1: Error: no\nmore") == "x.cc:1: Error: no"
    assert error_line(" \n\nlast words\n") == "last words"
    assert error_line("") == "it said nothing"
    assert len(error_line("x" * 900)) == 160
