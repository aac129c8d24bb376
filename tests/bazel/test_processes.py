"""What runs below a server."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.bazel.proc_trees import SERVER, ProcTree, a_server
from tfbuild.bazel.processes import (
    ActionProcesses,
    RunningAction,
    find_server,
    go_on,
    output_of,
    own_memory_mb,
    pause,
    words_of_process,
)

A = "bazel-out/k8/bin/lib/_objs/lib/a.o"


@pytest.fixture
def tree(tmp_path: Path) -> ProcTree:
    return a_server(tmp_path)


def test_an_action_is_known_by_what_it_makes_and_its_memory_by_all_below_it(tree: ProcTree) -> None:
    tree.compiles(200, "a", 300)
    tree.add(300, SERVER, "bazel(tree)")  # not yet what it will be
    first, second = (processes := ActionProcesses(proc=tree.folder)).look(SERVER)
    assert (first.output, round(first.memory_mb)) == (A, 300)
    assert [pid for pid, _ in first.below] == [201]  # never the sandbox: it must hear of signals
    assert second.output == ""
    assert round(processes.server_mb) == 230


def test_growth_and_peak(tree: ProcTree) -> None:
    tree.compiles(200, "a", 100)
    processes = ActionProcesses(proc=tree.folder)
    processes.look(SERVER, now=10.0)
    tree.set_memory(201, 300)
    (action,) = processes.look(SERVER, now=12.0)
    assert round(action.growth) == 100
    tree.set_memory(201, 50)
    (action,) = processes.look(SERVER, now=13.0)
    assert (round(action.memory_mb), round(action.peak_mb), action.growth) == (50, 300, 0.0)
    tree.end(200)
    assert processes.look(SERVER, now=14.0) == ()
    assert [gone.output for gone in processes.ended] == [A]
    assert round(processes.peaks[A]) == 300


@pytest.mark.parametrize(
    ("words", "output"),
    [
        (("gcc", "-o", "bazel-out/k8/bin/a.o", "-c", "a.cc"), "bazel-out/k8/bin/a.o"),
        (("gcc", "@bazel-out/k8/bin/liba.so-2.params"), "bazel-out/k8/bin/liba.so"),
        (("cc1plus", "-o", "/tmp/cc1.s"), ""),
        ((), ""),
    ],
)
def test_output(words: tuple[str, ...], output: str) -> None:
    assert output_of(words) == output


def test_what_is_gone_is_nothing(tmp_path: Path) -> None:
    assert own_memory_mb(7, tmp_path) == 0.0
    assert words_of_process(7, tmp_path) == ()
    assert ActionProcesses(proc=tmp_path).look(7) == ()


def test_the_server_of_a_container_is_in_its_groups(tree: ProcTree) -> None:
    tree.add(50, 0, "sleep", "infinity")
    tree.add(60, 0, "bazel(other)")
    for pid, group in ((50, "c1"), (SERVER, "c1"), (60, "c2")):
        (tree.folder / str(pid) / "cgroup").write_text(f"0::/docker/{group}\n")
    assert find_server(50, tree.folder) == SERVER
    assert find_server(70, tree.folder) == 0


def state_of(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def becomes(pid: int, states: str) -> bool:
    until = time.monotonic() + 20
    while state_of(pid) not in states:
        if time.monotonic() > until:
            return False
        time.sleep(0.01)
    return True


def began(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19])


@pytest.fixture
def sleeper() -> Iterator[int]:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        yield child.pid
        child.kill()


def test_a_paused_action_stands_still_until_it_goes_on(sleeper: int) -> None:
    action = RunningAction(pid=sleeper, began=1, below=((sleeper, began(sleeper)),))
    pause(action)
    assert becomes(sleeper, "T")
    assert action.is_paused
    go_on(action)
    assert becomes(sleeper, "SR")
    assert not action.is_paused


def test_a_number_that_is_anothers_by_now_is_left_alone(sleeper: int) -> None:
    pause(RunningAction(pid=sleeper, began=1, below=((sleeper, began(sleeper) + 1),)))
    assert state_of(sleeper) in "SRD"


def test_what_is_paused_goes_on_when_tfbuild_is_killed(sleeper: int) -> None:
    code = (
        "import os, signal\n"
        "from tfbuild.bazel.processes import RunningAction, pause\n"
        f"pause(RunningAction(pid={sleeper}, began=1, below=(({sleeper}, {began(sleeper)}),)))\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    stopped = subprocess.run([sys.executable, "-c", code], check=False)
    assert stopped.returncode == -signal.SIGKILL
    assert becomes(sleeper, "SR")
    os.kill(sleeper, 0)
