"""Alarms while Bazel runs."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fakes import FakeEnvironment
from tfbuild.builds import bazel_watch
from tfbuild.builds.bazel_events import EventFile
from tfbuild.builds.bazel_watch import (
    BazelStuck,
    BazelWatch,
    has_children,
    kill_server,
    output_base,
    require_loopback,
    server_pid,
)
from tfbuild.core.errors import DiskFull, EnvironmentFailed


@pytest.fixture
def watch(fake_env: FakeEnvironment) -> BazelWatch:
    return BazelWatch(fake_env, EventFile(path=fake_env.toolchain.work / "events.json"))


def test_the_bar_never_goes_back(watch: BazelWatch, fake_env: FakeEnvironment) -> None:
    for line in ("[5 / 9] a", "[3 / 12] b", "noise"):
        watch.take(line)
    assert [w[2:] for w in fake_env.reporter.said] == [("5", "9"), ("5", "12")]


def test_a_filling_disk_stops_the_build(watch: BazelWatch, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bazel_watch, "free_mb", lambda _: 1)
    watch.take("")
    monkeypatch.setattr(bazel_watch, "_DISK_SECONDS", -1.0)
    with pytest.raises(DiskFull) as caught:
        watch.take("")
    assert "1 MB are free" in caught.value.message


def test_silence_without_children_is_a_hang(
    watch: BazelWatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bazel_watch, "_SILENCE_SECONDS", -1.0)
    with pytest.raises(BazelStuck):
        watch.take("")


def test_silence_of_a_long_compilation_is_none(
    watch: BazelWatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bazel_watch, "_SILENCE_SECONDS", -1.0)
    monkeypatch.setattr(bazel_watch, "has_children", lambda _: True)
    watch.take("")


def test_children_are_seen() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE):
        assert has_children(os.getpid())
    assert not has_children(0)


def test_the_server_is_found_by_its_file(fake_env: FakeEnvironment) -> None:
    assert server_pid(fake_env.toolchain) == 0
    path: Path = output_base(fake_env.toolchain) / "server" / "server.pid.txt"
    path.parent.mkdir(parents=True)
    words = [
        sys.executable,
        "-c",
        "input(print(flush=True))",
        f"--output_base={output_base(fake_env.toolchain)}",
    ]
    pipe = subprocess.PIPE
    with subprocess.Popen(words, stdin=pipe, stdout=pipe) as server:
        assert server.stdout
        server.stdout.read(1)  # it runs
        path.write_text(f"{server.pid}\n")
        assert server_pid(fake_env.toolchain) == server.pid
        kill_server(fake_env.toolchain)
        assert server.wait(10) == -signal.SIGKILL
    assert server_pid(fake_env.toolchain) == 0


@pytest.mark.parametrize("noted", ["-1", "0", "1", "{us}", "٣", "9" * 400, "../../etc", "\0", ""])
def test_a_number_that_is_no_server_of_ours_is_never_killed(
    fake_env: FakeEnvironment, monkeypatch: pytest.MonkeyPatch, noted: str
) -> None:
    path = output_base(fake_env.toolchain) / "server" / "server.pid.txt"
    path.parent.mkdir(parents=True)
    path.write_text(noted.format(us=os.getpid()))
    monkeypatch.setattr(os, "kill", lambda *_: pytest.fail("it was sent a signal"))
    kill_server(fake_env.toolchain)
    assert server_pid(fake_env.toolchain) == 0


def test_several_actions_are_told_by_their_first(
    watch: BazelWatch, fake_env: FakeEnvironment
) -> None:
    for line in (
        "[5 / 9] 2 actions running",
        "    Compiling a.cc; 1s",
        "    [Scann] Compiling b.cc",
    ):
        watch.take(line)
    assert fake_env.reporter.said == [("progress", "Compiling a.cc", "5", "9")]


def test_a_machine_that_cannot_reach_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    require_loopback()

    def refuse(*_: object, **__: object) -> None:
        raise OSError(101, "Network is unreachable")

    monkeypatch.setattr("socket.create_connection", refuse)
    with pytest.raises(EnvironmentFailed) as caught:
        require_loopback()
    assert "lo up" in caught.value.hint
