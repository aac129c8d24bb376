"""What pip's installation report says it would install, and how such an answer is read at all."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from packaging.utils import canonicalize_name

from tfbuild.core.artifact_checks import check_artifact
from tfbuild.core.errors import FetchFailed
from tfbuild.core.records import Artifact
from tfbuild.core.safe_files import parse_json


def read_pip_report(text: str, kind: str) -> tuple[Artifact, ...]:
    """The files of pip's installation report, by name.

    Raises FetchFailed where it is not understood, or names a file that no index has.
    """

    def read() -> list[Artifact]:
        report = parse_json(text)["install"]
        if found := [item["metadata"]["name"] for item in report if item.get("is_direct")]:
            raise ValueError(f"a package names an address for {found[0]}")
        return [
            Artifact(
                distribution=canonicalize_name(item["metadata"]["name"]),
                version=item["metadata"]["version"],
                filename=file_of(item["download_info"]["url"]),
                sha256=_reported_sha256(item["download_info"]["archive_info"]),
                kind=kind,
            )
            for item in report
        ]

    remedy = "tfbuild needs pip 23.0 or newer: python -m pip install --upgrade pip"
    return understood("pip", read, remedy)


def understood(
    program: str, read: Callable[[], Iterable[Artifact]], remedy: str
) -> tuple[Artifact, ...]:
    """The files that are read out of a program's answer, by name.

    Raises FetchFailed where reading meets another form than it expects, and for names, versions
    and files that are none or do not belong together: an index decides what stands there.
    """
    try:
        found = tuple(read())
        for artifact in found:
            check_artifact(artifact)
    except (KeyError, TypeError, ValueError) as error:
        raise FetchFailed(
            f"{program}'s answer is not understood",
            code="pip-report-malformed",
            why=f"{type(error).__name__}: {error}",
            hint=remedy,
        ) from error
    return tuple(sorted(found, key=lambda artifact: artifact.distribution))


def file_of(address: str) -> str:
    """The name of the file that an address or a path leads to; ValueError where there is none."""
    return unquote(Path(urlsplit(address).path).name)


def _reported_sha256(archive: dict[str, Any]) -> str:
    """Of a file on this machine, pip 23.0 (Debian 12's) says algorithm=digest and no more."""
    if "hashes" in archive:
        return str(archive["hashes"]["sha256"])
    algorithm, _, digest = archive["hash"].partition("=")
    if algorithm != "sha256":
        raise ValueError(f"a hash of {algorithm}")
    return str(digest)
