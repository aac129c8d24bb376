"""Runs the attack and prints the count: `python -m benchmarks.attack --help`."""

import argparse
import json
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.attack.archives import archives, unpack
from benchmarks.attack.cache_entries import try_entries
from benchmarks.attack.cold import start_anew
from benchmarks.attack.container_builds import try_container_builds
from benchmarks.attack.container_files import container_files, read_left
from benchmarks.attack.forged import try_forged
from benchmarks.attack.full_disks import try_full_disks
from benchmarks.attack.growth import try_growth
from benchmarks.attack.held_locks import held_locks, hold
from benchmarks.attack.inputs import Budget, side_by_side, try_inputs
from benchmarks.attack.kept import KEPT, ask
from benchmarks.attack.kills import try_kills
from benchmarks.attack.kinds import Maker, makers
from benchmarks.attack.lying_builds import try_lying_builds
from benchmarks.attack.lying_caches import ask_caches, lying_caches
from benchmarks.attack.namespaces import meet, shared_cache
from benchmarks.attack.neighbours import try_neighbours
from benchmarks.attack.planted import planted_state
from benchmarks.attack.runtime_inputs import RUNTIME_KINDS, make_python, try_runtime
from benchmarks.attack.servers import ask_servers, bad_servers
from benchmarks.attack.surroundings import surroundings
from benchmarks.attack.tally import Tally, document, table
from benchmarks.attack.trial import fresh
from benchmarks.attack.warm import warm_up
from benchmarks.attack.workshop import Workshop, copy_workshop, make_workshop
from benchmarks.terminal import say
from tfbuild.core.cache_mark import is_free, mark_folder
from tfbuild.core.layout import ARTIFACTS

# How the inputs are shared among the kinds, by what each costs and what each can find.
SHARES = {
    "command lines": 10, "environment": 6, "projects": 8, "locks": 8, "machines": 6, "plans": 6,
    "cases": 4, "reports": 6, "matrices": 4, "recipes": 6, "audited wheels": 6,
    "wheels for an SBOM": 6,
    "kept packages": 4, "kept results": 4, "archives": 4, "held locks": 6,
    "container files": 8, "lying caches": 4, "servers": 8, "shared cache": 4,
    "planted state": 2, "surroundings": 3,
    "graphs": 16, "feeds": 8, "checkpoints": 6, "images": 6, "records": 6, "messages": 8,
    "saved models": 3, "old checkpoints": 4, "threads": 2, "kept values": 3,
}  # fmt: skip
# Kinds that ask something else than the warm command line: their makers, and what is asked.
APART: dict[str, tuple[Callable[[Path], Maker], Callable[[], Any]]] = {
    **{kind: (make, ask) for kind, make in KEPT.items()},
    "archives": (archives, unpack),
    "container files": (container_files, read_left),
    "lying caches": (lying_caches, ask_caches),
    "held locks": (held_locks, hold),
    "shared cache": (shared_cache, meet),
    "servers": (bad_servers, ask_servers),
    "planted state": (planted_state, start_anew),
    "surroundings": (lambda stock: surroundings(planted_state(stock)), start_anew),
}
GROWTH = "growth"
BUILDS = {
    "cache entries": try_entries, "forged state": try_forged, "full disks": try_full_disks,
    "kills": try_kills, "neighbours": try_neighbours,
}  # fmt: skip
# Builds of small things, which need no workshop.
SMALL_BUILDS: dict[str, Callable[[Budget, Path], Tally]] = {
    "lying builds": try_lying_builds, "container builds": try_container_builds,
}  # fmt: skip
KINDS = (*SHARES, GROWTH, *SMALL_BUILDS, *BUILDS)
Run = Callable[[], Tally]


def main() -> None:
    """Try what was asked for; ends with 1 where a fault was found."""
    given = _arguments()
    folder = fresh(Path(given.folder or tempfile.mkdtemp(prefix="tfbuild-attack-")).absolute())
    mark_folder(folder)
    tallies = []
    for run in _runs(given, folder):
        tallies.append(run())
        if not given.json:
            say("\n".join(table(tallies[-1:]).splitlines()[1:2]))
    say(document(tallies) if given.json else f"\n{table(tallies)}")
    if any(tally.faults for tally in tallies):
        sys.exit(1)
    shutil.rmtree(folder, ignore_errors=True)


# --- inside ------------------------------------------------------------------------------------


