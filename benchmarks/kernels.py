"""The table of kernels and layers: the installed runtime, TensorFlow and PyTorch side by side.

    python -m benchmarks.kernels --wheel PYTHON --reference PYTHON --torch PYTHON [--json FILE]

Each PYTHON is an interpreter: one in which the wheel is installed, one with TensorFlow, one with
PyTorch. All are kept alive and take turns of some tens of milliseconds, so that they see the same
machine, first on one processor and then on two. A ratio is their time over ours, by lower quarters,
with where it would lie in 95 of 100 runs: above 1, ours is faster. What is certainly below
its bar (1.0 of TensorFlow, 0.9 of PyTorch) is marked, and makes the command end with 1. --clock
processor counts the processor's time instead of the wall's, for busy machines; of several threads
it counts all, those that wait in a loop too.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import tfbuild
from benchmarks.terminal import say
from tfbuild.builds.speed import TurnsResult, read_turns
from tfbuild.reporting.statistics import ratio_interval

PROBES = Path(tfbuild.__file__).parent / "probes"
EXAMPLES = Path(tfbuild.__file__).parents[1] / "runtime" / "examples"
TABLES = (
    *("perf_matmul", "perf_conv2d", "perf_softmax", "perf_kernels", "perf_layers"),
    *("perf_dispatch", "perf_elementwise", "perf_examples", "perf_linalg"),
)
MODULES = {"tensorflow": "tensorflow.compat.v1", "torch": "torch"}
BARS = {"tensorflow": 1.0, "torch": 0.9}


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One quantity on so many processors, against one of the others."""

    name: str
    processors: int
    against: str
    ours: float  # in the unit, the best quarter's end
    unit: str
    ratio: float
    low: float
    high: float

    @property
    def falls_short(self) -> bool:
        """Whether the ratio is certainly below its bar."""
        return self.high < BARS[self.against]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--wheel", metavar="PYTHON", default=sys.executable)
    parser.add_argument("--reference", metavar="PYTHON", required=True)
    parser.add_argument("--torch", metavar="PYTHON")
    parser.add_argument("--processors", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--only", nargs="+", default=TABLES, choices=TABLES, metavar="PROBE")
    parser.add_argument("--quantities", nargs="+", metavar="NAME", help="of these alone")
    parser.add_argument("--rounds", type=int, default=25)
    parser.add_argument("--limit", type=float, default=5.0, help="seconds for one quantity")
    parser.add_argument("--clock", choices=("wall", "processor"), default="wall")
    parser.add_argument("--json", metavar="FILE")
    given = parser.parse_args()
    lines = [line for count in given.processors for line in measure(given, count)]
    if given.json:
        Path(given.json).write_text(json.dumps([asdict(line) for line in lines], indent=1) + "\n")
    short = [line for line in lines if line.falls_short]
    say(f"{len(lines)} ratios, {len(short)} certainly below their bar")
    sys.exit(1 if short else 0)


def measure(given: argparse.Namespace, processors: int) -> Iterator[Line]:
    """The lines of all probes on so many processors, printed as they come."""
    subjects = {"wheel": given.wheel, "tensorflow": given.reference, "torch": given.torch}
    present = [name for name, python in subjects.items() if python]
    say(f"\n{f'processors: {processors}':<28} {'ours':>10} {'':<8}" + heads(present[1:]))
    allowed = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, allowed[:processors])
    try:
        for probe in given.only:
            # PyTorch does not run programs of TensorFlow's kind.
            able = [name for name in present if name != "torch" or probe != "perf_examples"]
            result = take_turns(given, probe, [(name, subjects[name]) for name in able])
            for name in result.values:
                found = list(lines_of(result, name, able, processors))
                show(name, found, present[1:])
                yield from found
            say(f"{'':4}{probe}: others {result.others:.0%}, stolen {result.stolen:.1%}, "
                f"load {result.load:.1f}")  # fmt: skip
            for number, why in result.failed.items():
                for name, reason in why.items():
                    say(f"    {able[number]} {name}: {reason}")
    finally:
        os.sched_setaffinity(0, allowed)


def take_turns(
    given: argparse.Namespace, probe: str, subjects: list[tuple[str, str]]
) -> TurnsResult:
    """What the subjects of one probe measure."""
    with tempfile.TemporaryDirectory() as folder:
        probes = Path(folder, "probes")
        unkept = shutil.ignore_patterns("__pycache__")
        shutil.copytree(PROBES, probes, ignore=unkept)
        shutil.copytree(EXAMPLES, probes / "examples", ignore=unkept)
        asked = {
            "probe": str(probes / f"{probe}.py"), "seconds": 0.03, "rounds": given.rounds,
            "limit": given.limit, "clock": given.clock, "only": given.quantities or [],
            "subjects": [
                {"python": python, "module": MODULES.get(name, "tfbuild_runtime.compat.v1")}
                for name, python in subjects
            ],
        }  # fmt: skip
        question = Path(folder, "asked.json")
        question.write_text(json.dumps(asked))
        words = [sys.executable, str(probes / "side_by_side.py"), str(question)]
        done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=folder)
    if done.returncode:
        sys.exit(f"{probe} ended with {done.returncode}: {done.stderr[-2000:]}")
    return read_turns(done.stdout)


def lines_of(result: TurnsResult, name: str, present: list[str], processors: int) -> Iterator[Line]:
    """The ratios of one quantity to those that have it."""
    values, (unit, higher) = result.values[name], result.units[name]
    ours = sorted(values.get(0, []), reverse=higher)
    for number, against in enumerate(present[1:], 1):
        theirs = values.get(number, [])
        if not ours or not theirs:
            continue
        rounds = [[(value,) for value in each] for each in (values[0], theirs)]
        found = ratio_interval(*rounds, higher_is_better=higher)
        yield Line(
            name=name, processors=processors, against=against, ours=ours[len(ours) // 4],
            unit=unit, ratio=found.value, low=found.low, high=found.high,
        )  # fmt: skip


def heads(others: list[str]) -> str:
    """The heads of the columns of ratios."""
    return "".join(f"{f'{name} >= {BARS[name]}':>28}" for name in others)


def show(name: str, found: list[Line], others: list[str]) -> None:
    """One line of the table."""
    if not found:
        return
    by = {line.against: line for line in found}
    cells = [cell(by[other]) if other in by else "-" for other in others]
    say(f"{name:<28} {found[0].ours:10.2f} {found[0].unit:<8}" + "".join(f"{c:>28}" for c in cells))


def cell(line: Line) -> str:
    """A ratio with its interval, marked where it falls short."""
    mark = "<" if line.falls_short else " "
    return f"{line.ratio:.2f} ({line.low:.2f} to {line.high:.2f}) {mark}"


if __name__ == "__main__":
    main()
