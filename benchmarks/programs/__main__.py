"""How many TensorFlow 1 programs of others run on the runtime's wheel, and fetch the same values.

Run it with `python -m benchmarks.programs FOLDER --reference PYTHON --wheel PYTHON`: the folder has
the programs (nothing of it is kept), the first interpreter has TensorFlow 2, the second the wheel.
Programs are code of strangers: give them a machine on which they may do what they like.
"""

import argparse
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from benchmarks.interpreters import lack_of
from benchmarks.programs.comparing import Outcome, compare
from benchmarks.programs.keeping import kept_run
from benchmarks.programs.report import document, heading, program_line, summary
from benchmarks.programs.running import Limits, Run, run_program
from benchmarks.programs.selection import programs_of
from benchmarks.terminal import say

# With which TensorFlow runs again what differs: an order that it leaves open is one only by chance.
_THREADS = (None, 1, 8, 32)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run, print, and return 1 where a program does not run here or a value differs."""
    given = _parser().parse_args(arguments)
    folder, pythons = given.folder.absolute(), (given.reference.absolute(), given.wheel.absolute())
    programs = _programs(folder, given) if folder.is_dir() else ()
    problem = _problem(folder, pythons, programs)
    if problem:
        sys.stderr.write(f"{problem}\n")
        return 2
    limits = Limits(steps=given.steps, seconds=given.seconds, megabytes=given.megabytes)

    def of_reference(program: Path, turn: int | str = 0, threads: int | None = None) -> Run:
        return kept_run(
            given.keep, folder / program, limits, turn,
            lambda: run_program(pythons[0], "reference", folder, program, limits, threads=threads),
        )  # fmt: skip

    def both(program: Path) -> tuple[Run, Run, Outcome]:
        reference = of_reference(program)
        ours = Run(ending="not tried", detail="", calls=())
        if reference.fetched:
            ours = run_program(pythons[1], "ours", folder, program, limits)
        outcome = compare(reference, ours, given.tolerance)
        if outcome.here and outcome.equal < outcome.values:
            again = [
                of_reference(program, f"{turn} of {threads or 'its own'} threads", threads)
                for threads in _THREADS
                for turn in range(given.again)
            ]
            outcome = compare(reference, ours, given.tolerance, again)
        return reference, ours, outcome

    results = {}
    say(heading())
    with ThreadPoolExecutor(given.jobs) as pool:
        for program, result in zip(programs, pool.map(both, programs), strict=True):
            results[program] = result
            say(program_line(program, *result))
    if given.json:
        given.json.write_text(document(results))
    say(summary(results))
    outcomes = [outcome for _, _, outcome in results.values() if outcome.on_reference]
    return int(any(not one.here or one.equal < one.values for one in outcomes))


def _programs(folder: Path, given: argparse.Namespace) -> tuple[Path, ...]:
    """The programs of the list, or else those that are found."""
    if given.list is None:
        return programs_of(folder, given.only, given.sample, given.seed)
    lines = [line.strip() for line in given.list.read_text().splitlines()]
    paths = [Path(line) for line in lines if line and not line.startswith("#")]
    return tuple(path for path in paths if (folder / path).is_file())


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.programs", description=__doc__)
    parser.add_argument("folder", type=Path, help="programs, each repository a folder of its own")
    parser.add_argument("--reference", type=Path, required=True, help="Python with TensorFlow 2")
    parser.add_argument("--wheel", type=Path, required=True, help="Python with the wheel")
    parser.add_argument(
        "--only", default="*", metavar="GLOB", help="programs whose path or name fits"
    )
    parser.add_argument("--sample", type=int, default=0, metavar="N", help="at most N a repository")
    parser.add_argument("--seed", type=int, default=0, help="that draws them")
    parser.add_argument("--list", type=Path, metavar="FILE", help="take its programs, one a line")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep runs of the reference there")
    parser.add_argument("--jobs", type=int, default=1, help="programs at the same time")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every outcome there")
    parser.add_argument("--steps", type=int, default=8, help="calls of a session that are compared")
    parser.add_argument("--seconds", type=float, default=90, help="of one program")
    parser.add_argument("--megabytes", type=int, default=12000, help="address space of a process")
    more = "run what differs so often more, with each number of threads"
    parser.add_argument("--again", type=int, default=2, metavar="N", help=more)
    parser.add_argument("--tolerance", type=float, default=0.01, help="share of an array's largest")
    return parser


def _problem(folder: Path, pythons: Sequence[Path], programs: Sequence[Path]) -> str:
    """What keeps the programs from being run, with what to do; '' where nothing does."""
    if not folder.is_dir():
        return f"there is no folder {folder}: give one with TensorFlow 1 programs"
    if not programs:
        return f"no program in {folder} imports tensorflow, runs a session and fits --only"
    needs = ("import tensorflow.compat.v1", "import tfbuild_runtime.compat.v1")
    for python, need in zip(pythons, needs, strict=True):
        if lack := lack_of(python, need):
            return f"{lack}: install that there"
    return ""


if __name__ == "__main__":
    sys.exit(main())
