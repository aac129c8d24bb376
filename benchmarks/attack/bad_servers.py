"""A server on this machine that misbehaves in a chosen way, below HTTP: bytes on connections."""

import gzip
import hashlib
import json
import random
import socket
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

CONTENT = b"what is served\n" * 2000
_DRIP_SECONDS = 0.4  # between two bytes, and shorter than any time-out of a silence
_ENDLESS = 20_000  # pieces: what nobody reads to its end
_ZEROS = bytes(1 << 16)
_PAGE = "application/vnd.pypi.simple.v1+json"


@dataclass(slots=True)
class BadServer:
    """Where it listens, how it behaves, and who was sent elsewhere with what."""

    behaviour: str
    chance: random.Random
    canary: Path  # a file that nobody may be led to
    url: str = ""
    elsewhere: str = ""  # another host, to which it leads
    sent_elsewhere: list[bytes] = field(default_factory=list)
    heard: bytes = b""  # the last request

    def start(self, unix: Path | None = None) -> None:
        """Listen for as long as the process lives: on a port, or at the path of a socket."""
        other = _listen("127.0.0.2", self._overhear)
        self.elsewhere = f"http://127.0.0.2:{other}"
        if unix is None:
            self.url = f"http://127.0.0.1:{_listen('127.0.0.1', self._serve)}"
            return
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(str(unix))
        _accept_all(listener, self._serve)

    def _serve(self, connection: socket.socket) -> None:
        if self.behaviour == "closed":
            return
        if self.behaviour != "hasty":
            self.heard = connection.recv(1 << 16)
        for piece in BEHAVIOURS[self.behaviour](self):
            connection.sendall(piece)

    def _overhear(self, connection: socket.socket) -> None:
        self.sent_elsewhere.append(connection.recv(1 << 16))
        connection.sendall(_answer(b"elsewhere"))


def _listen(host: str, serve: Callable[[socket.socket], None]) -> int:
    listener = socket.create_server((host, 0))
    port: int = listener.getsockname()[1]
    _accept_all(listener, serve)
    return port


def _accept_all(listener: socket.socket, serve: Callable[[socket.socket], None]) -> None:
    listener.listen(64)

    def attend(connection: socket.socket) -> None:
        with connection, suppress(OSError):
            serve(connection)

    def accept() -> None:
        while True:
            connection, _ = listener.accept()
            threading.Thread(target=attend, args=(connection,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()


# --- how it misbehaves -------------------------------------------------------------------------

Pieces = Iterator[bytes]


def _answer(body: bytes, *headers: str, status: str = "200 OK", length: int | None = None) -> bytes:
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body) if length is None else length}"]
    return "\r\n".join((*lines, "Connection: close", *headers, "", "")).encode() + body


def _slowly(raw: bytes) -> Pieces:
    """A byte now and then, and never the last."""
    for at in range(_ENDLESS):
        yield raw[at % len(raw) : at % len(raw) + 1]
        time.sleep(_DRIP_SECONDS)


def _silent(server: BadServer) -> Pieces:
    time.sleep(_ENDLESS * _DRIP_SECONDS)
    yield b""


def _drip_header(server: BadServer) -> Pieces:
    yield b"HTTP/1.1 200 OK\r\n"
    yield from _slowly(b"X-Slow: very\r\n")


def _drip_body(server: BadServer) -> Pieces:
    yield _answer(b"", length=1 << 20)
    yield from _slowly(CONTENT)


def _drip_chunks(server: BadServer) -> Pieces:
    yield b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    yield from _slowly(b"1\r\nx\r\n")


def _drip_status(server: BadServer) -> Pieces:
    yield from _slowly(b"HTTP/1.1 200 " + b"O" * 500)


def _drip_redirects(server: BadServer) -> Pieces:
    time.sleep(2 * _DRIP_SECONDS)
    yield _answer(b"", f"Location: /{server.chance.random()}", status="302 Found")


