"""HTTP caches for Bazel on this machine that can misbehave in every way a build must survive."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

_DRIP_SECONDS = 1.0
Change = Callable[[str, bytes], bytes]  # path and what is kept there -> what is answered


@dataclass
class CacheServer:
    """What is kept, how it misbehaves, and what was asked."""

    url: str = ""
    kept: dict[str, bytes] = field(default_factory=dict)  # path -> content
    change: Change = lambda _, content: content
    is_silent: bool = False  # take every request and never answer
    is_full: bool = False
    is_read_only: bool = False
    bytes_per_second: float = 0.0  # 0: as fast as it goes
    wanted_header: tuple[str, str] = ("", "")  # without it nobody is let in
    asked: list[tuple[str, str, int]] = field(default_factory=list)  # method, path, status
    over: threading.Event = field(default_factory=threading.Event)
    answers_left: int = -1  # silent after so many; -1: never
    drips: tuple[str, ...] = ()  # to which methods it answers a byte from time to time, after those

    def count(self, method: str, kind: str = "", status: int = 200) -> int:
        """How many requests of a method for ac or cas were answered so."""
        return sum(
            (m, s) == (method, status) and path.strip("/").startswith(kind)
            for m, path, s in list(self.asked)
        )


@contextmanager
def serve_cache() -> Iterator[CacheServer]:
    """A cache on a free port, gone when left."""
    cache = CacheServer()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            _answer(self, cache)

        def do_PUT(self) -> None:
            _answer(self, cache)

        def log_message(self, *words: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *_: object) -> None:
            pass  # who asked has hung up

    server = Server(("127.0.0.1", 0), Handler)
    cache.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield cache
    finally:
        cache.over.set()
        server.shutdown()
        thread.join()
        server.server_close()


def flipped(path: str, content: bytes) -> bytes:
    """What is answered by a disk that has lost a bit of every blob."""
    if "/cas/" not in path or not content:
        return content
    middle = len(content) // 2
    return content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]


def truncated(path: str, content: bytes) -> bytes:
    """What is answered of a blob that was not written to its end."""
    return content[: len(content) // 2] if "/cas/" in path else content


def _answer(handler: BaseHTTPRequestHandler, cache: CacheServer) -> None:
    body = b""
    if handler.command == "PUT":
        body = _read(handler, cache)
    is_over = cache.answers_left == 0
    if is_over and handler.command in cache.drips:
        _drip(handler, cache)
        return
    if cache.is_silent or (is_over and not cache.drips):
        cache.asked.append((handler.command, handler.path, 0))
        cache.over.wait(600)
        handler.close_connection = True
        return
    cache.answers_left -= cache.answers_left > 0
    status = _status(handler, cache)
    answer = b""
    if status == 200 and handler.command == "PUT":
        cache.kept[handler.path] = body
    elif status == 200:
        answer = cache.change(handler.path, cache.kept[handler.path])
    cache.asked.append((handler.command, handler.path, status))
    handler.send_response(status)
    handler.send_header("Content-Length", str(len(answer)))
    handler.end_headers()
    _write(handler, cache, answer)


def _drip(handler: BaseHTTPRequestHandler, cache: CacheServer) -> None:
    """Send an answer that begins well, byte by byte: its body, or of an upload a header."""
    cache.asked.append((handler.command, handler.path, 0))
    size = "Content-Length: 1000000\r\n\r\n" if handler.command == "GET" else "X-Slow: "
    handler.wfile.write(f"HTTP/1.1 200 OK\r\n{size}".encode())
    while not cache.over.wait(_DRIP_SECONDS):
        handler.wfile.write(b"x")


def _status(handler: BaseHTTPRequestHandler, cache: CacheServer) -> int:
    name, value = cache.wanted_header
    if name and handler.headers.get(name) != value:
        return 401
    if handler.command == "PUT":
        return 403 if cache.is_read_only else 507 if cache.is_full else 200
    return 200 if handler.path in cache.kept else 404


def _read(handler: BaseHTTPRequestHandler, cache: CacheServer) -> bytes:
    left, body = int(handler.headers.get("Content-Length") or 0), b""
    while left and (chunk := handler.rfile.read(min(left, 4096))):
        body, left = body + chunk, left - len(chunk)
        _linger(cache, len(chunk))
    return body


def _write(handler: BaseHTTPRequestHandler, cache: CacheServer, answer: bytes) -> None:
    for start in range(0, len(answer), 4096):
        handler.wfile.write(answer[start : start + 4096])
        _linger(cache, min(4096, len(answer) - start))


def _linger(cache: CacheServer, size: int) -> None:
    if cache.bytes_per_second and not cache.over.is_set():
        time.sleep(size / cache.bytes_per_second)
