"""Zip files that a reader from front to back sees otherwise than one that asks the directory."""

import io
import struct
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from tests.shared_libraries import tiny_wheel
from tfbuild.wheels import archive as archives
from tfbuild.wheels.zip_layout import layout_problems

CONTENT = b"said = 1\n" * 40
STREAMED, DEFLATED, STORED, MOST = 0x8, 8, 0, 0xFFFFFFFF


def deflated(raw: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(raw) + packer.flush()


PACKED = deflated(CONTENT)


def large(*numbers: int) -> bytes:
    return struct.pack(f"<HH{len(numbers)}Q", 1, 8 * len(numbers), *numbers)


def numbers(form: str, *values: int, mark: bytes = b"PK\x07\x08") -> bytes:
    return mark + struct.pack(form, *values)


CRC = zlib.crc32(CONTENT)
SIZES = (len(PACKED), len(CONTENT))


@dataclass(frozen=True, kw_only=True)
class Part:
    """One entry; `local` is what stands before its content, where that differs."""

    name: bytes = b"a.py"
    content: bytes = PACKED
    behind: bytes = b""
    flags: int = 0
    method: int = DEFLATED
    crc: int = CRC
    sizes: tuple[int, int] = SIZES
    extra: bytes = b""
    attributes: int = 0
    local: Mapping[str, object] = field(default_factory=dict)


def a_zip(*parts: Part, end: tuple[int, ...] = (), large_end: bytes = b"") -> bytes:
    body, rows = b"", b""
    for part in parts:
        own = replace(part, **part.local)  # type: ignore[arg-type]
        at = len(body)
        body += struct.pack("<4sHHHLLLLHH", b"PK\x03\x04", 20, own.flags, own.method, 0, own.crc,
                            *own.sizes, len(own.name), len(own.extra))  # fmt: skip
        body += own.name + own.extra + part.content + part.behind
        rows += struct.pack("<4sHHHHLLLLHHHHHLL", b"PK\x01\x02", 20, 20, part.flags, part.method, 0,
                            part.crc, *part.sizes, len(part.name), len(part.extra), 0, 0, 0,
                            part.attributes, at)  # fmt: skip
        rows += part.name + part.extra
    said = end or (0, 0, len(parts), len(parts), len(rows), len(body))
    return body + rows + large_end + struct.pack("<4s4H2LH", b"PK\x05\x06", *said, 0)


def problems(raw: bytes) -> str:
    """What is wrong; newer ones of Python refuse some of these files themselves."""
    stream = io.BytesIO(raw)
    try:
        with zipfile.ZipFile(stream) as archive:
            return "; ".join(layout_problems(stream, archive))
    except zipfile.BadZipFile as error:
        return f"refused: {error}"


UNSAID = {"crc": 0, "sizes": (0, 0)}
BEHIND = numbers("<LLL", CRC, *SIZES)
WIDE = numbers("<LQQ", CRC, *SIZES)
LARGE_UNSAID = {"crc": 0, "sizes": (MOST, MOST), "extra": large(0, 0)}


@pytest.mark.parametrize(
    "part",
    [
        Part(),
        Part(method=STORED, content=CONTENT, sizes=(len(CONTENT),) * 2),
        Part(flags=STREAMED, behind=BEHIND, local=UNSAID),
        Part(flags=STREAMED, behind=BEHIND),
        Part(flags=STREAMED, behind=WIDE, local=LARGE_UNSAID),
        Part(local={"sizes": (MOST, MOST), "extra": large(*SIZES[::-1])}),
        Part(sizes=(MOST, MOST), extra=large(*SIZES[::-1]), local={"sizes": SIZES, "extra": b""}),
        Part(extra=b"UT\x05\0\x03" + bytes(4) + bytes(3), local={"extra": b""}),
        Part(content=deflated(b""), crc=0, sizes=(2, 0)),
    ],
)
def test_whatever_is_said_once_or_twice_alike_is_fine(part: Part) -> None:
    assert problems(a_zip(part, part)) == ""


@pytest.mark.parametrize(
    ("part", "said"),
    [
        (Part(content=PACKED + b"evil", sizes=(len(PACKED) + 4, len(CONTENT))),
         "4 bytes behind the end of its content"),
        (Part(content=PACKED + PACKED, sizes=(2 * len(PACKED), len(CONTENT))),
         f"{len(PACKED)} bytes behind the end of its content"),
        (Part(content=deflated(CONTENT + b"evil")[:], crc=CRC,
              sizes=(len(deflated(CONTENT + b"evil")), len(CONTENT))),
         "unpacks to another number of bytes"),
        (Part(method=STORED, content=CONTENT + b"evil", sizes=(len(CONTENT) + 4, len(CONTENT))),
         "stored in another number of bytes"),
    ],
    ids=["bytes behind", "a second content behind", "more content than said", "stored and more"],
)  # fmt: skip
def test_content_that_does_not_end_where_it_is_said_to(part: Part, said: str) -> None:
    assert said in problems(a_zip(part))


def test_content_without_an_end() -> None:
    packer = zlib.compressobj(wbits=-15)
    raw = packer.compress(CONTENT) + packer.flush(zlib.Z_SYNC_FLUSH)
    part = Part(content=raw, sizes=(len(raw), len(CONTENT)))
    assert "does not end where its bytes end" in problems(a_zip(part))


@pytest.mark.parametrize(
    ("local", "what"),
    [
        ({"sizes": (MOST, MOST), "extra": large(len(CONTENT), 1)}, "sizes"),
        ({"sizes": (MOST, MOST), "extra": large(len(CONTENT))}, "sizes"),
        ({"sizes": (MOST, MOST)}, "sizes"),
        ({"sizes": (1, 1), "extra": large(*SIZES[::-1])}, "sizes"),
        ({"extra": large(1, 1)}, "sizes"),
        ({"extra": large(*SIZES[::-1], 0)}, "sizes"),
        ({"crc": 1}, "checksums"),
        ({"crc": 0}, "checksums"),
        ({"name": b"a.py", "flags": 2}, "marks"),
    ],
)
def test_a_header_that_says_something_else(local: dict[str, object], what: str) -> None:
    found = problems(a_zip(Part(local=local)))
    assert found == f"a.py is described in two ways: {what} differ"


@pytest.mark.parametrize(
    "behind",
    [
        numbers("<LLL", CRC ^ 1, *SIZES),
        numbers("<LLL", CRC, len(PACKED), len(CONTENT) + 1),
        numbers("<LLL", CRC, *SIZES, mark=b""),
        WIDE,
        b"",
    ],
    ids=["another checksum", "another size", "no mark", "large numbers unannounced", "nothing"],
)
@pytest.mark.parametrize("local", [{}, UNSAID])
def test_a_streamed_entry_has_its_own_numbers_behind_it(
    behind: bytes, local: dict[str, object]
) -> None:
    part = Part(flags=STREAMED, behind=behind, local=local)
    assert "described in another way behind its content" in problems(a_zip(part, Part(name=b"b")))


def test_a_streamed_entry_that_says_too_much_before_its_content() -> None:
    part = Part(flags=STREAMED, behind=BEHIND, local={"crc": 7, "sizes": (0, 5)})
    assert "two ways: checksums and sizes differ" in problems(a_zip(part))


def test_a_stored_stream_of_unknown_length() -> None:
    """Readers look for the mark behind it, which may be in the content as well."""
    sizes = (len(CONTENT),) * 2
    behind = numbers("<LLL", CRC, *sizes)
    part = Part(flags=STREAMED, method=STORED, content=CONTENT, sizes=sizes, behind=behind)
    assert problems(a_zip(part)) == ""
    assert "before its content where that ends" in problems(a_zip(replace(part, local=UNSAID)))


@pytest.mark.parametrize("place", ["both", "local"])
@pytest.mark.parametrize(
    ("extra", "said"),
    [
        (b"up\x09\0\x01" + bytes(4) + b"b.py", "has a second name"),
        (b"xl\x01\0\0", "has a second type"),
        (b"UT\x01\0\0" * 2, "can be read in several ways"),
        (b"UT\xff\0\0", "can be read in several ways"),
    ],
)
def test_extra_fields_that_some_readers_prefer(extra: bytes, said: str, place: str) -> None:
    own = {"extra": extra} if place == "local" else {}
    raw = a_zip(Part(extra=b"" if own else extra, local=own))
    found = problems(raw)
    assert said in found or found.startswith("refused")


def test_a_row_of_the_directory_with_large_numbers_that_it_does_not_need() -> None:
    part = Part(extra=large(1, 1), local={"extra": b""})
    assert "described in two ways by the directory" in problems(a_zip(part))


def end_of(count: int = 1, **changes: int) -> tuple[int, ...]:
    said = {
        "disk": 0,
        "first": 0,
        "here": count,
        "count": count,
        "size": 50,
        "start": 34 + SIZES[0],
    }
    return tuple((said | changes).values())


@pytest.mark.parametrize("changes", [{"count": 0}, {"here": 2}, {"disk": 1}])
def test_an_end_that_counts_otherwise(changes: dict[str, int]) -> None:
    assert problems(a_zip(Part(), end=end_of())) == ""
    assert "two ways by its end" in problems(a_zip(Part(), end=end_of(**changes)))


def large_end(**changes: int) -> bytes:
    start = 34 + SIZES[0]
    said = {"length": 44, "count": 1, "size": 50, "start": start, "at": start + 50, "disks": 1}
    said |= changes
    record = struct.pack("<4sQHHLLQQQQ", b"PK\x06\x06", said["length"], 45, 45, 0, 0, said["count"],
                         said["count"], said["size"], said["start"])  # fmt: skip
    return record + struct.pack("<4sLQL", b"PK\x06\x07", 0, said["at"], said["disks"])


@pytest.mark.parametrize("changes", [{"count": 9}, {"length": 45}, {"at": 0}])
def test_a_large_end_that_says_something_else(changes: dict[str, int]) -> None:
    most = end_of(here=0xFFFF, count=0xFFFF, size=MOST, start=MOST)
    for end in ((), most):
        assert problems(a_zip(Part(), end=end, large_end=large_end())) == ""
    found = problems(a_zip(Part(), end=most, large_end=large_end(**changes)))
    assert "its directory is described in two ways" in found or found.startswith("refused")


def test_the_audit_hears_of_it(tmp_path: Path) -> None:
    """By the same words, and of attributes and letters that readers take in different ways."""
    path = tmp_path / "a.zip"
    path.write_bytes(a_zip(Part(local={"crc": 1})))
    assert "checksums differ" in archives.read_archive(path).problems[0]
    path.write_bytes(a_zip(Part(attributes=0x10)))
    assert "a folder by its attributes" in archives.read_archive(path).problems[0]
    path.write_bytes(a_zip(Part(name="ä.py".encode())))
    assert "does not say the encoding" in archives.read_archive(path).problems[0]
    assert archives.read_archive(tiny_wheel(tmp_path)).problems == ()
