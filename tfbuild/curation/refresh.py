"""Newer facts for matrices/: what the package index knows is proposed as lines, and written."""

import datetime
import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from email.message import Message
from pathlib import Path
from typing import Any

from tfbuild.core.errors import BadRequest, EnvironmentFailed
from tfbuild.core.paths import write_aside
from tfbuild.curation.matrix_file import MatrixText, edit, read_matrix
from tfbuild.curation.newer_rows import AXES, NewRows, Task
from tfbuild.curation.releases import Index
from tfbuild.fetch.simple_api import IndexFile

_KEY = "index"  # among the sources of a matrix: the package index
_SOURCE = "Package index, file lists and metadata of the releases"


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """What a refresh would change in one file; nothing is added or changed where all is known."""

    file: str
    before: str = field(repr=False)
    after: str = field(repr=False)
    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def propose(files: Mapping[str, str], index: Index, *, today: str = "") -> tuple[Proposal, ...]:
    """One proposal for each of the files (name -> text) on whose axis the index knows something.

    Raises FetchFailed when the index cannot be asked, BadRecipe for a file that is no matrix.
    """
    date = today or datetime.datetime.now(datetime.UTC).date().isoformat()
    names = [f"{axis}.yaml" for axis in AXES if f"{axis}.yaml" in files]
    matrices = {name: read_matrix(name, files[name]) for name in names}
    remembering = _Remembering(index)
    found = []
    for name, matrix in matrices.items():
        news = NewRows()
        remembering.unknown.clear()
        if matrix.rows:  # an empty file does not say where to begin
            task = Task(matrix=matrix, others=matrices, index=remembering)
            AXES[name.removesuffix(".yaml")](task, news)
        news.notes += [f"no index lists a wheel of {p}" for p in remembering.unknown]
        found.append(_proposal(matrix, news, date))
    return tuple(found)


def diff_text(proposals: Sequence[Proposal], folder: str = "matrices") -> str:
    """All proposals as one unified diff that `patch -p1` takes; empty when nothing is new."""
    lines: list[str] = []
    for proposal in proposals:
        lines += difflib.unified_diff(
            proposal.before.splitlines(keepends=True),
            proposal.after.splitlines(keepends=True),
            f"a/{folder}/{proposal.file}",
            f"b/{folder}/{proposal.file}",
            n=1,
        )
    marked = (
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
    )
    return "".join(marked)


def apply(folder: Path, proposals: Sequence[Proposal]) -> tuple[Path, ...]:
    """Write the changed files, each aside and then moved into place; which ones they were.

    Raises BadRequest, before anything is written, when a file is no longer what was compared, and
    EnvironmentFailed where the folder must not be written.
    """
    wanted = [proposal for proposal in proposals if proposal.after != proposal.before]
    for proposal in wanted:
        path = folder / proposal.file
        if not path.is_file() or path.read_text() != proposal.before:
            raise BadRequest(
                f"{path} is not the file that was compared",
                code="facts-changed-meanwhile",
                hint="run the same command again",
            )
    try:
        return tuple(write_aside(folder / p.file, p.after) for p in wanted)
    except OSError as error:
        raise EnvironmentFailed(
            f"cannot write into {folder}",
            code="facts-not-writable",
            why=error.strerror or str(error),
            hint="write in a checkout of tfbuild, or apply the diff where the facts belong",
        ) from error


# --- inside ------------------------------------------------------------------------------------


class _Remembering:
    """The index, asked once for each project; unknown are those that it had nothing of."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._files: dict[str, tuple[IndexFile, ...]] = {}
        self.unknown: list[str] = []

    def files(self, project: str) -> tuple[IndexFile, ...]:
        if project not in self._files:
            self._files[project] = self._index.files(project)
        if not self._files[project] and project not in self.unknown:
            self.unknown.append(project)
        return self._files[project]

    def metadata(self, file: IndexFile) -> Message | None:
        return self._index.metadata(file)


def _proposal(matrix: MatrixText, news: NewRows, date: str) -> Proposal:
    """The news as an edit of the text."""
    evidence = {"source": [_KEY], "checked": date, "evidence": "metadata"}
    added = [_filled({**row, **evidence}) for row in news.added]
    changed = [
        _filled({**row, "source": list(dict.fromkeys([*row["source"], _KEY])), "checked": date})
        for row in news.changed
    ]
    after = matrix.text
    if added or changed:
        after = edit(matrix, added=added, changed=changed, sources={_KEY: _SOURCE})
    return Proposal(
        file=matrix.name,
        before=matrix.text,
        after=after,
        added=tuple(row["version"] for row in added),
        changed=tuple(row["version"] for row in changed),
        notes=(
            *news.notes,
            *(f"fill in by hand: {what} ({', '.join(of)})" for what, of in news.lacks.items()),
        ),
    )


def _filled(row: Mapping[str, Any]) -> dict[str, Any]:
    """The row without the fields that say nothing."""
    return {key: value for key, value in row.items() if value or value is False}
