"""What is remembered of builds."""

import math
import random
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from tests.fakes import RecordingReporter, a_host
from tfbuild.bazel.estimate import Expectation
from tfbuild.bazel.history import History, LearnedAction, machine_key, tree_key


@pytest.fixture
def history(tmp_path: Path, reporter: RecordingReporter) -> History:
    return History(cache=tmp_path / "cache", machine="m", tree="t", reporter=reporter)


def learn(history: History, seconds: float, memory: float = 0.0, *, speed: float = 1.5) -> None:
    action = LearnedAction(output="a.o", kind="CppCompile", seconds=seconds, memory_mb=memory)
    history.learn([action], seconds=60.0, jobs=2, total=90, speed=speed)


def test_nothing_is_known_at_first_and_asking_makes_no_file(history: History) -> None:
    assert history.expectation() == Expectation()
    assert history.memory() == ()
    assert not history.cache.exists()


def test_what_a_build_took_is_expected_of_the_next(history: History) -> None:
    learn(history, 4.0, 300.0)
    learn(history, 6.0, speed=2.0)
    expects = history.expectation()
    assert expects.seconds == {"a.o": 5.0}  # the latest counts half
    assert expects.memory_mb == {"a.o": 300.0}  # nothing seen is not nothing taken
    assert expects.kinds == {"CppCompile": 5.0}
    assert (expects.totals, expects.speeds) == ((90, 90), (2.0, 1.5))


def test_a_build_that_broke_off_teaches_its_actions_alone(history: History) -> None:
    action = LearnedAction(output="a.o", kind="CppCompile", seconds=4.0)
    history.learn([action], seconds=9.0, jobs=2, total=0, speed=0.0)
    expects = history.expectation()
    assert expects.seconds == {"a.o": 4.0}
    assert (expects.totals, expects.speeds) == ((), ())


def test_other_trees_give_kinds_and_other_machines_nothing(history: History) -> None:
    learn(history, 4.0, 300.0)
    other = replace(history, tree="other")
    assert other.expectation().seconds == {}
    assert other.expectation().kinds == {"CppCompile": 4.0}
    assert other.memory() == ()
    assert [(k.kind, k.mean_mb) for k in history.memory()] == [("CppCompile", 300.0)]
    assert replace(history, machine="n").expectation() == Expectation()


def test_old_builds_are_forgotten(history: History) -> None:
    for _ in range(45):
        learn(history, 1.0)
    with sqlite3.connect(history.cache / "history" / "builds.sqlite") as rows:
        assert rows.execute("SELECT count(*) FROM builds").fetchone() == (40,)
        rows.execute("UPDATE actions SET seen = 0, output = 'old.o'")
        rows.execute("UPDATE builds SET began = 0")
    rows.close()
    learn(history, 1.0)
    assert list(history.expectation().seconds) == ["a.o"]
    assert len(history.expectation().totals) == 1


@pytest.mark.parametrize("damage", ["garbage", "page", "version"])
def test_a_damaged_file_is_begun_anew(
    history: History, reporter: RecordingReporter, damage: str
) -> None:
    learn(history, 4.0)
    path = history.cache / "history" / "builds.sqlite"
    if damage == "garbage":
        path.write_bytes(b"no database " * 1000)
    elif damage == "page":
        whole = path.read_bytes()
        path.write_bytes(whole[:4096] + b"\xff" * (len(whole) - 4096))
    else:
        with sqlite3.connect(path) as rows:
            rows.execute("PRAGMA user_version = 99")
        rows.close()
    assert history.expectation() == Expectation()
    assert [said[0] for said in reporter.said] == ["warn"]
    learn(history, 7.0)
    assert history.expectation().seconds == {"a.o": 7.0}


@pytest.mark.parametrize(
    "damage",
    [
        *(f"UPDATE actions SET {name} = {value}"
          for name in ("seconds", "memory_mb", "seen")
          for value in ("'text'", "x'ff00'", "-1", "1e999", "-1e999", "1e300")),
        *(f"UPDATE builds SET {name} = {value}"
          for name in ("began", "seconds", "total", "speed", "settled")
          for value in ("'text'", "x'ff00'", "-1", "1e999", "1e300")),
        "UPDATE builds SET total = 1.5", "UPDATE builds SET speed = 1e-300",
        "UPDATE builds SET settled = 1.5", "UPDATE actions SET kind = x'ff'",
        "UPDATE actions SET output = 7, kind = x'00'",
    ],
)  # fmt: skip
def test_a_damaged_value_is_dropped_and_reported_and_the_rest_holds(
    history: History, reporter: RecordingReporter, damage: str
) -> None:
    """No check of SQLite's own sees such a value, and it ended every plan."""
    learn(history, 4.0, 300.0)
    with sqlite3.connect(history.cache / "history" / "builds.sqlite") as rows:
        rows.execute(damage)
        assert rows.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    rows.close()
    known = history.expectation()
    (warning,) = [words for kind, *words in reporter.said if kind == "warn"]
    assert "damaged" in warning[0]
    is_of_actions = "actions" in damage
    assert (known.seconds == {}) == (history.memory() == ()) == is_of_actions
    assert (known.totals == ()) != is_of_actions
    learn(history, 7.0)
    assert history.expectation().seconds == {"a.o": 7.0 if is_of_actions else 5.5}
    assert [kind for kind, *_ in reporter.said] == ["warn"], "it is reported once"


def test_no_byte_of_the_file_can_end_a_plan(history: History) -> None:
    learn(history, 4.0, 300.0)
    path = history.cache / "history" / "builds.sqlite"
    whole, chance = path.read_bytes(), random.Random(7)
    used = [place for place, byte in enumerate(whole) if byte]
    for place in chance.sample(used, min(500, len(used))):
        path.write_bytes(whole[:place] + bytes([chance.randrange(256)]) + whole[place + 1 :])
        for leftover in ("-journal", "-wal", "-shm"):
            path.with_name(path.name + leftover).unlink(missing_ok=True)
        expects = history.expectation()
        numbers = [*expects.seconds.values(), *expects.kinds.values(), *expects.speeds]
        numbers += [expects.settled, *(kind.deviation_mb for kind in history.memory())]
        assert all(math.isfinite(number) and number >= 0 for number in numbers)


def test_a_file_that_another_build_holds_is_done_without(
    history: History, monkeypatch: pytest.MonkeyPatch, reporter: RecordingReporter
) -> None:
    learn(history, 4.0)
    monkeypatch.setattr("tfbuild.bazel.history._PATIENCE_SECONDS", 0.0)
    with sqlite3.connect(history.cache / "history" / "builds.sqlite") as rows:
        rows.execute("BEGIN EXCLUSIVE")
        assert history.expectation() == Expectation()
    rows.close()
    assert {kind for kind, _ in reporter.said} <= {"note"}  # it is no damage, which is warned of
    assert history.expectation().seconds == {"a.o": 4.0}


def test_keys() -> None:
    host = a_host()
    assert machine_key(host) == machine_key(replace(host, disk_free_mb=7))
    assert machine_key(host) != machine_key(replace(host, cpus=1))
    assert tree_key(Path("/a"), ["//x", "//y"]) == tree_key(Path("/a"), ["//y", "//x"])
    assert tree_key(Path("/a"), ["//x"]) != tree_key(Path("/b"), ["//x"])
