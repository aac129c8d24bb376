"""What a call of Bazel brought: the files of the targets that were asked for, out of its events."""

import posixpath
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

from tfbuild.bazel.explanation import event_of, lines_of, list_of, part_of
from tfbuild.core.interfaces import Environment, literal
from tfbuild.core.layout import EVENTS
from tfbuild.core.records import Command
from tfbuild.core.workspaces import BuiltFile

_KINDS = ('"completed":', '"namedSetOfFiles":', '"workspaceInfo":')
_GROUPS = {"default", ""}  # others are made for other rules, not for people
_SEVERAL = 200  # files in one command
_OUTPUT = re.compile(r"/bazel-out/[^/]+/(?:bin|genfiles|testlogs)/")


@dataclass(frozen=True, slots=True, kw_only=True)
class Products:
    """The targets that were built, and their files."""

    targets: int
    files: tuple[BuiltFile, ...]


def read_products(env: Environment) -> Products:
    """The files of the last call of Bazel with their digests; one that two targets bring is once.

    Files of the source tree are left out: they were there before. Raises CommandFailed where a
    file that Bazel names cannot be read.
    """
    targets, sets, root = _read(EVENTS.path(env.toolchain.work))
    named: dict[str, str] = {}
    for label, roots in targets.items():
        for path in _files_of(roots, sets, root):
            if _OUTPUT.search(path):
                named.setdefault(path, label)
    facts = _facts(sorted(named), env)
    files = tuple(
        BuiltFile(target=named[path], path=path, name=_below(path), size=size, sha256=sha256)
        for path, (size, sha256) in facts.items()
    )
    return Products(targets=len(targets), files=tuple(sorted(files, key=lambda f: f.name)))


# --- inside ------------------------------------------------------------------------------------


def _read(events: Path) -> tuple[dict[str, list[str]], dict[str, dict[str, Any]], str]:
    """The sets of files of each target that was built, the sets by their names, and the folder
    that Bazel works in.
    """
    targets: dict[str, list[str]] = {}
    sets: dict[str, dict[str, Any]] = {}
    root = ""
    for line in lines_of(events):
        if not any(kind in line for kind in _KINDS):
            continue
        event = event_of(line)
        if "namedSetOfFiles" in event:
            name = str(part_of(event, "id", "namedSet").get("id", ""))
            sets[name] = part_of(event, "namedSetOfFiles")
        elif "workspaceInfo" in event:
            root = str(part_of(event, "workspaceInfo").get("localExecRoot", ""))
        elif part_of(event, "completed").get("success"):
            label = str(part_of(event, "id", "targetCompleted").get("label", ""))
            roots = targets.setdefault(label, [])
            for group in list_of(part_of(event, "completed"), "outputGroup"):
                if str(part_of(group).get("name", "")) in _GROUPS:
                    roots += _named(group)
    return targets, sets, root


def _files_of(roots: list[str], sets: dict[str, dict[str, Any]], root: str) -> Iterator[str]:
    """The paths in some sets and in those that they name, each set once.

    What a cache or a farm keeps is named as kept there; its path here is given in pieces.
    """
    left, seen = list(roots), set(roots)
    while left:
        content = sets.get(left.pop(), {})
        for file in map(part_of, list_of(content, "files")):
            uri = str(file.get("uri", ""))
            if uri.startswith("file:"):
                with suppress(ValueError):  # it is no address
                    yield posixpath.normpath(unquote(urlparse(uri).path))
            elif uri.startswith("bytestream:") and root and (prefix := list_of(file, "pathPrefix")):
                yield posixpath.join(root, *map(str, prefix), str(file.get("name", "")))
        below = set(_named(content)) - seen
        left += below
        seen |= below


def _named(event: object) -> list[str]:
    """The sets of files that an event names."""
    return [str(part_of(each).get("id", "")) for each in list_of(event, "fileSets")]


def _facts(paths: list[str], env: Environment) -> dict[str, tuple[int, str]]:
    """Size and sha256 of each file, asked where the files are; folders are left out."""
    found: dict[str, tuple[int, str]] = {}
    for at in range(0, len(paths), _SEVERAL):
        some = tuple(paths[at : at + _SEVERAL])
        sizes = _said(("stat", "--dereference", "--format=%s %F %n", "--", *some), env)
        regular = {
            name: int(size)
            for size, kind, name in (_split_stat(line) for line in sizes)
            if kind.startswith("regular")
        }
        if regular:
            digests = _said(("sha256sum", "--", *regular), env)
            for line in digests:
                sha256, _, name = line.partition("  ")
                found[name] = (regular[name], sha256)
    return found


def _split_stat(line: str) -> tuple[str, str, str]:
    """Size, kind and name of a line such as `12 regular file /a b`."""
    match = re.match(r"(\d+) (regular file|regular empty file|.+?) (/.*)", line)
    return (match[1], match[2], match[3]) if match else ("0", "", "")


def _said(argv: tuple[str, ...], env: Environment) -> list[str]:
    return env.run(Command(argv=tuple(map(literal, argv)), quiet=True)).stdout.splitlines()


def _below(path: str) -> str:
    return path[match.end() :] if (match := _OUTPUT.search(path)) else path.lstrip("/")
