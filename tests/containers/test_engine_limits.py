"""An engine that answers what it is asked first and then says nothing."""

import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

import pytest

from tests.failing import fails
from tfbuild.containers import engine_limits
from tfbuild.containers.engine import open_engine

_DOCUMENTS = {
    "/version": b'{"ApiVersion": "1.41", "Version": "1", "Components": []}',
    "/info": b'{"SecurityOptions": []}',
}
_BEGUN = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
_LINE = b'{"status": "Pulling"}\r\n'


def _answers(
    connection: socket.socket, begins: bytes, over: threading.Event, *, drips: bool
) -> None:
    """Documents to what is asked of the engine itself; to all else a beginning, and drops of it."""
    with connection, suppress(OSError):
        while head := connection.recv(65536):
            path = head.split(b" ")[1].decode().partition("?")[0]
            found = next((text for end, text in _DOCUMENTS.items() if path.endswith(end)), None)
            if found is None:
                connection.sendall(begins)
                while not over.wait(0.05):
                    if drips:
                        connection.sendall(b" ")
                return
            length = f"Content-Length: {len(found)}\r\n".encode()
            kind = b"Content-Type: application/json\r\n"
            connection.sendall(b"HTTP/1.1 200 OK\r\n" + kind + length + b"\r\n" + found)


@contextmanager
def _silent_engine(place: Path, begins: bytes, *, drips: bool = False) -> Iterator[None]:
    over = threading.Event()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(place))
        listener.listen()

        def accept() -> None:
            with suppress(OSError):
                while True:
                    one, _ = listener.accept()
                    answer = partial(_answers, one, begins, over, drips=drips)
                    threading.Thread(target=answer, daemon=True).start()

        threading.Thread(target=accept, daemon=True).start()
        try:
            yield
        finally:
            over.set()
            listener.shutdown(socket.SHUT_RDWR)


@pytest.mark.parametrize(
    "begins",
    [b"", _BEGUN, _BEGUN + f"{len(_LINE):x}\r\n".encode() + _LINE + b"\r\n"],
    ids=["no answer", "no line", "one line"],
)
def test_a_pull_of_which_nothing_comes_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, begins: bytes
) -> None:
    place = tmp_path / "engine.sock"
    monkeypatch.setenv("DOCKER_HOST", f"unix://{place}")
    monkeypatch.setattr(engine_limits, "_PULL_SECONDS", 0.3)
    with (
        _silent_engine(place, begins),
        open_engine() as engine,
        fails("container-engine-gone", "debian:12"),
    ):
        engine.pull("debian:12")


@pytest.mark.parametrize("documents", [(), ("/version",)], ids=["version", "info"])
def test_an_engine_that_drips_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, documents: tuple[str, ...]
) -> None:
    place = tmp_path / "engine.sock"
    monkeypatch.setenv("DOCKER_HOST", f"unix://{place}")
    monkeypatch.setattr(
        sys.modules[__name__], "_DOCUMENTS", {name: _DOCUMENTS[name] for name in documents}
    )
    begins = b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n"
    with (
        _silent_engine(place, begins, drips=True),
        fails("container-engine-failed", "2 s"),
        open_engine(patience=1),
    ):
        pytest.fail("an engine that does not answer")
