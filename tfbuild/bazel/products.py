"""What a call of Bazel brought: the files of the targets that were asked for, out of its events."""

import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
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
    here = _as_here(sorted(named), env)
    facts = _facts(sorted(here), env)
    names = _names(facts)
    files = tuple(
        BuiltFile(target=named[here[path]], path=path, name=names[path], size=size, sha256=sha256)
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
            label = _bytewise(str(part_of(event, "id", "targetCompleted").get("label", "")))
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


def _as_here(paths: list[str], env: Environment) -> dict[str, str]:
    """The paths as they are on the disk, each with the path that Bazel has written.

    Bazel before 8 takes each byte of a name for a letter, and writes those letters.
    """
    read = {path: _bytewise(path) for path in paths}
    doubtful = [path for path, other in read.items() if other != path]
    there: set[str] = set()
    for at in range(0, len(doubtful), _SEVERAL):
        some = [read[path] for path in doubtful[at : at + _SEVERAL]]
        there |= set(_said(("stat", "--format=%n", "--", *some), env, ok_codes=(0, 1)))
    return {read[path] if read[path] in there else path: path for path in paths}


def _bytewise(path: str) -> str:
    """The text of bytes that were each taken for a letter; the path as it is where none were."""
    try:
        return path.encode("latin-1").decode()
    except ValueError:
        return path


def _names(paths: Iterable[str]) -> dict[str, str]:
    """The place of each file below bazel-bin.

    Where two configurations of one target, or a file and a folder, take one place, each of them
    lies in the folder of its configuration.
    """
    short = {path: _OUTPUT.split(path, maxsplit=1)[-1] for path in paths}
    counts = Counter(short.values())
    folders = {str(parent) for name in counts for parent in PurePosixPath(name).parents}
    doubled = {name for name, count in counts.items() if count > 1 or name in folders}
    whole = {path: path.partition("/bazel-out/")[2] for path in short}
    names = {path: whole[path] if _is_in(name, doubled) else name for path, name in short.items()}
    return names if len({*names.values()}) == len(names) else whole


def _is_in(name: str, doubled: set[str]) -> bool:
    return name in doubled or any(str(folder) in doubled for folder in PurePosixPath(name).parents)


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


def _said(
    argv: tuple[str, ...], env: Environment, *, ok_codes: tuple[int, ...] = (0,)
) -> list[str]:
    command = Command(argv=tuple(map(literal, argv)), quiet=True, ok_codes=ok_codes)
    return env.run(command).stdout.rstrip("\n").split("\n")
