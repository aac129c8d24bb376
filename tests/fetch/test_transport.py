"""Servers that lie about sizes of chunks, have no end, or lead to a host that is not trusted."""

import itertools
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.failing import fails
from tests.slow_servers import serve_pieces
from tests.web import Site, serve
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


@contextmanager
def two_hosts_of_one_certificate() -> Iterator[tuple[Site, Site]]:
    """A site over TLS that leads to another one on a host that its certificate does not name."""
    with serve(over_tls=True) as first, serve(over_tls=True, host="127.0.0.2") as second:
        first.moved["page"] = f"{second.url}/page"
        second.files["page"] = b"it"
        yield first, second


def test_a_trusted_host_vouches_for_no_other_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    with two_hosts_of_one_certificate() as (first, second):
        host = first.url.removeprefix("https://")
        for trusted in ((host,), ("127.0.0.1",)):
            with fails("certificate-refused"):
                Web(Access(timeout=5, trusted_hosts=trusted)).get(f"{first.url}/page")
        assert second.asked == []
        both = Access(timeout=5, trusted_hosts=("127.0.0.1", "127.0.0.2"))
        assert Web(both).get(f"{first.url}/page").content == b"it"
