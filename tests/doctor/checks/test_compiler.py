"""Compilers: real ones where they are here, and scripts that refuse what old ones refuse."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from tests.doctor.checks.contexts import a_context, a_script, lines_of, the_line
from tfbuild.core.process import ProcessRunner, find_program
from tfbuild.core.records import Program
from tfbuild.doctor.checks import compiler
from tfbuild.doctor.checks.compiler import PROBES, run_compile_probe
from tfbuild.doctor.checks.model import BuildNeeds, CheckContext, CheckResult
from tfbuild.doctor.survey import find_compilers
from tfbuild.facts.own_packages import OwnPackages

GXX = find_program("g++")
needs_gxx = pytest.mark.skipif(not GXX, reason="there is no g++ here")
needs_clang = pytest.mark.skipif(
    not any(p.name.startswith("clang") for p in find_compilers(ProcessRunner())),
    reason="there is no clang++ here",
)


def probe(name: str, context: CheckContext) -> Sequence[CheckResult]:
    return lines_of(run_compile_probe(next(p for p in PROBES if p.name == name), context))


def a_compiler(tmp_path: Path, refused: str, said: str, name: str = "g++") -> Program:
    """The real g++, but with one word that it does not take."""
    path = a_script(
        tmp_path / "bin" / name,
        f'case "$*" in *{refused}*) echo "{said}" >&2; exit 1;; esac',
        f'exec {GXX or "/bin/false"} "$@"',
    )
    return Program(name=name, path=path, version="11.4.0")


@needs_gxx
def test_the_compiler_of_this_machine(tmp_path: Path) -> None:
    context = a_context(tmp_path, compilers=(find_compilers(ProcessRunner())[0],))
    (line,) = probe("c++17", context)
    assert line.state == "pass", line
    (line,) = probe("cstdint", context)
    assert line.state in {"pass", "warning"}
    (line,) = probe("avx512fp16", context)
    version = int(context.tools.host.compilers[0].version.split(".")[0])
    assert line.state == ("pass" if version >= 12 else "warning")


@needs_clang
def test_the_clang_of_this_machine(tmp_path: Path) -> None:
    clangs = [p for p in find_compilers(ProcessRunner()) if p.name.startswith("clang")]
    context = a_context(tmp_path, compilers=tuple(clangs))
    assert probe("offsetof", context)[0].state == "pass"
    assert "clang" in probe("c++17", context)[0].detail


@needs_clang
def test_the_lld_of_this_machine(tmp_path: Path) -> None:
    clangs = [p for p in find_compilers(ProcessRunner()) if p.name.startswith("clang")]
    context = a_context(tmp_path, compilers=tuple(clangs[:1]))
    if not compiler._has_lld(context, clangs[0]):
        pytest.skip("there is no lld here")
    assert probe("undefined-version", context)[0].state == "pass"


@needs_gxx
@pytest.mark.parametrize(("must", "state"), [((), "warning"), (("avx512fp16",), "failure")])
def test_a_flag_that_is_not_taken(tmp_path: Path, must: tuple[str, ...], state: str) -> None:
    words = "g++: error: unrecognized command-line option '-mavx512fp16'"
    old = a_compiler(tmp_path, "mavx512fp16", words)
    context = a_context(tmp_path, compilers=(old,), needs=BuildNeeds(must_compile=must))
    (line,) = probe("avx512fp16", context)
    assert line.state == state
    assert "unrecognized" in line.detail
    assert "xnn" in line.fix


@needs_gxx
def test_an_assembler_that_is_older_than_its_compiler(tmp_path: Path) -> None:
    words = "Error: no such instruction: vaddph"
    (line,) = probe(
        "avx512fp16", a_context(tmp_path, compilers=(a_compiler(tmp_path, "fp16", words),))
    )
    assert "no such instruction" in line.detail


def test_flags_of_one_processor_do_not_concern_another(tmp_path: Path) -> None:
    assert probe("avx512fp16", a_context(tmp_path, machine="aarch64"))[0].state == "skipped"


def test_headers_without_cstdint(tmp_path: Path) -> None:
    new = a_compiler(tmp_path, "probe.cc", "probe.cc:3:1: error: 'uint8_t' does not name a type")
    (line,) = probe("cstdint", a_context(tmp_path, compilers=(new,)))
    assert line.state == "warning"
    assert "-include" in line.fix


@needs_gxx
def test_a_compiler_whose_programs_do_not_run(tmp_path: Path) -> None:
    """Such as one that links with a library that is nowhere at run time."""
    path = a_script(
        tmp_path / "g++",
        'while [ "$1" != -o ]; do shift; done; printf "#!/bin/sh\\nexit 127\\n" > "$2"',
        'chmod +x "$2"',
    )
    broken = Program(name="g++", path=path, version="12.2.0")
    (line,) = probe("c++17", a_context(tmp_path, compilers=(broken,)))
    assert line.state == "failure"
    assert "does not run" in line.detail


@needs_gxx
def test_a_folder_where_nothing_runs_is_no_fault_of_the_compiler(tmp_path: Path) -> None:
    path = a_script(tmp_path / "g++", 'while [ "$1" != -o ]; do shift; done; touch "$2"')
    compiler = Program(name="g++", path=path, version="12.2.0")
    (line,) = probe("c++17", a_context(tmp_path, compilers=(compiler,)))
    assert (line.state, "only compiled" in line.detail) == ("pass", True)


def test_what_the_build_does_not_compile_with_is_a_warning(tmp_path: Path) -> None:
    broken = a_compiler(tmp_path, "std", "fatal error: 'string' file not found", name="clang++")
    context = a_context(tmp_path, compilers=(broken,))
    assert probe("c++17", context)[0].state == "warning"
    context = a_context(tmp_path, compilers=(broken,), needs=BuildNeeds(gcc="none", clang=">=11"))
    assert probe("c++17", context)[0].state == "failure"


@needs_gxx
def test_offsetof_with_the_flag_alone(tmp_path: Path) -> None:
    """Clang 16 refuses it, and takes the flag that lets it through."""
    path = a_script(
        tmp_path / "clang++",
        'case "$*" in *-Wno-gnu-offsetof*) exit 0;; esac',
        "echo \"error: defining a type within 'offsetof' is a Clang extension\" >&2; exit 1",
    )
    clang = Program(name="clang++", path=path, version="16.0.6")
    (line,) = probe("offsetof", a_context(tmp_path, compilers=(clang,)))
    assert (line.state, "only with that flag" in line.detail) == ("pass", True)
    never = a_compiler(tmp_path, "offsetof", "x", name="clang++-15")
    refused = Program(name="clang++", path=a_script(tmp_path / "no", "exit 1"), version="3.0")
    assert never.name
    assert probe("offsetof", a_context(tmp_path, compilers=(refused,)))[0].state == "warning"


@pytest.mark.parametrize(
    ("accepting", "state"), [("*", "pass"), ("*--undefined-version*", "pass"), ("never", "warning")]
)
def test_version_scripts_with_lld(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, accepting: str, state: str
) -> None:
    monkeypatch.setattr(compiler, "_has_lld", lambda *_: True)
    words = "ld.lld: error: version script assignment of 'global' to symbol 'nowhere' failed"
    path = a_script(
        tmp_path / "clang++",
        f'case "$*" in {accepting}) exit 0;; esac; echo "{words}" >&2; exit 1',
    )
    clang = Program(name="clang++", path=path, version="17.0.6")
    (line,) = probe("undefined-version", a_context(tmp_path, compilers=(clang,)))
    assert line.state == state


def test_probes_without_what_they_need_are_skipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bare = a_context(tmp_path, compilers=())
    assert {probe(p.name, bare)[0].state for p in PROBES} == {"skipped"}
    monkeypatch.setattr(compiler, "find_program", lambda _name: "")
    gxx = Program(name="g++", path=a_script(tmp_path / "g++", "echo ld.lld"), version="12")
    (line,) = probe("undefined-version", a_context(tmp_path, compilers=(gxx,)))
    assert (line.state, "no lld" in line.detail) == ("skipped", True)
    assert the_line(compiler.binutils(bare)).state == "failure"


def test_a_compiler_that_no_package_brings_comes_with_a_container(tmp_path: Path) -> None:
    offers = {
        "debian 12": {"gcc": ("11.3", "12.2"), "python": ("3.11",), "bazel": ("4.2.3",)},
        "debian 11": {"gcc": ("9.3", "10.2"), "python": ("3.9",), "bazel": ("3.5.1",)},
    }
    packages = OwnPackages(system="debian 12", offers=offers)

    def fix(gcc: str) -> str:
        context = a_context(tmp_path, compilers=(), needs=BuildNeeds(gcc=gcc))
        return the_line(compiler.gxx(replace(context, packages=packages))).fix

    assert fix("<10") == "build with --env docker: it is in the packages of debian 11"
    assert fix("7.3") == "another gcc: the packages of debian 12 have 11.3, 12.2"
    assert "install g++" in fix(">=11")


@pytest.mark.parametrize(
    ("compilers", "gcc", "expected"),
    [
        ((("g++", "12.2.0"),), ">=9,<17", "pass"),
        ((("g++", "13.1.0"), ("g++-9", "9.4.0")), "<10", "pass"),
        ((("g++", "7.5.0"),), ">=9,<17", "failure sudo apt-get install g++"),
        ((), ">=9,<17", "failure sudo apt-get install g++"),
        ((("g++", "13.1.0"),), "<10", "failure sudo apt-get install g++-9"),
        ((("g++", "13.1.0"),), "7.3", "failure sudo apt-get install g++-7 "),
        ((("g++", "13.1.0"),), "none", "skipped"),
    ],
)
def test_versions_of_gxx(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    compilers: tuple[tuple[str, str], ...],
    gcc: str,
    expected: str,
) -> None:
    monkeypatch.setattr(
        "tfbuild.doctor.checks.model.find_program", lambda n: "/x" if n == "apt-get" else ""
    )
    found = tuple(Program(name=name, path=f"/{name}", version=v) for name, v in compilers)
    line = the_line(compiler.gxx(a_context(tmp_path, needs=BuildNeeds(gcc=gcc), compilers=found)))
    assert f"{line.state} {line.fix}".startswith(expected)


def test_versions_of_clang(tmp_path: Path) -> None:
    line = the_line(compiler.clangxx(a_context(tmp_path, needs=BuildNeeds(clang="17 | 18"))))
    assert line.state == "failure"
    assert "clang-18" in line.fix or "package manager" in line.fix
    assert the_line(compiler.clangxx(a_context(tmp_path))).state == "skipped"
