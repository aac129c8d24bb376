"""Bazel's cache of downloaded archives, filled before Bazel asks: by hash, so names never clash.

`content_addressable/sha256/HASH/file`, as `--repository_cache` has it. Beside it lies an empty file
for the addresses under which rules of Bazel 7 ask for it.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from tfbuild.core.any_tree import files_below
from tfbuild.core.errors import BadRequest, FetchFailed
from tfbuild.core.layout import BAZEL_OUTPUTS
from tfbuild.core.paths import copy_aside, file_digest
from tfbuild.core.reporter import Reporter
from tfbuild.fetch.download import fetch_file
from tfbuild.fetch.http import HttpFailed
from tfbuild.sources.archives import SourceArchive

_BELOW = "content_addressable/sha256"
_BAZELS_OWN = "cache/repos/v1"  # below the output user root, where Bazel looks by itself


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    """An archive that could not be had, and why not."""

    archive: SourceArchive
    why: str


def cache_of_bazels(cache: Path) -> Path:
    """Where each Bazel that tfbuild drives on this machine looks without an option."""
    return BAZEL_OUTPUTS.path(cache) / _BAZELS_OWN


def place_of(archive: SourceArchive, root: Path) -> Path:
    """Where an archive lies in a repository cache."""
    return root / _BELOW / archive.sha256 / "file"


def is_there(archive: SourceArchive, root: Path) -> bool:
    """Whether the very file is there; one of another content is removed."""
    path = place_of(archive, root)
    if not archive.sha256 or not path.is_file():
        return False
    if file_digest(path) == archive.sha256:
        return True
    path.unlink()
    return False


def fetch_archives(
    archives: Sequence[SourceArchive], root: Path, reporter: Reporter
) -> tuple[Missing, ...]:
    """Fetch what is not there, each from the first of its addresses that has it; what is left.

    A host that cannot be reached is asked once. Raises DiskFull.
    """
    left: list[Missing] = []
    silent: dict[str, str] = {}  # host -> why it was not reached
    for number, archive in enumerate(archives):
        reporter.progress(f"fetching {archive.name} ({archive.file})", number, len(archives))
        if is_there(archive, root):
            continue
        if why := _fetched(archive, root, reporter, silent):
            left.append(Missing(archive=archive, why=why))
    return tuple(left)


def take_from(
    folder: Path, archives: Sequence[SourceArchive], root: Path, reporter: Reporter
) -> int:
    """Copy what is wanted out of a folder, known by its hash whatever its name; how many.

    BadRequest where there is no such folder.
    """
    if not folder.is_dir():
        raise BadRequest(
            f"there is no folder {folder}",
            code="archive-folder-missing",
            hint="name one that has the archives",
        )
    wanted = {a.sha256: a for a in archives if a.sha256 and not is_there(a, root)}
    taken = 0
    files = sorted(files_below(folder))
    for number, path in enumerate(files):
        reporter.progress(path.name, number, len(files))
        archive = wanted.get(file_digest(path))
        if archive:
            copy_aside(path, place_of(archive, root))
            _note_addresses(archive, root)
            taken += 1
    return taken


# --- inside ------------------------------------------------------------------------------------


def _fetched(archive: SourceArchive, root: Path, reporter: Reporter, silent: dict[str, str]) -> str:
    """Why no address has it; empty where it has been fetched."""
    if not archive.sha256:
        return "the workspace says no hash, so that nothing could be checked"
    reasons = []
    for url in archive.urls:
        try:
            host = urlsplit(url).netloc
        except ValueError as error:
            reasons.append(f"{url}: {error}")
            continue
        if host in silent:
            reasons.append(f"{host}: {silent[host]}")
            continue
        try:
            fetch_file(url, place_of(archive, root), archive.sha256, reporter)
        except FetchFailed as error:
            reasons.append(f"{host}: {error.why or error.message}")
            if isinstance(error, HttpFailed) and error.where == "connection":
                silent[host] = "not reached"
        else:
            _note_addresses(archive, root)
            return ""
    return "; ".join(dict.fromkeys(reasons)) or "it has no address"


def _note_addresses(archive: SourceArchive, root: Path) -> None:
    """Rules of Bazel 7 ask for a file under the addresses that it was asked for first."""
    asked = " ".join(archive.urls)
    name = "id-" + hashlib.sha256(asked.encode()).hexdigest()
    place_of(archive, root).with_name(name).touch()
