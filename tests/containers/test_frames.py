"""Frames that come in any pieces."""

import struct

import pytest

from tfbuild.containers.frames import STDERR, STDOUT, FrameReader


def framed(number: int, content: bytes) -> bytes:
    return struct.pack(">BxxxL", number, len(content)) + content


@pytest.mark.parametrize("size", [1, 3, 7, 8, 100])
def test_frames_come_whole_however_they_are_cut(size: int) -> None:
    wire = framed(1, b"one") + framed(2, b"") + framed(2, b"oops\n") + framed(0, b"two")
    reader = FrameReader()
    pieces = [wire[at : at + size] for at in range(0, len(wire), size)]
    found = [frame for piece in pieces for frame in reader.feed(piece)]
    assert found == [(STDOUT, b"one"), (STDERR, b""), (STDERR, b"oops\n"), (STDOUT, b"two")]
