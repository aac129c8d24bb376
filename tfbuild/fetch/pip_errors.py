"""What pip and uv say when they fail, as errors with their remedies."""

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from tfbuild.core.disk_space import free_mb
from tfbuild.core.errors import (
    CommandFailed,
    CommandTimedOut,
    DiskFull,
    EnvironmentFailed,
    FetchFailed,
    RoomMissing,
    WrongHash,
)
from tfbuild.core.interfaces import Tools

_OFFLINE = re.compile(
    r"NewConnectionError|ConnectionError|ConnectTimeout|Read timed out|timed out"
    r"|Temporary failure in name resolution|Name or service not known|Network is unreachable"
    r"|tunnel error|client error \(Connect\)|dns error|invalid peer certificate"
    r"|ProxyError|SSLError|CERTIFICATE_VERIFY_FAILED|Connection refused|Max retries exceeded",
    re.IGNORECASE,
)
_REACH = (
    "the package index cannot be reached: check the network, or pip's own settings "
    "(PIP_INDEX_URL, PIP_PROXY, PIP_CERT); what is fetched already is kept"
)
_URL = re.compile(r"(https?|file)://\S+")


class IndexUnreachable(FetchFailed):
    """The package index gave no answer at all: there is no network, or no way through it."""


class WrongFile(WrongHash):
    """A file that is not the one that was pinned."""

    code = "hash-mismatch"

    def __init__(self, what: str, why: str, *, code: str = "") -> None:
        super().__init__(
            f"{what}: the hash is wrong",
            code=code,
            why=why,
            hint="it was thrown away; the index serves another file than the one that was pinned, "
            "so do not trust it before you know why",
        )


def pip_missing(log: str = "") -> EnvironmentFailed:
    """The error where tfbuild's own Python has no pip."""
    return EnvironmentFailed(
        f"this Python has no pip: {sys.executable}",
        code="pip-missing",
        hint=f"give it one: {sys.executable} -m ensurepip",
        log=log,
    )


@contextmanager
def explained(doing: str, tools: Tools, *, need_mb: int) -> Iterator[None]:
    """Turn what pip says when it fails into an error with its remedy."""
    try:
        yield
    except DiskFull as error:
        free = free_mb(tools.folders.artifacts)
        raise RoomMissing(
            f"the disk filled up while {doing}: {need_mb} MB are needed, {free} MB are free",
            code="disk-full-fetching",
            why=error.why,
            hint="free some room (`tfbuild cache prune` helps), or set TFBUILD_CACHE_DIR to a "
            "folder on a larger disk",
            log=error.log,
        ) from error
    except CommandTimedOut as error:
        raise IndexUnreachable(
            f"{doing} took too long, and was stopped",
            code="index-too-slow",
            why="the package index sends too little, or nothing",
            hint=_REACH,
            log=error.log,
        ) from error
    except CommandFailed as error:
        raise _meant(doing, error) from error


# --- inside ------------------------------------------------------------------------------------


def _meant(doing: str, error: CommandFailed) -> Exception:
    text = _URL.sub("(index)", "\n".join(error.last_lines))
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if "DO NOT MATCH THE HASHES" in text:
        return WrongFile(doing, "\n".join(x for x in lines if "sha256" in x or "Got" in x))
    if "No module named pip" in text:
        return pip_missing(error.log)
    if "tfbuild lets pip start no program" in text:
        return FetchFailed(
            f"{doing} failed: a package requires what would have to be built",
            code="package-must-be-built",
            why="pip wanted to start a program, as for source code at an address; only wheels of "
            "a package index are taken",
            hint="do not trust the index, or leave out the package that requires it; see the log",
            log=error.log,
        )
    said = [line for line in lines if line.startswith(("ERROR", "cause:"))] or lines[-4:]
    why = "\n".join(said[-4:])[:1200]
    if _OFFLINE.search(text):
        return IndexUnreachable(
            f"{doing} failed", code="index-unreachable", why=why, hint=_REACH, log=error.log
        )
    hint = "see `python -m pip config list` for the index that pip asks, and the log"
    return FetchFailed(f"{doing} failed", code="pip-failed", why=why, hint=hint, log=error.log)
