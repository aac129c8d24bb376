"""The attack finds what it is for: faults that are planted are counted, and can be made again."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from benchmarks.attack.cache_entries import try_entries
from benchmarks.attack.inputs import Budget, try_inputs
from benchmarks.attack.kept import KEPT, ask
from benchmarks.attack.kills import try_kills
from benchmarks.attack.mutations import changed, damaged
from benchmarks.attack.tally import Tally, document, table
from benchmarks.attack.trial import Call, judge, run_call
from benchmarks.attack.workshop import Workshop, digest_of
from tests.sample_report import SHA

ROOT = Path(__file__).parent.parent.parent
FEW = Budget(seed=7, inputs=4, seconds=60, jobs=2, hang=20)


class Numbers:
    """Makes calls whose only word is a number that chance gives."""

    def make(self, chance: random.Random, folder: Path) -> Call:
        (folder / "input").write_text(word := str(chance.randrange(1000)))
        return Call(words=(word,), environ={"GIVEN": word})


def _raises() -> None:
    raise ValueError(os.environ["GIVEN"])


def _hangs() -> None:
    time.sleep(1000)


def _dies() -> None:
    os.kill(os.getpid(), signal.SIGUSR1)


def _eats() -> None:
    bytes(8 << 30)


PLANTED: dict[str, Callable[[], Any]] = {
    "traceback": _raises,
    "exit 1": lambda: sys.exit(1),
    "exit 130": lambda: sys.exit(130),  # nobody has interrupted it
    "exit 42": lambda: sys.exit(42),
    f"signal {signal.SIGUSR1.value}": _dies,
}


@pytest.mark.parametrize("fault", PLANTED)
def test_a_planted_fault_is_counted_and_kept(tmp_path: Path, fault: str) -> None:
    found = try_inputs("numbers", Numbers(), PLANTED[fault], FEW, tmp_path)
    assert found.endings == {fault: 4}
    assert [one.what for one in found.faults] == [fault] * 4
    first = min(found.faults, key=lambda one: one.number)
    word = (Path(first.kept) / "input").read_text()
    assert f"tfbuild {word}\nended: {fault}" in (Path(first.kept) / "attack.txt").read_text()
    again = try_inputs("numbers", Numbers(), PLANTED[fault], _only(2), tmp_path)
    kept = Path(again.faults[0].kept)
    assert (kept / "input").read_text() == word_of(found, 2)
    assert "--seed 7 --kinds 'numbers' --only 2" in table([again])


def _only(number: int) -> Budget:
    return Budget(seed=7, inputs=0, seconds=60, jobs=2, only=number)


def word_of(tally: Tally, number: int) -> str:
    (fault,) = [one for one in tally.faults if one.number == number]
    return (Path(fault.kept) / "input").read_text()


def test_a_hang_is_counted_and_stopped(tmp_path: Path) -> None:
    one = Budget(seed=7, inputs=1, seconds=60, jobs=1, hang=0.3)
    assert try_inputs("numbers", Numbers(), _hangs, one, tmp_path).endings == {"hang": 1}


def test_memory_is_limited(tmp_path: Path) -> None:
    (tmp_path / "place").mkdir()
    ended = run_call(Call(words=()), tmp_path / "place", _eats)
    assert (ended.fault, "MemoryError" in ended.said) == ("traceback", True)


def test_documented_endings_are_no_faults(tmp_path: Path) -> None:
    for code in (0, 2, 3, 4, 7, 12):
        found = try_inputs("numbers", Numbers(), partial(sys.exit, code), FEW, tmp_path)
        assert found.endings == {f"exit {code}": 4}
        assert found.faults == []
    assert judge(0, b"Traceback (most recent call last):\n") == "traceback"


def test_damage_comes_from_its_dice_alone() -> None:
    raw, data = bytes(range(200)), {"a": [1, {"b": "text"}], "c": None}
    for seed in range(200):
        assert damaged(raw, random.Random(seed)) == damaged(raw, random.Random(seed))
        assert repr(changed(data, random.Random(seed))) == repr(changed(data, random.Random(seed)))
    assert data == {"a": [1, {"b": "text"}], "c": None}


@pytest.mark.slow
def test_what_is_kept_holds(tmp_path: Path) -> None:
    for kind, make in KEPT.items():
        found = try_inputs(kind, make(tmp_path / kind), ask, FEW, tmp_path)
        assert (found.tried, found.faults) == (4, [])


@pytest.mark.parametrize(
    ("kind", "adapter", "believing"),
    [
        ("kept packages", "tfbuild.fetch.damage.find_damage", lambda *_, **__: ""),
        ("kept results", "tfbuild.core.kept_json._head", lambda _: f'{{"sha256": "{SHA}", '),
    ],
)
def test_what_believes_what_is_kept_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, adapter: str, believing: Any
) -> None:
    monkeypatch.setattr(adapter, believing)
    if kind == "kept packages":
        monkeypatch.setattr("tfbuild.fetch.cuda_toolkit.find_damage", believing)
    many = Budget(seed=7, inputs=40, seconds=60, jobs=2)
    found = try_inputs(kind, KEPT[kind](tmp_path / kind), ask, many, tmp_path)
    assert found.endings["exit 1"] > 1, found.endings


# --- builds that are not what they seem ----------------------------------------------------------

# Delivers what lies in the work folder; as a tfbuild that believes whatever it has kept.
_BELIEVER = """
import pathlib, sys
kept = pathlib.Path("work/wheels/one.whl")
if not kept.is_file():
    sys.exit(6)
