"""Frames that come in any pieces."""

import struct
from itertools import groupby

import pytest

from tfbuild.containers.frames import STDERR, STDOUT, FrameReader


def framed(number: int, content: bytes) -> bytes:
    return struct.pack(">BxxxL", number, len(content)) + content


@pytest.mark.parametrize("size", [1, 3, 7, 8, 100])
def test_nothing_of_a_frame_is_lost_however_they_are_cut(size: int) -> None:
    wire = framed(1, b"one") + framed(2, b"") + framed(2, b"oops\n") + framed(0, b"two")
    reader = FrameReader()
    pieces = [wire[at : at + size] for at in range(0, len(wire), size)]
    found = [frame for piece in pieces for frame in reader.feed(piece)]
    said = {n: b"".join(content for number, content in found if number == n) for n in (1, 2)}
    assert said == {STDOUT: b"onetwo", STDERR: b"oops\n"}
    assert [number for number, _ in groupby(number for number, _ in found)] == [1, 2, 1]


def test_a_frame_is_given_on_as_it_comes_and_never_gathered() -> None:
    reader = FrameReader()
    assert list(reader.feed(struct.pack(">BxxxL", 1, 1 << 31) + b"begin")) == [(STDOUT, b"begin")]
    assert [len(text) for _ in range(50) for _, text in reader.feed(bytes(1000))] == [1000] * 50
