"""Servers on this machine that send bytes of their own choice, and those slowly."""

import socket
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

PAUSE = 0.02  # seconds between two pieces


@dataclass
class SlowServer:
    """Where it listens; over is set when it is left."""

    port: int
    over: threading.Event = field(default_factory=threading.Event)


@contextmanager
def serve_pieces(
    pieces: Callable[[], Iterable[bytes]], *, pause: float = PAUSE, asks_first: bool = True
) -> Iterator[SlowServer]:
    """A server that answers every connection with these pieces, with a pause after each."""
    with serve_answers(lambda _request: pieces(), pause=pause, asks_first=asks_first) as server:
        yield server


@contextmanager
def serve_answers(
    pieces: Callable[[bytes], Iterable[bytes]], *, pause: float = PAUSE, asks_first: bool = True
) -> Iterator[SlowServer]:
    """A server that answers each request with its own pieces, with a pause after each."""
    listener = socket.create_server(("127.0.0.1", 0))
    server = SlowServer(listener.getsockname()[1])

    def answer(connection: socket.socket) -> None:
        with connection, suppress(OSError):
            request = connection.recv(65536) if asks_first else b""
            for piece in pieces(request):
                connection.sendall(piece)
                if server.over.wait(pause):
                    return
            connection.shutdown(socket.SHUT_WR)
            connection.settimeout(10)
            while connection.recv(65536):  # what is unread at the end would reset the connection
                pass

    def accept() -> None:
        with suppress(OSError):
            while True:
                connection, _ = listener.accept()
                threading.Thread(target=answer, args=(connection,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield server
    finally:
        server.over.set()
        listener.close()


def dripping(text: bytes) -> Callable[[], Iterable[bytes]]:
    """The bytes of a text one by one."""
    return lambda: (bytes([byte]) for byte in text)
