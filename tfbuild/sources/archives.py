"""What a Bazel workspace downloads by name: archives with their addresses and hashes.

Read from its WORKSPACE and the .bzl files that it loads from itself, which nearly are Python. What
other repositories load in their turn is in them, and known only once they are there.
"""

import ast
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from tfbuild.core.errors import BadRequest
from tfbuild.core.paths import names_file, real_path
from tfbuild.sources.starlark import (
    Names,
    Room,
    StarlarkFiles,
    Unknown,
    called_name,
    literal_text,
    parse_starlark,
)

_ROOTS = ("WORKSPACE", "WORKSPACE.bazel")
_LABEL = re.compile(r"@?@?(?:(?P<repository>[\w.~-]*))?//(?P<package>[^:]*):(?P<file>.+)")
_RELATIVE = re.compile(r":(?P<file>.+)")
# Rules name these alike: address, addresses, hash.
_ADDRESSES = ("urls", "url", "jar_urls", "srcjar_urls")
_HASHES = ("sha256", "jar_sha256", "srcjar_sha256")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_MOST_FILES = 2000
_DEEPEST = 50  # files that load each other, one after the other


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceArchive:
    """One file that the workspace downloads."""

    name: str  # of the repository in Bazel
    file: str  # name of the file, as its address ends
    urls: tuple[str, ...]  # addresses that have it
    sha256: str  # of the file; empty where the workspace does not say it
    said_at: str  # file and line that say it


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceArchives:
    """All of a workspace, by name; `unread` names what reading could not know."""

    archives: tuple[SourceArchive, ...]
    unread: tuple[str, ...]  # file:line of calls whose address is computed
    foreign: tuple[str, ...]  # loads from other repositories, which may download more


def read_archives(folder: Path) -> SourceArchives:
    """What the workspace in folder downloads; BadRequest where there is none, or it is broken."""
    root = next((folder / name for name in _ROOTS if (folder / name).is_file()), None)
    if root is None:
        raise BadRequest(
            f"{folder} has no {' or '.join(_ROOTS)}",
            code="not-bazel-workspace",
            why="that file says what a Bazel workspace downloads",
            hint="name the top folder of a source tree",
        )
    reader = _Reader(folder=folder, files=StarlarkFiles(folder))
    reader.read(root, 0)
    found = {(a.name, a.file, a.sha256): a for a in reversed(reader.archives)}
    return SourceArchives(
        archives=tuple(sorted(found.values(), key=lambda a: (a.name, a.file))),
        unread=tuple(sorted(set(reader.unread))),
        foreign=tuple(sorted(set(reader.foreign))),
    )


# --- files -------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Reader:
    """Walks from WORKSPACE through what it loads, each file once."""

    folder: Path
    files: StarlarkFiles
    archives: list[SourceArchive] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)
    seen: dict[Path, dict[str, object]] = field(default_factory=dict)  # file -> its constants
    room: Room = field(default_factory=Room)

    def read(self, path: Path, depth: int) -> dict[str, object]:
        """The constants of a file, after all that it loads was read."""
        if path in self.seen:
            return self.seen[path]
        if depth > _DEEPEST:
            raise BadRequest(
                f"{path} is loaded through more than {_DEEPEST} files",
                code="bazel-files-too-deep",
                why="each of them loads the next one",
                hint="see whether the tree is whole",
            )
        constants: dict[str, object] = {}
        self.seen[path] = constants
        if len(self.seen) > _MOST_FILES:
            raise BadRequest(
                f"{self.folder} loads more than {_MOST_FILES} files", code="bazel-files-too-many"
            )
        text = self.files.text(path)
        # A syntax tree takes much memory: this one is made again after those that it waits for.
        for loaded in _all_loaded(parse_starlark(path, text)):
            self._load(path, loaded, constants, depth + 1)
        _Scope(reader=self, path=path, values=constants).walk(parse_starlark(path, text).body)
        return constants

    def _load(self, path: Path, loaded: "_Load", constants: dict[str, object], depth: int) -> None:
        target = self._place(path, loaded.label)
        if target is None:
            if not loaded.label.startswith("@bazel_tools//"):  # comes with Bazel
                self.foreign.append(loaded.label)
        elif names_file(target):
            theirs = self.read(target, depth)
            names = loaded.names.items()
            constants |= {mine: theirs[name] for mine, name in names if name in theirs}

    def _place(self, path: Path, label: str) -> Path | None:
        """The file of a label in this very workspace; None for one of another repository."""
        if match := _RELATIVE.fullmatch(label):
            place = Path(os.path.normpath(path.parent / match["file"]))
            return place if place.is_relative_to(self.folder) else None
        match = _LABEL.fullmatch(label)
        if not match or match["repository"] not in {None, "", "org_tensorflow"}:
            return None
        place = real_path(self.folder / match["package"] / match["file"])
        return place if place.is_relative_to(real_path(self.folder)) else None


