"""Files that an engine sends: read through links, and given up where they have no end."""

import io
import itertools
import tarfile
from collections.abc import Iterable

import pytest

from tfbuild.containers import sent_file as reading
from tfbuild.containers.sent_file import sent_file
from tfbuild.core.foreign_tree import TooLarge


def archive(kind: bytes = tarfile.REGTYPE, content: bytes = b"", target: str = "") -> list[bytes]:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as writing:
        member = tarfile.TarInfo("name")
        member.type, member.size, member.linkname = kind, len(content), target
        writing.addfile(member, io.BytesIO(content))
    raw = made.getvalue()
    return [raw[:100], raw[100:]]


def test_links_are_followed_in_the_container() -> None:
    there = {
        "/a/link": archive(tarfile.SYMTYPE, target="../b/file"),
        "/b/file": archive(content=b"right"),
    }
    assert sent_file(there.__getitem__, "/a/link") == b"right"


def test_a_folder_is_no_file() -> None:
    with pytest.raises(FileNotFoundError):
        sent_file(lambda _: archive(tarfile.DIRTYPE), "/a")


def test_links_in_a_circle_are_given_up() -> None:
    with pytest.raises(OSError, match="no end"):
        sent_file(lambda _: archive(tarfile.SYMTYPE, target="link"), "/a/link")


def test_a_file_without_an_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "_MOST", 5000)

    def endless(_: str) -> Iterable[bytes]:
        return itertools.repeat(bytes(1000))

    with pytest.raises(TooLarge):
        sent_file(endless, "/a")
