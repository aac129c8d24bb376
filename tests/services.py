"""Services of others that tests start on this machine."""

import contextlib
import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path


def free_port() -> int:
    """A port at which nothing answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        return port


@contextmanager
def running(
    words: Sequence[str], port: int, log: Path, *, env: Mapping[str, str] | None = None
) -> Iterator[subprocess.Popen[bytes]]:
    """A service that answers at a port (0: that needs none), and is gone when left."""
    with log.open("wb") as stream:
        child = subprocess.Popen(
            words, stdout=stream, stderr=stream, start_new_session=True, env=env
        )
    try:
        deadline = time.monotonic() + 60
        while port:
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            except OSError:
                assert child.poll() is None, log.read_text()
                assert time.monotonic() < deadline, log.read_text()
                time.sleep(0.1)
        yield child
    finally:
        with contextlib.suppress(ProcessLookupError):  # a test has killed it
            os.killpg(child.pid, signal.SIGTERM)
        child.wait(30)


# Real folders: bubblewrap follows no link that it is to bind.
_MOUNTS = (
    "/usr:/usr", "/usr/lib64:/lib64", "/usr/bin:/bin", "/etc:/etc",
    "/usr/lib/x86_64-linux-gnu:/lib/x86_64-linux-gnu",
)  # fmt: skip


def casd_words(buildbox: Path, port: int, folder: Path, *options: str) -> list[str]:
    """How to start a BuildBox that keeps results in the folder and runs actions."""
    return [
        str(buildbox / "buildbox-casd"),
        f"--bind=127.0.0.1:{port}",
        f"--buildbox-run={buildbox / 'buildbox-run'}",
        "--quota-high=2G",
        *(f"--runner-arg=--ro-bind-mount={mount}" for mount in _MOUNTS),
        *(options or ("--jobs=2",)),
        str(folder),
    ]
