"""The texts of a wheel within limits."""

import zipfile
from pathlib import Path

import pytest

from tests.failing import fails
from tfbuild.wheels.wheel_texts import read_headers, read_limited, within


def test_headers_are_read_and_what_follows_is_not() -> None:
    parts = "".join(f"Content-Type: multipart/mixed; boundary={n}\n\n--{n}\n" for n in range(3000))
    found = read_headers(f"Name: a\n{parts}".encode())
    assert found["Name"] == "a"
    assert not found.is_multipart()


def test_a_file_larger_than_the_limit_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("small", b"12")
        archive.writestr("large", b"123")
        assert read_limited(archive, "small", 2) == b"12"
        with fails("wheel-text-too-large", "large"):
            read_limited(archive, "large", 2)
        assert within(archive.infolist(), 4) == {"small"}
        with pytest.raises(KeyError):
            read_limited(archive, "none", 2)
