"""Makes the private copy of the source code that is patched and built.

The copy is sealed: while it is as it was made, it is taken again, and its files keep their times.
Where other source code comes into its place, what differs gets the time of now: build systems
compare times, and a file of a new release may be older than what was compiled of the last one.

A build can write to the copy, also to its seal. So a note beside it, where no container writes,
says which seal is ours.
"""

import hashlib
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from tfbuild.core.any_tree import walk
from tfbuild.core.errors import BadRequest
from tfbuild.core.foreign_tree import ForeignTree
from tfbuild.core.interfaces import Tools
from tfbuild.core.kept_json import LARGEST, read_kept, write_kept
from tfbuild.core.parts import part_folder
from tfbuild.core.paths import file_digest, named_path, real_path
from tfbuild.fetch.seals import SEAL, discard, find_damage, seal_tree, sealed_digests
from tfbuild.inputs.archives import provide_archive
from tfbuild.inputs.debian import provide_debian
from tfbuild.inputs.folder_copy import copy_folder, folder_digest
from tfbuild.inputs.unpack import unpack_source
from tfbuild.recipes.records import Input


def stage(
    source: Input,
    tools: Tools,
    target: Path,
    patches: Sequence[str] = (),
    written: Sequence[str] = (),
) -> str:
    """Make target a whole copy of the source code; its sha256: the archive's, or over the files.

    An unchanged copy stays, also one that has got the first of the patches already, which are
    named by their sha256; written are the files that builds write into it. Raises BadRequest for
    source code that cannot be read or has changed since it was planned, and what fetching and
    unpacking raise: FetchFailed, EnvironmentFailed, DiskFull.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.kind == "folder":
        return _stage_folder(source, tools, target, patches, written)
    if source.kind == "debian":
        archive, digest = provide_debian(source.place, source.version, source.sha256, tools)
    else:
        archive, digest = provide_archive(source.place, source.sha256, tools)
    if not _is_staged(target, digest, patches, written):
        tools.reporter.progress(f"unpacking {archive.name}")
        with part_folder(target.parent) as aside:
            tree = unpack_source(archive, aside / "tree")
            # Tools that make files of files compare their times: those of one release stay equal.
            is_other = os.path.lexists(target) and _record(target).get("digest") != digest
            _replace(tree, target, digest, list(_files(tree)) if is_other else None)
    return digest


def staged_digest(folder: Path) -> str:
    """The sha256 of the source code that a staged copy is of, as `stage` has returned it."""
    return str(_record(folder).get("digest", ""))


def applied_patches(folder: Path) -> tuple[str, ...]:
    """The sha256 of each patch that a staged copy has got, in their order."""
    return tuple(_record(folder).get("patches", ()))


def note_patches(folder: Path, patches: Sequence[str]) -> None:
    """Write down that a staged copy has got these patches, and is whole as it is now."""
    if digest := _record(folder).get("digest"):
        seal_tree(folder, set(_files(folder)))
        _note(folder, str(digest), patches)


# --- inside ------------------------------------------------------------------------------------


def _stage_folder(
    source: Input, tools: Tools, target: Path, patches: Sequence[str], written: Sequence[str]
) -> str:
    folder = named_path(source.place)
    digest = _as_planned(folder_digest(folder), source)
    if not _is_staged(target, digest, patches, written):
        tools.reporter.progress(f"copying {folder.name}")
        with part_folder(target.parent) as aside:
            digest = _as_planned(copy_folder(folder, aside / "tree"), source)
            _replace(aside / "tree", target, digest)
    return digest


def _as_planned(digest: str, source: Input) -> str:
    if source.sha256 and digest != source.sha256:
        raise BadRequest(
            f"the source tree {source.place} has changed since it was planned",
            code="source-changed-since-planned",
            why=f"planned sha256 {source.sha256}\nfound sha256 {digest}",
            hint="run the same command again",
        )
    return digest


def _is_staged(target: Path, digest: str, patches: Sequence[str], written: Sequence[str]) -> bool:
    """Whether target is that copy, unchanged, with none or some of the first patches."""
    record = _record(target)
    applied = record.get("patches", [])
    if record.get("digest") != digest or applied != list(patches[: len(applied)]):
        return False
    if record.get("seal") != _seal_digest(target):
        return False
    _drop_left(target, written)
    if find_damage(target):
        return False
    if record["seal"] != _seal_digest(target):  # files that were only touched are in it now
        _note(target, digest, applied)
    return True


def _drop_left(target: Path, written: Sequence[str]) -> None:
    """Remove what earlier builds have left in a copy: their files, Bazel's links, Python's code."""
    sealed = sealed_digests(target)
    for path in [target / name for name in written] + list(target.glob("bazel-*")):
        is_inside = real_path(path.parent).is_relative_to(real_path(target))
        is_left = path.relative_to(target).as_posix() not in sealed
        if is_inside and is_left and (path.is_symlink() or path.is_file()):
            path.unlink()
    for folder, names, files in walk(target):
        if Path(folder).name == "__pycache__":
            names.clear()
            if not any(Path(folder, f).relative_to(target).as_posix() in sealed for f in files):
                discard(Path(folder))


def _replace(tree: Path, target: Path, digest: str, new: Sequence[str] | None = None) -> None:
    """Put a tree into the place of target; new are its files that count as changed now."""
    if os.path.lexists(target):
        for name in _changed(tree, target) if new is None else new:
            os.utime(tree / name, follow_symlinks=False)
        discard(target)
    tree.rename(target)
    seal_tree(target, set(_files(target)))
    _note(target, digest, ())


def _changed(tree: Path, target: Path) -> Iterator[str]:
    """The files that are not as they lie there now."""
    for name in _files(tree):
        if not _is_same_file(tree / name, ForeignTree(target), name):
            yield name


def _is_same_file(one: Path, there: ForeignTree, name: str) -> bool:
    if one.is_symlink():
        return False
    with suppress(OSError), there.opened(name) as other:
        if os.fstat(other.fileno()).st_size != one.stat().st_size:
            return False  # a build may have made it as large as it likes, with holes
        digest = hashlib.file_digest(other, "sha256").hexdigest()
        return stat.S_ISREG(there.own_mode(name)) and digest == file_digest(one)
    return False


def _files(tree: Path) -> Iterator[str]:
    """All files and links, by their places in the tree."""
    for folder, names, files in walk(tree):
        links = [name for name in names if Path(folder, name).is_symlink()]
        for name in (*files, *links):
            place = Path(folder, name).relative_to(tree).as_posix()
            if place != SEAL:
                yield place


def _note(folder: Path, digest: str, patches: Sequence[str]) -> None:
    record = {"digest": digest, "patches": list(patches), "seal": _seal_digest(folder)}
    write_kept(_record_place(folder), folder.name, record)


def _seal_digest(folder: Path) -> str:
    try:
        return hashlib.sha256(ForeignTree(folder).read(SEAL, LARGEST)).hexdigest()
    except (OSError, ValueError):
        return ""


def _record(folder: Path) -> dict[str, Any]:
    found = read_kept(_record_place(folder), folder.name)
    return found if isinstance(found, dict) else {}


def _record_place(folder: Path) -> Path:
    return folder.with_name(f".{folder.name}.staged.json")
