"""What Bazel wanted to fetch and could not: names, addresses and digests, all of them together.

Bazel stops at the first one. So what it says is completed by what WORKSPACE and MODULE.bazel
declare; both are read as data (their syntax is Python's) and never run.
"""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from tfbuild.core.python_text import parse_python
from tfbuild.core.safe_files import read_inside
from tfbuild.core.workspaces import WantedArchive

_FILES = ("WORKSPACE.bazel", "WORKSPACE", "MODULE.bazel")
_NAMED = (
    re.compile(r"no such package '@@?([\w.~+-]+)//"),
    re.compile(r"(?:fetching|download(?:ing)?|Repository|repository) '?@@?([\w.~+-]+)'?"),
    re.compile(r"Unable to find package for @@?\[?@?([\w.~+-]+)\]?//"),
    re.compile(r"external repository '@?@?([\w.~+-]+)'"),
    re.compile(r"Failed to download repo '?([\w.~+-]+)"),
    re.compile(r"[Rr]epository '@?@?([\w.~+-]+)' (?:could not be resolved|is not defined)"),
)
_ADDRESS = re.compile(r"https?://[^\s\]\),'\"]+")
_REFUSED = re.compile(
    r"Error downloading|Error accessing registry|downloads? (?:is|are) disabled|Failed to fetch"
    r"|fetching (?:is disabled|of repository)|to fix, run|error fetching|no such package '@"
    r"|repository '@?@?[\w.~+-]+' (?:could not be resolved|is not defined)"
    r"|Unknown host|Connection refused|GET returned \d+",
    re.IGNORECASE,
)
_MODULE_IN_URL = re.compile(r"/modules/([\w.-]+)/([\w.-]+)/")


def wanted_archives(
    workspace: Path, lines: Iterable[str], replaced: Iterable[str]
) -> tuple[WantedArchive, ...]:
    """What the lines of a failed call say was to be fetched, with what is declared of it.

    What else is declared, and not replaced, comes last: Bazel may ask for it next. Empty where the
    call failed for another reason.
    """
    said = [line for line in lines if _REFUSED.search(line)]
    if not said:
        return ()
    declared = dict(_declared(workspace))
    names = {found[1] for line in said for kind in _NAMED if (found := kind.search(line))}
    addresses = list(
        dict.fromkeys(a.rstrip(".,:") for line in said for a in _ADDRESS.findall(line))
    )
    wanted = {name: _wanted(name, addresses, declared) for name in sorted(names)}
    named = {*addresses, *(url for archive in wanted.values() for url in archive.urls)}
    taken = {url for archive in wanted.values() for url in archive.urls}
    for address in addresses:
        if address in taken or any(url.startswith(address) for url in named - {address}):
            continue  # the root of a registry says less than the file that was looked for
        name = _name_of(address, declared)
        wanted.setdefault(name, declared.get(name) or WantedArchive(name=name, urls=(address,)))
    for name, archive in declared.items():
        if archive.name not in wanted:
            wanted.setdefault(name, replace(archive, is_asked_for=False))
    gone = set(replaced)
    return tuple(archive for name, archive in wanted.items() if name not in gone)


def speaks_of_fetching(text: str) -> bool:
    """Whether what Bazel said is about something that it could not fetch."""
    return bool(_REFUSED.search(text))


def wanted_text(wanted: Iterable[WantedArchive]) -> str:
    """A line for each, and its addresses below it."""
    lines = []
    for archive in wanted:
        sha256 = f"  sha256 {archive.sha256}" if archive.sha256 else ""
        lines.append(f"{archive.name}{sha256}{'' if archive.is_asked_for else '  (may be next)'}")
        lines += [f"  {url}" for url in archive.urls]
    return "\n".join(lines)


# --- inside ------------------------------------------------------------------------------------


def _wanted(
    name: str, addresses: Iterable[str], declared: Mapping[str, WantedArchive]
) -> WantedArchive:
    """What is declared of a name; else the addresses that were said in the same breath."""
    found = declared.get(name)
    if found and found.urls:
        return found
    return WantedArchive(name=name, urls=tuple(a for a in addresses if name in a))


def _name_of(address: str, declared: Mapping[str, WantedArchive]) -> str:
    if found := next((a.name for a in declared.values() if address in a.urls), ""):
        return found
    if module := _MODULE_IN_URL.search(address):
        return f"{module[1]}@{module[2]}"
    return address.rstrip("/").rpartition("/")[2]


def _declared(workspace: Path) -> Iterator[tuple[str, WantedArchive]]:
    """What the workspace says to come from elsewhere, by name."""
    for file in _FILES:
        try:
            tree = parse_python(read_inside(workspace, workspace / file))
        except (OSError, ValueError):
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Call):
                words = {k.arg: _texts(k.value) for k in node.keywords if k.arg}
                if archive := _archive(words, is_module=_called(node) == "bazel_dep"):
                    yield archive.name.partition("@")[0], archive


def _archive(words: Mapping[str, tuple[str, ...]], *, is_module: bool) -> WantedArchive | None:
    name = "".join(words.get("name", ())[:1])
    urls = (*words.get("urls", ()), *words.get("url", ()), *words.get("remote", ()))
    if not name or not (urls or is_module):
        return None
    version = "".join(words.get("version", ())[:1])
    shown = f"{name}@{version}" if is_module and version else name
    sha256 = "".join((*words.get("sha256", ()), *words.get("integrity", ()))[:1])
    return WantedArchive(name=shown, urls=urls, sha256=sha256)


def _called(node: ast.Call) -> str:
    return node.func.id if isinstance(node.func, ast.Name) else ""


def _texts(node: ast.expr) -> tuple[str, ...]:
    """The texts of a literal: one, or those of a list."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return (node.value,)
    if isinstance(node, ast.List):
        return tuple(text for item in node.elts for text in _texts(item))
    return ()
