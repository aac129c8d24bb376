"""What Bazel says while it builds: progress on its terminal, results in its event file."""

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

from tfbuild.core.errors import TfbuildError
from tfbuild.core.foreign_tree import opened_file
from tfbuild.core.safe_files import parse_json

_COUNT = re.compile(r"\[([\d,]+) / ([\d,]+)\]\s*(.*)")
_SEVERAL = re.compile(r"\d+ actions?\b")
_ACTION = re.compile(r"\s{4}(?:\[[A-Z][a-z]{4}\] )?([A-Z][a-z].*)")
_SUMMARY = re.compile(r"INFO: [\d,]+ process(?:es)?: (.*)")
_HITS = {"remote cache hit", "disk cache hit"}
_PART = re.compile(r"([\d,]+) ([a-z-]+(?: cache hit)?)")
_NOT_EXECUTED = {"internal", "remote cache hit", "disk cache hit", "action cache hit"}
_MESSAGE_LIMIT = 64 * 1024
_CHUNK, _LONGEST = 1 << 20, 16 << 20
_MOST = 2 << 30  # bytes of events that are read


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """One action that failed, with the message of the program that Bazel ran."""

    label: str
    kind: str
    exit_code: int
    message: str


def _read_here(path: str) -> bytes:
    with Path(path).open("rb") as stream:
        return stream.read(_MESSAGE_LIMIT)


@dataclass(slots=True, kw_only=True)
class EventFile:
    """Follows the JSON event file as it grows; lives for one call of Bazel."""

    path: Path
    hear: Callable[[bytes], None] = lambda _: None  # gets each line as it is
    read: Callable[[str], bytes] = _read_here  # a file of the place where Bazel runs
    failures: list[Failure] = field(default_factory=list)
    aborted: list[str] = field(default_factory=list)
    _offset: int = 0
    _rest: bytearray = field(default_factory=bytearray)

    def begin(self) -> None:
        """Let the file begin anew; it holds Bazel's options, and is for the caller alone."""
        self.path.unlink(missing_ok=True)
        self.path.touch(mode=0o600, exist_ok=False)

    def poll(self) -> bool:
        """Read what is new; whether there was anything."""
        try:
            with opened_file(self.path) as stream:
                stream.seek(self._offset)
                began = self._offset
                while self._offset < _MOST and (chunk := stream.read(_CHUNK)):
                    self._offset += len(chunk)
                    self._take_lines(chunk)
        except OSError:
            return False
        return self._offset > began

    def _take_lines(self, chunk: bytes) -> None:
        """Take the lines that are whole; one that grows beyond all measure is none."""
        *lines, rest = chunk.split(b"\n")
        for line in lines:
            self._take(bytes(self._rest) + line)
            self._rest.clear()
        if len(self._rest) < _LONGEST:
            self._rest += rest

    def _take(self, line: bytes) -> None:
        self.hear(line)
        # Nearly all lines are about actions that went well: do not parse those.
        if b'"success":true' in line or not line.strip():
            return
        with suppress(ValueError, KeyError, TypeError, AttributeError):  # it was cut short
            event = parse_json(line)
            if "action" in event:
                self.failures.append(_failure(event, self.read))
            elif "description" in event.get("aborted", {}):
                self.aborted.append(str(event["aborted"]["description"]))


def progress(line: str) -> tuple[int, int, str] | None:
    """Done, total and what runs, of a line such as `[58 / 1,501] Compiling a.cc; 3s`.

    What runs is empty where lines of their own name it: `[58 / 1,501] 2 actions running`.
    """
    match = _COUNT.search(line)
    if not match:
        return None
    running = "" if _SEVERAL.match(match[3]) else match[3].split(";")[0].split("] ")[-1].strip()
    return _number(match[1]), _number(match[2]), running


def action(line: str) -> str:
    """What one line of the display says to run, or an empty string: `Compiling a.cc`."""
    match = _ACTION.match(line)
    return match[1].split(";")[0].strip() if match else ""


def executed_and_hits(lines: str) -> tuple[int, int]:
    """How many actions ran and how many came from the cache, by Bazel's closing line."""
    parts = _summary(lines)
    hits = sum(count for kind, count in parts.items() if kind in _HITS)
    return sum(count for kind, count in parts.items() if kind not in _NOT_EXECUTED), hits


def from_elsewhere(lines: str) -> tuple[int, int | None]:
    """How many actions other machines ran, and how many hits were of this machine's disk.

    None where Bazel does not say: one before 5 says `remote cache hit` of both.
    """
    parts = _summary(lines)
    return parts.get("remote", 0), parts.get("disk cache hit")


def _summary(lines: str) -> dict[str, int]:
    """The counts of the closing line by their kinds."""
    match = _SUMMARY.search(lines)
    found = _PART.findall(match[1]) if match else ()
    return {kind: _number(count) for count, kind in found}


def _failure(event: dict[str, Any], read: Callable[[str], bytes]) -> Failure:
    action = event["action"]
    spawn = action.get("failureDetail", {}).get("spawn", {})
    label = action.get("label") or event["id"].get("actionCompleted", {}).get("label", "")
    message = _content(action.get("stderr", {}), read) or _content(action.get("stdout", {}), read)
    return Failure(
        label=str(label),
        kind=str(action.get("type", "")),
        exit_code=int(spawn.get("spawnExitCode", action.get("exitCode", 0))),
        message=message,
    )


def _content(place: dict[str, Any], read: Callable[[str], bytes]) -> str:
    """The text of a file that the next build will remove."""
    uri = str(place.get("uri", ""))
    if not uri.startswith("file:"):
        return ""
    try:
        raw = read(unquote(urlparse(uri).path))
    except (OSError, TfbuildError):  # a container may have ended meanwhile
        return ""
    return raw[:_MESSAGE_LIMIT].decode("utf-8", "replace").strip()


def _number(text: str) -> int:
    return int(text.replace(",", ""))
