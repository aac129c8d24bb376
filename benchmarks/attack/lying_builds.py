"""Builds of a small tree with a real Bazel, and a cache that lies while they run.

What is built must be what is built without a cache, or an error in words; where results of
compilations are other ones, `--verify-cache` finds them. A folder outside may not be touched.
"""

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from benchmarks.attack.inputs import Budget, chance_of, keep, side_by_side
from benchmarks.attack.lying_server import LyingServer, lied, serve_lies
from benchmarks.attack.oracles import make_canary
from benchmarks.attack.tally import Fault, Tally
from benchmarks.attack.trial import fresh
from tests.cache_servers import serve_cache
from tests.shared_libraries import real_bazel
from tests.workshop import CppTree
from tfbuild.core.environments import Services
from tfbuild.core.errors import TfbuildError

KIND = "lying builds"
_LONGEST = 400  # seconds of one build, on a machine with much else to do
_ASKED_BEFORE = frozenset({"GetCapabilities", "BatchReadBlobs", "BatchUpdateBlobs"})
_MEGABYTE = 1 << 20  # the blob by which a cache is measured


def try_lying_builds(budget: Budget, folder: Path) -> Tally:
    """Build with one lying cache after the other, and count how the builds ended."""

    def work(job: int, tally: Tally) -> None:
        place = fresh(folder / f"lying-{job}")
        tree = CppTree(place, real_bazel(place), parts=3)
        try:
            tree.build(Services(disk_limit_mb=0))
            right = tree.digest()
            for number in budget.numbers(job):
                fault, how = _try(tree, right, budget.seed, number)
                tally.endings[fault or how] += 1
                if fault:
                    kept = keep(folder, KIND, budget.seed, number, folder / "none")
                    (kept / "attack.txt").write_text(f"{fault}\n{how}\n{tree.warnings()}")
                    tally.faults.append(
                        Fault(
                            kind=KIND, number=number, seed=budget.seed, what=fault, kept=str(kept)
                        )
                    )
        finally:
            tree.close()

    return side_by_side(KIND, budget, folder, work)


# --- inside ------------------------------------------------------------------------------------


def _try(tree: CppTree, right: str, seed: int, number: int) -> tuple[str, str]:
    """The fault of one trial, and how it ended."""
    chance = chance_of(seed, KIND, number)
    canary = make_canary(fresh(tree.source.parent / "canary"), chance)
    about_results = chance.random() < 0.5
    serve = _http if chance.random() < 0.4 else _grpc
    server = LyingServer(chance, 0.0, str(canary.folder))
    with serve(server, about_results=about_results) as server:
        honest = Services(cache=server.url)
        tree.forget_all()
        tree.build(honest)
        if tree.digest() != right:
            return "an honest cache gave another library", ""
        server.lies = chance.choice((0.2, 0.6, 1.0))
        tree.forget_all()
        services = Services(cache=server.url, checked=1.0 if about_results else 0.0)
        began, how = time.monotonic(), "right"
        try:
            with _limited():
                tree.build(services)
        except TimeoutError:
            return "hang", f"{time.monotonic() - began:.0f} s"
        except TfbuildError as error:
            how = f"exit {error.exit_code}"
            tree.close()
        if how == "right" and tree.digest() != right:
            return "another library was built", str(server.lied)
        return canary.fault(b"", tree.env.toolchain.work), how


@contextmanager
def _grpc(server: LyingServer, *, about_results: bool) -> Iterator[LyingServer]:
    with serve_lies(server.chance, 0.0, server.outside) as serving:
        serving.honest = _ASKED_BEFORE | (
            {"Read", "Write"} if about_results else {"GetActionResult"}
        )
        yield serving


@contextmanager
def _http(server: LyingServer, *, about_results: bool) -> Iterator[LyingServer]:
    """The same of a cache that speaks HTTP: lies about results, or other bytes."""

    def change(path: str, content: bytes) -> bytes:
        is_result = "/ac/" in path
        if len(content) == _MEGABYTE or is_result != about_results or not server.lie():
            return content
        if not is_result:
            return server.wrong(content)
        said = lied(server, content)
        cache.kept.update({f"/cas/{digest}": blob for digest, blob in server.blobs.items()})
        return said

    with serve_cache() as cache:
        cache.change = change
        server.url = cache.url
        yield server


@contextmanager
def _limited() -> Iterator[None]:
    """TimeoutError after as long as no build takes."""

    def over(_number: int, _frame: FrameType | None) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, over)
    signal.alarm(_LONGEST)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
