"""What pip's installation report says it would install."""

from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from packaging.utils import canonicalize_name

from tfbuild.core.errors import FetchFailed
from tfbuild.core.records import Artifact
from tfbuild.core.safe_files import parse_json


def read_pip_report(text: str, kind: str) -> tuple[Artifact, ...]:
    """The files of pip's installation report, by name; FetchFailed where it is not understood."""
    try:
        document: dict[str, Any] = parse_json(text)
        found = [
            Artifact(
                distribution=canonicalize_name(item["metadata"]["name"]),
                version=item["metadata"]["version"],
                filename=unquote(Path(urlsplit(item["download_info"]["url"]).path).name),
                sha256=_reported_sha256(item["download_info"]["archive_info"]),
                kind=kind,
            )
            for item in document["install"]
        ]
    except (KeyError, TypeError, ValueError) as error:
        raise FetchFailed(
            "pip's answer is not understood",
            why=f"{type(error).__name__}: {error}",
            hint="tfbuild needs pip 23.0 or newer: python -m pip install --upgrade pip",
        ) from error
    return tuple(sorted(found, key=lambda artifact: artifact.distribution))


def _reported_sha256(archive: dict[str, Any]) -> str:
    """Of a file on this machine, pip 23.0 (Debian 12's) says algorithm=digest and no more."""
    if "hashes" in archive:
        return str(archive["hashes"]["sha256"])
    algorithm, _, digest = archive["hash"].partition("=")
    if algorithm != "sha256":
        raise ValueError(f"a hash of {algorithm}")
    return str(digest)
