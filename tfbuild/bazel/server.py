"""The server behind a Bazel: where it keeps its outputs, whether it lives, and how it is ended."""

import contextlib
import hashlib
import os
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tfbuild.core.errors import EnvironmentFailed
from tfbuild.core.layout import BAZEL_OUTPUTS
from tfbuild.core.paths import real_path
from tfbuild.core.records import Toolchain
from tfbuild.core.safe_files import text_of
from tfbuild.fetch.cache import living_server


def require_loopback() -> None:
    """Raise EnvironmentFailed unless this machine can talk to itself, as Bazel's halves must."""
    try:
        with socket.create_server(("127.0.0.1", 0)) as server:
            socket.create_connection(server.getsockname(), timeout=5).close()
    except OSError as error:
        raise EnvironmentFailed(
            "this machine cannot reach itself at 127.0.0.1, over which Bazel talks to its server",
            code="loopback-down",
            why=str(error),
            hint="bring the loopback interface up: ip link set lo up",
        ) from error


def output_base(toolchain: Toolchain) -> Path:
    """Where this Bazel keeps the outputs of the source tree."""
    name = hashlib.md5(str(real_path(toolchain.source)).encode(), usedforsecurity=False)
    return BAZEL_OUTPUTS.path(toolchain.cache) / name.hexdigest()


def server_pid(toolchain: Toolchain) -> int:
    """The process of the server, or 0 where there is none."""
    return living_server(output_base(toolchain))


def has_children(pid: int) -> bool:
    """Whether a process runs others."""
    tasks = Path(f"/proc/{pid}/task").glob("*/children") if pid else ()
    return any(text_of(task).strip() for task in tasks)


def end_server(toolchain: Toolchain, *, patience: float = 4.0) -> None:
    """End a server and what it runs: asked to at first, and killed when it does not obey.

    Of a container nothing is ended here: what runs in it ends with it.
    """
    pid = 0 if toolchain.image else server_pid(toolchain)
    if not pid:
        return
    try:
        _signal(pid, signal.SIGTERM)
        until = time.monotonic() + patience
        while _serves(pid, toolchain) and time.monotonic() < until:
            time.sleep(0.02)
    finally:  # also where somebody presses Ctrl-C again
        if _serves(pid, toolchain):
            _signal(pid, signal.SIGKILL)


@contextmanager
def passing_server(toolchain: Toolchain, *, is_kept: bool) -> Iterator[None]:
    """While it is open, a server may live; then it is ended, unless it is kept for the next build.

    One that is kept ends by itself when it was not asked for a while.
    """
    try:
        yield
    finally:
        if not is_kept:
            end_server(toolchain)


def kill_server(toolchain: Toolchain) -> None:
    """End a server that no longer answers."""
    if pid := server_pid(toolchain):
        _signal(pid, signal.SIGKILL)


def _serves(pid: int, toolchain: Toolchain) -> bool:
    """Whether a process is the server still; its file goes before it does."""
    return str(output_base(toolchain)) in text_of(Path(f"/proc/{pid}/cmdline"))


def _signal(pid: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)