@dataclass(frozen=True, slots=True)
class _Load:
    label: str
    names: Mapping[str, str]  # here -> there


def _all_loaded(tree: ast.Module) -> list["_Load"]:
    return [loaded for statement in tree.body if (loaded := _loaded(statement))]


def _loaded(statement: ast.stmt) -> _Load | None:
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not (isinstance(call, ast.Call) and called_name(call.func) == "load" and call.args):
        return None
    words = [text for one in call.args if (text := literal_text(one))]
    named = {k.arg: text for k in call.keywords if k.arg and (text := literal_text(k.value))}
    return _Load(words[0], {**{w: w for w in words[1:]}, **named}) if words else None


# --- values ------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Scope:
    """The names of a file or of a function in it, as far as they are constants."""

    reader: _Reader
    path: Path
    values: dict[str, object]
    given: frozenset[str] = frozenset()  # parameters

    def walk(self, body: list[ast.stmt]) -> None:
        """Take assignments in, and note each call that downloads."""
        waiting = body[::-1]
        while waiting:
            statement = waiting.pop()
            if isinstance(statement, ast.FunctionDef):
                self._inside(statement).walk(statement.body)
                continue
            if isinstance(statement, ast.Assign):
                self._assign(statement)
            names = self._names()
            for node in self._calls(statement):
                self._note(node, names)
            inside = (*getattr(statement, "body", ()), *getattr(statement, "orelse", ()))
            waiting += inside[::-1]

    def _inside(self, function: ast.FunctionDef) -> "_Scope":
        """What a function begins with; nothing from outside where copying takes too much room."""
        arguments = function.args
        own = {a.arg for a in (*arguments.args, *arguments.kwonlyargs)}
        own |= {a.arg for a in (arguments.vararg, arguments.kwarg) if a}
        try:
            self.reader.room.take(len(self.values) + len(self.given))
        except Unknown:
            return _Scope(self.reader, self.path, {}, frozenset(own))
        return _Scope(self.reader, self.path, dict(self.values), self.given | own)

    def _names(self) -> Names:
        return Names(self.values, self.given, self.reader.room)

    def _calls(self, statement: ast.stmt) -> Iterator[ast.Call]:
        """The calls in a statement itself, not in those below it."""
        waiting: list[ast.AST] = [statement]
        while waiting:
            node = waiting.pop()
            if isinstance(node, ast.Call):
                yield node
            below = ast.iter_child_nodes(node)
            waiting += [one for one in below if not isinstance(one, ast.stmt)]

    def _assign(self, statement: ast.Assign) -> None:
        names = [target.id for target in statement.targets if isinstance(target, ast.Name)]
        try:
            found = self._names().value(statement.value)
        except Unknown:
            for name in names:
                self.values.pop(name, None)
        else:
            self.values.update(dict.fromkeys(names, found))

    def _note(self, call: ast.Call, names: Names) -> None:
        words = {k.arg: k.value for k in call.keywords if k.arg}
        addressed = [name for name in _ADDRESSES if name in words]
        if not addressed or ("name" not in words and "implementation" in words):
            return
        where = f"{self.path.relative_to(self.reader.folder)}:{call.lineno}"
        for at, name in enumerate(addressed):
            hashed = _HASHES[_ADDRESSES.index(name) - 1 if name.endswith("r_urls") else 0]
            try:
                self._add(words, name, hashed, where, names)
            except Unknown as error:
                if not error.is_given and at == 0:
                    self.reader.unread.append(where)

    def _add(
        self, words: Mapping[str, ast.expr], name: str, hashed: str, where: str, names: Names
    ) -> None:
        found = names.value(words[name])
        names.room.take_values(found)
        urls = (found,) if isinstance(found, str) else found
        if not isinstance(urls, tuple) or not all(isinstance(u, str) for u in urls):
            raise Unknown
        urls = tuple(url for url in urls if url)
        if not urls:
            return
        digest = names.value(words[hashed]) if hashed in words else ""
        title = names.value(words["name"]) if "name" in words else ""
        if not isinstance(title, str):
            raise Unknown
        self.reader.archives.append(
            SourceArchive(
                name=title,
                file=_file_name(urls[0]),
                urls=urls,
                sha256=digest if isinstance(digest, str) and _SHA256.fullmatch(digest) else "",
                said_at=where,
            )
        )


def _file_name(url: str) -> str:
    """How the path of an address ends; Unknown for what is no address."""
    try:
        return urlsplit(url).path.rpartition("/")[2]
    except ValueError as error:
        raise Unknown from error
