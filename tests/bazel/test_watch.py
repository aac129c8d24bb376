"""Alarms while Bazel runs."""

import pytest

import tfbuild.bazel.watch as bazel_watch
from tests.failing import fails
from tests.fakes import FakeEnvironment
from tfbuild.bazel.events import EventFile
from tfbuild.bazel.following import follow
from tfbuild.bazel.watch import BazelWatch
from tfbuild.core.records import Command


@pytest.fixture
def watch(fake_env: FakeEnvironment) -> BazelWatch:
    follower = follow(Command(argv=("bazel", "build", "--jobs=2", "//...")), fake_env)
    return BazelWatch(fake_env, EventFile(path=fake_env.toolchain.work / "events.json"), follower)


def test_the_bar_never_goes_back(watch: BazelWatch, fake_env: FakeEnvironment) -> None:
    for line in ("[5 / 9] a", "[3 / 12] b", "noise"):
        watch.take(line)
    assert [w[2:] for w in fake_env.reporter.said] == [
        ("5", "9", "so far"), ("5", "12", "so far"),
    ]  # fmt: skip


def test_a_filling_disk_stops_the_build(watch: BazelWatch, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bazel_watch, "free_mb", lambda _: 1)
    watch.take("")
    monkeypatch.setattr(bazel_watch, "_DISK_SECONDS", -1.0)
    with fails("disk-nearly-full", "1 MB"):
        watch.take("")


def test_silence_without_children_is_a_hang(
    watch: BazelWatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bazel_watch, "_SILENCE_SECONDS", -1.0)
    with fails("bazel-hangs"):
        watch.take("")


def test_silence_of_a_long_compilation_is_none(
    watch: BazelWatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bazel_watch, "_SILENCE_SECONDS", -1.0)
    monkeypatch.setattr(bazel_watch, "has_children", lambda _: True)
    watch.take("")


def test_several_actions_are_shown_by_their_first(
    watch: BazelWatch, fake_env: FakeEnvironment
) -> None:
    for line in (
        "[5 / 9] 2 actions running",
        "    Compiling a.cc; 1s",
        "    [Scann] Compiling b.cc",
    ):
        watch.take(line)
    assert fake_env.reporter.said == [("progress", "Compiling a.cc", "5", "9", "so far")]


def test_what_holds_the_build_up_is_shown_once(
    watch: BazelWatch, fake_env: FakeEnvironment
) -> None:
    for line in ("[5 / 9] 2 actions running", "    Compiling a.cc; 41s", "    Compiling b.cc; 2s"):
        watch.take(line)
    watch.take("[5 / 9] Compiling a.cc; 42s")
    said = [words[1] for words in fake_env.reporter.said]
    assert said[-1] == "waiting 42 s for Compiling a.cc"
