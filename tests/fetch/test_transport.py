"""Servers that lie about the size of a chunk, or whose answers have no end."""

import itertools
from collections.abc import Iterable

import pytest

from tests.failing import fails
from tests.slow_servers import serve_pieces
from tfbuild.fetch.http import Access, Web

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n"
MB = 1 << 20


@pytest.mark.parametrize("size", [b"-1", b"-0x1", b"-ffff"])
def test_a_negative_chunk_is_refused_before_anything_is_read(size: bytes) -> None:
    sent = 0

    def pieces() -> Iterable[bytes]:
        nonlocal sent
        yield HEAD + size + b"\r\n"
        for _ in range(64):
            sent += 1
            yield bytes(MB)

    with serve_pieces(pieces, pause=0) as server, fails("transfer-broken", "chunk"):
        Web(Access(timeout=5)).get(f"http://127.0.0.1:{server.port}/")
    assert sent < 64, "it must not be read to its end"


def test_lines_without_end_behind_the_last_chunk_are_refused() -> None:
    def pieces() -> Iterable[bytes]:
        yield HEAD + b"2\r\nok\r\n0\r\n"
        yield from itertools.repeat(b"more: x\r\n", 100_000)

    with serve_pieces(pieces, pause=0) as server, fails("transfer-broken", "last chunk"):
        Web(Access(timeout=5)).get(f"http://127.0.0.1:{server.port}/")


def test_chunks_arrive_whole_also_through_a_proxy() -> None:
    def pieces() -> Iterable[bytes]:
        yield HEAD + b"2\r\nok\r\n"
        yield b"3;x=y\r\nay!\r\n0\r\nmore: x\r\n\r\n"

    with serve_pieces(pieces, pause=0) as server:
        here = f"http://127.0.0.1:{server.port}"
        assert Web(Access(timeout=5)).get(here).content == b"okay!"
        assert Web(Access(timeout=5, proxy=here)).get("http://there.example/").content == b"okay!"
