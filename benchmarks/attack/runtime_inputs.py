"""Tries damaged graphs, feeds and files of all kinds on the built wheel, in its own Python."""

import json
import subprocess
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.attack.inputs import Budget, keep, side_by_side
from benchmarks.attack.tally import Fault, Tally

RUNTIME_KINDS = (
    "graphs", "feeds", "checkpoints", "images", "records", "messages", "saved models",
    "old checkpoints", "threads", "kept values",
)  # fmt: skip
_CHILD = Path(__file__).with_name("in_wheel") / "runtime_child.py"
_BATCH = 4000  # inputs of one process
_SIGALRM = -14


def make_python(wheel: Path, needs: Sequence[Path], python: str, folder: Path) -> Path:
    """An interpreter with the wheel and what it needs, without a network."""
    made = folder / "python"
    subprocess.run([python, "-m", "venv", made], check=True)
    words = ["-m", "pip", "install", "--quiet", "--no-index", "--no-deps"]
    subprocess.run([made / "bin" / "python", *words, wheel, *needs], check=True)
    return made / "bin" / "python"


def try_runtime(kind: str, python: Path, budget: Budget, folder: Path) -> Tally:
    """Try the inputs of a kind; one that ends the process, or its time, is a fault."""
    seed = budget.seed

    def work(job: int, tally: Tally) -> None:
        end = time.monotonic() + budget.seconds
        number, last = job, budget.inputs
        if budget.only is not None:
            number, last = budget.only, budget.only + 1 if job == 0 else 0
        while number < last and time.monotonic() < end:
            stop = min(last, number + _BATCH * budget.jobs)
            words = [python, _CHILD, kind, str(seed), str(number), str(stop), str(budget.jobs)]
            for ended, what, fault in _endings([str(word) for word in words]):
                tally.endings["fault" if fault else what] += 1
                number = ended + budget.jobs
                if fault:
                    kept = keep(folder, kind, seed, ended, folder / "none")
                    (kept / "attack.txt").write_text(f"{fault}\n")
                    tally.faults.append(
                        Fault(kind=kind, number=ended, seed=seed, what=fault, kept=str(kept))
                    )

    return side_by_side(kind, budget, folder, work)


def _endings(words: list[str]) -> Iterator[tuple[int, str, str]]:
    """The number of each input with how it ended; the last one may have ended the process."""
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd="/"
    ) as child:
        assert child.stdout
        assert child.stderr
        number = None
        for line in child.stdout:
            if line.startswith("["):
                what, fault = json.loads(line)
                assert number is not None
                yield number, what, fault
                number = None
            else:
                number = int(line)
        said = child.stderr.read()
        code = child.wait()
    if code != 0:
        if number is None:
            raise RuntimeError(f"{' '.join(words)} ended with {code}: {said}")
        yield number, "", "hang" if code == _SIGALRM else f"signal {-code}: {said[-1000:]}"
