"""One call of Bazel, followed to its end."""

import json
import time

import pytest

from tests.fakes import FakeEnvironment
from tfbuild.bazel.driver import drive
from tfbuild.core.errors import BuildFailed
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
    with pytest.raises(BuildFailed) as caught:
        drive(BUILD, fake_env)
    assert "Server terminated abruptly" in caught.value.why


def test_the_events_of_the_call_are_read_to_their_end(fake_env: FakeEnvironment) -> None:
    event = {"aborted": {"reason": "ANALYSIS_FAILURE", "description": "no such target //a:c"}}
    plays(fake_env, ended(1, "ERROR: broken"), event=event)
    with pytest.raises(BuildFailed) as caught:
        drive(BUILD, fake_env)
    assert "no such target //a:c" in caught.value.why
