"""A matrix as text: lines are added and replaced in place, and nothing else in the file moves.

By hand, although ruamel.yaml reads and writes all of matrices/ without changing a byte: it respaces
lines that people wrote, puts a new source below the remark that divides the sections, and leaves
unquoted what YAML 1.1 reads as no text (no, on, 12:30). Quotes and the check of the result would
have to stay beside it.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tfbuild.core.counts import counted
from tfbuild.core.errors import BadRecipe
from tfbuild.core.temporary_folder import temporary_folder
from tfbuild.core.versions import parse_version
from tfbuild.core.yaml_rows import read_facts_file

Row = Mapping[str, Any]

# The order of fields in a row that is written anew.
_ORDER = (
    *("version", "requires", "expects", "architectures", "c_api", "target", "free_threaded"),
    *("hermetic_python", "hermetic_cuda", "wheel_target", "wheels", "build_numpy"),
    *("tensorflow", "runtime", "platform", "device", "os", "glibc", "python", "numpy"),
    *("gcc", "clang", "compiler", "bazel", "cuda", "cudnn", "gpu"),
    *("note", "source", "checked", "evidence"),
)
_PLAIN = re.compile(r"[A-Za-z_/][\w ./()+@;=<>%-]*")
_RESERVED = {"true", "false", "null", "yes", "no", "on", "off", "y", "n"}


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixText:
    """One file of matrices/: its text, what it says, and in which line each row stands."""

    name: str
    text: str
    content: Mapping[str, Any]
    lines: tuple[int, ...]

    @property
    def rows(self) -> Sequence[Row]:
        """The rows as they stand there, newest first."""
        return self.content["rows"]  # type: ignore[no-any-return]

    @property
    def sources(self) -> Mapping[str, str]:
        """The documents behind the rows, by their keys."""
        return self.content.get("sources") or {}

    @property
    def versions(self) -> tuple[str, ...]:
        """The versions that have a row, newest first."""
        return tuple(str(row["version"]) for row in self.rows)


def read_matrix(name: str, text: str, *, field: str = "version") -> MatrixText:
    """The matrix in text, whose rows all have the field.

    BadRecipe when it is none, or when a row is not one line.
    """
    content = _parse(name, text)
    if not isinstance(content, dict) or not isinstance(content.get("rows"), list):
        raise BadRecipe(
            f"matrices/{name} holds no rows",
            code="matrix-rows-missing",
            hint="write about:, sources: and rows:",
        )
    for number, row in enumerate(content["rows"], 1):
        if not isinstance(row, dict) or field not in row:
            raise BadRecipe(
                f"matrices/{name}, entry {number}: field '{field}' is missing",
                code="entry-field-missing",
            )
    lines = tuple(_items(text.splitlines(), "rows:"))
    if len(lines) != (rows := len(content["rows"])):
        raise BadRecipe(
            f"matrices/{name} cannot be edited line by line",
            code="matrix-rows-not-lines",
            why=f"it has {counted(rows, 'row')}, and {counted(len(lines), 'line')} of a row each",
            hint="write each row as one line: - {version: ..., ...}",
        )
    return MatrixText(name=name, text=text, content=content, lines=lines)


def edit(
    matrix: MatrixText, *, added: Sequence[Row], changed: Sequence[Row], sources: Mapping[str, str]
) -> str:
    """The text with rows added in their places, rows of the same version replaced, sources named.

    Raises BadRecipe as splice does, and where a version would stand there twice.
    """
    known = {version: number for number, version in enumerate(matrix.versions)}
    if len({*known, *(row["version"] for row in added)}) < len(matrix.versions) + len(added):
        raise BadRecipe(
            f"matrices/{matrix.name} would have a version twice",
            code="matrix-version-twice",
            hint="write each version once, newest first",
        )
    return splice(
        matrix,
        replaced={known[row["version"]]: row for row in changed},
        inserted=[
            (_place(matrix, row["version"]), row)
            for row in sorted(added, key=lambda row: parse_version(row["version"]), reverse=True)
        ],
        sources=sources,
    )


def splice(
    matrix: MatrixText,
    *,
    replaced: Mapping[int, Row],
    inserted: Sequence[tuple[int, Row]],
    sources: Mapping[str, str],
) -> str:
    """The text with rows replaced by their number, others put before a row, and sources named.

    The result is read again: BadRecipe where it would say anything else than that.
    """
    lines, rows = matrix.text.splitlines(), list(matrix.rows)
    for number, row in replaced.items():
        at = matrix.lines[number]
        lines[at] = _indent(lines[at]) + as_line(row)
        rows[number] = row
    # From the bottom up, so that the numbers of lines and rows above stay right.
    for number, row in sorted(inserted, key=lambda pair: pair[0])[::-1]:
        at = matrix.lines[number] if number < len(matrix.lines) else matrix.lines[-1] + 1
        lines.insert(at, _indent(lines[matrix.lines[0]]) + as_line(row))
        rows.insert(number, row)
    new = {key: words for key, words in sources.items() if key not in matrix.sources}
    at = _end_of_sources(lines, matrix.name) if new else 0
    lines[at:at] = [f"  {key}: {_scalar(words)}" for key, words in new.items()]
    text = "\n".join(lines) + "\n"
    if not _is_right(matrix, text, rows, new):
        raise BadRecipe(
            f"matrices/{matrix.name} would say something else after the edit",
            code="matrix-edit-wrong",
            hint="write each row as one line, newest first, each version once",
        )
    return text


def as_line(row: Row) -> str:
    """A row as one line of YAML, its fields in the usual order."""
    rank = {key: number for number, key in enumerate(_ORDER)}
    keys = sorted(row, key=lambda key: rank.get(key, rank["note"]))
    return "- " + _flow({key: row[key] for key in keys})


# --- inside ------------------------------------------------------------------------------------


def _parse(name: str, text: str) -> Any:  # noqa: ANN401  (whatever the text holds)
    with temporary_folder() as folder:
        path = folder / name
        path.write_text(text)
        return read_facts_file(path)


def _items(lines: Sequence[str], key: str) -> list[int]:
    """The numbers of the lines that begin an item of the list under a key."""
    found: list[int] = []
    is_inside = False
    for number, line in enumerate(lines):
        if line[:1] not in {"", " ", "#", "-"}:
            is_inside = line.rstrip() == key
        elif is_inside and re.match(r" {0,4}- ", line):
            found.append(number)
    return found


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _place(matrix: MatrixText, version: str) -> int:
    """The row before which a version belongs: the first older one, else the end."""
    ours = parse_version(version)
    older = (n for n, known in enumerate(matrix.versions) if parse_version(known) < ours)
    return next(older, len(matrix.versions))


def _end_of_sources(lines: Sequence[str], name: str) -> int:
    start = next((n for n, line in enumerate(lines) if line.rstrip() == "sources:"), -1)
    if start < 0:
        raise BadRecipe(
            f"matrices/{name} has no place for another source",
            code="matrix-sources-not-lines",
            hint="write 'sources:' on a line of its own, and each source indented below it",
        )
    end = start + 1
    for number, line in enumerate(lines[start + 1 :], start + 1):
        if line[:1] not in {"", " ", "#"}:
            break
        if line[:1] == " ":
            end = number + 1
    return end


def _flow(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_scalar(k)}: {_flow(v)}" for k, v in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_flow(item) for item in value) + "]"
    return str(value) if isinstance(value, int) else _scalar(value)


def _scalar(value: object) -> str:
    text = str(value)
    is_plain = _PLAIN.fullmatch(text) and text.lower() not in _RESERVED
    return text if is_plain and text == text.strip() else "'" + text.replace("'", "''") + "'"


def _plain(value: object) -> object:
    """The value as a YAML reader would give it back."""
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, (list, tuple)) else value


def _is_right(
    matrix: MatrixText, text: str, rows: Sequence[Row], sources: Mapping[str, str]
) -> bool:
    """Whether the edited text says what it said, with these rows and sources, and nothing else."""
    try:
        after = _parse(matrix.name, text)
    except BadRecipe:
        return False
    return (
        isinstance(after, dict)
        and after.get("rows") == [_plain(row) for row in rows]
        and (after.get("sources") or {}) == {**matrix.sources, **sources}
        and {**after, "rows": 0, "sources": 0} == {**matrix.content, "rows": 0, "sources": 0}
    )
