"""The server behind a Bazel."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.fakes import FakeEnvironment
from tfbuild.bazel.server import (
    has_children,
    kill_server,
    output_base,
    require_loopback,
    server_pid,
)
from tfbuild.core.errors import EnvironmentFailed


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
        while not Path(f"/proc/{server.pid}/cmdline").read_bytes():  # it is about to begin
            time.sleep(0.01)
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


def test_a_machine_that_cannot_reach_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    require_loopback()

    def refuse(*_: object, **__: object) -> None:
        raise OSError(101, "Network is unreachable")

    monkeypatch.setattr("socket.create_connection", refuse)
    with pytest.raises(EnvironmentFailed) as caught:
        require_loopback()
    assert "lo up" in caught.value.hint
