"""When actions wait, when they go on, and when there must be fewer of them."""

import os
from pathlib import Path

import pytest

from tests.bazel.proc_trees import SERVER, a_server
from tests.failing import fails
from tests.fakes import RecordingReporter
from tfbuild.bazel import processes as bazel_processes
from tfbuild.bazel.governor import Governor, decide_pauses
from tfbuild.bazel.memory import MemoryState
from tfbuild.bazel.processes import ActionProcesses, RunningAction


def action(name: str, memory: float, growth: float = 0.0, *, paused: bool = False) -> RunningAction:
    return RunningAction(
        pid=1, began=1, output=name, memory_mb=memory, growth=growth, is_paused=paused
    )


def state(free: int, stall: float = 0.0) -> MemoryState:
    return MemoryState(total_mb=1200, free_mb=free, limit="this machine", stall=stall)


def nothing(_: str) -> float:
    return 0.0


def test_with_enough_memory_nothing_waits() -> None:
    decided = decide_pauses(state(900), [action("a", 100), action("b", 100)], nothing)
    assert not decided.paused
    assert not decided.resumed


def test_what_grows_too_fast_waits_the_newest_first() -> None:
    actions = [action("a", 300, 100), action("b", 200, 100), action("c", 10, 100)]
    decided = decide_pauses(state(450), actions, nothing)
    assert [a.output for a in decided.paused] == ["c"]


def test_what_earlier_builds_took_is_kept_free_before_it_is_asked_for() -> None:
    actions = [action("a", 100), action("b", 50), action("c", 10)]
    decided = decide_pauses(state(900), actions, lambda _: 500.0)
    assert [a.output for a in decided.paused] == ["c", "b"]


def test_the_oldest_never_waits() -> None:
    decided = decide_pauses(state(10), [action("a", 900, 500)], nothing)
    assert not decided.paused
    assert not decided.is_tight


def test_waiting_for_memory_itself_is_a_sign() -> None:
    actions = [action("a", 100), action("b", 100)]
    assert [a.output for a in decide_pauses(state(600, 60.0), actions, nothing).paused] == ["b"]


def test_one_goes_on_when_its_peak_fits() -> None:
    waiting = action("b", 200, paused=True)
    peaks = {"a": 300.0, "b": 500.0}
    for free, goes in ((350, False), (450, True)):
        decided = decide_pauses(state(free), [action("a", 300), waiting], peaks.__getitem__)
        assert bool(decided.resumed) == goes


def test_when_nothing_runs_the_first_that_waits_goes_on() -> None:
    actions = [action("a", 400, paused=True), action("b", 10, paused=True)]
    assert [a.output for a in decide_pauses(state(5), actions, nothing).resumed] == ["a"]


def test_one_that_needs_what_others_hold_is_reported() -> None:
    actions = [action("a", 600, 100), action("b", 300, paused=True)]
    assert decide_pauses(state(30), actions, nothing).is_tight


def test_workers_of_the_server_never_wait() -> None:
    actions = [action("", 500, 900), action("", 500, 900)]
    assert not decide_pauses(state(10), actions, nothing).paused


@pytest.fixture
def signals(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, str]]:
    sent: list[tuple[int, str]] = []
    monkeypatch.setattr(os, "kill", lambda pid, number: sent.append((pid, number.name)))
    for name in ("paused", "resumed"):
        monkeypatch.setattr(bazel_processes, name, lambda _: None)
    return sent


def test_a_governor_pauses_says_so_once_and_lets_all_go_on_at_the_end(
    tmp_path: Path, signals: list[tuple[int, str]], reporter: RecordingReporter
) -> None:
    tree = a_server(tmp_path)
    for number, name in enumerate("abc"):
        tree.compiles(200 + 10 * number, name, 100)
    governor = Governor(
        server=lambda: SERVER,
        reporter=reporter,
        guess_mb=400.0,
        state=lambda _: state(600),
        processes=ActionProcesses(proc=tmp_path),
    )
    governor.tick(now=100.0)
    assert signals == [(221, "SIGSTOP"), (211, "SIGSTOP")]
    assert len([said for said in reporter.said if said[0] == "warn"]) == 1
    governor.close()
    assert sorted(signals[2:]) == [(211, "SIGCONT"), (221, "SIGCONT")]


def test_a_governor_stops_the_build_where_waiting_does_not_help(
    tmp_path: Path, signals: list[tuple[int, str]], reporter: RecordingReporter
) -> None:
    tree = a_server(tmp_path)
    tree.compiles(200, "a", 500)
    tree.compiles(210, "b", 300)
    left = iter((60, 20))
    governor = Governor(
        server=lambda: SERVER,
        reporter=reporter,
        guess_mb=900.0,
        state=lambda _: state(next(left)),
        processes=ActionProcesses(proc=tmp_path),
    )
    governor.tick(now=100.0)
    with fails("memory-held-by-others"):
        governor.tick(now=101.0)
    assert signals[-1] == (211, "SIGCONT")


def test_kills_are_those_since_the_first_look(tmp_path: Path, reporter: RecordingReporter) -> None:
    a_server(tmp_path)
    kills = iter((5, 7))
    governor = Governor(
        server=lambda: SERVER,
        reporter=reporter,
        state=lambda _: MemoryState(total_mb=1, free_mb=1, limit="", kills=next(kills)),
        processes=ActionProcesses(proc=tmp_path),
    )
    assert governor.kills_since() == 0
    governor.tick(now=1.0)
    assert governor.kills_since() == 2
