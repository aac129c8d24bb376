"""Calls of the examples' BERT encoder and convolutional network, beside PyTorch and ONNX Runtime.

    python -m benchmarks.inference --wheel PYTHON --torch PYTHON [--rounds 5] [--json FILE]

The first interpreter has the wheel, the second PyTorch, onnx and ONNX Runtime. The wheel makes
weights and keeps them; all three must give the same output for them before anything is measured.
Then each runs in turns, every time as a new process. What is printed is the median of their time
over ours; it ends with 1 where that is below 0.9.
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
SCRIPTS = Path(__file__).parent / "in_wheel"
NETWORKS = ("bert", "convolutional")
BAR = 0.9  # theirs over ours, at least


def main() -> None:
    """Measure and print."""
    given = _parser().parse_args()
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: given.processors])
    found: dict[str, dict[str, float]] = {}
    for name in given.only:
        found[name] = measure(given, name)
        cells = ", ".join(f"{key} {value:.3f}" for key, value in found[name].items())
        sys.stdout.write(f"{name}: {cells}\n")
        sys.stdout.flush()
    if given.json:
        Path(given.json).write_text(json.dumps(found, indent=1) + "\n")
    ratios = [each[key] for each in found.values() for key in ("PyTorch", "ONNX Runtime")]
    missed = sum(ratio < BAR for ratio in ratios)
    sys.stdout.write(f"{missed} of {len(ratios)} ratios below {BAR}\n")
    sys.exit(1 if missed else 0)


def measure(given: argparse.Namespace, name: str) -> dict[str, float]:
    """Milliseconds of a call, and the ratios of the others to it."""
    seconds = str(given.seconds)
    with tempfile.TemporaryDirectory() as folder:
        run(given.wheel, "ours.py", name, folder, "keep")
        run(given.torch, "torch_networks.py", name, folder, "check")
        rounds = [
            (float(run(given.wheel, "ours.py", name, folder, "time", seconds)),
             float(run(given.torch, "torch_networks.py", name, folder, "eager", seconds)),
             float(run(given.torch, "torch_networks.py", name, folder, "onnx", seconds)))
            for _ in range(given.rounds)
        ]  # fmt: skip
    return {
        "milliseconds": statistics.median(ours for ours, _, _ in rounds),
        "PyTorch": statistics.median(eager / ours for ours, eager, _ in rounds),
        "ONNX Runtime": statistics.median(onnx / ours for ours, _, onnx in rounds),
    }


def run(python: str, script: str, *words: str) -> str:
    """The last line that a script prints."""
    environ = {
        **os.environ,
        "PYTHONPATH": f"{EXAMPLES}{os.pathsep}{os.environ.get('PYTHONPATH', '')}",
    }
    done = subprocess.run(
        [python, str(SCRIPTS / script), *words], env=environ, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    if done.returncode:
        sys.exit(f"{script} {' '.join(words)} ended with {done.returncode}: {done.stderr[-2000:]}")
    return (done.stdout.splitlines() or [""])[-1]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--wheel", metavar="PYTHON", default=sys.executable)
    parser.add_argument("--torch", metavar="PYTHON", required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2.0, help="of each process")
    parser.add_argument("--processors", type=int, default=2)
    parser.add_argument("--only", nargs="+", default=NETWORKS, choices=NETWORKS)
    parser.add_argument("--json", metavar="FILE")
    return parser


if __name__ == "__main__":
    main()
