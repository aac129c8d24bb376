"""Remembers what a stage found, under a key of everything that the result depends on."""

import hashlib
import json
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeVar

from tfbuild.core.kept_json import read_kept, write_kept
from tfbuild.core.paths import PACKAGE, Folders, tree_digest
from tfbuild.core.serialization import from_plain, to_plain

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True, kw_only=True)
class StageCache:
    """The results of earlier runs in one work folder."""

    folders: Folders

    def get_or_make(self, stage: str, parts: object, kind: type[Result], make: Callable[[], Result],
                    *, holds: Callable[[Result], bool] = lambda _: True,
                    keep: Callable[[Result], bool] = lambda _: True,
                    code: str = "") -> Result:  # fmt: skip
        """The remembered result, marked with its run and with what it took there, or a fresh one.

        holds says whether a remembered result is still true; keep whether a fresh one is worth
        remembering: what failed is tried again; code is a digest of the modules that made it,
        empty for all of the program.
        """
        key = make_key(stage, parts, code)
        path, subject = self.folders.memo / stage / f"{key}.json", f"{stage} {key}"
        if (found := _read(path, subject, kind)) and holds(found) and keep(found):
            os.utime(path)  # what was used lately is not pruned
            return found
        began = time.monotonic()
        result = make()
        if keep(result):
            took = round(time.monotonic() - began, 3)
            note = {"run": self.folders.run.name, "seconds": took, "result": to_plain(result)}
            write_kept(path, subject, note)
        return result


def make_key(stage: str, parts: object, code: str = "") -> str:
    """Twenty digits over parts, the stage's name and code; where that is empty, the program's."""
    text = json.dumps([stage, code or code_digest(), to_plain(parts)], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:20]


@cache
def code_digest() -> str:
    """The digest of tfbuild's own modules and probes: a changed check is a new check."""
    return tree_digest(PACKAGE, skip=("_data",))


def _read(path: Path, subject: str, kind: type[Result]) -> Result | None:
    """The result in the file, marked with the run that made it and the seconds it took."""
    note = read_kept(path, subject)
    try:
        data = note["result"]
        if "reused_from" in data:
            data["reused_from"] = data["reused_from"] or note["run"]
            data["seconds"] = data["seconds"] or note["seconds"]
        return from_plain(kind, data)
    except (ValueError, KeyError, TypeError):
        return None
