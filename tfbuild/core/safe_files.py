"""The one reader of files that anybody may have written: plain data, within limits.

What it gives is regular, no larger than stated, valid UTF-8, and nested no deeper than any file
of ours; what it refuses is an OSError or a ValueError, reported by its caller with file and remedy.
"""

import json
import math
import os
import re
import stat
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tfbuild.core.counts import counted

LARGEST_BYTES = 8_000_000  # the largest file that tfbuild writes has 0.2 MB
_PIECE = 1 << 20  # bytes
DEEPEST = 50  # levels of lists and mappings within each other
_LARGEST_BITS = 64  # of a whole number
_MOST_DIGITS = 20  # 2**64 has as many
_LONG_KEY = re.compile(r"(?<![\w\"'-])(?:[\w\"'-]++[ \t]*+\.[ \t]*+){200}")  # dotted, of TOML
_ESCAPED_HALF = re.compile(r"\\u[dD][89a-fA-F]")  # of a pair that stands for one letter


class NotRead(ValueError):
    """A file that is none, or too large, or no text: what it holds was not looked at."""


def size_text(size: int) -> str:
    """A number of bytes as one reads it: 4 kB, 100 MB."""
    if size < 1000:
        return f"{size} bytes"
    return f"{size / 1e3:.0f} kB" if size < 1_000_000 else f"{size / 1e6:.0f} MB"


def read_bytes(path: Path, most: int = LARGEST_BYTES) -> bytes:
    """The bytes of a regular file; ValueError for a pipe, a device, a folder or a larger file.

    Raises OSError where it cannot be read. Nothing is waited for, and no device is touched.
    """
    _check(path.stat(), most)
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    with open(descriptor, "rb") as stream:  # noqa: PTH123  (it is open already)
        state = os.fstat(descriptor)  # it may be another one by now
        _check(state, most)
        # To read `most` at once would reserve as much memory. A file that grows is read on.
        raw = stream.read(min(state.st_size, most) + 1)
        while len(raw) <= most and (more := stream.read(min(_PIECE, most + 1 - len(raw)))):
            raw += more
    if len(raw) > most:
        raise NotRead(f"it is larger than {size_text(most)}")
    return raw


def read_text(path: Path, most: int = LARGEST_BYTES) -> str:
    """The text of a regular file; ValueError where it is not UTF-8 or one of the limits is passed.

    Raises OSError where it cannot be read.
    """
    try:
        return read_bytes(path, most).decode()
    except UnicodeDecodeError as error:
        raise NotRead(f"it is not UTF-8: {error.reason} at byte {error.start}") from error


def read_inside(tree: Path, path: Path, most: int = LARGEST_BYTES) -> str:
    """The text of a file of somebody's tree, as `read_text` gives it.

    Raises ValueError also where its path or a link leads out of the tree: what lies there was never
    shown to whoever made the tree, and may be shown now.
    """
    return read_text(_within(tree, path), most)


def read_bytes_inside(tree: Path, path: Path, most: int = LARGEST_BYTES) -> bytes:
    """The content of such a file, as `read_bytes` gives it; raises what `read_inside` raises."""
    return read_bytes(_within(tree, path), most)


def text_of(path: Path, most: int = LARGEST_BYTES) -> str:
    """The text of a regular file, strange bytes replaced; empty where there is none to be had."""
    try:
        return read_bytes(path, most).decode(errors="replace")
    except (OSError, ValueError):
        return ""


def read_json(path: Path) -> Any:  # noqa: ANN401  (whatever the file holds)
    """The data of a JSON file; ValueError for one that is broken or too much."""
    return parse_json(read_text(path))


def read_toml(path: Path) -> dict[str, Any]:
    """The data of a TOML file; ValueError for one that is broken or too much."""
    return parse_toml(read_text(path))


def read_yaml(path: Path) -> Any:  # noqa: ANN401
    """The data of a YAML file; ValueError for one that is broken or too much."""
    from tfbuild.core.yaml_file import parse_yaml  # the library takes its time to load

    return parse_yaml(read_text(path))


def parse_toml(text: str) -> dict[str, Any]:
    """The data of a TOML text; ValueError for one that is broken or too much."""
    found: dict[str, Any] = _within_limits(_from_toml, text)
    return found


def parse_json(text: str | bytes) -> Any:  # noqa: ANN401
    """The data of a JSON text; ValueError for one that is broken or too much."""
    words = text.decode() if isinstance(text, bytes) else text
    found = _within_limits(_from_json, words)
    if _ESCAPED_HALF.search(words):
        json.dumps(found, ensure_ascii=False).encode()  # half a letter can be written nowhere
    return found


# --- inside ------------------------------------------------------------------------------------


def _within(tree: Path, path: Path) -> Path:
    real = Path(os.path.realpath(path))
    if not real.is_relative_to(os.path.realpath(tree)):
        raise ValueError("it leads out of its tree")
    return real


def _check(state: os.stat_result, most: int) -> None:
    if not stat.S_ISREG(state.st_mode):
        raise NotRead("it is not a regular file")
    if state.st_size > most:
        raise NotRead(f"it is too large: {size_text(state.st_size)}, {size_text(most)} at most")


def _within_limits(parse: Callable[[str], Any], text: str) -> Any:  # noqa: ANN401
    try:
        found = parse(text)
    except RecursionError as error:
        raise ValueError(f"nested more than {DEEPEST} levels deep") from error
    _check_values(found)
    return found


def _from_toml(text: str) -> Any:  # noqa: ANN401
    if _LONG_KEY.search(text):  # the library looks at every part of a key for each of its parts
        raise ValueError(f"nested more than {DEEPEST} levels deep")
    return tomllib.loads(text)


def _from_json(text: str) -> Any:  # noqa: ANN401
    return json.loads(text, parse_int=_whole, parse_constant=_no_number)


def _whole(digits: str) -> int:
    if len(digits) > _MOST_DIGITS:
        raise ValueError(f"a number of {counted(len(digits), 'digit')}: more than {_MOST_DIGITS}")
    return int(digits)


def _no_number(word: str) -> float:
    raise ValueError(f"{word} is no number")


def _check_values(value: object) -> None:
    """ValueError for the first value that is nested too deeply, or a number beyond all measure."""
    level, depth = [value], 0
    while level:
        if depth > DEEPEST:
            raise ValueError(f"nested more than {DEEPEST} levels deep")
        below: list[object] = []
        for each in level:
            if isinstance(each, dict):
                below += each.values()
            elif isinstance(each, list):
                below += each
            elif isinstance(each, (int, float)):
                _check_number(each)
        level, depth = below, depth + 1


def _check_number(number: float) -> None:
    if isinstance(number, float):
        if not math.isfinite(number):
            raise ValueError(f"{number} is no number")
    elif number.bit_length() > _LARGEST_BITS:
        raise ValueError(f"a whole number has more than {_LARGEST_BITS} bits")
