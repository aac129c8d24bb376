"""Headers of tar archives that Python's tarfile takes much memory or time for."""

import io
import tarfile
import time
import tracemalloc
from typing import Any

import pytest

from tfbuild.inputs.tar_stream import TarStream


def header(name: str, kind: bytes, size: int = 0) -> bytes:
    member = tarfile.TarInfo(name)
    member.type, member.size = kind, size
    return member.tobuf(tarfile.USTAR_FORMAT)


def extended(content: bytes, kind: bytes = tarfile.XHDTYPE) -> bytes:
    return header("x", kind, len(content)) + content + bytes(-len(content) % 512)


def record(key: str, value: str) -> bytes:
    length = len(f" {key}={value}\n")
    length += len(str(length + len(str(length))))
    return f"{length} {key}={value}\n".encode()


FILE = header("a.c", tarfile.REGTYPE)


def names(raw: bytes, most: int = 1 << 20) -> list[str]:
    stream: Any = TarStream(io.BytesIO(raw + bytes(1024)), most)
    found = []
    with tarfile.open(fileobj=stream, mode="r:") as opened:
        while (member := opened.next()) is not None:
            stream.is_header = False
            found.append(member.name)
            stream.is_header = True
    return found


def test_honest_headers_are_read() -> None:
    for form in (tarfile.PAX_FORMAT, tarfile.GNU_FORMAT):
        made = io.BytesIO()
        long = "d/" * 60 + "x" * 200  # of 512 bytes one says what follows: x, here
        with tarfile.open(fileobj=made, mode="w", format=form, pax_headers={"comment": "git"}) as t:
            for name in ("a.c", long, long + "é"):
                member = tarfile.TarInfo(name)
                member.mtime = 1_600_000_000.123456789
                member.size = 700
                t.addfile(member, io.BytesIO(b"x" * 700))
        assert names(made.getvalue()) == ["a.c", long, long + "é"]


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        (extended(record("a", "b" * 100_000)), "too large"),
        (extended(record("a", "b" * 9_000), tarfile.XGLTYPE) * 2, "too large"),
        (extended(record("a", "b")) * 300, "too large"),
        (extended(record("path", "9" * 30_000)), "broken"),
        (extended(b"3 " * 10_000 + b"="), "broken"),
        (extended(b"9" * 9_000), "broken"),
        (extended(record("a", "b") + b"\0 7 a=c\n"), "broken"),
        (extended(record("GNU.sparse.major", "1")), "sparse"),
        (header("a", tarfile.GNUTYPE_SPARSE), "sparse"),
        (header("a", b"L", 40 << 20), "too large"),
        (header("a", tarfile.REGTYPE, 9_000), "in the middle"),
    ],
)
def test_dishonest_ones_are_refused_soon(raw: bytes, says: str) -> None:
    started = time.monotonic()
    with pytest.raises(ValueError, match=says):
        names(raw + FILE)
    assert time.monotonic() - started < 1


def test_a_header_that_leads_back_is_no_endless_loop() -> None:
    back = bytearray(header("a", b"Z"))
    back[124:136] = b"\xff" * 10 + b"\xfa\x00"  # a size of -1536
    back[148:156] = b"%06o\0 " % (sum(back[:148]) + 8 * 32 + sum(back[156:]))
    try:
        found = names(FILE * 3 + bytes(back) + FILE)
    except ValueError as error:
        assert "leads back" in str(error)
    else:  # a Python whose tarfile takes such a header for the end
        assert found == ["a.c"] * 3


def test_a_map_without_end_takes_no_memory() -> None:
    content = record("GNU.sparse.major", "1") + record("GNU.sparse.minor", "0")
    raw = extended(content) + FILE + b"999999999\n" + b"0\n" * 5_000_000
    tracemalloc.start()
    with pytest.raises(ValueError, match="sparse"):
        names(raw)
    assert tracemalloc.get_traced_memory()[1] < 30_000_000
    tracemalloc.stop()


def test_more_than_was_expected_is_refused() -> None:
    stream = TarStream(io.BytesIO(bytes(10)), -(256 << 20))
    stream.is_header = False
    assert stream.read(5) == bytes(5)
    with pytest.raises(ValueError, match="too large"):
        stream.read(5)
    for size in (-1, 1 << 30):
        with pytest.raises(ValueError, match="too large"):
            stream.read(size)
