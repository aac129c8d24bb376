"""The forms of names and versions in recipes, and of file names below a product."""

import re
from collections.abc import Iterable
from pathlib import PurePosixPath

NAMES = "write small letters, digits and hyphens, such as zlib-ng"
VERSIONS = "write letters, digits, dots, plus and minus signs, such as 1.5.7"
LONGEST_PATTERNS = 4_000  # letters, each of which can stand for any
_VERSION = re.compile(r"[0-9A-Za-z][0-9A-Za-z.+~_-]{0,59}")  # a part of the archive's name
_NAME = re.compile(r"[a-z][a-z0-9+._-]{0,40}")


def is_version(text: str) -> bool:
    """Whether it can be the version of a product, which is a part of its archive's name."""
    return _VERSION.fullmatch(text) is not None


def is_name(text: str) -> bool:
    """Whether a recipe can be called so."""
    return _NAME.fullmatch(text) is not None


def leads_out(name: str) -> bool:
    """Whether the name of a file can be one outside of its folder."""
    path = PurePosixPath(name)
    return path.is_absolute() or ".." in path.parts


def is_too_long(patterns: Iterable[str]) -> bool:
    """Whether patterns of files are more than can be read as one expression."""
    return sum(map(len, patterns)) > LONGEST_PATTERNS
