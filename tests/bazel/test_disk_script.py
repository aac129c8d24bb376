"""A disk cache is counted, checked and kept below its limit, whatever is in it."""

import hashlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tfbuild.bazel import disk_script
from tfbuild.core.file_locks import share_lock

BLOCK = 4096


class DiskCache:
    """A cache as Bazel lays it out, with entries of any age."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.lock = folder / "bazel-disk", folder / "lock"
        self.folder.mkdir()

    def put(self, content: bytes, *, days: float = 0.0, kind: str = "cas") -> Path:
        name = hashlib.sha256(content).hexdigest()
        path = self.folder / kind / name[:2] / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        then = time.time() - days * 86400
        os.utime(path, (then, then))
        return path

    def care(self, **constraints: Any) -> dict[str, Any]:
        words = {"folder": str(self.folder), "lock": str(self.lock), **constraints}
        return disk_script.care(words)


@pytest.fixture
def cache(tmp_path: Path) -> DiskCache:
    return DiskCache(tmp_path)


def test_what_was_unused_for_longest_goes_first(cache: DiskCache) -> None:
    paths = [cache.put(bytes([n]) * BLOCK, days=n) for n in range(10)]
    answer = cache.care(limit=6 * BLOCK)
    assert [path.exists() for path in paths] == [True] * 5 + [False] * 5  # to 90 % of the limit
    assert (answer["removed"], answer["freed"]) == (5, 5 * BLOCK)
    assert (answer["bytes"], answer["entries"]) == (5 * BLOCK, 5)


def test_a_use_counts_like_the_making(cache: DiskCache) -> None:
    old, new = cache.put(b"a" * BLOCK, days=9), cache.put(b"b" * BLOCK, days=3)
    os.utime(old, (time.time(), old.stat().st_mtime))  # it was read
    cache.care(limit=int(1.2 * BLOCK))
    assert (old.exists(), new.exists()) == (True, False)


def test_below_the_limit_and_without_one_nothing_goes(cache: DiskCache) -> None:
    path = cache.put(b"a" * BLOCK, days=900)
    assert cache.care(limit=2 * BLOCK)["removed"] == 0
    assert cache.care(limit=0)["removed"] == 0
    assert path.exists()


def test_nothing_is_removed_while_a_build_uses_it(cache: DiskCache) -> None:
    damaged = cache.put(b"a" * BLOCK, days=900)
    damaged.write_bytes(b"b" * BLOCK)
    with share_lock(cache.lock):
        answer = cache.care(limit=1, check_bytes=-1)
    assert (answer["is_busy"], answer["removed"], answer["damaged"]) == (True, 0, 0)
    assert answer["entries"] == 1
    assert damaged.exists()


@pytest.mark.parametrize("content", [b"", b"half", b"a" * BLOCK + b"more", b"b" * BLOCK])
def test_a_blob_that_is_not_what_its_name_says_goes(cache: DiskCache, content: bytes) -> None:
    good = cache.put(b"good")
    cache.put(b"result of an action", kind="ac").write_bytes(b"has no digest of its own")
    cache.put(b"a" * BLOCK).write_bytes(content)
    answer = cache.care(check_bytes=-1)
    assert (answer["damaged"], answer["entries"]) == (1, 2)
    assert good.exists()
    assert cache.care(check_bytes=-1)["damaged"] == 0


def test_a_sample_reads_no_more_than_was_asked_and_other_parts_each_time(cache: DiskCache) -> None:
    for n in range(20):
        cache.put(bytes([n]) * BLOCK).write_bytes(b"damaged" * BLOCK)
    size = sum(p.stat().st_blocks * 512 for p in cache.folder.rglob("*") if p.is_file())
    first = cache.care(check_bytes=size // 10, seed=1)["damaged"]
    assert 1 <= first <= 3
    found, seed = first, 2
    while found < 20:
        found += cache.care(check_bytes=size // 4, seed=seed)["damaged"]
        seed += 1
        assert seed < 40


def test_new_results_are_counted_and_old_ones_are_not(cache: DiskCache) -> None:
    cache.put(b"old", kind="ac", days=1)
    cache.put(b"new", kind="ac")
    cache.put(b"a blob")
    assert cache.care(since=time.time() - 60)["new_results"] == 1


def test_what_a_full_disk_has_left_goes_after_an_hour_and_strangers_stay(cache: DiskCache) -> None:
    left, fresh = cache.folder / "0b1c-uuid", cache.folder / "0b1c-other"
    left.touch()
    fresh.touch()
    os.utime(left, (1, 1))
    deep = cache.folder / "tmp" / "in-flight"
    deep.parent.mkdir()
    deep.touch()
    os.utime(deep, (1, 1))
    cache.care()
    assert (left.exists(), fresh.exists(), deep.exists()) == (False, True, True)


def test_a_cache_that_is_not_there(tmp_path: Path) -> None:
    answer = disk_script.care({"folder": str(tmp_path / "no"), "lock": str(tmp_path / "lock")})
    assert answer["entries"] == 0
    assert not (tmp_path / "lock").exists()


def test_as_a_script_it_takes_words_and_prints_json(cache: DiskCache) -> None:
    cache.put(b"a")
    cache.put(b"b", kind="ac")
    words = [sys.executable, "-I", "-S", disk_script.__file__, f"folder={cache.folder}"]
    words += [f"lock={cache.lock}", "since=0.5", "check_bytes=-1", "forgets=1"]
    said = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    answer = json.loads(said)
    assert (answer["entries"], answer["new_results"]) == (1, 1), "the result of an action went"
