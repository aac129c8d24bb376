"""A zip file byte by byte, as a reader meets it that goes from its beginning to its end.

Each entry is described in front of its content, sometimes behind it, and in the directory; where
its content ends is said by the sizes and, if it is compressed, by the content itself. Readers
differ in what they believe, so all of it has to agree, and nothing may lie in between.
"""

import struct
import zipfile
import zlib
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO

from tfbuild.core.counts import counted

_LOCAL = struct.Struct("<4s2xHH4xLLLHH")
_CENTRAL = struct.Struct("<4s16xLLHHHH6xL")
_END = struct.Struct("<4s4H2LH")
_LARGE_END = struct.Struct("<4sQ4x2L4Q")
_LOCATOR = struct.Struct("<4sLQL")
_ENCRYPTED, _STREAMED, _UTF8 = 0x1, 0x8, 0x800
_LARGE = b"\x01\x00"  # the extra field of sizes that need 64 bits
_MOST_SHORT, _MOST = 0xFFFF, 0xFFFFFFFF  # what stands where a number is in such a field
_PIECE = 1 << 14  # deflated bytes become 1032 times as many at most
# Extra fields with another spelling of the name or another type, which some readers prefer.
_SECOND = {b"up": "name", b"nu": "type", b"xl": "type", b"\x0d\x00": "type"}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Local:
    """What stands in front of the content of an entry."""

    mark: bytes
    flags: int
    method: int
    crc: int
    sizes: tuple[int, int]  # packed, unpacked
    name: bytes
    extra: bytes


def layout_problems(stream: BinaryIO, archive: zipfile.ZipFile) -> Iterator[str]:
    """Whatever a reader could see otherwise than `archive` does, which is open on that file.

    Content that is encrypted or packed in unusual ways is not looked at. Raises zlib.error,
    struct.error or EOFError where the file is broken.
    """
    position = 0
    for one in sorted(archive.infolist(), key=lambda one: one.header_offset):
        yield from _gap(position, one.header_offset, one.filename)
        position = yield from _entry(stream, one)
    yield from _gap(position, archive.start_dir, "the directory")
    stream.seek(archive.start_dir)
    yield from _ending(stream.read(), archive.start_dir, archive.infolist())


# --- inside ------------------------------------------------------------------------------------


def _gap(position: int, begin: int, name: str) -> Iterator[str]:
    if begin > position:
        yield f"{counted(begin - position, 'byte')} before {name} belong to nothing"
    elif begin < position:
        yield f"{name} overlaps what is before it"


def _entry(stream: BinaryIO, one: zipfile.ZipInfo) -> Generator[str, None, int]:
    """What is wrong with an entry; its end is returned."""
    stream.seek(one.header_offset)
    local = _read_local(stream)
    differing = [what for what, is_same in _agreements(local, one) if not is_same]
    if differing:
        yield f"{one.filename} is described in two ways: {' and '.join(differing)} differ"
    for extra in {local.extra, one.extra}:
        yield from (f"{one.filename} {fault}" for fault in _extra_faults(extra))
    begin = stream.tell()
    yield from (f"{one.filename} {fault}" for fault in _content_faults(stream, one))
    end = begin + one.compress_size
    if not one.flag_bits & _STREAMED:
        return end
    if one.compress_type == zipfile.ZIP_STORED and local.sizes != _sizes(one):
        yield f"{one.filename} does not say before its content where that ends"
    stream.seek(end)
    expected = _descriptor(local, one)
    if stream.read(len(expected)) != expected:
        yield f"{one.filename} is described in another way behind its content"
    return end + len(expected)


def _read_local(stream: BinaryIO) -> _Local:
    mark, flags, method, crc, packed, size, name_length, extra_length = _LOCAL.unpack(
        stream.read(_LOCAL.size)
    )
    return _Local(
        mark=mark,
        flags=flags,
        method=method,
        crc=crc,
        sizes=(packed, size),
        name=stream.read(name_length),
        extra=stream.read(extra_length),
    )


def _agreements(local: _Local, one: zipfile.ZipInfo) -> Iterator[tuple[str, bool]]:
    """What an entry says of itself, and whether it says the same as the directory.

    A streamed one may leave checksum and sizes to what follows its content.
    """
    unsaid = {0} if local.flags & _STREAMED else set()
    encoding = "utf-8" if local.flags & _UTF8 else "cp437"
    yield "marks", local.mark == b"PK\x03\x04" and local.flags == one.flag_bits
    yield "methods", local.method == one.compress_type
    yield "names", local.name == one.orig_filename.encode(encoding)
    yield "checksums", local.crc in {one.CRC, *unsaid}
    packed, size = local.sizes
    pairs = [(packed, one.compress_size), (size, one.file_size)]
    large = _fields(local.extra).get(_LARGE)
    if large is not None:  # both sizes stand there, in the other order
        wide = struct.unpack("<QQ", large) if len(large) == 16 else (-1, -1)
        pairs = [pair for pair in pairs if pair[0] != _MOST]
        pairs += [(wide[0], one.file_size), (wide[1], one.compress_size)]
    yield "sizes", all(said in {real, *unsaid} for said, real in pairs)