def _cut(server: BadServer) -> Pieces:
    whole = _answer(CONTENT)
    yield whole[: server.chance.randrange(len(whole))]


def _lengths(server: BadServer) -> Pieces:
    wrong = server.chance.choice((0, 1, len(CONTENT) - 1, len(CONTENT) + 9, -1, 1 << 70))
    yield _answer(CONTENT, length=wrong)


def _range(server: BadServer) -> Pieces:
    said = server.chance.choice(("0-9/10", "5-2/1", "x", "bytes 9-99999/*", "bytes */0", ""))
    yield _answer(CONTENT[:10], f"Content-Range: {said}", status="206 Partial Content")


def _without_end(server: BadServer) -> Pieces:
    yield b"HTTP/1.1 200 OK\r\n" + b"Connection: close\r\n\r\n"
    for _ in range(_ENDLESS):
        yield _ZEROS


def _headers_without_end(server: BadServer) -> Pieces:
    yield b"HTTP/1.1 200 OK\r\n"
    many = server.chance.random() < 0.5
    for number in range(_ENDLESS):
        yield f"X-{number}: {'y' * 60000}".encode() + (b"\r\n" if many else b"")


def _bomb(server: BadServer) -> Pieces:
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    body = packer.compress(_ZEROS * 16)
    packed = gzip.compress(bytes(1 << 20)) * 3000
    yield _answer(
        body + packer.flush() + packed, "Content-Encoding: gzip", f"Content-Type: {_PAGE}"
    )


def _to_file(server: BadServer) -> Pieces:
    yield _answer(b"", f"Location: {server.canary.as_uri()}", status="302 Found")


def _to_elsewhere(server: BadServer) -> Pieces:
    status = server.chance.choice(("301 M", "302 F", "303 S", "307 T", "308 P"))
    yield _answer(b"", f"Location: {server.elsewhere}/x", status=status)


def _to_itself(server: BadServer) -> Pieces:
    yield _answer(b"", "Location: /again", status="302 Found")


def _html(server: BadServer) -> Pieces:
    text = "<html><a href='x-1.0-py3-none-any.whl#sha256=0'>\x1b]0;x\x07\u202e</a>" * 50
    yield _answer(text.encode(), f"Content-Type: {server.chance.choice((_PAGE, 'text/html'))}")


def _unfinished(server: BadServer) -> Pieces:
    """A page of tags without ends, and one whose links all begin with something long."""
    tag = server.chance.choice(("<a", "<!--", "<a x='", "<?", "</", "<!DOCTYPE", "<script>"))
    base = f"<base href='/{'x' * server.chance.choice((10, 60_000, 1_000_000))}/'>"
    links = "<a href='thing-1.0-py3-none-any.whl'>" * server.chance.choice((5, 4_000, 200_000))
    text = server.chance.choice((tag * 400_000, base + links))
    packed = gzip.compress(text.encode(), 1)
    yield _answer(packed, "Content-Encoding: gzip", "Content-Type: text/html")


def _chunk_sizes(server: BadServer) -> Pieces:
    """Chunks with sizes that are none, then bytes without end."""
    size = server.chance.choice(("-1", "-ffff", "7fffffffffffffff", "0x1", "+2", "", "1_0", "g"))
    kind = server.chance.choice((_PAGE, "text/html"))
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nTransfer-Encoding: chunked\r\n\r\n"
    yield head.encode() + server.chance.choice((b"", b"2\r\nok\r\n")) + f"{size}\r\n".encode()
    for _ in range(_ENDLESS):
        yield _ZEROS


