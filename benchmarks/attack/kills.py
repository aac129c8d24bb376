"""Kills builds at random moments: what is seen is whole, nothing goes on, the next build is right.

The builds are those with nothing to do, and those that pack, audit, smoke-test, unpack, fetch,
link, compile or make environments again; some are met while they deliver. Some are a `cache prune`.
"""

import os
import random
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path

from benchmarks.attack.cache_entries import mirror
from benchmarks.attack.inputs import Budget, chance_of, keep
from benchmarks.attack.tally import Fault, Tally
from benchmarks.attack.workshop import Ended, Workshop
from tfbuild.core.layout import (
    ARTIFACTS,
    BAZEL_DISK,
    BAZEL_OUTPUTS,
    CARRIED,
    ENVIRONMENTS,
    MEMO,
    PRODUCTS,
    RESOLUTIONS,
    UNPACKED,
    WHEELS,
    WORK,
    strangers,
)

# What is forgotten before a build, and its seconds, which what is seen corrects.
_DELIVERING, _FETCHING, _COMPILING, _PRUNING = "delivering", "fetching", "compiling", "pruning"
_FLAVOURS: dict[str, tuple[tuple[str, ...], float]] = {
    "nothing to do": ((), 2.0),
    _DELIVERING: ((), 10.0),
    _FETCHING: ((RESOLUTIONS.name,), 12.0),
    "environments": ((ENVIRONMENTS.name, f"{MEMO.name}/smoke"), 30.0),
    _COMPILING: ((PRODUCTS.name, BAZEL_OUTPUTS.name), 60.0),
    _PRUNING: ((), 1.0),
    "packing": ((f"{MEMO.name}/wheel", WHEELS.name), 12.0),
    "auditing": ((f"{MEMO.name}/audit",), 8.0),
    "smoke test": ((f"{MEMO.name}/smoke",), 30.0),
    "unpacking": ((UNPACKED.name,), 12.0),
    "linking": ((PRODUCTS.name,), 40.0),
}
_FLAVOUR_WEIGHTS = (3, 6, 2, 4, 1, 2, 4, 3, 3, 3, 1)
_CACHED = {UNPACKED.name, RESOLUTIONS.name, ENVIRONMENTS.name, BAZEL_OUTPUTS.name}
_RECOMPILED = 0.02  # of the kept results are forgotten before a build compiles
_SIGNALS = (signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
_ENDS_IN = 60.0
_TRIES = 5  # to meet a build before it has ended by itself
_PRUNE = ("cache", "prune", "--all", "--yes")
_PROVEN = 0.25  # of the kills are followed by a whole build


def try_kills(shop: Workshop, budget: Budget, job: int, tally: Tally) -> None:
    """Kill one build after the other, and count; after some, and at last, build to the end.

    So a build that is killed may follow another that was.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as a shell starts what is to go on
        signal.signal(signal.SIGINT, signal.default_int_handler)
    pace = {flavour: seconds for flavour, (_, seconds) in _FLAVOURS.items()}
    number, said = 0, b""
    for number in budget.numbers(job):
        chance = chance_of(budget.seed, "kills", number)
        flavour = chance.choices(list(_FLAVOURS), _FLAVOUR_WEIGHTS)[0]
        number_of_signal = chance.choice(_SIGNALS)
        killed, fault = _meet(shop, flavour, number_of_signal, pace, chance)
        when = "in" if killed.code != 0 else "after"
        what = f"{number_of_signal.name} {when} {flavour}"
        said = f"{what}, {killed.seconds:.2f} s, {killed.code}\n".encode() + killed.said
        if not fault and chance.random() < _PROVEN:
            fault, more = _proof(shop)
            said += more
        tally.endings[fault or what] += 1
        _note(fault, said, shop, (budget.seed, number), tally)
    fault, more = _proof(shop)
    _note(fault, said + more, shop, (budget.seed, number), tally)


def _proof(shop: Workshop) -> tuple[str, bytes]:
    """What is wrong with the next build, which nobody kills, and what it said."""
    again = shop.build()
    fault = shop.fault_of(again, may_fail=False) or _left_lying(shop)
    return fault, b"\n\nthe next build:\n" + again.said


def _note(fault: str, said: bytes, shop: Workshop, which: tuple[int, int], tally: Tally) -> None:
    """Keep what is known of a fault; what was left is built again by the next one."""
    if not fault:
        return
    seed, number = which
    kept = keep(shop.folder.parent, "kills", seed, number, shop.folder / "none")
    (kept / "attack.txt").write_text(f"{fault}\n{said.decode(errors='replace')}")
    tally.faults.append(Fault(kind="kills", number=number, seed=seed, what=fault, kept=str(kept)))


def _meet(
    shop: Workshop,
    flavour: str,
    number: signal.Signals,
    pace: dict[str, float],
    chance: random.Random,
) -> tuple[Ended, str]:
    """Kill a build while it runs; on the way it is learned how long such a build takes."""
    for _ in range(_TRIES):
        ended, fault = _kill(shop, flavour, number, chance.random() * pace[flavour], chance)
        if fault or ended.code != 0:
            pace[flavour] *= 1.05
            return ended, fault
        pace[flavour] = ended.seconds
    return _kill(shop, flavour, number, chance.random() * pace[flavour], chance)


def _kill(
    shop: Workshop, flavour: str, number: signal.Signals, seconds: float, chance: random.Random
) -> tuple[Ended, str]:
    """Start a build and kill it after some seconds; how it ended, and what is wrong with that."""
    _forget(shop, flavour, chance)
    if chance.random() < 0.5:
        shutil.rmtree(shop.output, ignore_errors=True)
    saved = _save(shop) if flavour == _PRUNING else None
    began = time.monotonic()
    with shop.start(*_PRUNE) if flavour == _PRUNING else shop.start() as child:
        deadline = began + seconds if flavour != _DELIVERING else began + _ENDS_IN
        while child.poll() is None and time.monotonic() < deadline:
            if flavour == _DELIVERING and _delivers(shop):
                deadline = time.monotonic() + chance.random() * 0.03
            time.sleep(0.001 if flavour == _DELIVERING else 0.005)
        lived = child.poll() is None
        child.send_signal(number)
        seconds = time.monotonic() - began
        try:
            code: int | None = child.wait(_ENDS_IN)
        except subprocess.TimeoutExpired:
            code = None
    said = shop.said.read_bytes()
    if saved:
        for place in CARRIED:
            if place.path(saved).exists():  # a build that was killed early has not made all
                mirror(place.path(saved), place.path(shop.cache))
        shutil.rmtree(saved)
    ended = Ended(code=code, said=said, seconds=seconds)
    return ended, _fault_of_killed(ended, number, lived=lived) or _fault_left(shop)


def _forget(shop: Workshop, flavour: str, chance: random.Random) -> None:
    """Remove what the build shall make again; of packages and compiled results only some."""
    if flavour == _COMPILING:
        shop.stop_servers()
        for path in sorted((BAZEL_DISK.path(shop.cache) / "ac").rglob("*")):
            if path.is_file() and chance.random() < _RECOMPILED:
                path.unlink()
    if flavour == _FETCHING:
        folder = ARTIFACTS.path(shop.cache) / ARTIFACTS.below
        shutil.rmtree(chance.choice(sorted(folder.iterdir())))
    for name in _FLAVOURS[flavour][0]:
        root = shop.cache if name in _CACHED else shop.work
        shutil.rmtree(root / name, ignore_errors=True)


def _delivers(shop: Workshop) -> bool:
    """Whether something that is being delivered can be seen in the output folder."""
    return shop.output.is_dir() and any(p.name[0] == "." for p in shop.output.iterdir())


def _save(shop: Workshop) -> Path:
    """A copy of what would have to be fetched and compiled again."""
    saved = shop.folder.with_name(f"{shop.folder.name}.saved")
    for place in CARRIED:
        if place.path(shop.cache).is_dir():
            shutil.copytree(place.path(shop.cache), place.path(saved), symlinks=True)
    return saved


def _fault_of_killed(ended: Ended, number: signal.Signals, *, lived: bool) -> str:
    """What is wrong with the ending itself: a signal that can be caught ends it with 130."""
    # Before tfbuild has begun, a signal meets the interpreter alone.
    if ended.code in {-number, 1} and not {b"decide", b"run_cli"} & set(
        re.findall(rb"\w+", ended.said)
    ):
        return ""
    if b"Traceback (most recent call last)" in ended.said:
        return "traceback"
    if ended.code is None:
        return f"{number.name} does not end it"
    wanted = {0, 130} if number != signal.SIGKILL else {0, -signal.SIGKILL}
    if not lived:
        wanted = {0}
    return "" if ended.code in wanted else f"exit {ended.code} after {number.name}"


def _fault_left(shop: Workshop) -> str:
    return shop.left_running() or shop.fault_of_output()


def _left_lying(shop: Workshop) -> str:
    """What no build takes away: half files, and what has no place in cache and work folder."""
    if half := _half_files(shop):
        return f"left lying: {half[0].relative_to(shop.folder)}"
    foreign = strangers(shop.work, WORK)
    return f"left lying: {foreign[0].name}" if foreign else ""


def _half_files(shop: Workshop) -> list[Path]:
    return [
        Path(folder, name)
        for root in (shop.output, shop.work, shop.cache / "artifacts", shop.cache / "resolutions")
        for folder, names, files in os.walk(root)
        for name in (*names, *files)
        if name.endswith(".part")
    ]
