"""A real Bazel and caches that misbehave: each costs time, and none costs correctness."""

import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.cache_servers import CacheServer, Change, flipped, serve_cache, truncated
from tests.failing import fails
from tests.grpc_caches import serve_grpc_cache
from tests.shared_libraries import needs
from tests.workshop import CppTree
from tfbuild.core.environments import NO_SERVICES, Services
from tfbuild.fetch.bazel import FoundBazel

pytestmark = [pytest.mark.bazel, pytest.mark.slow]
SPAWNED = 6  # 4 compilations, the link and the list of what is linked


@pytest.fixture
def cache() -> Iterator[CacheServer]:
    with serve_cache() as server:
        yield server


@pytest.fixture
def tree(tmp_path: Path, a_bazel: FoundBazel) -> Iterator[CppTree]:
    made = CppTree(tmp_path, a_bazel)
    yield made
    made.close()


@pytest.fixture
def alone(tree: CppTree) -> str:
    """The digest of what is built without any cache."""
    tree.build(Services(disk_limit_mb=0))
    return tree.digest()


def fresh(tree: CppTree, services: Services) -> str:
    """The digest of what is built where nothing of the tree is on this machine."""
    tree.forget_outputs()
    tree.forget_disk()
    tree.build(services)
    return tree.digest()


def test_hits_are_counted_by_where_they_come_from(tree: CppTree, cache: CacheServer) -> None:
    services = Services(cache=cache.url)
    cold = tree.build(services)
    assert (cold.cache_hits, cold.remote_hits) == (0, 0)
    assert cold.actions > 0
    tree.forget_outputs()
    disk = tree.build(services)
    assert (disk.actions, disk.cache_hits, disk.remote_hits) == (0, cold.actions, 0)
    tree.forget_outputs()
    tree.forget_disk()
    far = tree.build(services)
    assert (far.actions, far.cache_hits, far.remote_hits) == (0, cold.actions, cold.actions)
    assert tree.warnings() == []


def only_while_building(change: Change) -> Change:
    """The probe is answered well: a megabyte; what Bazel reads is not."""
    return lambda path, content: content if len(content) == 1 << 20 else change(path, content)


@pytest.mark.parametrize("change", [flipped, truncated])
def test_damage_in_a_cache_is_found_and_compiled_anew(
    tree: CppTree, cache: CacheServer, alone: str, change: Change
) -> None:
    services = Services(cache=cache.url)
    assert fresh(tree, services) == alone
    cache.change = only_while_building(change)
    assert fresh(tree, services) == alone


def goes_down(cache: CacheServer) -> None:
    cache.url = "http://127.0.0.1:1"


def is_silent(cache: CacheServer) -> None:
    cache.is_silent = True


def is_full(cache: CacheServer) -> None:
    cache.is_full = True


def is_slow(cache: CacheServer) -> None:
    cache.bytes_per_second = 20_000


def is_read_only(cache: CacheServer) -> None:
    cache.is_read_only = True


def forgets_blobs(cache: CacheServer) -> None:
    cache.kept = {path: content for path, content in cache.kept.items() if "/ac/" in path}


def holds_garbage(cache: CacheServer) -> None:
    for path in cache.kept:
        if "/ac/" in path:
            cache.kept[path] = b"garbage"


TROUBLES = (goes_down, is_silent, is_full, is_slow, is_read_only, forgets_blobs, holds_garbage)


@pytest.mark.parametrize("trouble", TROUBLES, ids=lambda trouble: trouble.__name__)
def test_a_cache_in_trouble_costs_seconds(
    tree: CppTree, cache: CacheServer, alone: str, trouble: Callable[[CacheServer], None]
) -> None:
    assert fresh(tree, Services(cache=cache.url)) == alone
    trouble(cache)
    assert fresh(tree, Services(cache=cache.url)) == alone


@pytest.mark.long
def test_a_cache_that_falls_silent_in_the_middle_is_left_out(
    tree: CppTree, cache: CacheServer, alone: str
) -> None:
    cache.answers_left = 8
    began = time.monotonic()
    assert fresh(tree, Services(cache=cache.url)) == alone
    assert time.monotonic() - began < 150


