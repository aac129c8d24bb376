"""Compilers: versions, and small sources that are compiled here, with the flags that break."""

from collections.abc import Callable
from dataclasses import dataclass

from tfbuild.core.process import find_program
from tfbuild.core.records import Program
from tfbuild.doctor.checks.model import (
    CheckContext,
    CheckResult,
    CheckSpec,
    ProgramAnswer,
    accepts,
    compiler_of,
    container_remedy,
    error_line,
    failed,
    install,
    listed,
    passed,
    skipped,
    softened,
)
from tfbuild.facts.targets import target_of

FAMILIES = ("g++", "clang++")

_CPP17 = """
#include <filesystem>
#include <optional>
#include <string>
#include <vector>
#include <cstdio>
template <typename... T> constexpr auto total(T... values) { return (values + ...); }
int main() {
  auto [left, right] = std::pair{1, 2};
  std::optional<std::string> word{"ran"};
  std::vector<int> both{left, right};
  if constexpr (total(1, 2) == 3)
    std::puts(std::filesystem::path("/").is_absolute() && both.size() == 2 ? word->c_str() : "");
}
"""
# The vector type makes the assembler meet an instruction of the set, not the compiler alone.
_HALVES = """
typedef _Float16 halves __attribute__((vector_size(64)));
halves add(halves left, halves right) { return left + right; }
"""
_NO_CSTDINT = """
#include <string>
uint8_t low(uint32_t value) { return static_cast<uint8_t>(value); }
"""
_OFFSETOF = """
#include <stddef.h>
unsigned long place(void) { return offsetof(struct { char first; long second; }, second); }
"""
_SCRIPT = "{ global: there; nowhere; local: *; };\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Probe:
    """A source, how it is compiled, and what it means when it is not."""

    name: str
    looks_at: str
    compile: Callable[[CheckContext, Program], ProgramAnswer]
    good: str
    bad: str
    fix: Callable[[CheckContext], str]
    families: tuple[str, ...] = FAMILIES
    family: str = ""  # of processors that it concerns; empty: any


def gxx(context: CheckContext) -> CheckResult:
    """Whether a g++ of the needed versions is there."""
    return _version_of(context, "g++", context.needs.gcc, ("g++", "gcc-c++"))


def clangxx(context: CheckContext) -> CheckResult:
    """Whether a clang++ of the needed versions is there."""
    return _version_of(context, "clang++", context.needs.clang, ("clang", "clang"))


def binutils(context: CheckContext) -> CheckResult:
    """Whether linker and strip are there, and which linkers."""
    if not (find_program("ld") and find_program("strip")):
        return failed("ld or strip is missing", install(context.tools, "binutils"))
    found = [path for name in ("ld", "ld.gold", "ld.lld") if (path := find_program(name))]
    return passed(", ".join(found))


# --- probes ------------------------------------------------------------------------------------


def _cpp17(context: CheckContext, compiler: Program) -> ProgramAnswer:
    source = context.write("cpp17.cc", _CPP17)
    program = str(context.folder / "cpp17")
    # With GCC 8 <filesystem> needs a library of its own; with all others the name does no harm.
    extra = ("-lstdc++fs",) if compiler.version.startswith("8") else ()
    made = context.ask(compiler.path, "-std=c++17", source, "-o", program, *extra)
    if not made.is_ok:
        return made
    answer = context.ask(program)
    if answer.text.strip() == "ran":
        return answer
    if "Permission denied" in answer.text:  # that is no fault of the compiler
        return ProgramAnswer(
            is_ok=True, remark="only compiled: host.temporary says why it does not run"
        )
    return ProgramAnswer(
        is_ok=False, text=f"error: the program does not run: {error_line(answer.text)}"
    )


def _avx512fp16(context: CheckContext, compiler: Program) -> ProgramAnswer:
    return _compile(context, compiler, _HALVES, "-std=c++17", "-mavx512fp16")


def _cstdint(context: CheckContext, compiler: Program) -> ProgramAnswer:
    return _compile(context, compiler, _NO_CSTDINT, "-std=c++17")


def _offsetof(context: CheckContext, compiler: Program) -> ProgramAnswer:
    """As it is, or with the flag that lets it through; an unknown flag must not be taken."""
    flags = ("-x", "c", "-std=c11", "-Werror")
    plain = _compile(context, compiler, _OFFSETOF, *flags)
    if plain.is_ok:
        return ProgramAnswer(is_ok=True, remark="compiles as it is")
    flagged = _compile(context, compiler, _OFFSETOF, *flags, "-Wno-gnu-offsetof-extensions")
    return ProgramAnswer(is_ok=True, remark="only with that flag") if flagged.is_ok else plain


def _undefined_version(context: CheckContext, compiler: Program) -> ProgramAnswer:
    """Links with lld by a script that names a symbol which is not there."""
    source = context.write("there.cc", 'extern "C" int there() { return 1; }\n')
    script = context.write("there.lds", _SCRIPT)
    words = (
        compiler.path, "-shared", "-fPIC", "-fuse-ld=lld", source,
        "-o", str(context.folder / "libthere.so"), f"-Wl,--version-script={script}",
    )  # fmt: skip
    if context.ask(*words).is_ok:
        return ProgramAnswer(is_ok=True, remark="links as it is")
    flagged = context.ask(*words, "-Wl,--undefined-version")
    return ProgramAnswer(is_ok=True, remark="only with that flag") if flagged.is_ok else flagged


