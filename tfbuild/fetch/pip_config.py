"""What pip is configured with: its indexes and how it reaches them, as pip itself says."""

import ast
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from tfbuild.core.child_environment import own_module
from tfbuild.core.errors import CommandFailed, EnvironmentFailed
from tfbuild.core.interfaces import Runner
from tfbuild.core.masking import mask_address
from tfbuild.core.records import Command
from tfbuild.fetch.http import Access

_SECONDS = 120.0  # for pip to list its settings
_SECTIONS = ("global", "download", ":env:")  # the later one wins, as in pip itself
_DEFAULT = re.compile(r"--index-url\s.*?\(default:?\s+(\S+?)\)", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class PipConfig:
    """Where pip looks, in its order. Addresses may hold passwords, so they are not shown."""

    indexes: tuple[str, ...] = field(repr=False)
    access: Access = field(repr=False)
    find_links: tuple[str, ...] = field(default=(), repr=False)
    constraints: tuple[str, ...] = ()  # files that limit versions


def ask_pip(runner: Runner) -> PipConfig:
    """The configuration of the pip that belongs to this Python.

    There are no indexes where pip must not ask any. Raises EnvironmentFailed without pip, and where
    one of its indexes is no address.
    """
    options = _options(_pip(runner, "config", "list"))
    if options.get("no-index", "").lower() in {"1", "true", "yes", "on", "y", "t"}:
        addresses: tuple[str, ...] = ()
    else:
        main = options.get("index-url", "") or _default_index(runner)
        addresses = (main, *options.get("extra-index-url", "").split())
    if wrong := next((address for address in addresses if not _is_address(address)), ""):
        raise EnvironmentFailed(
            f"pip is configured to look at {mask_address(wrong)}, which is no address",
            code="pip-index-malformed",
            hint=f"see `{sys.executable} -m pip config list` and PIP_INDEX_URL",
        )
    access = Access(
        ca=options.get("cert", ""),
        client_cert=options.get("client-cert", ""),
        proxy=options.get("proxy", ""),
        trusted_hosts=tuple(options.get("trusted-host", "").split()),
        timeout=_seconds(options.get("timeout") or options.get("default-timeout", "")),
    )
    return PipConfig(
        indexes=tuple(dict.fromkeys(a.rstrip("/") for a in addresses)),
        access=access,
        find_links=tuple(options.get("find-links", "").split()),
        constraints=tuple(options.get("constraint", "").split()),
    )


def index_name(runner: Runner) -> str:
    """Where pip is configured to look, without passwords; empty for its own default.

    Raises EnvironmentFailed without pip.
    """
    sections = (*_SECTIONS[:-1], "install", _SECTIONS[-1])
    options = _options(_pip(runner, "config", "list"), sections)
    configured = [
        f"{name}={mask_address(address)}"
        for name in ("no-index", "index-url", "extra-index-url", "find-links")
        for address in options.get(name, "").split()
    ]
    return " ".join(configured)


# --- inside ------------------------------------------------------------------------------------


def _is_address(text: str) -> bool:
    try:
        urlsplit(text)
    except ValueError:
        return False
    return True


def _pip(runner: Runner, *words: str) -> str:
    argv = (*own_module("pip"), "--disable-pip-version-check", "--no-input", *words)
    # pip folds its help to the width of the terminal, in the middle of addresses too.
    wide = (("COLUMNS", "4000"),)
    try:
        command = Command(
            argv=argv, purpose="ask pip for its settings", env=wide, quiet=True, timeout=_SECONDS
        )
        return runner.run(command).stdout
    except CommandFailed as error:
        raise EnvironmentFailed(
            f"pip does not list its settings: {sys.executable} -m pip {words[0]}",
            code="pip-config-unreadable",
            why="\n".join(error.last_lines[-3:]),
            hint=f"see whether it works by hand; {sys.executable} -m ensurepip gives a Python "
            "its pip",
            log=error.log,
        ) from error


def _options(listing: str, order: Sequence[str] = _SECTIONS) -> Mapping[str, str]:
    """What `pip config list` says, the sections laid over each other."""
    sections: dict[str, dict[str, str]] = {name: {} for name in order}
    for line in listing.splitlines():
        key, equals, value = line.partition("=")
        section, _, name = key.strip().rpartition(".")
        if equals and section in sections:
            sections[section][name.replace("_", "-").lower()] = _unquoted(value)
    merged: dict[str, str] = {}
    for section in order:
        merged |= sections[section]
    return merged


def _unquoted(value: str) -> str:
    try:
        return str(ast.literal_eval(value.strip()))
    except (ValueError, SyntaxError):
        return value.strip()


def _default_index(runner: Runner) -> str:
    """The index that pip asks when nobody names one: its help says so."""
    found = _DEFAULT.search(_pip(runner, "--isolated", "download", "--help"))
    if found is None:
        raise EnvironmentFailed(
            "pip does not say which index it asks by default",
            code="pip-index-unknown",
            hint="name one: PIP_INDEX_URL=https://.../simple",
        )
    return found[1]


def _seconds(text: str) -> float:
    try:
        return max(float(text), 1.0)
    except ValueError:
        return Access().timeout
