"""The attack on archives and held locks finds programs that believe them."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchmarks.attack.archives import SHAPES, archives, unpack
from benchmarks.attack.held_locks import held_locks, hold
from benchmarks.attack.inputs import Budget, try_inputs
from benchmarks.attack.oracles import make_canary
from benchmarks.attack.planted import PLANTS
from benchmarks.attack.tally import Tally
from tfbuild.core.records import Artifact

KINDS: dict[str, tuple[Callable[[Path], Any], Callable[[], None]]] = {
    "archives": (archives, unpack),
    "held locks": (held_locks, hold),
}


def tried(kind: str, folder: Path, inputs: int = 40) -> Tally:
    make, ask = KINDS[kind]
    budget = Budget(seed=3, inputs=inputs, seconds=120, jobs=2, hang=40)
    return try_inputs(kind, make(folder), ask, budget, folder)


@pytest.mark.parametrize(("kind", "inputs"), [("archives", 8), ("held locks", 60)])
def test_what_holds_has_no_fault(tmp_path: Path, kind: str, inputs: int) -> None:
    found = tried(kind, tmp_path, inputs)
    assert (found.tried, found.faults) == (inputs, [])


def test_what_counts_no_room_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.attack.archives.SHAPES", SHAPES[:1])
    monkeypatch.setattr("tfbuild.inputs.unpack._Room.count", lambda *_: None)
    assert tried("archives", tmp_path, 6).endings["exit 1"] > 1


def test_what_believes_links_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.attack.archives.SHAPES", SHAPES[2:3])
    monkeypatch.setattr("tfbuild.inputs.unpack._check_links", lambda *_: None)
    assert tried("archives", tmp_path, 20).endings["exit 1"] > 1


def test_what_believes_a_lock_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def line(artifact: Artifact) -> str:
        return f"{artifact.distribution}=={artifact.version}"

    monkeypatch.setattr("tfbuild.core.lock_file.check_artifact", lambda _: None)
    monkeypatch.setattr("tfbuild.core.artifact_checks.pin", line)
    assert tried("held locks", tmp_path).endings["exit 1"] > 5


def test_a_planted_lock_names_what_leaves_a_mark(tmp_path: Path) -> None:
    chance = random.Random(1)
    canary = make_canary(tmp_path / "canary", chance)
    (tmp_path / "project").mkdir()
    (plant,) = [one for one in PLANTS if one.__name__ == "_lock"]
    plant(tmp_path / "project", canary, chance)
    assert str(tmp_path / "project" / "evil") in (tmp_path / "project/a.lock.yaml").read_text()
    exec((tmp_path / "project" / "evil" / "evil.py").read_text())
    assert canary.mark.exists()
