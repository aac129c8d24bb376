"""What a fresh `tfbuild` costs until it has answered: processor time and wall time of each command.

Run it with `python -m benchmarks.start --against OTHER_TFBUILD`: the commands of both installations
run in turn, every time as a new process with an empty cache folder. Processor time counts the
programs that tfbuild starts as well; where a machine is busy, it says more than wall time.
"""

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.terminal import say

COMMANDS: tuple[tuple[str, ...], ...] = (
    ("--version",),
    ("--help",),
    ("resolve",),
    ("resolve", "tensorflow=2.6.5", "gpu=RTX 3090"),
    ("resolve", "python=3.11", "--json"),
    ("resolve", "tensorflow=2.6.5", "gpu=RTX 3090", "cuda=11.0"),
)
_CODES = (0, 3)  # 3: what was asked for collides


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--against", metavar="OTHER_TFBUILD", help="another installed tfbuild")
    given = parser.parse_args()
    programs = [str(Path(sys.executable).with_name("tfbuild"))]
    if given.against:
        programs.append(str(Path(given.against).absolute()))
    head = "  ".join(f"{name:>24}" for name in ("this", "other")[: len(programs)])
    ratio = "this / other" if given.against else ""
    say(f"{'median (least to most), ms':<60} {head}  {ratio}")
    for words in COMMANDS:
        _compare(words, programs, given.rounds)


def _compare(words: tuple[str, ...], programs: list[str], rounds: int) -> None:
    """One command of each program, in turn; the first round only fills the disk's cache."""
    rows: list[list[tuple[float, float]]] = [[] for _ in programs]
    for number in range(rounds + 1):
        for program, row in zip(programs, rows, strict=True):
            cost = _cost((program, *words))
            if number:
                row.append(cost)
    title = " ".join(words)
    for place, kind in enumerate(("processor", "wall")):
        columns = [[cost[place] for cost in row] for row in rows]
        cells = "  ".join(f"{_spread(column):>24}" for column in columns)
        medians = [statistics.median(column) for column in columns]
        ratio = f"{medians[0] / medians[1]:12.2f}" if len(medians) > 1 else ""
        say(f"{title if place == 0 else '':<50} {kind:<10} {cells}  {ratio}")


def _cost(command: tuple[str, ...]) -> tuple[float, float]:
    """Processor time, of all that it starts too, and wall time of a new process, in ms."""
    environ = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    with tempfile.TemporaryDirectory() as folder:
        environ["TFBUILD_CACHE_DIR"] = str(Path(folder, "cache"))
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        done = subprocess.run(command, env=environ, cwd=folder, capture_output=True, check=False)
        wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in _CODES:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}: {done.stderr.decode()}")
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return used * 1000, wall * 1000


def _spread(times: list[float]) -> str:
    return f"{statistics.median(times):.0f} ({min(times):.0f} to {max(times):.0f})"


if __name__ == "__main__":
    main()
