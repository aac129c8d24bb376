"""Random calls of TensorFlow's public functions: whether the runtime's wheel gives the same values.

Run it with `python -m benchmarks.random_calls --reference PYTHON --wheel PYTHON`: the first
interpreter has TensorFlow 2, the second the wheel. Arguments are made from the parameters' names by
a seed; the calls that TensorFlow takes are made here too, and every element and every gradient is
compared.
"""

import argparse
import json
import random
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from benchmarks.interpreters import lack_of
from benchmarks.random_calls.explained import Explanation, read_explanations
from benchmarks.random_calls.running import Call, compare_calls, names_on_both
from benchmarks.terminal import say

_TOGETHER = 40  # functions in one process


def main(arguments: Sequence[str] | None = None) -> int:
    """Run, print, and return 1 where a call differs, is refused or crashes without a reason."""
    given = _parser().parse_args(arguments)
    reference, wheel = given.reference.absolute(), given.wheel.absolute()
    needs = ("import tensorflow.compat.v1", "import tfbuild_runtime.compat.v1")
    for python, need in zip((reference, wheel), needs, strict=True):
        if lack := lack_of(python, need):
            sys.stderr.write(f"{lack}: install that there\n")
            return 2
    names = [name for name in names_on_both(reference, wheel) if fnmatchcase(name, given.only)]
    random.Random(given.seed).shuffle(names)
    names = names[: given.functions or None]
    say(f"{len(names)} functions that both have")
    calls: list[Call] = []
    for start in range(0, len(names), _TOGETHER):
        some = names[start : start + _TOGETHER]
        calls += compare_calls(reference, wheel, some, given.seed, given.calls)
        say(f"{min(start + _TOGETHER, len(names))} of {len(names)} functions, {len(calls)} calls")
    explanations = read_explanations()
    left = [call for call in calls if not _is_right(call, explanations)]
    say(report(calls, left))
    if given.json:
        given.json.write_text(json.dumps([_row(call) for call in left], indent=1))
    return int(bool(left))


def _is_right(call: Call, explanations: Iterable[Explanation]) -> bool:
    return call.ending == "equal" or any(one.fits(call) for one in explanations)


def report(calls: Sequence[Call], left: Sequence[Call]) -> str:
    """One line for each function with calls that are left to explain, and the totals."""
    lines, seen = [], Counter((call.name, call.ending) for call in left)
    shown: set[tuple[str, str]] = set()
    for call in sorted(left, key=lambda one: (one.ending, one.name)):
        kind = (call.name, call.ending)
        if kind not in shown:
            shown.add(kind)
            lines.append(f"{call.ending:>8} {seen[kind]:>3}  {call.name}: {call.what[:240]}")
            lines.append(f"{'':>14}{json.dumps(call.given)[:400]}")
    counts = Counter(call.ending for call in calls)
    functions = len({call.name for call in calls})
    totals = ", ".join(
        f"{counts[kind]} {kind}" for kind in ("equal", "differs", "refused", "crashed")
    )
    lines.append(f"{len(calls)} calls of {functions} functions: {totals}; {len(left)} unexplained")
    return "\n".join(lines)


def _row(call: Call) -> dict[str, object]:
    return {"name": call.name, "given": call.given, "ending": call.ending, "what": call.what}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.random_calls", description=__doc__)
    parser.add_argument("--reference", type=Path, required=True, help="Python with TensorFlow 2")
    parser.add_argument("--wheel", type=Path, required=True, help="Python with the wheel")
    parser.add_argument("--only", default="*", metavar="GLOB", help="functions whose name fits")
    parser.add_argument("--functions", type=int, default=0, metavar="N", help="at most N of them")
    parser.add_argument("--calls", type=int, default=5, metavar="N", help="of each function")
    parser.add_argument("--seed", type=int, default=1, help="that draws functions and arguments")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write what is left there")
    return parser


if __name__ == "__main__":
    sys.exit(main())
