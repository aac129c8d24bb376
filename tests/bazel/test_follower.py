"""What becomes of a call that is followed."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.fakes import FakeEnvironment
from tfbuild.bazel.estimate import Estimator, TimeLeft
from tfbuild.bazel.follower import Follower, read_action
from tfbuild.bazel.following import follow
from tfbuild.bazel.governor import Governor
from tfbuild.bazel.memory import MemoryState
from tfbuild.core.errors import OutOfMemory
from tfbuild.core.layout import PROFILE
from tfbuild.core.records import Command

BUILD = Command(argv=("bazel", "build", "--jobs=2", "//..."))


def an_event(name: str, kind: str = "CppCompile") -> bytes:
    """The end of a compile, as the releases from 0.26 to 7.7 report it."""
    words = ["/usr/bin/gcc", "-c", f"lib/{name}.cc", "-o", out(name)]
    event: dict[str, Any] = {
        "id": {"actionCompleted": {"primaryOutput": out(name), "label": "//lib:lib"}},
        "action": {"success": True, "type": kind, "commandLine": words},
    }
    return json.dumps(event).encode()


def out(name: str) -> str:
    return f"bazel-out/k8/bin/lib/_objs/lib/{name}.o"


def profiled(work: Path, **seconds: float) -> None:
    events = [
        {"cat": "action processing", "name": f"Compiling lib/{name}.cc", "ts": 0, "dur": took * 1e6}
        for name, took in seconds.items()
    ]
    PROFILE.path(work).write_text(json.dumps(events))


@pytest.fixture
def follower(fake_env: FakeEnvironment) -> Follower:
    return follow(BUILD, fake_env)


def build(fake_env: FakeEnvironment, **seconds: float) -> Follower:
    """A whole build of these files."""
    follower = follow(BUILD, fake_env)
    follower.line(f"[0 / {len(seconds)}] 2 actions running")
    for name in seconds:
        follower.event(an_event(name))
    profiled(fake_env.toolchain.work, **seconds)
    follower.finish(is_whole=True)
    return follower


def test_an_event_says_what_was_made_and_how_the_display_called_it() -> None:
    action = read_action(an_event("a"))
    assert action
    assert (action.output, action.kind, action.name) == (
        out("a"), "CppCompile", "Compiling lib/a.cc"
    )  # fmt: skip
    link = json.loads(an_event("a", "CppLink"))
    link["id"]["actionCompleted"]["primaryOutput"] = "bazel-out/k8/bin/app/all"
    link["action"]["commandLine"] = ["gcc", "@x"]
    linked = read_action(json.dumps(link).encode())
    assert linked
    assert linked.name == "Linking app/all"


@pytest.mark.parametrize("line", [b"{", b"[]", b'{"id": 7}', b'{"id":{"actionCompleted":{}}}'])
def test_broken_events_are_none(line: bytes) -> None:
    assert read_action(line) is None


def test_the_course_is_reported_and_remembered(
    fake_env: FakeEnvironment, follower: Follower
) -> None:
    follower.line("[0 / 2] 2 actions running")
    follower.line("    Compiling lib/a.cc; 3s linux-sandbox")
    for name in ("a", "b"):
        follower.event(an_event(name))
    follower.governor.processes.peaks[out("a")] = 512.4
    profiled(fake_env.toolchain.work, a=3.0, b=1.0)
    course = follower.finish(is_whole=True)
    (kind,) = course.kinds
    assert (kind.kind, kind.actions, kind.seconds, kind.memory_mb) == ("CppCompile", 2, 4.0, 512)
    assert [use.name for use in course.longest] == ["Compiling lib/a.cc", "Compiling lib/b.cc"]
    expects = follow(BUILD, fake_env).estimator.expects
    assert expects.seconds == {out("a"): 3.0, out("b"): 1.0}
    assert expects.memory_mb == {out("a"): 512.4}
    assert expects.totals == (2,)


def test_a_slower_day_does_not_make_the_work_more(fake_env: FakeEnvironment) -> None:
    names = "abcdef"
    build(fake_env, **dict.fromkeys(names, 2.0))
    build(fake_env, **dict.fromkeys(names, 6.0))
    expects = follow(BUILD, fake_env).estimator.expects
    assert set(expects.seconds.values()) == {2.0}


def test_what_came_out_of_a_cache_is_no_time_of_an_action(fake_env: FakeEnvironment) -> None:
    build(fake_env, a=4.0)
    build(fake_env, a=0.03)
    assert follow(BUILD, fake_env).estimator.expects.seconds == {out("a"): 4.0}


def test_the_line_says_what_is_left_and_the_long_pole(fake_env: FakeEnvironment) -> None:
    build(fake_env, a=30.0, b=40.0)
    follower = follow(BUILD, fake_env)
    follower.line("[0 / 2] 2 actions running")
    follower.line("    Compiling lib/b.cc; 25s linux-sandbox")
    follower.tick()
    assert "waiting 25 s for Compiling lib/b.cc" in follower.words()


@pytest.mark.parametrize(
    ("left", "words"),
    [
        (TimeLeft(low=721.0, high=1140.0), "12 to 19 min left, 5.9 of 7.8 GB memory"),
        (TimeLeft(low=16_920.0, high=96_000.0), "5.9 of 7.8 GB memory"),
    ],
)
def test_an_estimate_is_shown_where_one_can_go_by_it(
    follower: Follower, monkeypatch: pytest.MonkeyPatch, left: TimeLeft, words: str
) -> None:
    state = MemoryState(total_mb=8000, free_mb=2000, limit="this machine")
    monkeypatch.setattr(Governor, "tick", lambda governor: setattr(governor, "last", state))
    monkeypatch.setattr(Estimator, "left", lambda *_: left)
    follower.tick()
    assert follower.words() == words


def test_a_growing_total_is_called_the_least(follower: Follower) -> None:
    follower.line("[0 / 12] Compiling lib/a.cc; 1s")
    assert follower.words() == "at least 12 actions"


def test_an_error_gets_the_figures(follower: Follower) -> None:
    follower.governor.last = MemoryState(total_mb=1500, free_mb=40, limit="this machine")
    follower.governor.least_free_mb = 31
    follower.governor.processes.peaks[out("a")] = 900.0
    error = follower.with_figures(OutOfMemory("ended", why="killed", hint="fewer"))
    for figure in ("31 MB", "(1500 MB)", "a.o", "900 MB", "2 jobs"):
        assert figure in error.why
    assert error.why.endswith("killed")
