"""What a pipeline installs to get this tfbuild: its checkout, or the commit that it came from.

Names of an index belong to whoever takes them first, and `tfbuild` is another program there. So a
pipeline that publishes gets no such name from us, and only a pinned one from its writer.
"""

import re
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from tfbuild.core.errors import BadRequest
from tfbuild.core.safe_files import parse_json, read_toml

DISTRIBUTION = "tfbuild-chain"
_NOT_OURS = "tfbuild"  # on the index, a tool for Terraform
_COMMIT = re.compile(r"[0-9a-f]{40,64}")
_HINT = "give --install '.' for a checkout of tfbuild, a wheel's path, or NAME @ git+https://HOST/PATH@COMMIT"


def usual_install(folder: Path) -> str:
    """What pip installs where nothing is named; folder is that of the pipeline's repository.

    Raises BadRequest where neither it is tfbuild's own nor this tfbuild knows its commit.
    """
    if _is_checkout(folder):
        return "."
    if origin := _commit_of(_origin()):
        return f"{DISTRIBUTION} @ {origin}"
    raise BadRequest(
        "what the pipeline should install is not known",
        code="install-not-known",
        why=f"this folder is no checkout of tfbuild, this tfbuild was not installed from a commit, "
        f"and {DISTRIBUTION} is not published",
        hint=_HINT,
    )


def check_install(text: str) -> None:
    """Raise BadRequest for what may be another program tomorrow: a bare name, a moving branch."""
    try:
        asked = Requirement(text)
    except InvalidRequirement:  # a path, or an address without a name
        name, address, is_pinned = "", text, False
    else:
        name, address = canonicalize_name(asked.name), asked.url or ""
        is_pinned = any(one.operator in {"==", "==="} and "*" not in one.version
                        for one in asked.specifier)  # fmt: skip
    if text.startswith("-"):
        raise BadRequest(f"'{text}' is an option of pip's", code="install-is-option", hint=_HINT)
    if name == _NOT_OURS and not address:
        raise BadRequest(
            f"'{text}' is another program",
            code="install-other-program",
            why=f"on the index, {_NOT_OURS} belongs to others; this one is {DISTRIBUTION}",
            hint=_HINT,
        )
    if name and not address and not is_pinned:
        raise BadRequest(
            f"'{text}' names no release",
            code="install-not-pinned",
            why="the pipeline would run whatever the index has on that day",
            hint=f"pin it: {name}==VERSION",
        )
    if "git+" in address and not _COMMIT.fullmatch(_revision(address)):
        raise BadRequest(
            f"'{text}' names no commit",
            code="install-without-commit",
            why="a branch or a tag may be moved",
            hint="end the address with @ and the 40 digits of a commit",
        )


# --- inside ------------------------------------------------------------------------------------


def _is_checkout(folder: Path) -> bool:
    try:
        project = read_toml(folder / "pyproject.toml")["project"]
        return canonicalize_name(project["name"]) == DISTRIBUTION
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False


def _origin() -> Mapping[str, Any]:
    """Where pip has installed this tfbuild from; empty where it took it from an index."""
    try:
        text = distribution(DISTRIBUTION).read_text("direct_url.json")
        found = parse_json(text or "{}")
    except (PackageNotFoundError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _commit_of(origin: Mapping[str, Any]) -> str:
    """The address of a commit as pip takes it; empty where it is none that others can reach."""
    version, url = origin.get("vcs_info") or {}, str(origin.get("url") or "")
    commit = str(version.get("commit_id") or "")
    if version.get("vcs") != "git" or not url.startswith("https://") or "@" in url:
        return ""  # an address with a login stays here
    return f"git+{url}@{commit}" if _COMMIT.fullmatch(commit) else ""


def _revision(address: str) -> str:
    return address.partition("#")[0].rpartition("@")[2]
