"""The shape of the C++ code, kept by machine. A test lists all that breaks its rule."""

import re
from collections import Counter
from pathlib import Path

from tests.source_files import ROOT

RUNTIME = ROOT / "runtime"
# Headers of a folder may be included by those to its right, by itself, and by nothing to its left.
FOLDERS = (
    "base", "tensor", "graph", "io", "linalg", "kernels", "passes", "executor", "session", "c",
    "python",
)  # fmt: skip
# Of the folders in kernels/, what every family of ops may include, and what all of them stand on.
FRAMEWORK = "kernels/framework"
MOST_LINES, LONGEST_LINE = 400, 110


def relative(path: Path) -> str:
    return path.relative_to(RUNTIME).as_posix()


def folder_of(name: str) -> str:
    return name.partition("/")[0]


def family_of(name: str) -> str:
    """kernels/math for kernels/math/add.h; an empty string for what is not in kernels/."""
    return "/".join(name.split("/")[:2]) if name.startswith("kernels/") else ""


def included(path: Path) -> list[str]:
    """The headers of the runtime and of oneDNN that a file includes, by path."""
    return re.findall(r'^#include "([a-z0-9_]+/[^"]+)"', path.read_text(), re.MULTILINE)


CPP_FILES = sorted(
    path
    for folder in FOLDERS
    for pattern in ("*.h", "*.cc", "*.cu", "*.cuh")
    for path in (RUNTIME / folder).rglob(pattern)
)
KERNELS = [path for path in CPP_FILES if path.is_relative_to(RUNTIME / "kernels")]
BESIDE_THE_BUILD = [*RUNTIME.glob("emulation/**/*.[ch]*"), *RUNTIME.glob("fuzz/*.[ch]*")]


def test_files_and_lines_are_short() -> None:
    wrong = []
    for path in (*CPP_FILES, *BESIDE_THE_BUILD):
        text = path.read_text()
        lines = text.splitlines()
        if len(lines) > MOST_LINES:
            wrong.append(f"{relative(path)} has {len(lines)} lines")
        for number, line in enumerate(lines, 1):
            if len(line) > LONGEST_LINE:
                wrong.append(f"{relative(path)}:{number} has {len(line)} characters")
        if path.suffix in {".h", ".cuh"} and "#pragma once" not in text:
            wrong.append(f"{relative(path)} has no #pragma once")
    assert wrong == []


_TYPE = re.compile(r"(?:struct|class|enum class) ([\w:]+)(?: final)?(?: :.*)? \{")


def types_at_namespace_scope(path: Path) -> set[str]:
    """The types that a file defines for other files, or as the linker sees them: by namespace."""
    namespaces: list[str] = []
    found = set()
    for line in path.read_text().splitlines():
        if opened := re.match(r"namespace ?([a-z_:]*) \{", line):
            namespaces.append(opened[1])
        elif line.startswith("}  // namespace"):
            namespaces.pop()
        elif (defined := _TYPE.match(line)) and "" not in namespaces:
            found.add("::".join([*namespaces, defined[1]]))
    return found


def test_a_name_is_one_type() -> None:
    """Two types of one name share their inline functions: the linker keeps those of one."""
    places: dict[str, list[str]] = {}
    for path in CPP_FILES:
        for name in types_at_namespace_scope(path):
            places.setdefault(name, []).append(relative(path))
    assert {name: files for name, files in places.items() if len(files) > 1} == {}


def test_includes_point_one_way() -> None:
    assert CPP_FILES
    assert [
        f"{relative(path)} includes {name}"
        for path in CPP_FILES
        for name in included(path)
        if not may_include(path, name)
    ] == []


def may_include(path: Path, name: str) -> bool:
    """Whether the file stands where that header is allowed."""
    here, there = folder_of(relative(path)), folder_of(name)
    if there == "testing":
        return path.stem.endswith("_test")
    if there == "oneapi":  # oneDNN's headers
        return relative(path).startswith(f"{FRAMEWORK}/onednn")
    if there not in FOLDERS or FOLDERS.index(there) > FOLDERS.index(here):
        return False
    # No family knows another, and nobody outside knows a family: ops find each other by name.
    return there != "kernels" or family_of(name) in {FRAMEWORK, family_of(relative(path))}


def test_kernels_stand_in_families() -> None:
    assert KERNELS
    assert [relative(path) for path in KERNELS if path.parent.parent != RUNTIME / "kernels"] == []
    # A BUILD file in a family would take its files away from the one library of kernels.
    assert [relative(path) for path in (RUNTIME / "kernels").glob("*/BUILD*")] == []


def test_a_file_of_kernels_has_a_name_of_its_own() -> None:
    """Objects are named after it alone, and so is a kernel that is looked for."""
    times = Counter(path.name for path in KERNELS)
    assert [name for name, count in times.items() if count > 1] == []


def test_the_framework_registers_no_op() -> None:
    by_name = re.compile(r'^(?!//).*REGISTER_(OP\(|KERNEL\(Kernel\()"', re.MULTILINE)
    found = {family_of(relative(p)) for p in KERNELS if by_name.search(p.read_text())}
    assert found, "nothing is registered: have the macros other names?"
    assert FRAMEWORK not in found


def test_every_family_is_on_the_map() -> None:
    families = {family_of(relative(path)) for path in KERNELS}
    readme = (RUNTIME / "README.md").read_text()
    on_the_map = set(re.findall(r"^\| `(kernels/\w+)/`", readme, re.MULTILINE))
    assert on_the_map == families


def test_every_registered_op_has_a_test() -> None:
    found, missing = 0, []
    for path in sorted((RUNTIME / "kernels").rglob("*.cc")):
        ops = re.findall(r'^(?:REGISTER_OP\(\s*"|TFBUILD_\w+_OP\()', path.read_text(), re.MULTILINE)
        if ops and not path.stem.endswith("_test"):
            found += len(ops)
            if not path.with_name(f"{path.stem}_test.cc").is_file():
                missing.append(path.name)
    assert found, "no op is registered: has the macro another name?"
    assert missing == [], "ops without a test of the same name"
