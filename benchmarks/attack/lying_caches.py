"""Asks caches that lie, as before a build: in 20 seconds each is named as of no use, or is of use.

Between two calls it may change what it says it can do. What was measured as right must have been
right, and the place where nothing is served gets nothing of it.
"""

import os
import random
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from benchmarks.attack.lying_server import LyingServer, serve_lies
from benchmarks.attack.oracles import make_canary
from benchmarks.attack.trial import Call, fresh
from tests.cache_servers import CacheServer, serve_cache
from tfbuild.bazel.probe import Outlook, probe_cache, probe_executor
from tfbuild.reporting.console import print_text

_PROBE = 20.0  # seconds at most, as it is promised
_SLACK = 10.0  # for a machine with much else to do
_TIMES = 3
_MEGABYTE = 1 << 20


@dataclass(frozen=True, slots=True)
class LyingCaches:
    """Makes a way to speak, how often it lies, and a number that decides the rest."""

    def make(self, chance: random.Random, folder: Path) -> Call:
        """The words of one meeting."""
        canary = make_canary(fresh(folder.with_name(f"{folder.name}.canary")), chance)
        way = chance.choice(("http", "grpc", "grpc", "farm"))
        words = (way, str(chance.choice((0.1, 0.5, 1.0))), str(chance.getrandbits(32)))
        return Call(
            words=(*words, str(canary.folder)),
            after=lambda said: canary.fault(said, folder),
            seconds=_TIMES * (_PROBE + _SLACK) + _SLACK,
        )


def lying_caches(_stock: Path) -> LyingCaches:
    """The maker."""
    return LyingCaches()


def ask_caches() -> None:
    """Ask one several times; ends with 1 where it took too long, or a lie was believed."""
    way, lies, seed, outside = sys.argv[1:]
    chance = random.Random(seed)
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"):
        os.environ.pop(name, None)
    if way == "http":
        with serve_cache() as cache:
            _ask_http(cache, float(lies), chance)
        return
    with serve_lies(chance, float(lies), outside) as server:
        for _ in range(_TIMES):
            server.given = None
            if way == "farm":
                _timed(lambda: probe_executor(server.url, (("x", "y"),)))
                continue
            found = _timed(lambda: probe_cache(server.url, (("x", "y"),)))
            _require_right(found, server.given)


def _ask_http(cache: CacheServer, lies: float, chance: random.Random) -> None:
    liar, given = LyingServer(chance, lies), list[bytes]()

    def change(_path: str, content: bytes) -> bytes:
        given.append(liar.wrong(content) if liar.lie() else content)
        return given[-1]

    cache.change = change
    for _ in range(_TIMES):
        given.clear()
        cache.is_full, cache.is_read_only = chance.random() < 0.1, chance.random() < 0.1
        found = _timed(lambda: probe_cache(f"{cache.url}/x", ()))
        _require_right(found, given[-1] if given else None)


def _timed(ask: object) -> Outlook:
    assert callable(ask)
    began = time.monotonic()
    found = ask()
    took = time.monotonic() - began
    assert isinstance(found, Outlook)
    print_text(f"{found.why_not or 'of use'} {found.note}")
    if took > _PROBE + _SLACK:
        sys.exit(f"it took {took:.0f} s")
    return found


def _require_right(found: Outlook, given: bytes | None) -> None:
    """End with 1 where a cache is of use whose last blob was not what was asked for."""
    if found.is_usable and given is not None and not is_right(given):
        sys.exit("a lie was believed")


def is_right(given: bytes) -> bool:
    """Whether it is the blob by which caches are measured."""
    from tfbuild.bazel import probe

    return given == probe._BLOB  # noqa: SLF001  (what it asks for is nobody else's)
