"""One call of Bazel, followed to its end."""

import json
import time
from dataclasses import replace

import pytest

import tfbuild.bazel.driver as bazel_driver
from tests.failing import fails
from tests.fakes import FakeEnvironment
from tfbuild.bazel.driver import drive
from tfbuild.bazel.remote import Remote
from tfbuild.core.deadline import TimeIsUp
from tfbuild.core.interfaces import Watch
from tfbuild.core.records import Command, Completed

SUMMARY = "INFO: 5 processes: 1 internal, 1 disk cache hit, 3 linux-sandbox."
BUILD = Command(argv=("{bazel}", "build", "//..."), stage="build", cwd="{source}")


def ended(code: int, *lines: str) -> Completed:
    return Completed(code=code, stdout="\n".join(lines), last_lines=lines)


def plays(env: FakeEnvironment, *endings: Completed, event: object = None) -> None:
    """Let the environment's Bazel end so, one ending per call."""
    left = list(endings)

    def answer(_: Command, watch: Watch | None) -> Completed:
        if watch:
            watch("[1 / 4] Compiling a.cc; 1s")
            watch("")
        if event:
            (env.toolchain.work / "events.json").write_text(json.dumps(event) + "\n")
        return left.pop(0)

    env.runner.answers["bazel"] = answer


def test_what_ran_and_what_was_cached_is_counted(fake_env: FakeEnvironment) -> None:
    plays(fake_env, ended(0, SUMMARY))
    result = drive(BUILD, fake_env)
    assert (result.executed, result.cache_hits) == (3, 1)


def test_a_busy_bazel_is_waited_for(
    fake_env: FakeEnvironment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "sleep", lambda _: None)
    plays(fake_env, ended(9, "Another command (pid=7) is running."), ended(0))
    drive(BUILD, fake_env)
    assert any("Another command (pid=7)" in words[1] for words in fake_env.reporter.said)


def test_a_dead_server_is_started_again(fake_env: FakeEnvironment) -> None:
    plays(fake_env, ended(37, "Server terminated abruptly"), ended(0))
    drive(BUILD, fake_env)
    assert any(words[0] == "warn" for words in fake_env.reporter.said)


def test_a_server_that_keeps_dying_is_a_failure(fake_env: FakeEnvironment) -> None:
    plays(fake_env, *[ended(37, "Server terminated abruptly")] * 3)
    with fails("bazel-failed", "Server terminated abruptly"):
        drive(BUILD, fake_env)


def test_the_events_of_the_call_are_read_to_their_end(fake_env: FakeEnvironment) -> None:
    event = {"aborted": {"reason": "ANALYSIS_FAILURE", "description": "no such target //a:c"}}
    plays(fake_env, ended(1, "ERROR: broken"), event=event)
    with fails("bazel-failed", "no such target //a:c"):
        drive(BUILD, fake_env)


# --- caches, farms and stops ---------------------------------------------------------------------

REMOTE = Remote(flags=("--remote_cache=grpc://cache:1",), names=("the cache",))


def calls(env: FakeEnvironment) -> list[bool]:
    """Whether each call of Bazel had the cache."""
    return [
        REMOTE.flags[0] in command.argv
        for command in env.runner.commands
        if "build" in command.argv
    ]


@pytest.mark.parametrize("code", [2, 34, 36, 38])
def test_a_cache_that_breaks_the_build_is_left_out(fake_env: FakeEnvironment, code: int) -> None:
    plays(fake_env, ended(code, "ERROR: UNAVAILABLE: io exception"), ended(0, SUMMARY))
    assert drive(BUILD, fake_env, REMOTE).executed == 3
    assert calls(fake_env) == [True, False]
    (said,) = [words[1] for words in fake_env.reporter.said if words[0] == "warn"]
    assert "the cache failed during the build (ERROR: UNAVAILABLE: io exception)" in said


