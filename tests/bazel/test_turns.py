"""Calls of Bazel that meet another command in their output base wait for it."""

from dataclasses import replace

import pytest

from tests.failing import fails
from tests.fakes import FakeEnvironment
from tfbuild.bazel import turns
from tfbuild.bazel.turns import BUSY, call_in_turn
from tfbuild.core.interfaces import Watch
from tfbuild.core.records import Command, Completed

_INFO = Command(argv=("bazel", "info", "bazel-bin"), quiet=True)
_REFUSAL = "Another command (pid=12) is running. Exiting immediately."


@pytest.fixture(autouse=True)
def no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "_PAUSE_SECONDS", 0.0)


def busy(fake_env: FakeEnvironment, times: int, code: int = 0) -> None:
    """Let Bazel refuse so many calls, then end with a code."""
    left = iter([BUSY] * times)

    def answer(_: Command, watch: Watch | None) -> Completed:
        if next(left, 0):
            return Completed(code=BUSY, last_lines=(_REFUSAL,))
        return Completed(code=code, stdout="/out/bazel-bin")

    fake_env.runner.answers["bazel"] = answer


def test_it_waits_and_says_for_whom(fake_env: FakeEnvironment) -> None:
    busy(fake_env, times=3)
    assert call_in_turn(_INFO, fake_env).stdout == "/out/bazel-bin"
    assert len(fake_env.runner.commands) == 4
    shown = [words[1] for words in fake_env.reporter.said if words[0] == "progress"]
    assert shown == [f"waiting: {_REFUSAL}"] * 3


def test_other_failures_are_failures(fake_env: FakeEnvironment) -> None:
    busy(fake_env, times=1, code=2)
    with fails("command-failed"):
        call_in_turn(_INFO, fake_env)
    busy(fake_env, times=0, code=2)
    assert call_in_turn(replace(_INFO, ok_codes=(0, 2)), fake_env).code == 2


def test_it_does_not_wait_for_ever(
    fake_env: FakeEnvironment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(turns, "PATIENCE_SECONDS", 0.0)
    busy(fake_env, times=10)
    with fails("output-base-busy", "pid=12"):
        call_in_turn(_INFO, fake_env)