def _runs(given: argparse.Namespace, folder: Path) -> Iterator[Run]:
    """What tries each kind that was asked for; things are prepared when they are needed."""
    kinds = _kinds(given)
    stock = folder / "stock"
    known = makers(stock)
    for kind, (make, _) in APART.items():
        known[kind] = partial(make, stock / kind)
    made = [kind for kind in kinds if kind in known]
    is_warm = set(kinds) & {GROWTH, *known} - set(APART)
    command_line = warm_up(folder / "warm") if is_warm else None
    if GROWTH in kinds and command_line:
        yield partial(
            try_growth, command_line, _budget(given, GROWTH, kinds), folder, given.largest << 20
        )
    for kind in made:
        maker, budget = known[kind](), _budget(given, kind, kinds)
        main = APART[kind][1] if kind in APART else command_line
        assert main
        yield partial(try_inputs, kind, maker, main, budget, folder)
    for kind in [kind for kind in kinds if kind in SMALL_BUILDS]:
        yield partial(SMALL_BUILDS[kind], _budget(given, kind, kinds), folder)
    if {*RUNTIME_KINDS, *BUILDS} & set(kinds):
        with _workshops(folder, given.jobs) as shops:
            for kind in kinds:
                budget = _budget(given, kind, kinds)
                if kind in RUNTIME_KINDS:
                    python = _runtime_python(shops[0], folder)
                    yield partial(try_runtime, kind, python, budget, folder)
                elif kind in BUILDS:
                    yield partial(_try_builds, kind, shops, budget, folder)


def _kinds(given: argparse.Namespace) -> list[str]:
    kinds = [kind.strip() for kind in given.kinds.split(",")] if given.kinds else list(KINDS)
    if wrong := sorted(set(kinds) - set(KINDS)):
        sys.exit(f"there is no kind {wrong[0]!r}; there are: {', '.join(KINDS)}")
    return kinds


def _budget(given: argparse.Namespace, kind: str, kinds: Sequence[str]) -> Budget:
    number = {
        "cache entries": given.entries, "kills": given.kills, "neighbours": given.neighbours,
        "forged state": given.forged, "full disks": given.full_disks,
        "lying builds": given.lying_builds, "container builds": given.container_builds,
        GROWTH: given.growth,
    }.get(kind)  # fmt: skip
    if number is None:
        number = given.inputs * SHARES[kind] // sum(SHARES.get(name, 0) for name in kinds)
    return Budget(
        seed=given.seed,
        inputs=number,
        seconds=float("inf") if kind in {*BUILDS, *SMALL_BUILDS, GROWTH} else given.seconds,
        jobs=given.jobs,
        only=given.only,
    )


@contextmanager
def _workshops(folder: Path, count: int) -> Iterator[list[Workshop]]:
    """One workshop for each process; their servers end with it."""
    shops = [make_workshop(folder / "shop-0")]
    try:
        for number in range(1, count):
            shops.append(copy_workshop(shops[0], folder / f"shop-{number}"))
        yield shops
    finally:
        for shop in shops:
            shop.stop_servers()


def _runtime_python(shop: Workshop, folder: Path) -> Path:
    """An interpreter with the reference wheel, made once."""
    python = folder / "python" / "bin" / "python"
    if python.exists():
        return python
    report = json.loads((shop.output / "report.json").read_text())
    version = report["versions"]["python"]["value"] + "."
    base = next(p["path"] for p in report["host"]["pythons"] if p["version"].startswith(version))
    kept = shop.cache / ARTIFACTS.name / ARTIFACTS.below
    needs = [kept / one["sha256"] / one["filename"] for one in report["smoke"]["artifacts"]]
    return make_python(shop.wheels()[0], needs, base, folder)


def _try_builds(kind: str, shops: Sequence[Workshop], budget: Budget, folder: Path) -> Tally:
    return side_by_side(
        kind, budget, folder, lambda job, tally: BUILDS[kind](shops[job], budget, job, tally)
    )


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.attack", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="another seed makes other inputs")
    parser.add_argument("--inputs", type=int, default=2000, help="of all kinds together")
    parser.add_argument("--entries", type=int, default=10, help="cache entries that are damaged")
    parser.add_argument("--forged", type=int, default=10, help="records that are forged")
    parser.add_argument("--full-disks", type=int, default=6, help="builds on small disks")
    parser.add_argument("--neighbours", type=int, default=4, help="meetings of several builds")
    parser.add_argument("--lying-builds", type=int, default=6, help="with caches that lie")
    parser.add_argument("--container-builds", type=int, default=4, help="in real containers")
    parser.add_argument("--growth", type=int, default=40, help="files that are made larger")
    parser.add_argument("--largest", type=int, default=200, help="MB to which they are made so")
    parser.add_argument("--kills", type=int, default=10, help="builds that are killed")
    parser.add_argument(
        "--seconds", type=float, default=3600.0, help="at most, for each kind of input"
    )
    parser.add_argument("--jobs", type=int, default=2, help="processes side by side")
    parser.add_argument("--kinds", default="", help=f"of: {', '.join(KINDS)}")
    parser.add_argument("--only", type=int, help="one input of a kind, by its number")
    parser.add_argument("--folder", default="", help="where failing inputs are kept; is emptied")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    given = parser.parse_args()
    if given.folder and not is_free(Path(given.folder)):
        parser.error(f"{given.folder} holds what no attack has left: name another folder")
    return given


if __name__ == "__main__":
    main()
