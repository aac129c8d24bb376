"""The server behind a Bazel."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fakes import FakeEnvironment
from tfbuild.bazel.server import has_children, output_base, require_loopback, server_pid
from tfbuild.core.errors import EnvironmentFailed


def test_children_are_seen() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE):
        assert has_children(os.getpid())
    assert not has_children(0)


def test_the_server_is_found_by_its_file(fake_env: FakeEnvironment) -> None:
    assert server_pid(fake_env.toolchain) == 0
    path: Path = output_base(fake_env.toolchain) / "server" / "server.pid.txt"
    path.parent.mkdir(parents=True)
    path.write_text(str(os.getpid()))
    assert server_pid(fake_env.toolchain) == os.getpid()


def test_a_machine_that_cannot_reach_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    require_loopback()

    def refuse(*_: object, **__: object) -> None:
        raise OSError(101, "Network is unreachable")

    monkeypatch.setattr("socket.create_connection", refuse)
    with pytest.raises(EnvironmentFailed) as caught:
        require_loopback()
    assert "lo up" in caught.value.hint
