"""Zip files byte by byte: what hides in one, and what two readers would see differently."""

import io
import zipfile
from pathlib import Path

import pytest

from tests.failing import fails
from tests.shared_libraries import tiny_wheel
from tfbuild.wheels.archive import opened_zip, read_archive

INIT = b"tiny_thing/__init__.py"


def problems(path: Path) -> str:
    return "; ".join(read_archive(path).problems)


def changed(path: Path, *edits: tuple[int, bytes]) -> Path:
    raw = bytearray(path.read_bytes())
    for at, piece in edits:
        raw[at : at + len(piece)] = piece
    path.write_bytes(bytes(raw))
    return path


def test_a_plain_wheel_has_nothing_hidden(tmp_path: Path) -> None:
    archive = read_archive(tiny_wheel(tmp_path))
    assert archive.problems == ()
    assert archive.is_readable
    assert {entry.mode for entry in archive.entries} == {0o100644}


@pytest.mark.parametrize("name", [b"", b"\0iny_thing/__init__.py"])
def test_a_file_without_a_name_is_refused(tmp_path: Path, name: bytes) -> None:
    """Python's own reader cuts names at a NUL, and cannot say whether nothing is a folder."""
    path = tiny_wheel(tmp_path)
    if name:
        raw = path.read_bytes()
        changed(path, (raw.index(INIT), name), (raw.rindex(INIT), name))
    else:
        with zipfile.ZipFile(path, "a") as archive:
            archive.writestr(zipfile.ZipInfo(""), b"")
    with fails("wheel-zip-refused", path.name):
        read_archive(path)


def test_a_zip_that_was_written_to_a_pipe_is_plain_too(tmp_path: Path) -> None:
    class Pipe(io.BytesIO):
        def seekable(self) -> bool:
            return False

        def seek(self, *_: int) -> int:
            raise OSError

        def tell(self) -> int:
            raise OSError

    pipe = Pipe()
    with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a", b"x" * 1000)
        with archive.open("b", "w", force_zip64=True) as stream:
            stream.write(b"y" * 1000)
    path = tmp_path / "a.zip"
    path.write_bytes(pipe.getvalue())
    assert problems(path) == ""


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (b"#!/bin/sh\n", b"", "10 bytes before"),
        (b"", b"more", "4 bytes follow its end"),
    ],
)
def test_bytes_around_the_zip_are_seen(
    tmp_path: Path, before: bytes, after: bytes, said: str
) -> None:
    path = tiny_wheel(tmp_path)
    path.write_bytes(before + path.read_bytes() + after)
    assert said in problems(path)


def test_a_second_zip_in_front_is_seen(tmp_path: Path) -> None:
    other, path = tiny_wheel(tmp_path / "other"), tiny_wheel(tmp_path)
    path.write_bytes(other.read_bytes() + path.read_bytes())
    assert "belong to nothing" in problems(path)


def test_a_comment_and_a_gap_are_seen(tmp_path: Path) -> None:
    path = tiny_wheel(tmp_path)
    with zipfile.ZipFile(path, "a") as archive:
        archive.comment = b"hidden"
    assert "6 bytes follow its end, as a comment" in problems(path)
    with zipfile.ZipFile(path, "a") as archive:  # an entry that the directory forgets
        archive.writestr("evil.py", b"")
        archive.filelist.pop()
    assert "bytes before the directory belong to nothing" in problems(path)


def test_headers_that_say_another_name_or_size_are_seen(tmp_path: Path) -> None:
    path = tiny_wheel(tmp_path)
    at = path.read_bytes().index(INIT)
    assert "described in two ways" in problems(changed(path, (at, b"tiny_thing/__evil__.py")))
    path = tiny_wheel(tmp_path / "b")
    at = path.read_bytes().index(INIT) - 8  # the size, before the length of the name
    assert "described in two ways" in problems(changed(path, (at, b"\x01\0\0\0")))


def test_what_cannot_be_read_is_reported(tmp_path: Path) -> None:
    path = tiny_wheel(tmp_path)
    raw = path.read_bytes()
    local, central = raw.index(INIT) - 30, raw.rindex(INIT) - 46
    archive = read_archive(changed(path, (local + 6, b"\x01"), (central + 8, b"\x01")))
    assert not archive.is_readable
    assert archive.problems == ("tiny_thing/__init__.py is encrypted",)
    path = tiny_wheel(tmp_path / "b")
    archive = read_archive(changed(path, (local + 8, b"\x0c"), (central + 10, b"\x0c")))
    assert not archive.is_readable
    assert "compressed by method 12" in archive.problems[0]


def test_a_second_name_of_an_entry_is_seen(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    entry = zipfile.ZipInfo("good.py")
    entry.extra = b"up\x0c\0\x01\0\0\0\0evil.py"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(entry, b"")
    assert "second name" in problems(path)


def test_a_folder_with_content_is_seen(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("folder/", b"hidden")
    assert "folder with content" in problems(path)


def test_what_is_no_zip_and_what_breaks_in_reading_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes(b"PK nonsense")
    with fails("wheel-not-zip", path.name):
        read_archive(path)
    wheel = tiny_wheel(tmp_path)
    raw = wheel.read_bytes()
    changed(wheel, (raw.index(INIT) + len(INIT), b"\xff\xff"))
    with fails("wheel-not-zip", wheel.name), opened_zip(wheel) as archive:
        archive.read(INIT.decode())
