"""How busy others are: the kernel's counts, and real programs beside this one."""

import importlib
import os
import subprocess
import sys
from collections.abc import Iterator
from types import ModuleType

import pytest

from tfbuild.core.paths import PACKAGE

STAT = """cpu  300 0 0 900 0 0 0 0 0 0
cpu0 100 10 20 500 70 3 4 5 6 7
cpu1 200 20 30 400 70 3 4 5 6 7
intr 1 2 3
"""


@pytest.fixture
def busyness(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The module as probes see it, which stand in one folder with it."""
    monkeypatch.syspath_prepend(str(PACKAGE / "probes"))
    yield importlib.import_module("busyness")
    sys.modules.pop("busyness")


def test_waiting_is_not_work_and_other_processors_do_not_count(busyness: ModuleType) -> None:
    ticks = os.sysconf("SC_CLK_TCK")
    assert busyness.busy_seconds(STAT, {0}) == pytest.approx(142 / ticks)
    assert busyness.busy_seconds(STAT, {0, 1}) == pytest.approx((142 + 262) / ticks)


def test_own_work_is_not_that_of_others(
    busyness: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = {"wall": 0.0, "busy": 0.0, "own": 0.0}
    monkeypatch.setattr(busyness.time, "perf_counter", lambda: now["wall"])
    monkeypatch.setattr(busyness, "busy_seconds", lambda *_: now["busy"])
    monkeypatch.setattr(busyness.os, "times", lambda: (now["own"], 0.0, 0.0, 0.0, now["wall"]))
    monkeypatch.setattr(busyness.os, "sched_getaffinity", lambda _: {0, 1})
    watch = busyness.Busyness()
    now.update(wall=10.0, busy=15.0, own=10.0)
    assert watch.others() == pytest.approx(0.25)
    now.update(busy=9.9)  # the kernel counts in whole ticks
    assert watch.others() == 0.0


def test_a_busy_program_beside_it_is_seen(busyness: ModuleType) -> None:
    """One whole processor, or half of the one there is, as a child that is waited for works too."""
    other = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        watch = busyness.Busyness()
        subprocess.run([sys.executable, "-c", "sum(range(20_000_000))"], check=True)
        assert watch.others() > 0.1 / len(os.sched_getaffinity(0))
    finally:
        other.kill()
        other.wait()
