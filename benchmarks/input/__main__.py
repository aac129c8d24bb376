"""Reading records, parsing, decoding, shuffling, saving and restoring, beside TensorFlow.

Run it with `python -m benchmarks.input --wheel PYTHON --reference PYTHON`: two interpreters, of
which one has the wheel and the other one TensorFlow. They take turns in pieces of a fraction of a
second; a ratio above 1 is how many times faster the wheel is, its spread the middle half of the
rounds.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.terminal import say

_HERE = Path(__file__).parent
_PROBES = _HERE.parent.parent / "tfbuild" / "probes"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wheel", metavar="PYTHON", default=sys.executable)
    parser.add_argument("--reference", metavar="PYTHON", required=True)
    parser.add_argument("--quantities", nargs="+", metavar="NAME", help="of these alone")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--seconds", type=float, default=0.2, help="of a piece")
    given = parser.parse_args()
    found = _measured(given)
    medians = {}
    for name, each in found["measurements"].items():
        ours, theirs = (each["values"].get(number, []) for number in ("0", "1"))
        if not ours or not theirs:
            say(f"{name:<18} not measured: {found['failed']}")
            continue
        ratios = sorted(other / own for own, other in zip(ours, theirs, strict=True))
        low, middle, high = statistics.quantiles(ratios, n=4)
        medians[name] = statistics.median(ours), statistics.median(theirs)
        own, other = medians[name]
        say(f"{name:<18} {own:10.3f} ms {other:10.3f} ms   {middle:.2f} ({low:.2f} to {high:.2f})")
    if {"train_in_memory", "train_from_queue"} <= set(medians):
        alone, fed = medians["train_in_memory"], medians["train_from_queue"]
        shares = f"{alone[0] / fed[0]:.0%}, and {alone[1] / fed[1]:.0%} of TensorFlow's"
        say(f"of a step that a queue feeds, computing is {shares}")
    say(f"others used {found['others']:.0%} of the processors meanwhile")


def _measured(given: argparse.Namespace) -> dict[str, Any]:
    asked = {
        "probe": str(_HERE / "in_wheel" / "perf_input.py"),
        "seconds": given.seconds,
        "rounds": given.rounds,
        "limit": 120.0,
        "only": given.quantities or [],
        "subjects": [
            {"python": given.wheel, "module": "tfbuild_runtime.compat.v1"},
            {"python": given.reference, "module": "tensorflow.compat.v1"},
        ],
    }
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(asked, file)
        file.flush()
        words = [sys.executable, str(_PROBES / "side_by_side.py"), file.name]
        said = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    found: dict[str, Any] = json.loads(said.splitlines()[-1])
    return found


if __name__ == "__main__":
    main()