@pytest.mark.parametrize("method", ["GET", "PUT"])
def test_a_cache_that_sends_a_byte_from_time_to_time_is_left_out(
    tree: CppTree, cache: CacheServer, alone: str, method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tfbuild.bazel.remote._MOST_ASKING_SECONDS", 4)
    monkeypatch.setattr("tfbuild.bazel.remote._MOST_IDLE_SECONDS", 4.0)
    cache.answers_left, cache.drips = 4, (method,)  # the probe asks for the first three
    began = time.monotonic()
    assert fresh(tree, Services(cache=cache.url)) == alone
    assert any("failed during the build" in said for said in tree.warnings())
    assert time.monotonic() - began < 150


@pytest.mark.parametrize("method", ["GetCapabilities", "GetActionResult", "FindMissingBlobs"])
def test_a_grpc_cache_whose_frames_drip_is_left_out(
    tree: CppTree, alone: str, method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first call of each is the probe's, but for the last two."""
    monkeypatch.setattr("tfbuild.bazel.remote._MOST_ASKING_SECONDS", 4)
    monkeypatch.setattr("tfbuild.bazel.remote._MOST_IDLE_SECONDS", 4.0)
    monkeypatch.setattr("tfbuild.bazel.remote._GRPC_SECONDS", 6)
    with serve_grpc_cache() as cache:
        cache.drips_at = method
        cache.drips_after = 1 if method == "GetCapabilities" else 0
        began = time.monotonic()
        assert fresh(tree, Services(cache=cache.url)) == alone
        took = time.monotonic() - began
    assert any("failed during the build" in said for said in tree.warnings())
    assert cache.asked.count("GetCapabilities") <= 2, "once before the build, once by Bazel"
    assert took < 150


def test_a_farm_whose_frames_drip_is_left_out(
    tree: CppTree, alone: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tfbuild.bazel.remote._GRPC_SECONDS", 6)
    with serve_grpc_cache() as farm:
        farm.drips_at, farm.drips_after = "GetCapabilities", 1
        began = time.monotonic()
        assert fresh(tree, Services(executor=farm.url, jobs=2)) == alone
        took = time.monotonic() - began
    assert tree.warnings()
    assert took < 150


def test_a_cache_that_lies_is_found_out_by_compiling_again(
    tree: CppTree, cache: CacheServer, alone: str
) -> None:
    """It names the result of an older source: right blobs, each with its own digest."""
    assert fresh(tree, Services(cache=cache.url)) == alone
    old = {path: content for path, content in cache.kept.items() if "/ac/" in path}
    source = tree.source / "part0.cc"
    honest = source.read_text()
    source.write_text("int part0() { return 4711; }\n")
    fresh(tree, Services(cache=cache.url))
    new = {p: c for p, c in cache.kept.items() if "/ac/" in p and p not in old}
    blob = next(c for c in new.values() if b"part0.pic.o" in c and b"libpart0" not in c)
    victim = next(p for p, c in old.items() if b"part0.pic.o" in c and b"libpart0" not in c)
    cache.kept[victim] = blob
    source.write_text(honest)
    assert fresh(tree, Services(cache=cache.url)) != alone, "Bazel believes it"
    assert fresh(tree, Services(cache=cache.url, checked=1.0)) == alone
    assert any("something else for 1 result," in said for said in tree.warnings())
    assert fresh(tree, Services(cache=cache.url)) == alone, "the cache was put right"


def test_a_cache_that_is_required(tree: CppTree) -> None:
    services = Services(cache="http://127.0.0.1:1", is_required=True)
    with fails("remote-service-unfit", "http://127.0.0.1:1"):
        tree.build(services)


def test_logins_are_in_no_file_that_stays(
    tree: CppTree, cache: CacheServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = "Bearer open-sesame-4711"
    monkeypatch.setenv("CACHE_LOGIN", secret)
    cache.wanted_header = ("X-Team", secret)
    output = tree.build(Services(cache=cache.url, headers=(("X-Team", "CACHE_LOGIN"),)))
    assert output.actions
    assert cache.count("PUT", "ac"), "it was let in"
    tree.close()
    root = tree.source.parent
    files = [path for path in root.rglob("*") if path.is_file() and not path.is_symlink()]
    holders = [path for path in files if secret.encode() in path.read_bytes()]
    open_to_all = [
        str(path.relative_to(root))
        for path in holders
        if all(place.stat().st_mode & 0o077 for place in (path, *path.parents) if place != root
               and place.is_relative_to(root))
    ]  # fmt: skip
    assert open_to_all == []


# --- two compilers -------------------------------------------------------------------------------


def test_two_compilers_never_share_a_result(
    tmp_path: Path, a_bazel: FoundBazel, cache: CacheServer
) -> None:
    """One path, as on two machines, and behind it another compiler."""
    needs("g++")
    wrapper = tmp_path / "bin" / "g++-x"
    wrapper.parent.mkdir()
    services = Services(cache=cache.url)
    wrapper.write_text('#!/bin/sh\nexec /usr/bin/g++ "$@"\n')
    wrapper.chmod(0o755)
    first = CppTree(tmp_path / "one", a_bazel, compiler=str(wrapper))
    ran = first.build(services).actions
    first.close()
    # Another machine with the same compiler takes all of it.
    same = CppTree(tmp_path / "two", a_bazel, compiler=str(wrapper))
    output = same.build(services)
    assert (output.actions, output.remote_hits) == (0, ran)
    same.close()
    wrapper.write_text('#!/bin/sh\nexec /usr/bin/g++ -DOTHER "$@"\n')
    other = CppTree(tmp_path / "three", a_bazel, compiler=str(wrapper))
    output = other.build(services)
    assert (output.actions, output.cache_hits) == (ran, 0)
    other.close()


# --- the disk cache ------------------------------------------------------------------------------


def blobs(tree: CppTree) -> list[Path]:
    return [p for p in (tree.env.toolchain.cache / "bazel-disk" / "cas").rglob("*") if p.is_file()]


@pytest.mark.parametrize("left", [0, 10], ids=["empty", "cut short"])
def test_what_a_power_loss_has_left_is_found_removed_and_made_anew(
    tree: CppTree, alone: str, left: int
) -> None:
    tree.forget_disk()
    tree.build()
    for blob in blobs(tree):
        os.truncate(blob, min(left, blob.stat().st_size))
    for result in (tree.env.toolchain.cache / "bazel-disk" / "ac").rglob("*"):
        if result.is_file() and int(result.name[0], 16) % 2:
            os.truncate(result, 3)
    tree.forget_outputs()
    tree.build()
    assert tree.digest() == alone
    assert all(blob.stat().st_size for blob in blobs(tree) if blob.name[:8] != "e3b0c442")
    tree.forget_outputs()
    again = tree.build()
    assert (again.actions, tree.digest()) == (0, alone)


def test_the_limit_holds_and_the_next_build_goes_well(tree: CppTree, alone: str) -> None:
    tree.forget_disk()
    tree.build(Services(disk_limit_mb=1))
    blob = tree.env.toolchain.cache / "bazel-disk" / "cas" / "00" / ("0" * 64)
    blob.parent.mkdir(parents=True, exist_ok=True)
    blob.write_bytes(bytes(3_000_000))
    os.utime(blob, (1, 1))
    (tree.source / "part0.cc").write_text("int part0() { return 7; }\n")
    tree.build(Services(disk_limit_mb=1))
    assert not blob.exists()


def test_no_disk_cache(tree: CppTree) -> None:
    tree.build(Services(disk_limit_mb=0))
    assert not (tree.env.toolchain.cache / "bazel-disk").exists()


def test_outputs_that_a_power_loss_has_emptied_are_built_again(tree: CppTree, alone: str) -> None:
    tree.build(NO_SERVICES)
    tree.close()
    shutil.rmtree(tree.env.toolchain.cache / "bazel-disk")
    for path in (tree.env.toolchain.cache / "bazel").rglob("*.pic.o"):
        path.chmod(0o644)
        path.write_bytes(b"")
    tree.build(NO_SERVICES)
    assert tree.digest() == alone