def _drip_directory(server: BadServer) -> Pieces:
    """A wheel with an honest end, whose list of files comes a byte now and then."""
    asked = server.heard.partition(b"bytes=")[2].partition(b"\r\n")[0].decode(errors="replace")
    first, _, last = asked.partition("-")
    if not (first.isdigit() and last.isdigit()):
        page = b"<a href='/f/thing-1.0-py3-none-any.whl'>x</a>"
        yield _answer(page, "Content-Type: text/html")
        return
    size = 8_000_000
    end = b"PK\5\6" + bytes(4) + b"\1\0\1\0" + (size - 200).to_bytes(4, "little")
    end += (100).to_bytes(4, "little") + bytes(2)
    whole = bytes(size - len(end)) + end
    part = whole[int(first) : int(last) + 1]
    span = f"Content-Range: bytes {first}-{last}/{size}"
    yield _answer(b"", span, status="206 Partial Content", length=len(part))
    yield from [part] if len(part) < 100_000 else _slowly(part)


def _json(server: BadServer) -> Pieces:
    names = ("thing-1.0-py3-none-any.whl", "../../x.whl", "thing-1.0-py3-none-any.whl\x1b[2J", "")
    urls = (server.canary.as_uri(), "//x", "x" * 5000, "", "http://[", f"{server.elsewhere}/y")
    files = [
        {
            "filename": server.chance.choice(names), "url": server.chance.choice(urls),
            "hashes": {"sha256": server.chance.choice(("0" * 64, 7, None))},
            "core-metadata": server.chance.choice((True, {"sha256": "0" * 64}, {"sha256": 3})),
            "requires-python": server.chance.choice((">=3", "~~", None, 4)),
        }
        for _ in range(server.chance.choice((1, 5, 5000)))
    ]  # fmt: skip
    deep = "[" * server.chance.choice((0, 0, 500, 200_000))
    yield _answer((deep + json.dumps({"files": files})).encode(), f"Content-Type: {_PAGE}")


def _garbage(server: BadServer) -> Pieces:
    yield server.chance.randbytes(server.chance.choice((1, 100, 100_000)))


def _statuses(server: BadServer) -> Pieces:
    status = server.chance.choice(
        ("99999 \x1b[31m", "-1 x", "x", "500 \u202eoops", "204 No", "404 N", "429 T", "100 C", "")
    )
    yield _answer(CONTENT, status=status)


def _wrong(server: BadServer) -> Pieces:
    yield _answer(hashlib.sha512(CONTENT).digest() * 100)


def _frames(server: BadServer) -> Pieces:
    """HTTP/2: its settings, then frames of any kind and length."""
    yield b"\0\0\0\x04\0\0\0\0\0"
    for _ in range(server.chance.choice((1, 50, 5000))):
        kind, flags = server.chance.randrange(12), server.chance.randrange(256)
        body = server.chance.randbytes(server.chance.choice((0, 4, 5, 8, 100)))
        length = server.chance.choice((len(body), len(body), 0xFFFFFF, 0))
        stream = server.chance.choice((0, 1, 3, 1 << 31))
        yield length.to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + body


def _drip_frames(server: BadServer) -> Pieces:
    yield b"\0\0\0\x04\0\0\0\0\0"
    yield from _slowly(b"\0\0\x08\x06\0\0\0\0\0pingpong")


BEHAVIOURS: dict[str, Callable[[BadServer], Pieces]] = {
    "closed": _cut, "hasty": _garbage, "silent": _silent, "drip header": _drip_header,
    "drip body": _drip_body, "drip chunks": _drip_chunks, "drip status": _drip_status,
    "drip redirects": _drip_redirects, "cut": _cut, "lengths": _lengths, "range": _range,
    "without end": _without_end, "headers without end": _headers_without_end, "bomb": _bomb,
    "to file": _to_file, "to elsewhere": _to_elsewhere, "to itself": _to_itself, "html": _html,
    "json": _json, "garbage": _garbage, "statuses": _statuses, "wrong": _wrong,
    "frames": _frames, "drip frames": _drip_frames, "unfinished": _unfinished,
    "chunk sizes": _chunk_sizes, "drip directory": _drip_directory,
}  # fmt: skip
