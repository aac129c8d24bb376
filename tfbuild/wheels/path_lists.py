"""Lists of paths (`.pth`), which Python reads at its start: what they run, and where they lead.

A line that begins with `import` is run. Any other adds a place to where every Python looks for
modules: a folder, or a zip file of whatever name, of which it imports as well.
"""

import posixpath
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tfbuild.wheels.installation import SITE, Installed

_LONGEST = 4096  # letters of a path on Linux
_DEEPEST = 101  # parts of a path in a wheel


@dataclass(frozen=True, slots=True, kw_only=True)
class PathList:
    """What one list says."""

    name: str
    runs: bool  # whether a line of it is code
    paths: tuple[str, ...] = ()  # as they are written


class Leads:
    """Where all lists of a wheel lead together."""

    def __init__(self, lists: Iterable[PathList]) -> None:
        # By parts: below the site folder, each with a list that names it; and those that leave it,
        # by an absolute path or `..`, by each of their endings: where the folder lies is not known.
        self._inside: dict[tuple[str, ...], str] = {}
        self._outside: dict[tuple[str, ...], str] = {}
        for one in lists:
            for path in one.paths:
                parts, leaves = _parts(path)
                if not leaves:
                    self._inside[parts] = one.name
                for k in range(len(parts[-_DEEPEST:]) if leaves else 0):
                    self._outside[parts[-_DEEPEST:][k:]] = one.name
        self._all = self._outside | self._inside

    def to_file(self, place: Installed) -> str:
        """The list that names this very file of the wheel; empty where none does."""
        if not self._all:
            return ""
        parts, _ = _parts(place.below)
        # Where the folders of other schemes lie is not known, nor from which a list is read.
        begins = range(1 if place.scheme == SITE else len(parts))
        return next((self._all[parts[k:]] for k in begins if parts[k:] in self._all), "")

    def below(self, place: Installed) -> Iterator[str]:
        """The paths by which Python finds this file below folders that the lists name."""
        if not self._all:
            return
        parts, _ = _parts(place.below)
        for k in range(1, len(parts)):
            if parts[:k] in self._all:
                yield "/".join(place.below.split("/")[-(len(parts) - k) :])


def parse_path_list(name: str, raw: bytes) -> PathList:
    """What a list says in either of the encodings that Python tries, by all its ends of lines."""
    texts = (raw.decode("utf-8-sig", "replace"), raw.decode("latin-1"))
    # Older Pythons end lines at CR and LF alone.
    lines = {
        line: None
        for text in texts
        for line in (*text.splitlines(), *text.replace("\r", "\n").split("\n"))
    }
    paths = [
        line.rstrip()
        for line in lines
        if line.strip() and not line.startswith("#") and len(line) <= _LONGEST
    ]
    runs = any(line.startswith(("import ", "import\t")) for line in lines)
    return PathList(name=name, runs=runs, paths=tuple(dict.fromkeys(paths)))


# --- inside ------------------------------------------------------------------------------------


def _parts(path: str) -> tuple[tuple[str, ...], bool]:
    """The parts of a path, in small letters; and whether it leaves the folder that it begins in.

    Then they are those behind the last `..`; none for the folder itself.
    """
    plain = posixpath.normpath(path).lower()
    parts = [part for part in plain.split("/") if part not in {"", "."}]
    leaves = plain.startswith("/") or parts[:1] == [".."]
    return tuple(part for part in parts if part != ".."), leaves
