"""The server behind a Bazel."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.failing import fails
from tests.fakes import FakeEnvironment
from tfbuild.bazel.server import (
    end_server,
    has_children,
    kill_server,
    output_base,
    passing_server,
    require_loopback,
    server_pid,
)


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


SERVER = """
import signal, sys
from pathlib import Path
from time import sleep
noted = Path(sys.argv[1].removeprefix("--output_base="), "server", "server.pid.txt")
signal.signal(signal.SIGTERM, {})
print(flush=True)
input()
"""


@pytest.fixture
def serve(fake_env: FakeEnvironment) -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    """Starts a program that is the server by its file and, but for another base, by its words."""
    started = []
    base = output_base(fake_env.toolchain)
    (base / "server").mkdir(parents=True)

    def start(on_term: str, *, place: Path = base) -> subprocess.Popen[bytes]:
        child = subprocess.Popen(
            [sys.executable, "-c", SERVER.format(on_term), f"--output_base={place}"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip
        assert child.stdout
        child.stdout.readline()
        (base / "server" / "server.pid.txt").write_text(str(child.pid))
        started.append(child)
        return child

    yield start
    for child in started:
        child.kill()
        child.communicate()


@pytest.mark.parametrize(
    ("on_term", "code"),
    [
        ("lambda *_: sys.exit(0)", 0),
        ("signal.SIG_IGN", -9),
        # As Bazel does: its file goes first, and it has more to tidy up.
        ("lambda *_: (noted.unlink(), sleep(0.2), sys.exit(7))", 7),
    ],
)
def test_a_server_is_asked_to_end_and_killed_where_it_does_not(
    fake_env: FakeEnvironment, serve: Callable[..., Any], on_term: str, code: int
) -> None:
    child = serve(on_term)
    end_server(fake_env.toolchain, patience=0.5)
    if code >= 0:
        assert not Path(f"/proc/{child.pid}/cmdline").read_bytes(), "it is waited for"
    assert child.wait(10) == code


@pytest.mark.parametrize("is_kept", [True, False])
def test_a_server_goes_at_the_end_of_its_time_also_after_a_failure(
    fake_env: FakeEnvironment, serve: Callable[..., Any], is_kept: bool
) -> None:
    child = serve("lambda *_: sys.exit(0)")
    with (
        pytest.raises(ZeroDivisionError),
        passing_server(fake_env.toolchain, is_kept=is_kept),
    ):
        assert server_pid(fake_env.toolchain) == child.pid
        raise ZeroDivisionError
    assert bool(server_pid(fake_env.toolchain)) == is_kept


def test_a_second_ctrl_c_kills_at_once(
    fake_env: FakeEnvironment, serve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(_: float) -> None:
        raise KeyboardInterrupt

    child = serve("signal.SIG_IGN")
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr("tfbuild.bazel.server.time.sleep", interrupted)
        end_server(fake_env.toolchain, patience=60)
    assert child.wait(10) == -9


def test_a_machine_that_cannot_reach_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    require_loopback()

    def refuse(*_: object, **__: object) -> None:
        raise OSError(101, "Network is unreachable")

    monkeypatch.setattr("socket.create_connection", refuse)
    with fails("loopback-down", "lo up"):
        require_loopback()
