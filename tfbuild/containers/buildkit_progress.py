"""Reads what BuildKit says while it builds an image: protocol buffers in a stream of JSON lines.

BuildKit reports its progress in StatusResponse messages. Only few of their fields are wanted here,
so they are read by hand; Podman answers the same call in the older format, which is read as well.
"""

import base64
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from tfbuild.core.reporter import Reporter
from tfbuild.core.safe_files import parse_json

_TRACE = "moby.buildkit.trace"
_VERTEX, _LOG = 1, 3
_CODE = re.compile(r"(?:exit code: |exit status |non-zero code: )(\d+)")
_LONGEST_VARINT = 10  # bytes
_KEPT = 60
# The second of three, as BuildKit and Podman say it.
_STEP = re.compile(r"\[([\w.-]+ +)?\d+/\d+\] |STEP \d+/\d+: ")
_WIDEST = 100  # of a step: its words are a whole script


@dataclass(frozen=True, slots=True, kw_only=True)
class DoneStep:
    """A step that has ended, or that was kept from an earlier build; times are the engine's."""

    digest: str
    name: str
    began: float
    ended: float
    is_kept: bool


@dataclass(slots=True, kw_only=True)
class BuildLog:
    """What was said so far: the steps that have ended, the last lines, and how it ended."""

    image: str = ""
    error: str = ""
    done: dict[str, DoneStep] = field(default_factory=dict)  # by their digests
    tail: list[str] = field(default_factory=list)
    _rest: dict[bytes, str] = field(default_factory=dict)
    _names: dict[bytes, str] = field(default_factory=dict)

    def take(self, raw: bytes) -> list[str]:
        """Read one JSON line; the lines of text that it completes, steps before their output.

        A line that is damaged completes none: how the build ended is said by another one.
        """
        try:
            event = parse_json(raw)
            lines = list(self._read(event)) if isinstance(event, dict) else []
        except ValueError:
            return []
        self.tail = [*self.tail, *lines][-_KEPT:]
        return lines

    @property
    def code(self) -> int:
        """The exit code of the step that failed, where the error names one."""
        found = _CODE.search(self.error)
        return int(found[1]) if found else 0

    def _read(self, event: dict[str, Any]) -> Iterator[str]:
        if event.get("error") or event.get("message"):
            self.error = str(event.get("error") or event["message"])
        elif event.get("id") == _TRACE:
            yield from self._trace(event.get("aux", ""))
        elif isinstance(event.get("aux"), dict):
            self.image = str(event["aux"].get("ID", self.image))
        elif event.get("stream"):
            yield from self._split(b"", str(event["stream"]))

    def _trace(self, text: object) -> Iterator[str]:
        """What a message says; ValueError, before anything is taken from it, for half a part."""
        for number, value in list(fields(base64.b64decode(str(text)))):
            if not isinstance(value, bytes):
                continue
            inner = dict(fields(value))
            if number == _VERTEX:
                yield from self._step(inner)
            elif number == _LOG:
                yield from self._split(_raw(inner, 1), _raw(inner, 4).decode("utf-8", "replace"))

    def _step(self, vertex: dict[int, int | bytes]) -> Iterator[str]:
        """Name a step when it begins, once."""
        digest, name = _raw(vertex, 1), _raw(vertex, 3).decode("utf-8", "replace")
        self._note(digest.decode("utf-8", "replace"), name, vertex)
        if digest in self._names or not (vertex.get(5) or vertex.get(4)):
            return
        self._names[digest] = name
        if not name.startswith("[internal]"):
            yield name + (" (kept)" if vertex.get(4) else "")

    def _note(self, digest: str, name: str, vertex: dict[int, int | bytes]) -> None:
        """Keep a step that has ended; one may end more than once, the first begin counts."""
        began, ended = (_time(_raw(vertex, number)) for number in (5, 6))
        if not ended:
            return
        before = self.done.get(digest)
        self.done[digest] = DoneStep(
            digest=digest,
            name=name,
            began=min(began or ended, before.began) if before else began or ended,
            ended=max(ended, before.ended) if before else ended,
            is_kept=bool(vertex.get(4)),
        )

    def _split(self, source: bytes, text: str) -> Iterator[str]:
        """Whole lines; the rest waits for the chunk that ends it."""
        *lines, rest = re.split(r"\r?\n|\r", self._rest.get(source, "") + text)
        self._rest[source] = rest
        yield from (line for line in lines if line.strip())


def step_reporter(reporter: Reporter) -> Callable[[str], None]:
    """What takes the lines of an image's making: each step is reported, the rest is output."""

    def report(line: str) -> None:
        if _STEP.match(line):
            reporter.step(line[:_WIDEST])
        else:
            reporter.line(line)

    return report


def fields(message: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Number and value of each field; groups do not occur, fixed ones come as bytes.

    Raises ValueError where the message is cut short or has another kind of field.
    """
    at = 0
    while at < len(message):
        key, at = _varint(message, at)
        kind = key & 7
        if kind == 0:
            value, at = _varint(message, at)
            yield key >> 3, value
            continue
        if kind == 2:
            size, at = _varint(message, at)
        elif kind in {1, 5}:
            size = 8 if kind == 1 else 4
        else:
            raise ValueError(f"a field of kind {kind}")
        if at + size > len(message):
            raise ValueError("a field is cut short")
        yield key >> 3, message[at : at + size]
        at += size


def field_of(number: int, content: bytes) -> bytes:
    """A field that holds bytes, as a message has it."""
    return _as_varint(number << 3 | 2) + _as_varint(len(content)) + content


# --- inside ------------------------------------------------------------------------------------


def _varint(message: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    for byte in message[at : at + _LONGEST_VARINT]:
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at
    raise ValueError("a number is cut short")


def _as_varint(number: int) -> bytes:
    out = b""
    while number > 127:
        out, number = out + bytes([number & 127 | 128]), number >> 7
    return out + bytes([number])


def _time(message: bytes) -> float:
    """A moment, of seconds and nanoseconds; 0 for none."""
    found = dict(fields(message))
    seconds, nanoseconds = (found.get(number, 0) for number in (1, 2))
    if isinstance(seconds, bytes) or isinstance(nanoseconds, bytes):
        raise ValueError("a time that is none")
    return seconds + nanoseconds / 1e9


def _raw(message: dict[int, int | bytes], number: int) -> bytes:
    found = message.get(number, b"")
    return found if isinstance(found, bytes) else b""
