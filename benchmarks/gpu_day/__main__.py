"""All that only a GPU can prove, in one command: `python -m benchmarks.gpu_day --help`.

Pieces of at most ten minutes each, forty in all: a wheel for this GPU, its first steps, every C++
test on it, the frontend's tests, how exact each kernel is, the speed beside PyTorch and TensorFlow,
and compute-sanitizer. What has passed is not run again for the same commit, so a call that is cut
off goes on with the next one. The results are text, to be committed: benchmarks/gpu_day/results.

Where the GPU's time is dear, its machine has no network or cannot compile, `--prepare sm_90` makes
the wheel and the test programs elsewhere; carry --folder there, say `--prepared`, and name with
--python an interpreter that has CUDA's packages and PyTorch: the wheel is installed into it.
"""

import argparse
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.gpu_day.bench import Bench, PieceFailed
from benchmarks.gpu_day.pieces import MINUTES, PIECES, Piece
from benchmarks.gpu_day.results import Heading, Outcome, commit_of, load, save, text
from benchmarks.terminal import say
from tfbuild.core.process import ProcessRunner
from tfbuild.core.records import Gpu
from tfbuild.doctor.survey import find_gpus

ROOT = Path(__file__).resolve().parents[2]
NO_GPU = 4  # as tfbuild's own code for an environment that lacks something


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the pieces; 0 where all passed, 1 where one failed, 4 where no GPU is."""
    given = _parser().parse_args(arguments)
    chosen = [piece for piece in PIECES if not given.only or piece.name in given.only]
    if given.plan:
        say(f"{MINUTES} minutes at most:")
        for piece in chosen:
            say(f"  {piece.name:<10} {piece.minutes:>2} min  {piece.does}")
        return 0
    bench = Bench(
        root=ROOT,
        folder=given.folder.absolute(),
        gpu=Gpu(name="", architecture=given.prepare, memory_mb=0),
        request=tuple(given.request),
        python=given.python,
    )
    results = given.results.absolute()
    commit = commit_of(bench.outcomes) if given.prepared else _commit()
    if not commit:
        sys.stderr.write(f"{bench.folder} holds nothing that --prepare has made\n")
        return 1
    if given.prepare:
        chosen = [piece for piece in chosen if not piece.needs_gpu]
        return run_day(chosen, bench, commit, "", results)
    driver, gpus = find_gpus(ProcessRunner())
    if not gpus:
        there = f"the driver {driver} is" if driver else "no NVIDIA driver is"
        sys.stderr.write(
            f"no GPU is here: {there} loaded, and nvidia-smi names none. Nothing was run.\n"
            "Run this on a machine with an NVIDIA GPU; --plan says what it would do.\n"
        )
        return NO_GPU
    bench.gpu = gpus[0]
    return run_day(chosen, bench, commit, driver, results)


def run_day(chosen: Sequence[Piece], bench: Bench, commit: str, driver: str, results: Path) -> int:
    """Run what has not passed yet, and write the file of results after each piece on a GPU."""
    bench.folder.mkdir(parents=True, exist_ok=True)
    heading = Heading(
        commit=commit,
        gpu=bench.gpu.name,
        architecture=bench.gpu.architecture,
        driver=driver,
        started=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
    )
    outcomes = load(bench.outcomes, heading, PIECES)
    for piece in chosen:
        if piece.name in outcomes and outcomes[piece.name].state == "passed":
            say(f"{piece.name}: passed before")
            continue
        say(f"{piece.name}: {piece.does}, at most {piece.minutes} min")
        outcomes[piece.name] = run_piece(piece, bench)
        say(f"{piece.name}: {outcomes[piece.name].state} {outcomes[piece.name].why}".rstrip())
        save(bench.outcomes, heading, list(outcomes.values()))
        if bench.gpu.name:
            _write(results, text(heading, PIECES, outcomes), bench.gpu)
    return int(any(outcomes[piece.name].state != "passed" for piece in chosen))


def _write(results: Path, said: str, gpu: Gpu) -> None:
    results.mkdir(parents=True, exist_ok=True)
    name = re.sub(r"[^a-z0-9]+", "-", gpu.name.lower()).strip("-")
    (results / f"{name}.txt").write_text(said)


def run_piece(piece: Piece, bench: Bench) -> Outcome:
    """How the piece ended; what it had said until then is kept."""
    start = time.monotonic()
    bench.deadline = start + piece.minutes * 60
    lines: list[str] = []
    state, why = "passed", ""
    try:
        for line in piece.run(bench):
            lines.append(line)  # noqa: PERF402  (kept when the next one fails)
    except (PieceFailed, OSError, ValueError, KeyError) as error:
        state, why = "failed", str(error).splitlines()[0] if str(error) else type(error).__name__
    seconds = time.monotonic() - start
    return Outcome(piece=piece.name, state=state, seconds=seconds, lines=tuple(lines), why=why)


def _commit() -> str:
    words = ["git", "-C", str(ROOT), "describe", "--always", "--dirty", "--abbrev=12"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.gpu_day",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    names = [piece.name for piece in PIECES]
    parser.add_argument("--only", action="append", choices=names, help="this piece, or several")
    parser.add_argument(
        "--prepare", default="", metavar="ARCH", help="only what needs no GPU, for one like sm_90"
    )
    parser.add_argument(
        "--prepared", action="store_true", help="try what --prepare has made elsewhere"
    )
    parser.add_argument(
        "--request", action="append", default=[], metavar="AXIS=SPEC", help="as in python=3.12"
    )
    parser.add_argument("--python", default="", help="the interpreter to install the wheel into")
    parser.add_argument("--plan", action="store_true", help="say what would be run, and end")
    parser.add_argument("--folder", type=Path, default=ROOT / ".gpu-day")
    parser.add_argument("--results", type=Path, default=Path(__file__).parent / "results")
    return parser


if __name__ == "__main__":
    sys.exit(main())
