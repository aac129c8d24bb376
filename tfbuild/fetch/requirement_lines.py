"""The lines and words that ask pip and uv for what is wanted: names and versions, and nothing else.

Whoever writes a requirement for them takes it from here. Both also understand addresses, files,
options and further lines in such a place, and fetch and run what those name.
"""

import re

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tfbuild.core import artifact_checks
from tfbuild.core.errors import BadRequest, FetchFailed
from tfbuild.core.records import Artifact
from tfbuild.core.versions import known_version
from tfbuild.wheels.requirements import parse_requirement

# Behind a name: extras, versions and conditions. There is no sign of an address, of a path, of a
# variable, or of another line among them.
_REST = re.compile(r"""[0-9A-Za-z .,;_+*!<>=~()\[\]"'-]*""")
_WORD_APART = re.compile(r" -")  # where pip and uv take the rest of a line for an option
_HINT = "write a name with versions, as numpy>=1.26,<3; of a wheel, see its METADATA"


def pinned_line(artifact: Artifact) -> str:
    """NAME==VERSION; FetchFailed where name or version is none."""
    try:
        return artifact_checks.pin(artifact)
    except ValueError as error:
        raise FetchFailed(
            f"no file is fetched for {artifact.distribution!r} {artifact.version!r}",
            code="pin-malformed",
            why=str(error),
            hint="see where it comes from: a lock file, matrices/wheels.yaml or an index",
        ) from error


def hashed_line(artifact: Artifact) -> str:
    """NAME==VERSION with the digest of its file; FetchFailed where one of them is none."""
    line = pinned_line(artifact)
    try:
        artifact_checks.check_digest(artifact.sha256)
    except ValueError as error:
        raise FetchFailed(
            f"no file is fetched for {line}",
            code="pin-without-hash",
            why=str(error),
            hint="see where it comes from",
        ) from error
    return f"{line} --hash=sha256:{artifact.sha256}"


def barred_line(artifact: Artifact) -> str:
    """NAME!=VERSION; FetchFailed where name or version is none."""
    return pinned_line(artifact).replace("==", "!=", 1)


def wanted_line(text: str) -> str:
    """A requirement as pip and uv get it, its name as indexes write it.

    Raises BadRequest for what is none, and for one that names an address or anything else than a
    name, extras, versions and conditions.
    """
    requirement = parse_requirement(text)
    if requirement.url:
        raise BadRequest(
            f"'{requirement.name}' is wanted from an address",
            code="requirement-from-address",
            why=f"'{text[:200]}' names a place to fetch it from; packages come from the index",
            hint=_HINT,
        )
    # A name with a dot could be that of a file in the current folder, which pip would install.
    name = canonicalize_name(requirement.name)
    rest = text.strip()[len(requirement.name) :]
    if not _REST.fullmatch(rest) or _WORD_APART.search(rest) or not _has_versions(requirement):
        raise BadRequest(
            f"'{requirement.name}' is wanted in a way that is not passed on",
            code="requirement-not-plain",
            why=f"in '{text[:200]}' there is more than a name, versions and conditions",
            hint=_HINT,
        )
    return name + rest


def _has_versions(requirement: Requirement) -> bool:
    """Whether it compares with versions alone: after === anything may stand."""
    return all(
        known_version(one.version.removesuffix(".*")) is not None for one in requirement.specifier
    )
