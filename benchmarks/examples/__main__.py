"""A training step of each example: the first one, further ones, and memory, beside TensorFlow.

    python -m benchmarks.examples --wheel PYTHON --reference PYTHON [--rounds 5] [--json FILE]

Each PYTHON is an interpreter: one in which the wheel is installed, one with TensorFlow and
tf_keras. Both programs run in turns, every time as a new process on one processor; what is printed
are medians. It ends with 1 where a bar is missed: steps per second at least 1.0 of TensorFlow's,
the first step 5 times as early, at most 0.6 of the memory.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import tfbuild

EXAMPLES = Path(tfbuild.__file__).parents[1] / "runtime" / "examples"
SCRIPT = Path(__file__).parent / "in_wheel" / "first_step.py"
NAMES = (
    *("softmax_regression", "convolutional_network", "lstm_timeline", "conv_lstm", "bert"),
    "gomoku",
)
OURS, THEIRS = "tfbuild_runtime.compat.v1", "tensorflow.compat.v1"
# theirs over ours, at least
BARS = {"first": 5.0, "processor": 5.0, "step": 1.0, "peak": 1 / 0.6}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--wheel", metavar="PYTHON", default=sys.executable)
    parser.add_argument("--reference", metavar="PYTHON", required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2.0, help="of further steps")
    parser.add_argument("--only", nargs="+", default=NAMES, choices=NAMES)
    parser.add_argument("--json", metavar="FILE")
    given = parser.parse_args()
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:1])
    sys.stdout.write(f"{'theirs / ours':<24}" + "".join(
        f"{f'{quantity} >= {bar:.2f}':>36}" for quantity, bar in BARS.items()) + "\n")  # fmt: skip
    found, missed = {}, 0
    for name in given.only:
        rounds = [
            (run(given.wheel, OURS, name, given.seconds),
             run(given.reference, THEIRS, name, given.seconds))
            for _ in range(given.rounds)
        ]  # fmt: skip
        found[name] = {quantity: compare(rounds, quantity) for quantity in BARS}
        missed += sum(each["ratio"] < BARS[quantity] for quantity, each in found[name].items())
        sys.stdout.write(
            f"{name:<24}" + "".join(cell(*item) for item in found[name].items()) + "\n"
        )
        sys.stdout.flush()
    if given.json:
        Path(given.json).write_text(json.dumps(found, indent=1) + "\n")
    sys.stdout.write(f"{missed} bars missed\n")
    sys.exit(1 if missed else 0)


def run(python: str, module: str, name: str, seconds: float) -> dict[str, float]:
    """What one process has measured."""
    words = [python, str(SCRIPT), module, name, str(seconds)]
    environ = {**os.environ, "PYTHONPATH": str(EXAMPLES)}
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            words, env=environ, cwd=folder, capture_output=True, text=True, check=False
        )
    if done.returncode:
        sys.exit(f"{name} on {module} ended with {done.returncode}: {done.stderr[-2000:]}")
    measured: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return measured


def compare(
    rounds: list[tuple[dict[str, float], dict[str, float]]], quantity: str
) -> dict[str, float]:
    """Medians of both, and the median, least and most ratio of a round."""
    ours, theirs = ([each[side][quantity] for each in rounds] for side in (0, 1))
    ratios = [their / our for our, their in zip(ours, theirs, strict=True)]
    return {
        "ours": statistics.median(ours), "theirs": statistics.median(theirs),
        "ratio": statistics.median(ratios), "least": min(ratios), "most": max(ratios),
    }  # fmt: skip


def cell(quantity: str, found: dict[str, float]) -> str:
    """One quantity of the table."""
    mark = "<" if found["ratio"] < BARS[quantity] else " "
    text = (f"{found['theirs']:.2f} / {found['ours']:.2f} = {found['ratio']:.2f} "
            f"({found['least']:.2f}-{found['most']:.2f}) {mark}")  # fmt: skip
    return f"{text:>36}"


if __name__ == "__main__":
    main()