PROBES = (
    _Probe(
        name="c++17",
        looks_at="compiles, links and runs a program of C++17",
        compile=_cpp17,
        good="makes programs of C++17",
        bad="makes no program of C++17",
        fix=lambda context: install(context.tools, "g++ libc6-dev", "gcc-c++ glibc-devel"),
    ),
    _Probe(
        name="avx512fp16",
        looks_at="compiles with -mavx512fp16, which XNNPACK in newer TensorFlow is compiled with",
        compile=_avx512fp16,
        good="takes -mavx512fp16",
        bad="does not take -mavx512fp16, with which newer TensorFlow compiles XNNPACK",
        fix=lambda _: "a newer compiler or binutils, or --define=xnn_enable_avx512fp16=false",
        family="x86",
    ),
    _Probe(
        name="cstdint",
        looks_at="compiles sources that count on <cstdint> coming with other headers",
        compile=_cstdint,
        good="its headers bring <cstdint> along",
        bad="its headers do not bring <cstdint> along, which older TensorFlow counts on",
        fix=lambda _: "for older TensorFlow an older g++, or --cxxopt=-include --cxxopt=cstdint",
    ),
    _Probe(
        name="offsetof",
        looks_at="compiles a type inside offsetof, or takes -Wno-gnu-offsetof-extensions",
        compile=_offsetof,
        good="a type inside offsetof",
        bad="compiles no type inside offsetof, which upb in TensorFlow has",
        fix=lambda _: "another Clang, or g++",
        families=("clang++",),
    ),
    _Probe(
        name="undefined-version",
        looks_at="links with lld by a version script, or takes -Wl,--undefined-version",
        compile=_undefined_version,
        good="a version script with lld",
        bad="lld refuses version scripts that name missing symbols",
        fix=lambda _: "link without lld, or with another release of it",
    ),
)


def run_compile_probe(probe: _Probe, context: CheckContext) -> list[CheckResult]:
    """One line per compiler that is there; a failure where the needs say that it must pass."""
    target = target_of(context.tools.host)
    if probe.family not in {"", target.family}:
        return [skipped(f"concerns {probe.family} processors, and this is {target.machine}")]
    found = [(f, c) for f in probe.families if (c := compiler_of(context, f))]
    if not found:
        return [skipped(f"there is no {' or '.join(probe.families)} here")]
    if probe.name == "undefined-version":
        found = [(family, c) for family, c in found if _has_lld(context, c)]
        if not found:
            return [skipped("there is no lld here; it is for that linker alone")]
    return [_judge(probe, context, family, compiler) for family, compiler in found]


# --- inside ------------------------------------------------------------------------------------


def _judge(probe: _Probe, context: CheckContext, family: str, compiler: Program) -> CheckResult:
    answer = probe.compile(context, compiler)
    name = f"{compiler.name} {compiler.version}"
    if answer.is_ok:
        how = f" ({answer.remark})" if answer.remark else ""
        return passed(f"{name}: {probe.good}{how}")
    result = failed(f"{name}: {probe.bad}: {error_line(answer.text)}", probe.fix(context))
    is_needed = (context.needs.gcc if family == "g++" else context.needs.clang) != "none"
    must = probe.name == "c++17" or probe.name in context.needs.must_compile
    return result if is_needed and must else softened(result)


def _has_lld(context: CheckContext, compiler: Program) -> bool:
    """A compiler looks for linkers on PATH and among its own parts: only it can say."""
    answer = context.ask(compiler.path, "-print-prog-name=ld.lld").text.strip()
    return bool(find_program(answer))


def _compile(context: CheckContext, compiler: Program, text: str, *flags: str) -> ProgramAnswer:
    source = context.write("probe.cc", text)
    return context.ask(compiler.path, *flags, "-c", source, "-o", str(context.folder / "probe.o"))


def _version_of(
    context: CheckContext, family: str, spec: str, packages: tuple[str, str]
) -> CheckResult:
    found = [p for p in context.tools.host.compilers if p.name.startswith(family)]
    if spec == "none":
        there = f"; here is {listed(found)}" if found else ""
        return skipped(f"{context.needs.title} does not need it{there}")
    good = [p for p in found if accepts(spec, p.version)]
    if good:
        return passed(f"{good[0].version} at {good[0].path}")
    detail = f"{listed(found) or 'not found'}; a {family} {spec or 'of any version'} is needed"
    return failed(detail, _get_compiler(context, family, spec, packages))


def _get_compiler(context: CheckContext, family: str, spec: str, packages: tuple[str, str]) -> str:
    """How to get a compiler: by its number where the range ends below the newest ones."""
    axis = "gcc" if family == "g++" else "clang"
    if remedy := container_remedy(context.packages, axis, spec):
        return remedy
    minors = range(6)  # a range may be of one minor version: 7.3
    numbers = [
        n for n in range(24, 3, -1) if spec and any(accepts(spec, f"{n}.{m}") for m in minors)
    ]
    unbounded = not numbers or numbers[0] == 24
    if unbounded or (family == "g++" and numbers[0] >= 16):
        return install(context.tools, *packages)
    command = install(context.tools, f"{packages[0]}-{numbers[0]}", packages[1])
    return f"{command} (or another {family} {spec})"


def _look(probe: _Probe) -> Callable[[CheckContext], list[CheckResult]]:
    return lambda context: run_compile_probe(probe, context)


CHECKS = (
    CheckSpec(group="compiler", name="g++", looks_at="version of g++", look=gxx),
    CheckSpec(group="compiler", name="clang++", looks_at="version of clang++", look=clangxx),
    CheckSpec(group="compiler", name="binutils", looks_at="linkers and strip", look=binutils),
    *(
        CheckSpec(
            group="compiler",
            name=probe.name,
            looks_at=probe.looks_at,
            look=_look(probe),
            seconds=1.0 if probe.name == "c++17" else 0.2,
            needs_folder=True,
        )
        for probe in PROBES
    ),
)
