"""Archives of source code: local ones, those at an address, and those that were kept."""

import os
import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

from tfbuild.core.errors import BadRequest, WrongHash
from tfbuild.core.interfaces import Tools
from tfbuild.core.layout import SOURCES
from tfbuild.core.masking import mask_address
from tfbuild.core.parts import part_folder
from tfbuild.core.paths import copy_aside, file_digest, named_path, names_file
from tfbuild.core.trust import distrust
from tfbuild.fetch.download import fetch_file

_ADDRESS = re.compile(r"(?i)https?://")


def provide_archive(place: str, sha256: str, tools: Tools) -> tuple[Path, str]:
    """The archive of a path or an address, and its sha256.

    What comes from an address is kept in the cache. Raises BadRequest for a file that is not there
    and for an address without a hash, WrongHash for another file than was named, FetchFailed.
    """
    if not _ADDRESS.match(place):
        return _local(named_path(place), sha256, tools)
    if not re.fullmatch(r"[0-9a-f]{64}", sha256):
        raise BadRequest(
            f"{mask_address(place)} has no sha256",
            code="archive-without-hash",
            why="what comes from a network is only taken where its hash is known before",
            hint="write the sha256 of the archive into the recipe's releases",
        )
    if kept := kept_archive(sha256, tools):
        return kept, sha256
    name = Path(unquote(urlsplit(place).path)).name
    target = SOURCES.path(tools.folders.cache) / sha256 / (name or "archive")
    tools.reporter.progress(f"fetching {target.name}")
    return fetch_file(place, target, sha256, tools.reporter), sha256


def kept_archive(sha256: str, tools: Tools) -> Path | None:
    """The archive of that hash in the cache, if it is there and whole; it counts as used now."""
    folder = SOURCES.path(tools.folders.cache) / sha256
    if not sha256 or not folder.is_dir():
        return None
    for path in sorted(folder.iterdir()):
        if not path.name.startswith(".") and names_file(path) and file_digest(path) == sha256:
            os.utime(path)
            return path
    return None


def keep_archive(archive: Path, sha256: str, tools: Tools) -> Path:
    """Keep an archive in the cache; the path there."""
    target = SOURCES.path(tools.folders.cache) / sha256 / archive.name
    return copy_aside(archive, target)


# --- inside ------------------------------------------------------------------------------------


def _local(path: Path, sha256: str, tools: Tools) -> tuple[Path, str]:
    """An archive of this machine; a copy of it where others could change it after it was hashed."""
    if not names_file(path):
        raise BadRequest(
            f"the archive {path} is not there",
            code="source-archive-missing",
            hint="name a source tree or an archive of one with --source",
        )
    if distrust(path) or distrust(path.parent):
        path, found = _copied(path, tools)
    else:
        found = file_digest(path)
    if sha256 and found != sha256:
        raise WrongHash(
            f"{path.name} has the wrong hash",
            code="archive-hash-mismatch",
            why=f"expected sha256 {sha256}\nfound sha256 {found}",
            hint="name the right archive with --source",
        )
    return path, found


def _copied(archive: Path, tools: Tools) -> tuple[Path, str]:
    """A copy in the cache, and its sha256."""
    folder = SOURCES.path(tools.folders.cache)
    folder.mkdir(parents=True, exist_ok=True)
    with part_folder(folder) as aside:
        copy = copy_aside(archive, aside / archive.name)
        digest = file_digest(copy)
        target = folder / digest / archive.name
        target.parent.mkdir(exist_ok=True)
        copy.replace(target)
    return target, digest