def _content_faults(stream: BinaryIO, one: zipfile.ZipInfo) -> Iterator[str]:
    """Whether the content ends by itself where the sizes say; the stream is at its beginning."""
    if one.compress_type == zipfile.ZIP_STORED and one.compress_size != one.file_size:
        yield "is stored in another number of bytes than it has"
    if one.compress_type != zipfile.ZIP_DEFLATED or one.flag_bits & _ENCRYPTED:
        return
    decoder, left, grown = zlib.decompressobj(-zlib.MAX_WBITS), one.compress_size, 0
    while left and not decoder.eof and grown <= one.file_size:
        piece = stream.read(min(left, _PIECE))
        if not piece:
            raise EOFError(f"{one.filename} is cut off")
        left -= len(piece)
        grown += len(decoder.decompress(piece))
    if grown != one.file_size:
        yield "unpacks to another number of bytes than is said of it"
    elif not decoder.eof:
        yield "does not end where its bytes end"
    elif behind := left + len(decoder.unused_data):
        yield f"has {counted(behind, 'byte')} behind the end of its content"


def _descriptor(local: _Local, one: zipfile.ZipInfo) -> bytes:
    """What has to follow the content of a streamed entry: its checksum and its sizes."""
    is_large = _LARGE in _fields(local.extra) or max(_sizes(one)) > _MOST
    form = "<4sLQQ" if is_large else "<4sLLL"
    return struct.pack(form, b"PK\x07\x08", one.CRC, *_sizes(one))


def _sizes(one: zipfile.ZipInfo) -> tuple[int, int]:
    return one.compress_size, one.file_size


def _pieces(extra: bytes) -> Iterator[tuple[bytes, bytes, bool]]:
    """The extra fields: kind, content, and whether all of it is there; up to three bytes of filling
    may follow them."""
    at = 0
    while at + 4 <= len(extra):
        begin, length = at + 4, int.from_bytes(extra[at + 2 : at + 4], "little")
        yield extra[at : at + 2], extra[begin : begin + length], begin + length <= len(extra)
        at = begin + length


def _fields(extra: bytes) -> dict[bytes, bytes]:
    return {kind: content for kind, content, _ in _pieces(extra)}


def _extra_faults(extra: bytes) -> Iterator[str]:
    pieces = list(_pieces(extra))
    kinds = {kind for kind, _, _ in pieces}
    yield from (f"has a second {what}" for kind, what in _SECOND.items() if kind in kinds)
    if len(kinds) < len(pieces) or not all(is_whole for _, _, is_whole in pieces):
        yield "has extra fields that can be read in several ways"


def _ending(raw: bytes, start: int, entries: Sequence[zipfile.ZipInfo]) -> Iterator[str]:
    """The directory, which begins at `start`, and the marks of its end; a large file has three."""
    size = 0
    for one in entries:
        row = _CENTRAL.unpack_from(raw, size)
        if not _is_plain(row, one):
            yield f"{one.filename} is described in two ways by the directory"
        size += _CENTRAL.size + sum(row[3:6])
    said = (0, 0, len(entries), len(entries), size, start)
    end, is_large = size, raw[size : size + 4] == b"PK\x06\x06"
    if is_large:
        large = _LARGE_END.unpack_from(raw, end), _LOCATOR.unpack_from(raw, end + _LARGE_END.size)
        expected = (b"PK\x06\x06", _LARGE_END.size - 12, *said), (b"PK\x06\x07", 0, start + size, 1)
        if large != expected:
            yield "its directory is described in two ways"
        end += _LARGE_END.size + _LOCATOR.size
    mark, *numbers, comment = _END.unpack_from(raw, end)
    left = len(raw) - end - _END.size
    unsaid = {_MOST_SHORT, _MOST} if is_large else set()
    if mark != b"PK\x05\x06":
        yield "bytes between the directory and its end belong to nothing"
    elif not all(number in {real, *unsaid} for number, real in zip(numbers, said, strict=True)):
        yield "its directory is described in two ways by its end"
    elif left:
        yield f"{left} bytes follow its end" + (", as a comment" if comment == left else "")


def _is_plain(row: tuple[Any, ...], one: zipfile.ZipInfo) -> bool:
    """Whether a row of the directory has each number once, in the row or in the field for large
    ones."""
    mark, packed, size, _, _, _, disk, offset = row
    asked = sum(number == _MOST for number in (packed, size, offset))
    large = _fields(one.extra).get(_LARGE, b"")
    return bool(mark == b"PK\x01\x02" and disk == 0 and len(large) == 8 * asked)
