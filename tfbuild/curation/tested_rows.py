"""Proven rows as lines of matrices/tested.yaml: new ones are added, known ones renewed."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from tfbuild.core.serialization import to_plain
from tfbuild.core.versions import parse_version
from tfbuild.curation.matrix_file import MatrixText, Row, read_matrix, splice
from tfbuild.curation.refresh import Proposal
from tfbuild.facts.rows import TestedRow

FILE = "tested.yaml"
NewTestedRows = Literal["new", "renewed", "known"]
_SOURCES = {"own-build": "tfbuild itself: built, audited and smoke-tested"}
_RELEASE = ("tensorflow", "runtime", "platform", "device")
_BUILT_WITH = ("python", "gcc", "clang", "bazel", "cuda", "cudnn")
# What a proven row may stand in for, best first; a line of a published table is never rewritten.
_OURS = ("proven", "measured", "derived")


def propose_rows(
    text: str, rows: Sequence[TestedRow]
) -> tuple[Proposal, tuple[NewTestedRows, ...]]:
    """What the rows would change in the text of tested.yaml, and what is new about each of them.

    Raises BadRecipe where the text cannot be edited line by line.
    """
    matrix = read_matrix(FILE, text, field="platform")
    lines = [*matrix.rows]
    news = tuple([_enter(_line(row), lines) for row in rows])
    old = len(matrix.rows)
    changed = {n: line for n, line in enumerate(lines[:old]) if line is not matrix.rows[n]}
    added = sorted(lines[old:], key=lambda line: parse_version(str(line["python"])), reverse=True)
    after = text
    if changed or added:
        places = [(_place(matrix, line), line) for line in added]
        after = splice(matrix, replaced=changed, inserted=places, sources=_SOURCES)
    proposal = Proposal(
        file=FILE,
        before=text,
        after=after,
        added=tuple(map(_title, added)),
        changed=tuple(map(_title, changed.values())),
    )
    return proposal, news


# --- inside ------------------------------------------------------------------------------------


def _line(row: TestedRow) -> dict[str, Any]:
    """The row with the fields that are filled."""
    return {name: value for name, value in to_plain(row).items() if value}


def _enter(line: Row, lines: list[Row]) -> NewTestedRows:
    """Put the line among the others, unless one of them says as much; what was new about it."""
    same = [n for n, other in enumerate(lines) if _is_same_build(other, line)]
    if not same:
        lines.append(line)
        return "new"
    at = min(same, key=lambda n: _OURS.index(lines[n]["evidence"]))
    if not _says_more(line, lines[at]):
        return "known"
    lines[at] = line
    return "renewed"


def _is_same_build(old: Row, new: Row) -> bool:
    """Whether both are of one combination; what was tried on a system unnamed is of any."""
    fields = (*_RELEASE, *_BUILT_WITH)
    systems = {new.get("os"), *([] if old["evidence"] == "proven" else [None])}
    return (
        old["evidence"] in _OURS
        and all(str(old.get(name, "")) == str(new.get(name, "")) for name in fields)
        and old.get("os") in systems
    )


def _says_more(new: Row, old: Row) -> bool:
    """Proven says more than tried, on a GPU more than without one, and later more than earlier."""
    if old["evidence"] != "proven":
        return True
    if bool(old.get("gpu")) != bool(new.get("gpu")):
        return bool(new.get("gpu"))
    return bool(new["checked"] > old["checked"])


def _place(matrix: MatrixText, line: Row) -> int:
    """The row before which a line belongs: the first of its release, else the first of all."""

    def release(row: Row) -> Mapping[str, str]:
        return {name: str(row.get(name, "")) for name in _RELEASE}

    wanted = release(line)
    return next((n for n, row in enumerate(matrix.rows) if release(row) == wanted), 0)


def _title(line: Row) -> str:
    """The line in a few words, as a list of what was changed has them."""
    names = (*_RELEASE, "os", *_BUILT_WITH)
    return " ".join(f"{name}={line[name]}" for name in names if line.get(name))
