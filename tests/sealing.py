"""Seals on trees that a test has made, as whole as they are."""

from collections.abc import Mapping
from pathlib import Path

from tfbuild.fetch.seals import SEAL, seal_tree


def seal_as_it_is(tree: Path, *, known: Mapping[str, str] | None = None) -> None:
    """Seal a tree with whatever is in it."""
    inside = [path for path in tree.rglob("*") if path.is_symlink() or not path.is_dir()]
    seal_tree(tree, {str(path.relative_to(tree)) for path in inside} - {SEAL}, known=known)
