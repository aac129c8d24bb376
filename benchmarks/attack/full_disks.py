"""Builds on disks that are too small: one of their folders is on a disk of its own, a memory disk.

It is mounted where only that build sees it, over what is there, so that the build makes it again.
Each must end with the code of a full disk, or find room enough; what is delivered is whole, and the
next build, on the disk as it was, comes through.
"""

import os
import random
import subprocess
import sys
from pathlib import Path

from benchmarks.attack.inputs import Budget, chance_of, keep
from benchmarks.attack.tally import Fault, Tally
from benchmarks.attack.workshop import BUILD_SECONDS, Ended, Workshop, ended_by
from tfbuild.core.layout import (
    ARTIFACTS,
    BAZEL_DISK,
    BAZEL_OUTPUTS,
    ENVIRONMENTS,
    HISTORY,
    MEMO,
    PRODUCTS,
    RESOLUTIONS,
    RUNS,
    UNPACKED,
    WHEELS,
)

KIND = "full disks"
_FULL = 12
# Of the cache and of the work folder, each with what else is forgotten, so that it is written.
_CACHED = (ARTIFACTS, BAZEL_DISK, BAZEL_OUTPUTS, ENVIRONMENTS, HISTORY, RESOLUTIONS, UNPACKED)
_WORKED = (MEMO, PRODUCTS, RUNS, WHEELS)
_KILOBYTES = (4, 16, 64, 256, 1_000, 4_000, 16_000, 64_000, 256_000)
_SPACE = ("unshare", "--mount", "--propagation", "private")
_MOUNT = "/bin/mount"
_CHILD = "benchmarks.attack.full_disks"
_FAULT = "\nwhat was seen on the small disk: "


def try_full_disks(shop: Workshop, budget: Budget, job: int, tally: Tally) -> None:
    """Build with one folder after the other on a small disk, and count how the builds ended."""
    for number in budget.numbers(job):
        if not can_mount():
            tally.endings["no mounts here"] += 1
            continue
        chance = chance_of(budget.seed, KIND, number)
        place = _choose(shop, chance)
        size = chance.choice(_KILOBYTES)
        ended = _build_there(shop, place, size)
        what = f"{size} kB for {place.relative_to(shop.folder)}"
        fault, said = _fault_of(shop, ended), ended.said
        if not fault:
            again = shop.build()
            fault, said = shop.fault_of(again, may_fail=False), said + again.said
        tally.endings[fault or f"exit {ended.code}"] += 1
        if fault:
            kept = keep(shop.folder.parent, KIND, budget.seed, number, shop.folder / "none")
            (kept / "attack.txt").write_text(f"{what}: {fault}\n{said.decode(errors='replace')}")
            tally.faults.append(
                Fault(kind=KIND, number=number, seed=budget.seed, what=fault, kept=str(kept))
            )


def can_mount() -> bool:
    """Whether this machine lets us mount a memory disk that only we see."""
    words = [*_SPACE, _MOUNT, "-t", "tmpfs", "-o", "size=4k", "tmpfs", "/tmp"]  # noqa: S108
    return subprocess.run(words, capture_output=True, check=False).returncode == 0


def main() -> None:
    """Be the build: mount, build, and say what is wrong with what then is in the output folder."""
    folder, size, place, *words = sys.argv[1:]
    options = f"mode=700,size={size}k"
    subprocess.run([_MOUNT, "-t", "tmpfs", "-o", options, "tmpfs", place], check=True)
    code = subprocess.run(words, check=False).returncode
    digest = os.environ["ATTACK_DIGEST"]
    if fault := Workshop(folder=Path(folder), digest=digest).fault_of_output():
        sys.stderr.write(f"{_FAULT}{fault}\n")
    sys.exit(code if code >= 0 else 128 - code)


# --- inside ------------------------------------------------------------------------------------


def _choose(shop: Workshop, chance: random.Random) -> Path:
    places = [shop.output, shop.state / "tfbuild", shop.work, shop.cache]
    places += [place.path(shop.cache) for place in _CACHED]
    places += [place.path(shop.work) for place in _WORKED]
    there = [place for place in places if place.is_dir()]
    return chance.choice(there)


def _build_there(shop: Workshop, place: Path, size: int) -> Ended:
    space = (*_SPACE, "env", f"ATTACK_DIGEST={shop.digest}")
    before = (*space, sys.executable, "-m", _CHILD, str(shop.folder), str(size), str(place))
    with shop.start(before=before) as child:
        code = ended_by(child, BUILD_SECONDS)
    return Ended(code=code, said=shop.said.read_bytes(), seconds=0.0)


def _fault_of(shop: Workshop, ended: Ended) -> str:
    if fault := shop.fault_of(ended, may_fail=True):
        return fault
    said, _, seen = ended.said.decode(errors="replace").partition(_FAULT)
    if seen:
        return f"on the small disk: {seen.strip()}"
    if ended.code not in {0, _FULL}:
        return f"exit {ended.code} on a full disk"
    if ended.code and "do this:" not in said:
        return "the error names no remedy"
    return shop.left_running()


if __name__ == "__main__":
    main()
