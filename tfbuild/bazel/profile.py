"""Bazel's profile of a call: how long each action took, which were cache hits, the longest chain.

It is a Chrome trace, packed or not, written when the call ends; every release since 0.26 has it.
"""

import zlib
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tfbuild.core.foreign_tree import read_file
from tfbuild.core.safe_files import parse_json

_ACTION, _PATH, _DOWNLOAD = "action processing", "critical path component", "remote output download"
_LARGEST = 1 << 30  # bytes, unpacked


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfiledAction:
    """One action of the profile; name is what the display called it."""

    name: str
    seconds: float
    is_hit: bool
    output: str = ""  # empty where this Bazel does not say


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """All actions of a call, and the longest chain of actions that waited for each other."""

    actions: tuple[ProfiledAction, ...] = ()
    critical_path: tuple[ProfiledAction, ...] = ()


def read_profile(path: Path) -> Profile:
    """The profile of a call; an empty one where there is none that can be read."""
    try:
        raw = read_file(path, _LARGEST)
        if raw[:2] == b"\x1f\x8b":
            raw = zlib.decompressobj(wbits=31).decompress(raw, _LARGEST)
        document = parse_json(raw)
    except (OSError, ValueError, zlib.error):
        return Profile()
    events = document.get("traceEvents", ()) if isinstance(document, dict) else document
    slices = defaultdict(list)
    for event in events if isinstance(events, list) else ():
        if isinstance(event, dict) and isinstance(event.get("dur"), (int, float)):
            slices[str(event.get("cat"))].append(event)
    downloads = defaultdict(list)
    for event in slices[_DOWNLOAD]:
        downloads[str(event.get("tid"))].append(_begin(event))
    return Profile(
        actions=tuple(
            _action(e, is_hit=_holds(e, downloads.get(str(e.get("tid")), ())))
            for e in slices[_ACTION]
        ),
        critical_path=tuple(
            _action(e, is_hit=False)
            for e in slices[_PATH]
            if str(e.get("name", "")).startswith("action '")
        ),
    )


def _action(event: Mapping[str, Any], *, is_hit: bool) -> ProfiledAction:
    name = str(event.get("name", "")).removeprefix("action '").removesuffix("'")
    return ProfiledAction(
        name=name,
        seconds=event["dur"] / 1e6,
        is_hit=is_hit,
        output=str(event.get("out", "")),
    )


def _begin(event: Mapping[str, Any]) -> float:
    """When a slice began; 0 where that is no number: a build in a container may write anything."""
    began = event.get("ts", 0)
    return began if isinstance(began, (int, float)) else 0


def _holds(event: Mapping[str, Any], times: Iterable[float]) -> bool:
    """Whether one of the times lies within a slice."""
    began = _begin(event)
    return any(began <= time <= began + event["dur"] for time in times)
