"""Wheels in the cache, fetched and unpacked: where they lie, and whether they are what they were.

A check reports what is damaged and throws it away; whoever wants it fetches it anew.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from tfbuild.core.errors import FetchFailed
from tfbuild.core.interfaces import Tools
from tfbuild.core.layout import ARTIFACTS
from tfbuild.core.paths import file_digest
from tfbuild.core.records import Artifact
from tfbuild.fetch.seals import discard, find_damage, seal_tree, sealed_digests


def artifact_path(artifact: Artifact, tools: Tools) -> Path:
    """Where the file of an artifact lies, or will."""
    return tools.folders.artifacts / ARTIFACTS.below / artifact.sha256 / artifact.filename


def tree_path(artifact: Artifact, tools: Tools) -> Path:
    """Where an artifact lies unpacked, or will."""
    return tools.folders.unpacked / artifact.sha256


def seal_file(path: Path, sha256: str) -> None:
    """Remember that a file was read, and has the sha256 of its folder's name."""
    with suppress(OSError, FetchFailed):  # without the seal it is read once more
        seal_tree(path.parent, [path.name], known={path.name: sha256})


def drop_damaged_files(
    artifacts: Sequence[Artifact], tools: Tools, *, in_full: bool
) -> tuple[Artifact, ...]:
    """Throw away files that are not what their hash says, and return whose they were.

    in_full reads all of them, else only those that have changed since they were read.
    """
    damaged = tuple(a for a in artifacts if _is_damaged(a, tools, in_full=in_full))
    for artifact in damaged:
        tools.reporter.warn(
            f"damaged in the cache, and thrown away: {artifact.filename}",
            code="cache-entry-damaged",
        )
        discard(artifact_path(artifact, tools).parent)
    return damaged


def drop_damaged_trees(
    artifacts: Sequence[Artifact], tools: Tools, *, in_full: bool
) -> tuple[str, ...]:
    """Throw away unpacked wheels that are not as they were unpacked; a line for each."""
    lines = []
    for artifact in artifacts:
        tree = tree_path(artifact, tools)
        if os.path.lexists(tree) and (damage := find_damage(tree, in_full=in_full)):
            line = f"{artifact.distribution} {artifact.version} ({damage})"
            tools.reporter.warn(
                f"damaged in the cache, and unpacked anew: {line}", code="cache-entry-damaged"
            )
            discard(tree)
            lines.append(line)
    return tuple(lines)


@contextmanager
def naming(*damaged: str) -> Iterator[None]:
    """Let a fetch that fails inside name which damaged files it was to replace, if any."""
    try:
        yield
    except FetchFailed as error:
        names = [name for name in damaged if name]
        if not names:
            raise
        raise FetchFailed(
            f"damaged in the cache, and not to be had anew: {', '.join(names)}",
            code="cached-file-damaged",
            why=f"{error.message}\n{error.why}".rstrip(),
            hint=error.hint,
            log=error.log,
        ) from error


def _is_damaged(artifact: Artifact, tools: Tools, *, in_full: bool) -> bool:
    """Whether a file is there and is not what its hash says; its seal only saves reading it."""
    path = artifact_path(artifact, tools)
    if not os.path.lexists(path):
        return False
    sealed = sealed_digests(path.parent).get(path.name)
    if sealed == artifact.sha256 and not find_damage(path.parent, in_full=in_full):
        return False
    try:
        if path.is_symlink() or file_digest(path) != artifact.sha256:
            return True
    except OSError:
        return True
    seal_file(path, artifact.sha256)
    return False
