"""A wait for the whole ends, however often a byte comes: real sockets, short limits."""

import gzip
import itertools
import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

from tests.failing import fails
from tests.fakes import RecordingReporter
from tests.slow_servers import dripping, serve_pieces
from tfbuild.fetch import download
from tfbuild.fetch.http import Access, HttpFailed, Web
from tfbuild.fetch.patience import TooLate, within_seconds

# A limit for the whole that ends long before what drips does, and none for single bytes.
HURRIED = Access(timeout=60, whole=0.4, grace=0.4, floor=1e9)
LONG = b"x" * 1000  # at 20 ms each: 20 s
GOOD = b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"
TLS_HELLO = b"\x16\x03\x03\x10\x00\x02\x00\x0f\xfc\x03\x03" + LONG

DRIPS: dict[str, Callable[[], Iterable[bytes]]] = {
    "status line": dripping(b"HTTP/1.1 200 " + LONG + b"\r\nContent-Length: 0\r\n\r\n"),
    "headers": dripping(b"HTTP/1.1 200 OK\r\nX: " + LONG + b"\r\nContent-Length: 0\r\n\r\n"),
    "body": lambda: itertools.chain([GOOD], dripping(LONG)()),
    "body without an end": lambda: itertools.chain([b"HTTP/1.1 200 OK\r\n\r\n"], dripping(LONG)()),
    "chunks": lambda: itertools.chain(
        [b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"],
        itertools.repeat(b"1\r\nx\r\n", 1000),
        [b"0\r\n\r\n"],
    ),
    "go on": lambda: itertools.chain(
        itertools.repeat(b"HTTP/1.1 100 Continue\r\n\r\n", 1000), [GOOD + LONG]
    ),
    "body of a redirection": lambda: itertools.chain(
        [b"HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 1000\r\n\r\n"], dripping(LONG)()
    ),
}


@pytest.fixture(autouse=True)
def at_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))


def test_what_comes_in_time_is_returned_and_raised() -> None:
    assert within_seconds(60, lambda: 42) == 42
    with pytest.raises(KeyError):
        within_seconds(60, lambda: dict[str, int]()["nothing"])


def test_what_does_not_come_is_given_up() -> None:
    never = threading.Event()
    with pytest.raises(TooLate):
        within_seconds(0.05, never.wait)
    never.set()


@pytest.mark.parametrize("name", [name for name in DRIPS if "redirection" not in name])
def test_a_page_that_drips_is_given_up(name: str) -> None:
    with serve_pieces(DRIPS[name]) as server, pytest.raises(HttpFailed) as caught:
        Web(HURRIED).get(f"http://127.0.0.1:{server.port}/p")
    assert (caught.value.code, caught.value.where) == ("answer-too-slow", "connection")


def test_the_body_of_a_redirection_is_not_waited_for() -> None:
    with (
        serve_pieces(DRIPS["body of a redirection"]) as server,
        fails("too-many-redirects"),
    ):
        Web(Access(timeout=60, whole=60)).get(f"http://127.0.0.1:{server.port}/p")


def test_a_handshake_that_drips_is_given_up() -> None:
    with serve_pieces(dripping(TLS_HELLO)) as server, fails("answer-too-slow", "0.4"):
        Web(HURRIED).get(f"https://127.0.0.1:{server.port}/p")


@pytest.mark.parametrize("name", ["status line", "headers"])
def test_what_is_put_somewhere_is_answered_in_time_or_not_at_all(name: str) -> None:
    with serve_pieces(DRIPS[name]) as server, fails("answer-too-slow", "0.4"):
        Web(HURRIED).put(f"http://127.0.0.1:{server.port}/p", b"content")


def test_a_download_is_held_to_its_progress_and_not_to_its_length() -> None:
    with (
        serve_pieces(DRIPS["body"]) as server,
        Web(HURRIED).open(f"http://127.0.0.1:{server.port}/p") as body,
        fails("answer-too-slow"),
    ):
        body.read(1000)
    patient = Access(timeout=60, whole=60, grace=60, floor=1e9)
    with (
        serve_pieces(lambda: [GOOD, *[b"x" * 200] * 5]) as server,
        Web(patient).open(f"http://127.0.0.1:{server.port}/p") as body,
    ):
        assert body.read(1000) == LONG


def endless(head: bytes) -> Callable[[], Iterable[bytes]]:
    def pieces() -> Iterator[bytes]:
        yield head
        while True:
            yield b"x" * 65536

    return pieces


def test_a_file_without_an_end_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(download, "_LARGEST", 1 << 20)
    with (
        serve_pieces(endless(b"HTTP/1.1 200 OK\r\n\r\n"), pause=0) as server,
        fails("download-too-large", "1 MB"),
    ):
        url = f"http://127.0.0.1:{server.port}/p"
        download.fetch_file(url, tmp_path / "p", "0" * 64, RecordingReporter())


@pytest.mark.parametrize(
    ("head", "code"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: " + b"9" * 30 + b"\r\n\r\n", "page-too-large"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n", "page-too-large"),
        (b"HTTP/1.1 200 OK\r\nX: ", "transfer-broken"),
    ],
    ids=["too long", "negative", "headers"],
)
def test_lengths_that_are_none_and_headers_without_an_end(
    head: bytes, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tfbuild.fetch.http._PAGE_BYTES", 1 << 20)
    monkeypatch.setattr("tfbuild.fetch.http.time.sleep", lambda _seconds: None)
    with serve_pieces(endless(head), pause=0) as server, fails(code):
        Web().get(f"http://127.0.0.1:{server.port}/p")


def page(content: bytes, coding: bytes) -> list[bytes]:
    size = str(len(content)).encode()
    return [
        b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Encoding: " + coding,
        b"\r\nContent-Length: " + size,
        b"\r\n\r\n" + content,
    ]


def test_a_page_that_unpacks_without_an_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tfbuild.fetch.http._PAGE_BYTES", 1 << 20)
    bomb = gzip.compress(b"\0" * (64 << 20))
    with serve_pieces(lambda: page(bomb, b"gzip")) as server, fails("page-too-large", "1 MB"):
        Web().get(f"http://127.0.0.1:{server.port}/p")


@pytest.mark.parametrize(
    ("content", "coding", "code"),
    [
        (gzip.compress(LONG, mtime=0)[:-9], b"gzip", "compression-damaged"),
        (b"not gzip at all", b"gzip", "compression-damaged"),
        (gzip.compress(LONG, mtime=0), b"gzip, gzip", "compression-unknown"),
    ],
    ids=["cut off", "something else", "twice"],
)
def test_a_compression_that_is_none_is_said(
    content: bytes, coding: bytes, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tfbuild.fetch.http.time.sleep", lambda _seconds: None)
    with (
        serve_pieces(lambda: page(content, coding)) as server,
        fails(code),
    ):
        Web().get(f"http://127.0.0.1:{server.port}/p")


def test_a_compressed_page_is_read() -> None:
    with serve_pieces(lambda: page(gzip.compress(LONG, mtime=0), b"gzip")) as server:
        assert Web().get(f"http://127.0.0.1:{server.port}/p").content == LONG
