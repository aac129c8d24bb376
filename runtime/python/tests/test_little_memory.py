"""Little address space: a process ends with a result or a Python exception, wherever it runs out,
and what was refused runs once there is memory again.
"""

import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("little_memory.py")
RESULT, REFUSED = 40, 41  # as the script has them


def run_script(*words, cores, limit=None):
    """Run the script with so many cores, within so many bytes."""

    def hold():
        if limit:
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

    # NumPy's threads take memory, and end the process themselves where they get none.
    settings = {"OMP_NUM_THREADS": str(cores), "OPENBLAS_NUM_THREADS": "1"}
    settings["CUDA_VISIBLE_DEVICES"] = ""  # a driver alone takes more addresses
    return subprocess.run(
        [sys.executable, SCRIPT, *words], env={**os.environ, **settings}, preexec_fn=hold,
        capture_output=True, text=True, timeout=3000, check=False,
    )  # fmt: skip


def sweep(amounts, threads, cores, *names):
    """Outcome -> what ended so, as in "matmul with 3.5 MiB"."""
    words = " ".join(str(amount) for amount in amounts)
    done = run_script("sweep", str(threads), words, *names, cores=cores)
    assert done.returncode == 0, done.stderr[-2000:]
    ended = {}
    for program, outcomes in json.loads(done.stdout).items():
        for outcome, mib in outcomes.items():
            ended.setdefault(outcome, []).extend(f"{program} with {m} MiB" for m in mib)
    print({outcome: len(found) for outcome, found in ended.items()}, done.stderr[-2000:])
    return ended


@pytest.mark.parametrize("threads", [0, 3])
def test_steps_end_well_wherever_memory_ends(threads):
    ended = sweep([0, 0.1, 1, 3, 8, 64, 76, 90, 148, 1024], threads, 2)
    assert set(ended) == {"result", "refused"}, ended
    assert sum("with 1024.0 MiB" in what for what in ended["result"]) >= 14, ended
    assert sum("with 0.0 MiB" in what for what in ended["refused"]) >= 14, ended


@pytest.mark.slow
@pytest.mark.parametrize("threads", [0, 3])
@pytest.mark.parametrize("cores", [2, 8])
def test_steps_end_well_at_each_of_200_amounts(threads, cores):
    near_nothing = [100 * (i / 100) ** 3 for i in range(100)]
    around_the_reserve = [60 + 3 * i for i in range(100)]
    ended = sweep([*near_nothing, *around_the_reserve], threads, cores)
    assert set(ended) == {"result", "refused"}, ended


def outcomes_of_all(limits, threads):
    """Exit status -> how many processes, of those that had imported the runtime, ended so."""
    ended = {}
    for limit in limits:
        done = run_script("all", str(threads), cores=2, limit=limit << 20)
        if done.stdout.startswith("imported"):
            ended.setdefault(done.returncode, []).append((limit, done.stderr[-300:]))
    print({status: len(found) for status, found in ended.items()})
    return ended


def test_a_limited_process_ends_well_once_it_has_imported():
    assert set(outcomes_of_all([230, 280, 330, 400, 1500], 0)) == {REFUSED, RESULT}


@pytest.mark.slow
def test_a_process_ends_well_at_each_of_200_limits():
    assert set(outcomes_of_all(range(100, 500, 2), 0)) == {REFUSED, RESULT}
