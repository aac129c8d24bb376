"""Makes C++ workspaces for measurements: how many files, how much memory and time each takes.

A file takes memory by a literal that the preprocessor puts together, and time by classes made from
templates; both are in proportion to their figure, whatever the compiler.
"""

import shutil
from dataclasses import dataclass
from pathlib import Path

_STAND_INS = Path(__file__).parents[1] / "runtime" / "bazel" / "standins"
_PIECE = "x" * 64
_BYTES_PER_PIECE = 500  # of g++ 12, measured over 0.1 to 3 million pieces
_SOURCE = """\
#include <cstddef>
#include <utility>
{head}namespace {{
template <std::size_t N> struct Node {{
  virtual std::size_t Get() const {{ return N; }}
  virtual ~Node() {{}}
}};
template <std::size_t... I> std::size_t Sum(std::index_sequence<I...>) {{
  const std::size_t values[] = {{Node<I>().Get()...}};
  std::size_t sum = 0;
  for (auto value : values) sum += value;
  return sum;
}}
}}  // namespace
unsigned long {name}() {{ return Sum(std::make_index_sequence<{classes}>()) + {size}; }}
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class CppFile:
    """What one source file takes to compile: megabytes beyond the least, classes (1 ms each)."""

    memory_mb: int = 0
    classes: int = 100


def make_tree(folder: Path, libraries: dict[str, tuple[CppFile, ...]]) -> None:
    """Write a workspace with a library per name, and a program `all` that links them."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "WORKSPACE").write_text('workspace(name = "generated")\n')
    names = []
    for library, files in libraries.items():
        place = folder / library
        place.mkdir()
        (place / "common.h").write_text("#pragma once\n")
        for number, file in enumerate(files):
            names.append(f"{library.title()}{number}")
            text = f'#include "{library}/common.h"\n' + source_text(names[-1], file)
            (place / f"f{number}.cc").write_text(text)
        (place / "BUILD").write_text(
            f'cc_library(name = "{library}", srcs = glob(["*.cc"]), hdrs = ["common.h"], '
            'visibility = ["//visibility:public"])\n'
        )
    calls = " + ".join(f"{name}()" for name in names)
    declared = "".join(f"unsigned long {name}();\n" for name in names)
    (folder / "main.cc").write_text(f"{declared}int main() {{ return ({calls}) == 0; }}\n")
    deps = ", ".join(f'"//{library}"' for library in libraries)
    (folder / "BUILD").write_text(f'cc_binary(name = "all", srcs = ["main.cc"], deps = [{deps}])\n')
    lines = [f"build --override_repository={p.name}={p}" for p in sorted(_STAND_INS.iterdir())]
    lines.append("build --cxxopt=-std=c++17")
    (folder / ".bazelrc").write_text("\n".join(lines) + "\n")


def source_text(name: str, file: CppFile) -> str:
    """One C++ file with a function of that name."""
    pieces = file.memory_mb * 1_000_000 // _BYTES_PER_PIECE
    if not pieces:
        return _SOURCE.format(head="", name=name, classes=file.classes, size=0)
    head = [f'#define T0 "{_PIECE}"\n']
    words: list[str] = []
    depth = 0
    while pieces:
        pieces, digit = divmod(pieces, 10)
        words += [f"T{depth}"] * digit
        depth += 1
        if pieces:
            head.append(f"#define T{depth} " + " ".join([f"T{depth - 1}"] * 10) + "\n")
    size = f"sizeof({' '.join(words)})"
    return _SOURCE.format(head="".join(head), name=name, classes=file.classes, size=size)
