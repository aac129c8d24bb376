"""Programs that take turns: real processes, with probes made for the test."""

import importlib
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tfbuild.builds.speed import TurnsResult, read_turns
from tfbuild.core.paths import PACKAGE

PROBES = PACKAGE / "probes"
PROBE = """
import sys, time
sys.path.insert(0, {probes!r})
import probe_tools as probe

def sleeps(seconds):
    def make():
        if {broken!r} in sys.argv:
            raise LookupError("no such op")
        print("what a library says")
        return lambda: time.sleep(seconds)
    return make

def dies():
    calls = []
    def call():
        calls.append(1)
        if len(calls) > 30:
            sys.exit("it had enough")
        time.sleep(0.001)
    return call

def timings(module, device):
    name = module.__name__
    if name == "json":
        raise probe.NotForThis("it has no such thing")
    speed = {{"math": 0.004, "cmath": 0.002}}.get(name, 0.003)
    found = {{"nap": probe.Timed(sleeps(speed), "ms")}}
    if name != "cmath":
        found["rate"] = probe.Timed(sleeps(0.002), "GB/s", 2e6)
    if name == "string":
        found["rate"] = probe.Timed(dies, "GB/s", 2e6)
    return found

probe.serve(__doc__, timings)
"""


@pytest.fixture
def ask(tmp_path: Path) -> Iterator[Any]:
    def asked(*modules: str, broken: str = "nobody") -> TurnsResult:
        probe = tmp_path / "probe.py"
        probe.write_text(PROBE.format(probes=str(PROBES), broken=broken))
        subjects = [{"python": sys.executable, "module": module} for module in modules]
        asked = {"probe": str(probe), "seconds": 0.005, "rounds": 9, "limit": 5.0}
        (tmp_path / "asked.json").write_text(json.dumps(asked | {"subjects": subjects}))
        words = [sys.executable, str(PROBES / "side_by_side.py"), str(tmp_path / "asked.json")]
        done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=100)
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith("measuring ")
        return read_turns(done.stdout)

    yield asked


def test_all_take_turns(ask: Any) -> None:
    found = ask("math", "cmath")
    naps = found.values["nap"]
    assert [len(values) for values in naps.values()] == [9, 9]
    assert sorted(naps[1])[2] < sorted(naps[0])[2], "two milliseconds beside four"
    assert [*found.values["rate"]] == [0]
    assert found.units == {"nap": ("ms", False), "rate": ("GB/s", True)}
    assert found.failed == {0: {}, 1: {}}
    assert 0 <= found.others <= 1


def test_who_has_nothing_of_it_is_left_out(ask: Any) -> None:
    found = ask("math", "json", "no_such_module")
    assert found.skipped == {1: "it has no such thing"}
    assert [*found.values["nap"]] == [0]
    assert found.failed[2] == {"": "ModuleNotFoundError: No module named 'no_such_module'"}


def test_what_cannot_be_made_is_reported_and_the_rest_measured(ask: Any) -> None:
    found = ask("math", "cmath", broken="cmath")
    assert found.failed[1] == {"nap": "LookupError: no such op"}
    assert [*found.values["nap"]] == [0]


def test_one_that_ends_leaves_the_rounds_of_the_others_whole(ask: Any) -> None:
    found = ask("math", "string")
    assert found.failed[1] == {"": "it had enough"}
    assert [*found.values["rate"]] == [0]
    assert len(found.values["rate"][0]) >= 6
    assert [*found.values["nap"]] == [0, 1]


@pytest.mark.parametrize(
    ("values", "higher_is_better", "steady"),
    [
        ([1.0] * 10, False, False),  # too few to say so
        ([1.0] * 11, False, True),
        ([1.0, 1.01, 1.02] * 2 + [9.0] * 5, False, True),  # what disturbs only makes it slower
        ([1.0, 1.01, 1.02] * 2 + [0.1] * 5, True, True),
        ([1.0, 1.01, 1.02] * 2 + [9.0] * 5, True, False),
        ([1.0] * 5 + [1.1] * 6, False, False),
    ],
)
def test_more_rounds_are_spared_where_the_better_half_agrees(
    monkeypatch: pytest.MonkeyPatch, values: list[float], higher_is_better: bool, steady: bool
) -> None:
    monkeypatch.syspath_prepend(str(PROBES))
    turns = importlib.import_module("side_by_side")
    assert turns.is_steady(values, higher_is_better) is steady


NO_RESULT = (
    "", "[]", "{}", '{"measurements": {}}', '{"measurements": {"a": {"values": {"0": [0]}}}}',
)  # fmt: skip


@pytest.mark.parametrize("output", NO_RESULT)
def test_what_is_no_result_is_refused(output: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        read_turns(output)
