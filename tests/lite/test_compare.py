"""Outputs of two builds, number by number."""

import struct

import pytest

from tfbuild.lite.compare import count_numbers, difference


def floats(*numbers: float) -> bytes:
    return struct.pack(f"<{len(numbers)}f", *numbers)


def test_what_two_builds_may_differ_in() -> None:
    ours, theirs = floats(1.0, float("nan"), 0.0), floats(1.00005, float("nan"), 5e-5)
    assert difference(ours, theirs, "float32:12") == ""
    assert difference(bytes([4, 249]), bytes([3, 250]), "uint8:2") == ""
    assert count_numbers("float32:12,int64:8") == 4


@pytest.mark.parametrize(
    ("ours", "theirs", "types", "words"),
    [
        (floats(1, 2), floats(1, 2.01), "float32:8", "number 1 of output 0 is 2, LiteRT has 2.01"),
        (floats(1e-6, 9), floats(3e-3, 9), "float32:8", "number 0 of output 0"),
        (floats(float("nan")), floats(1), "float32:4", "number 0 of output 0 is nan"),
        (bytes([5]), bytes([3]), "uint8:1", "number 0 of output 0 is 5"),
        (bytes([1]), bytes([0]), "bool:1", "number 0 of output 0 is 1"),
        (struct.pack("<i", 3), struct.pack("<i", 4), "int32:4", "number 0 of output 0 is 3"),
        (floats(1), floats(1, 2), "float32:8", "4 bytes of outputs, LiteRT has 8"),
        (
            floats(1) + bytes([9]),
            floats(1) + bytes([3]),
            "float32:4,int8:1",
            "number 0 of output 1 is 9",
        ),
    ],
)
def test_what_they_may_not(ours: bytes, theirs: bytes, types: str, words: str) -> None:
    assert words in difference(ours, theirs, types)


def test_types_that_are_none() -> None:
    with pytest.raises(ValueError, match="'string:9' is no type"):
        difference(b"x", b"x", "string:9")
