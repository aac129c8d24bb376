"""What is in .xz files, as Python's own reader gives it, within limits of memory."""

import io
import lzma
import os

import pytest

from tfbuild.inputs.xz import XzStream

CONTENT = os.urandom(150_000) + bytes(400_000)


def read(raw: bytes, size: int = 10_007) -> bytes:
    stream, pieces = XzStream(io.BytesIO(raw)), []
    while piece := stream.read(size):
        pieces.append(piece)
    return b"".join(pieces)


@pytest.mark.parametrize("size", [1000, 65_536, 1 << 22])
def test_the_content_comes_out(size: int) -> None:
    packed = lzma.compress(CONTENT)
    assert read(packed, size) == CONTENT
    assert read(packed + bytes(8) + packed + bytes(80_000), size) == CONTENT * 2


@pytest.mark.parametrize(
    "damage", [lambda raw: raw[:-30], lambda raw: raw[:9], lambda raw: raw + b"x"]
)
def test_a_broken_one_says_so(damage: object) -> None:
    assert callable(damage)
    with pytest.raises((EOFError, lzma.LZMAError)):
        read(damage(lzma.compress(CONTENT)))


def test_one_that_asks_for_much_memory_is_refused() -> None:
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 0, "dict_size": 512 << 20}]
    with pytest.raises(lzma.LZMAError, match=r"[Mm]emory"):
        read(lzma.compress(b"x", filters=filters))
