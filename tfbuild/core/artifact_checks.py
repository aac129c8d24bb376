"""Whether what is said of a file of a package index can be true: its name, version, file, digest.

Such words come from lock files and indexes, and become requirements, command lines and paths.
"""

import re

from packaging.utils import (
    InvalidName,
    InvalidWheelFilename,
    canonicalize_name,
    parse_wheel_filename,
)
from packaging.version import Version

from tfbuild.core.records import Artifact
from tfbuild.core.versions import known_version

KINDS = ("build", "cuda", "tool", "smoke", "perf")
_MOST_BYTES = 1 << 40
_LONGEST_NAME, _LONGEST_FILE = 200, 255
_SHA256 = re.compile(r"[0-9a-f]{64}")
_VERSION = re.compile(r"[0-9A-Za-z.!+_-]+")
# packaging lets other letters and signs through in the tags at the end of a name.
_FILE = re.compile(r"[0-9A-Za-z][0-9A-Za-z.!+_-]*\.whl")


def check_artifact(artifact: Artifact) -> None:
    """Raise ValueError where a field is not what it must be, or two do not belong together."""
    name = _name_of(artifact.distribution)
    version = _version_of(artifact.version)
    check_digest(artifact.sha256)
    if artifact.kind not in KINDS:
        raise ValueError(f"kind: unexpected {artifact.kind!r}, known are {', '.join(KINDS)}")
    if not 0 <= artifact.size <= _MOST_BYTES:
        raise ValueError(f"size: unexpected {artifact.size!r}")
    filename = artifact.filename
    if len(filename) > _LONGEST_FILE or not _FILE.fullmatch(filename):
        raise ValueError(f"filename: unexpected {filename!r}")
    try:
        its_name, its_version, _, _ = parse_wheel_filename(filename)
    except InvalidWheelFilename as error:
        raise ValueError(f"filename: unexpected {filename!r}") from error
    if (its_name, its_version) != (name, version):
        raise ValueError(f"filename: {filename!r} is not of {name} {version}")


def check_digest(text: str) -> None:
    """Raise ValueError where text is no SHA-256 in hexadecimal digits."""
    if not _SHA256.fullmatch(text):
        raise ValueError(f"sha256: unexpected {text!r}")


def pin(artifact: Artifact) -> str:
    """The requirement NAME==VERSION; ValueError where its name or version is none."""
    return f"{_name_of(artifact.distribution)}=={_version_of(artifact.version)}"


def _name_of(text: str) -> str:
    """The name as indexes write it."""
    try:
        if len(text) <= _LONGEST_NAME and "\n" not in text:
            return canonicalize_name(text, validate=True)
    except InvalidName:
        pass
    raise ValueError(f"distribution: unexpected {text!r}")


def _version_of(text: str) -> Version:
    version = known_version(text) if _VERSION.fullmatch(text) else None
    if version is None:
        raise ValueError(f"version: unexpected {text!r}")
    return version
