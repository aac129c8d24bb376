"""Bazel's rc files as data: options by command and config, in one spelling, imports followed."""

import shlex
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tfbuild.core.paths import names_file, real_path
from tfbuild.core.safe_files import read_inside
from tfbuild.core.words import split_words

_LARGEST = 2_000_000  # bytes; the largest .bazelrc of a TensorFlow release has 0.06 MB
_DEEPEST = 20  # imports within each other
# Bazel reads a file again for each import of it, and so do we: a few could make endless ones.
_MOST_FILES = 1000
_LARGEST_SUM = 10_000_000  # letters of all files
_WORKSPACE = "%workspace%"
_SHORT = {"-c": "--compilation_mode", "-j": "--jobs", "-k": "--keep_going", "-s": "--subcommands"}
_WITH_VALUE = {"-c", "-j"}


@dataclass(frozen=True, slots=True, kw_only=True)
class RcLine:
    """The options of one line: `build:cuda --repo_env A=1` has command build and config cuda."""

    command: str
    config: str
    options: tuple[str, ...]
    place: str  # FILE:LINE


@dataclass(frozen=True, slots=True, kw_only=True)
class RcFile:
    """The lines of an rc file and of what it imports, in Bazel's order."""

    lines: tuple[RcLine, ...]
    imports: tuple[str, ...] = ()  # as written: `try-import %workspace%/.bazelrc.user`

    @property
    def configs(self) -> tuple[str, ...]:
        """The names that `--config` takes for a build, sorted."""
        # What is said for `common` and for `build` holds in a build, and so does no other command.
        found = {n.config for n in self.lines if n.config and n.command in {"build", "common"}}
        return tuple(sorted(found))

    def options(self, *, config: str = "", command: str = "build") -> tuple[str, ...]:
        """The options of a command that stand under one config, or under none."""
        commands = {command, "common", "always"} if config == "" else {command, "common"}
        return tuple(
            option
            for line in self.lines
            if line.command in commands and line.config == config
            for option in line.options
        )


def parse_rc(text: str, name: str) -> RcFile:
    """The lines of a text; imports are listed and not followed.

    Raises ValueError that names the line of an open quote.
    """
    lines, imports = [], []
    for number, words in _worded(text, name):
        command, _, config = words[0].partition(":")
        if command in {"import", "try-import"}:
            imports.append(" ".join(words))
            continue
        options = tuple(in_one_spelling(words[1:]))
        lines.append(
            RcLine(command=command, config=config, options=options, place=f"{name}:{number}")
        )
    return RcFile(lines=tuple(lines), imports=tuple(imports))


def read_rc(path: Path, workspace: Path, *, skip: Iterable[str] = ()) -> RcFile:
    """An rc file and what it imports, but for the files whose names are in skip.

    What may be imported is not where it lies outside of the workspace. Raises OSError and
    ValueError: for one that is missing, outside, too large, not UTF-8, broken, or imports itself,
    and for one that imports more than a thousand files, or more than 10 MB, in all.
    """
    return _Reader(workspace=workspace, skip=frozenset(skip)).read(path, ())


def in_one_spelling(words: Iterable[str]) -> list[str]:
    """Options as `--name=value`, however they were written: `--copt -g`, `-c opt`, `--a b`."""
    found: list[str] = []
    waits = False  # the last option may have its value in the next word
    for word in words:
        if waits and not word.startswith("-"):
            found[-1] += f"={word}"
            waits = False
        elif word in _SHORT:
            found.append(_SHORT[word])
            waits = word in _WITH_VALUE
        else:
            waits = word.startswith("--") and "=" not in word
            # `--copt -DX` has a value that looks like an option.
            if found and _takes_flags(found[-1]) and word.startswith("-"):
                found[-1] += f"={word}"
                waits = False
            else:
                found.append(word)
    return found


# --- inside --------------------------------------------------------------------------------------

_FLAG_OPTIONS = {
    f"--{part}{name}"
    for part in ("", "host_")
    for name in ("copt", "cxxopt", "conlyopt", "linkopt")
}


def _takes_flags(option: str) -> bool:
    return option in _FLAG_OPTIONS


def _worded(text: str, name: str) -> Iterable[tuple[int, list[str]]]:
    """Number and words of each line that says something; a backslash joins it with the next."""
    waiting: list[str] = []
    first = 0
    for number, line in enumerate(text.splitlines(), 1):
        first = first if waiting else number
        if line.endswith("\\"):
            waiting += [line[:-1]] if line[:-1] else []
            continue
        try:
            words = split_words("".join([*waiting, line]), comments=True)
        except ValueError as error:
            raise ValueError(f"line {first} of {name}: {error}") from error
        waiting = []
        if words:
            yield first, words


@dataclass(slots=True, kw_only=True)
class _Reader:
    """Follows the imports of one file, and counts what it reads."""

    workspace: Path
    skip: frozenset[str]
    files: int = 0
    letters: int = 0

    def read(self, path: Path, above: tuple[Path, ...]) -> RcFile:
        """A file and what it imports, below those that import it."""
        lines: list[RcLine] = []
        imports: list[str] = []
        # Imported lines take the place of the line that imports them: a later option wins.
        for number, words in _worded(self._text(path, above), path.name):
            if words[0] not in {"import", "try-import"}:
                lines += parse_rc(shlex.join(words), path.name).lines
                lines[-1] = _at(lines[-1], f"{path.name}:{number}")
                continue
            imports.append(" ".join(words))
            target = Path(" ".join(words[1:]).replace(_WORKSPACE, str(self.workspace)))
            is_there = names_file(target) and real_path(target).is_relative_to(
                real_path(self.workspace)
            )
            if target.name in self.skip or (words[0] == "try-import" and not is_there):
                continue
            inner = self.read(target, (*above, path))
            lines += inner.lines
            imports += inner.imports
        return RcFile(lines=tuple(lines), imports=tuple(imports))

    def _text(self, path: Path, above: tuple[Path, ...]) -> str:
        if path in above or len(above) > _DEEPEST:
            raise ValueError(f"{path.name} imports itself")
        text = read_inside(self.workspace, path, _LARGEST)
        self.files += 1
        self.letters += len(text)
        if self.files > _MOST_FILES or self.letters > _LARGEST_SUM:
            raise ValueError(
                f"its imports come to more than {_MOST_FILES} files or {_LARGEST_SUM / 1e6:.0f} MB"
            )
        return text


def _at(line: RcLine, place: str) -> RcLine:
    return RcLine(command=line.command, config=line.config, options=line.options, place=place)