def test_a_server_that_dies_twice_beside_a_cache_is_tried_without(
    fake_env: FakeEnvironment,
) -> None:
    plays(fake_env, ended(37), ended(37), ended(0, SUMMARY))
    drive(BUILD, fake_env, REMOTE)
    assert calls(fake_env) == [True, True, False]
    *first, last = [c.argv for c in fake_env.runner.commands if "build" in c.argv]
    assert "--disk_cache=" in last, "what the cache has said may be there"
    assert not any("--disk_cache=" in argv for argv in first)
    tended = [c.argv for c in fake_env.runner.commands if "forgets=1" in str(c.argv)]
    assert len(tended) == 1, "no later build reads it either"


def test_a_cache_that_is_required_is_not_left_out(fake_env: FakeEnvironment) -> None:
    plays(fake_env, ended(34, "ERROR: UNAVAILABLE"))
    with fails("remote-service-unfit", "UNAVAILABLE"):
        drive(BUILD, fake_env, replace(REMOTE, is_required=True))


def test_a_build_that_waits_for_a_cache_is_begun_again_without(
    fake_env: FakeEnvironment, monkeypatch: pytest.MonkeyPatch
) -> None:
    ends: list[object] = []
    monkeypatch.setattr(bazel_driver, "end_server", ends.append)

    def answer(command: Command, watch: Watch | None) -> Completed:
        if watch and REMOTE.flags[0] in command.argv:
            for digit in "123":
                watch(f"Download of '/ac/{digit}' timed out. Received 0 bytes.")
        return ended(0, SUMMARY)

    fake_env.runner.answers["bazel"] = answer
    drive(BUILD, fake_env, REMOTE)
    assert calls(fake_env) == [True, False]
    assert ends == [fake_env.toolchain], "a server that waits still is busy"


def test_a_mistake_in_the_source_is_no_fault_of_the_cache(fake_env: FakeEnvironment) -> None:
    plays(fake_env, ended(1, "ERROR: broken"))
    with fails("bazel-failed", "ERROR: broken"):
        drive(BUILD, fake_env, REMOTE)
    assert calls(fake_env) == [True]


@pytest.mark.parametrize("stop", [KeyboardInterrupt, TimeIsUp])
def test_a_stop_leaves_no_server_and_says_how_far_it_came(
    fake_env: FakeEnvironment, monkeypatch: pytest.MonkeyPatch, stop: type[BaseException]
) -> None:
    ends: list[object] = []
    monkeypatch.setattr(bazel_driver, "end_server", ends.append)

    def answer(_: Command, watch: Watch | None) -> Completed:
        assert watch
        watch("[58 / 1,501] Compiling a.cc; 1s")
        raise stop

    fake_env.runner.answers["bazel"] = answer
    with pytest.raises(stop) as caught:
        drive(BUILD, fake_env)
    assert ends == [fake_env.toolchain]
    if isinstance(caught.value, TimeIsUp):
        assert caught.value.so_far == "58 of 1,501 actions done"


def test_a_failure_keeps_the_server_for_the_next_try(
    fake_env: FakeEnvironment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bazel_driver, "end_server", lambda _: pytest.fail("it was ended"))
    plays(fake_env, ended(1, "ERROR: broken"))
    with fails("bazel-failed", "ERROR: broken"):
        drive(BUILD, fake_env)


def test_a_message_is_read_where_bazel_runs(
    fake_env: FakeEnvironment, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a container the file of the compiler's words is in none of this machine's folders."""
    action = {"label": "//a:b", "type": "CppCompile", "stderr": {"uri": "file:///inside/stderr-1"}}
    plays(fake_env, ended(1, "ERROR: broken"), event={"id": {}, "action": action})
    monkeypatch.setattr(fake_env, "read", {"/inside/stderr-1": b"a.cc:1: error: no"}.__getitem__)
    with fails("action-failed", "//a:b", "a.cc:1: error: no"):
        drive(BUILD, fake_env)
