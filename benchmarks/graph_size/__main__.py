"""Building, importing, preparing and running graphs of many nodes, beside TensorFlow.

Run it with `python -m benchmarks.graph_size --wheel PYTHON --reference PYTHON`: two interpreters,
of which one has the wheel and the other one TensorFlow, a reference only. They take turns, each
graph in a process of its own; a ratio above 1 is how many times faster the wheel is (or how much
less memory it takes), its spread from the lowest to the highest of the rounds. `growth` is the
exponent by which the wheel's time grows from size to size: 1 is linear.
"""

import argparse
import json
import math
import statistics
import subprocess
import sys
from pathlib import Path

from benchmarks.terminal import say

_PROBE = Path(__file__).parent / "in_wheel" / "grow.py"
_IMPORTED = (
    "chain", "tree", "fan", "constants", "controls", "placeholders", "variables", "functions",
)  # fmt: skip
_BUILT = ("frontend_chain", "frontend_names", "frontend_taken_names")
_LEAST_SECONDS = 0.05  # what is quicker says nothing about growth
Measured = dict[str, list[float]]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wheel", metavar="PYTHON", default=sys.executable)
    parser.add_argument("--reference", metavar="PYTHON")
    parser.add_argument("--shapes", nargs="+", choices=(*_IMPORTED, *_BUILT), metavar="NAME")
    parser.add_argument("--sizes", nargs="+", type=int, default=[1_000, 10_000, 100_000])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=600, help="the most that a graph may take")
    given = parser.parse_args()
    for shape in given.shapes or (*_IMPORTED, *_BUILT):
        before: Measured = {}
        for size in given.sizes:
            ours, theirs = _rounds(given, shape, size)
            for line in _lines(ours, theirs, before, size / max(before.get("size", [1])[0], 1)):
                say(f"{shape:<21} {size:>9,} {line}")
            before = {**ours, "size": [size]}


def _rounds(given: argparse.Namespace, shape: str, size: int) -> tuple[Measured, Measured]:
    ours: Measured = {}
    theirs: Measured = {}
    for _ in range(given.rounds):
        for python, module, found in (
            (given.wheel, "tfbuild_runtime.compat.v1", ours),
            (given.reference, "tensorflow.compat.v1", theirs),
        ):
            if python is not None:
                for name, value in _run(python, module, shape, size, given.seconds).items():
                    found.setdefault(name, []).append(value)
    return ours, theirs


def _run(python: str, module: str, shape: str, size: int, limit: float) -> dict[str, float]:
    """What one process measured; nothing where it failed or took too long."""
    try:
        done = subprocess.run(
            [python, str(_PROBE), module, shape, str(size)],
            capture_output=True, text=True, check=False, timeout=limit,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        say(f"{module}: {shape} of {size} took more than {limit:g} seconds")
        return {}
    if done.returncode != 0:
        say(f"{module}: {shape} of {size} ended with {done.returncode}: {done.stderr[-300:]}")
        return {}
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def _lines(ours: Measured, theirs: Measured, before: Measured, factor: float) -> list[str]:
    lines = []
    for name, values in ours.items():
        own = statistics.median(values)
        line = f"{name:<9} {own:10.3f}"
        others = theirs.get(name, [])
        if len(others) == len(values):
            ratios = sorted(other / one for one, other in zip(values, others, strict=True))
            line += f" {statistics.median(others):10.3f}   {statistics.median(ratios):.2f}"
            line += f" ({ratios[0]:.2f} to {ratios[-1]:.2f})"
        least = statistics.median(before.get(name, [0]))
        if name != "megabytes" and least >= _LEAST_SECONDS:
            line += f"   growth {math.log(own / least) / math.log(factor):.2f}"
        lines.append(line)
    return lines


if __name__ == "__main__":
    main()
