"""Reads what a TensorFlow tree says of its TensorFlow Lite, from the tree's own CMake files."""

import re
from collections.abc import Iterator
from pathlib import Path

from tfbuild.core.any_tree import files_below
from tfbuild.core.errors import BadRequest
from tfbuild.core.linear_patterns import linear_pattern
from tfbuild.core.safe_files import read_inside
from tfbuild.lite.records import LiteDependency, LiteTree

UNLESS = "unless"  # begins a condition that stands in an else branch
_LITE = "tensorflow/lite"
_MODULES = f"{_LITE}/tools/cmake/modules"
# The release stands in the first of these that has it; the place has moved over the years.
_VERSIONS = ("tensorflow/core/public/release_version.h", "tensorflow/core/public/version.h")
# What a program includes; releases differ in which of them there are.
_DOORS = ("c_api.h", "c_api_experimental.h", "c_api_opaque.h")
_IF = re.compile(r"\s*if\s*\((.*)\)\s*$", re.IGNORECASE)
_ELSE = re.compile(r"\s*else(?:if)?\s*\(.*\)\s*$", re.IGNORECASE)
_END = re.compile(r"\s*endif\s*\(.*\)\s*$", re.IGNORECASE)
_FIND = re.compile(r"\s*find_package\s*\(\s*([\w-]+)", re.IGNORECASE)
# Of whole files, which may be all blanks or all beginnings.
_OPTION = linear_pattern(r"(?im)^\s*(?:cmake_dependent_)?option\s*\(\s*(\w+)")
_DECLARED = linear_pattern(r"(?ms)OverridableFetchContent_Declare\s*\((.*?)^\)")
_FIELD = linear_pattern(r"(?m)^\s*(GIT_REPOSITORY|GIT_TAG|URL|URL_HASH)\s+(\S+)")
_INCLUDE = linear_pattern(r"(?m)^\s*include\s*\(\s*([\w-]+)\s*\)")
_HEADER = linear_pattern(r'(?m)^\s*#\s*include\s+"(tensorflow/[\w./-]+\.h)"')
_MAJOR = linear_pattern(r"(?m)^#define TF_MAJOR_VERSION \d")
_EXPORT = linear_pattern(r"(?m)^TFL_CAPI_EXPORT\s+(?:extern\s+)?[^;{(]*?\b(TfLite\w+)\s*\(")


def read_lite_tree(source: Path) -> LiteTree:
    """What the tree says; BadRequest where it has no TensorFlow Lite that CMake builds.

    And where a file of it cannot be read or leads out of the tree.
    """
    listing = source / _LITE / "CMakeLists.txt"
    if not listing.is_file():
        raise BadRequest(
            f"{source} has no TensorFlow Lite that CMake builds",
            code="lite-cmake-missing",
            why=f"there is no {_LITE}/CMakeLists.txt; releases from 2.4 on have it",
            hint="name the top folder of a TensorFlow source tree with --source",
        )
    text = _read(source, listing)
    headers = _headers(source)
    functions = {
        name for header in headers for name in _EXPORT.findall(_read(source, source / header))
    }
    if not functions:
        raise BadRequest(
            f"{source} declares no C interface of TensorFlow Lite",
            code="lite-interface-missing",
            why=f"none of {', '.join(_DOORS)} in {_LITE}/c and {_LITE}/core/c exports a function",
            hint="see whether the tree is whole",
        )
    return LiteTree(
        source=source,
        version_file=_version_file(source),
        dependencies=tuple(_dependencies(text, source)),
        options=tuple(dict.fromkeys(_OPTION.findall(text))),
        headers=headers,
        functions=tuple(sorted(functions)),
    )


def includes(tree: LiteTree, prefix: str) -> str:
    """The first file of TensorFlow Lite that includes a header below prefix; empty for none."""
    wanted = linear_pattern(rf'(?m)^\s*#\s*include\s+["<]{re.escape(prefix)}')
    folder = tree.source / _LITE
    sources = [path for path in files_below(folder) if path.suffix in {".h", ".cc"}]
    for path in sorted(sources, key=lambda path: (path.suffix != ".h", path)):
        if wanted.search(_read(tree.source, path)):
            return str(path.relative_to(tree.source))
    return ""


# --- inside ------------------------------------------------------------------------------------


def _read(source: Path, path: Path) -> str:
    try:
        return read_inside(source, path)
    except (OSError, ValueError) as error:
        raise BadRequest(
            f"{path} cannot be read",
            code="source-file-unreadable",
            why=str(error),
            hint="see whether the tree is whole",
        ) from error


def _version_file(source: Path) -> str:
    """The header that says the release."""
    for name in _VERSIONS:
        if (source / name).is_file() and _MAJOR.search(_read(source, source / name)):
            return name
    raise BadRequest(
        f"{source} does not state its release",
        code="source-version-missing",
        why=f"neither {' nor '.join(_VERSIONS)} defines TF_MAJOR_VERSION",
        hint="see whether the tree is whole",
    )


def _dependencies(text: str, source: Path) -> Iterator[LiteDependency]:
    """The packages that the build asks for, each with the condition around it."""
    conditions: list[str] = []
    for line in text.splitlines():
        if match := _IF.match(line):
            conditions.append(match[1].strip())
        elif _ELSE.match(line) and conditions:
            conditions[-1] = f"{UNLESS} {conditions[-1]}"
        elif _END.match(line) and conditions:
            conditions.pop()
        elif match := _FIND.match(line):
            url, revision = _fetched(match[1], source)
            yield LiteDependency(
                name=match[1], url=url, revision=revision, conditions=tuple(conditions)
            )


def _fetched(name: str, source: Path) -> tuple[str, str]:
    """Where the tree's own modules would fetch a package from, and which revision of it."""
    finder = source / _MODULES / f"Find{name}.cmake"
    if not finder.is_file():
        return "", ""
    for included in _INCLUDE.findall(_read(source, finder)):
        module = source / _MODULES / f"{included}.cmake"
        declared = _DECLARED.search(_read(source, module)) if module.is_file() else None
        if declared:
            fields = dict(_FIELD.findall(declared[1]))
            url = fields.get("GIT_REPOSITORY") or fields.get("URL", "")
            return url, fields.get("GIT_TAG") or fields.get("URL_HASH", "")
    return "", ""


def _headers(source: Path) -> tuple[str, ...]:
    """The headers of the C interface, and every header of the tree that they reach."""
    waiting = [
        f"{_LITE}/{folder}/{name}"
        for folder in ("c", "core/c")
        for name in _DOORS
        if (source / _LITE / folder / name).is_file()
    ]
    reached: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name in reached or not (source / name).is_file():
            continue
        reached.add(name)
        found = _HEADER.findall(_read(source, source / name))
        # One with .. would be copied to another place than into the headers' folder.
        waiting += [header for header in found if ".." not in Path(header).parts]
    return tuple(sorted(reached))