pathlib.Path("dist").mkdir(exist_ok=True)
pathlib.Path("dist/a-1-py3-none-any.whl").write_bytes(kept.read_bytes())
"""
_LEAVER = (
    _BELIEVER
    + """
import subprocess
subprocess.Popen(["sleep", "4711"], start_new_session=True)
"""
)


class FakeShop(Workshop):
    """A workshop whose builds are a small script."""

    def start(self, *words: str, before: Sequence[str] = ()) -> subprocess.Popen[bytes]:
        environ = {**os.environ, "ATTACK_WORKSHOP": str(self.folder)}
        self.said.touch()
        script = (self.folder / "script.py").read_text()
        said = [*before, sys.executable, "-c", script, *words]
        return subprocess.Popen(said, cwd=self.folder, env=environ)


def a_shop(folder: Path, script: str) -> FakeShop:
    shop = FakeShop(folder=folder / "shop")
    kept = shop.work / "wheels" / "one.whl"
    kept.parent.mkdir(parents=True)
    kept.write_bytes(b"the right wheel" * 100)
    (shop.cache / "artifacts").mkdir(parents=True)
    shop.output.mkdir()
    (shop.folder / "script.py").write_text(script)
    return FakeShop(folder=shop.folder, digest=digest_of(kept))


def test_a_wheel_that_is_believed_is_found(tmp_path: Path) -> None:
    shop, tally = a_shop(tmp_path, _BELIEVER), Tally("cache entries")
    try_entries(shop, Budget(seed=1, inputs=12, seconds=60, jobs=1), 0, tally)
    assert tally.tried == 12
    assert tally.endings["wrong wheel"] > 2
    assert digest_of(shop.work / "wheels" / "one.whl") == shop.digest, "it was not put back"
    again = Tally("forged state")
    try_entries(shop, Budget(seed=1, inputs=2, seconds=60, jobs=1), 0, again)
    assert again.tried == 2, "a second attack began on what the first one has left"


def test_what_goes_on_after_a_kill_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchmarks.attack.workshop._QUIET_SECONDS", 0.2)
    shop, tally = a_shop(tmp_path, _LEAVER), Tally("kills")
    try:
        # A kill may come before anything was started.
        try_kills(shop, Budget(seed=1, inputs=4, seconds=60, jobs=1), 0, tally)
        assert any("sleep 4711" in fault.what for fault in tally.faults), tally.endings
    finally:
        shop.stop_servers()


# --- the command itself --------------------------------------------------------------------------


@pytest.mark.slow
def test_the_command_tries_every_kind_of_input(tmp_path: Path) -> None:
    kinds = (
        "command lines,environment,projects,locks,plans,reports,audited wheels,wheels for an SBOM"
    )
    words = ("--inputs", "60", "--kinds", kinds, "--folder", str(tmp_path / "f"), "--json")
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.attack", *words],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    rows = json.loads(done.stdout)["kinds"]
    assert [row["kind"] for row in rows] == kinds.split(",")
    assert all(row["tried"] for row in rows)
    assert json.loads(document([Tally("x")])) == {
        "kinds": [{"kind": "x", "tried": 0, "seconds": 0.0, "endings": {}, "faults": []}]
    }


def test_a_folder_of_somebody_is_not_emptied(tmp_path: Path) -> None:
    (tmp_path / "precious").touch()
    words = [sys.executable, "-m", "benchmarks.attack", "--kinds", "none"]
    words += ["--folder", str(tmp_path)]
    ended = subprocess.run(words, cwd=ROOT, check=False, capture_output=True, text=True)
    assert (ended.returncode, "name another folder" in ended.stderr) == (2, True)
    assert (tmp_path / "precious").exists()
