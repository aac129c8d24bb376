"""Looks after a disk cache of Bazel: counts, checks what is in it, keeps it below a limit.

A script for any Python from 3.9, run where the cache is: on this machine or in a container. Takes
words NAME=VALUE and prints a JSON object. What a build reads just now is never removed.
"""

from __future__ import annotations  # for Python 3.9

import fcntl
import hashlib
import json
import os
import random
import re
import sys
import time
from pathlib import Path
from typing import Any

_ENTRY = re.compile(r"[0-9a-f]{64}")
_LITTER_SECONDS = 3600.0  # older than this, what has another name was left by a full disk
_SLACK = 0.9  # of the limit is left, so that not every build has to remove something


class _Entry:
    """One file: what it takes of the disk, when it was used, whether its name is its digest."""

    def __init__(self, path: str, state: os.stat_result, *, is_blob: bool) -> None:
        self.path, self.size, self.is_blob = path, state.st_blocks * 512, is_blob
        self.made = state.st_mtime
        self.used = max(state.st_atime, state.st_mtime)


def care(asked: dict[str, Any]) -> dict[str, Any]:
    """Do what is asked with the folder: see `_DEFAULTS` for the words, and below for the answer."""
    options = {**_DEFAULTS, **asked}
    answer: dict[str, Any] = {
        "bytes": 0, "entries": 0, "new_results": 0, "damaged": 0, "removed": 0, "freed": 0,
        "is_busy": False,
    }  # fmt: skip
    if not Path(options["folder"]).is_dir():
        return answer
    lock = os.open(options["lock"], os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o666)
    try:
        entries, litter = _look(options["folder"])
        answer["new_results"] = sum(not e.is_blob and e.made >= options["since"] for e in entries)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            answer["is_busy"] = True
        else:
            if options["forgets"]:
                entries = [e for e in entries if e.is_blob or not _remove(e.path)]
            entries = _without_damaged(entries, options, answer)
            entries = _pruned(entries, litter, options["limit"], answer)
        answer["bytes"], answer["entries"] = sum(e.size for e in entries), len(entries)
        return answer
    finally:
        os.close(lock)


_DEFAULTS: dict[str, Any] = {
    "folder": "",
    "lock": "",
    "limit": 0,  # bytes; 0: none
    "since": 0.0,  # results made after it count as new
    "check_bytes": 0,  # so much of the blobs is read again; -1: all of them
    "seed": 0,
    "forgets": 0,  # every result of an action goes; its blobs may stay
}


def _look(folder: str) -> tuple[list[_Entry], list[str]]:
    """The entries of the cache, and the litter in it."""
    entries, litter = [], []
    for place, _, names in os.walk(folder):
        is_blob = f"{os.sep}ac{os.sep}" not in f"{place[len(folder) :]}{os.sep}"
        for name in names:
            path = os.path.join(place, name)  # noqa: PTH118  (fast)
            try:
                state = os.lstat(path)
            except OSError:
                continue
            if _ENTRY.fullmatch(name):
                entries.append(_Entry(path, state, is_blob=is_blob))
            elif place == folder and time.time() - state.st_mtime > _LITTER_SECONDS:
                litter.append(path)
    return entries, litter


def _without_damaged(
    entries: list[_Entry], options: dict[str, Any], answer: dict[str, Any]
) -> list[_Entry]:
    """The entries that are left when blobs that are not what their names say are removed."""
    left = options["check_bytes"] if options["check_bytes"] >= 0 else float("inf")
    blobs = [entry for entry in entries if entry.is_blob]
    random.Random(options["seed"]).shuffle(blobs)  # noqa: S311  (a sample)
    damaged = set()
    for entry in blobs:
        if left <= 0:
            break
        left -= entry.size
        if not _is_whole(entry.path) and _remove(entry.path):
            damaged.add(entry.path)
    answer["damaged"] = len(damaged)
    return [entry for entry in entries if entry.path not in damaged]


def _is_whole(path: str) -> bool:
    digest = hashlib.sha256()
    try:
        with Path(path).open("rb") as stream:
            while chunk := stream.read(1 << 20):
                digest.update(chunk)
    except FileNotFoundError:
        return True
    except OSError:  # the disk itself cannot read it
        return False
    return digest.hexdigest() == Path(path).name


def _pruned(
    entries: list[_Entry], litter: list[str], limit: int, answer: dict[str, Any]
) -> list[_Entry]:
    """The entries that are left when those that were used longest ago are removed."""
    for path in litter:
        _remove(path)
    total = sum(entry.size for entry in entries)
    if not limit or total <= limit:
        return entries
    left = sorted(entries, key=lambda entry: (-entry.used, entry.path))
    while left and total > limit * _SLACK:
        entry = left.pop()
        if _remove(entry.path):
            total -= entry.size
            answer["removed"] += 1
            answer["freed"] += entry.size
    return left


def _remove(path: str) -> bool:
    try:
        Path(path).unlink()
    except OSError:
        return False
    return True


if __name__ == "__main__":
    named = (word.split("=", 1) for word in sys.argv[1:])
    sys.stdout.write(json.dumps(care({n: type(_DEFAULTS[n])(v) for n, v in named})) + "\n")
