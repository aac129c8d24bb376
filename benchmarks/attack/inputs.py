"""Tries the inputs of one kind on a warm command line, in several processes side by side."""

import itertools
import os
import pickle
import random
import shlex
import sys
import time
import traceback
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.attack.kinds import Maker
from benchmarks.attack.tally import Fault, Tally
from benchmarks.attack.trial import SECONDS, Call, Outcome, fresh, run_call
from tfbuild.core.any_tree import remove_what_can


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """What is tried: so many of a seed, for so many seconds at most, by so many processes."""

    seed: int
    inputs: int
    seconds: float
    jobs: int
    only: int | None = None
    hang: float = SECONDS

    def numbers(self, job: int) -> Iterable[int]:
        """The numbers of one process, until the time is over."""
        if self.only is not None:
            yield from (self.only,) if job == 0 else ()
            return
        end = time.monotonic() + self.seconds
        yield from itertools.takewhile(
            lambda n: n < self.inputs and time.monotonic() < end, itertools.count(job, self.jobs)
        )


def chance_of(seed: int, kind: str, number: int) -> random.Random:
    """The dice of one input."""
    return random.Random(f"{seed}/{kind}/{number}")


def side_by_side(
    kind: str, budget: Budget, folder: Path, work: Callable[[int, Tally], None]
) -> Tally:
    """The sum of what work has counted in processes of their own, each given its number."""
    total, children = Tally(kind), {}
    for job in range(budget.jobs):
        path = folder / f"{job}.tally"
        path.unlink(missing_ok=True)
        child = os.fork()
        if child == 0:
            _count(kind, path, lambda tally, job=job: work(job, tally))  # type: ignore[misc]
        children[child] = path
    for child, path in children.items():
        if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != 0:
            sys.exit(f"the attack itself failed on {kind}")
        total.add(pickle.loads(path.read_bytes()))  # noqa: S301  (written by our own child)
    return total


def try_inputs(
    kind: str, maker: Maker, main: Callable[[], Any], budget: Budget, folder: Path
) -> Tally:
    """Try the inputs of a kind; those that fail are kept below folder."""
    seed = budget.seed

    def work(job: int, tally: Tally) -> None:
        place = folder / f"child-{job}"
        for number in budget.numbers(job):
            call = maker.make(chance_of(seed, kind, number), fresh(place))
            ended = run_call(call, place, main, budget.hang)
            tally.endings[ended.fault or f"exit {ended.code}"] += 1
            if ended.fault:
                kept = keep(folder, kind, seed, number, place)
                _describe(kept, call, ended)
                tally.faults.append(
                    Fault(kind=kind, number=number, seed=seed, what=ended.fault, kept=str(kept))
                )
        remove_what_can(place)

    return side_by_side(kind, budget, folder, work)


def keep(folder: Path, kind: str, seed: int, number: int, place: Path) -> Path:
    """A folder of its own with what lies in a place: what a fault came from."""
    target = folder / "failures" / f"{kind.replace(' ', '-')}-{seed}-{number}"
    remove_what_can(target)
    target.parent.mkdir(parents=True, exist_ok=True)
    if place.is_dir():
        place.rename(target)
    else:
        target.mkdir()
    return target


# --- inside ------------------------------------------------------------------------------------


def _count(kind: str, path: Path, work: Callable[[Tally], None]) -> None:
    """Be a process that counts: never returns."""
    code = 1
    try:
        tally = Tally(kind)
        began = time.monotonic()
        work(tally)
        tally.seconds = time.monotonic() - began
        path.write_bytes(pickle.dumps(tally))
        code = 0
    except BaseException:  # noqa: BLE001  (a fork must not go on as its parent)
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


def _describe(kept: Path, call: Call, ended: Outcome) -> None:
    lines = [f"{name}={value!r}" for name, value in call.environ.items()]
    lines += [shlex.join(("tfbuild", *call.words)), f"ended: {ended.fault} ({ended.code})"]
    text = "\n".join((*lines, "", ended.said))
    (kept / "attack.txt").write_text(text, encoding="utf-8", errors="backslashreplace")
