"""A tar archive as a stream that gives Python's tarfile no more than honest headers hold.

What tarfile itself does with a header takes memory without end (maps of sparse files, global
headers) or time by the square of its length (extended headers, before Python 3.11.10).
"""

import re
from typing import Any

_MOST_OF_A_MEMBER = 64 << 10  # bytes of all headers of one member; real ones have some thousand
_MOST_GLOBAL = 16 << 10  # bytes of headers for all members; git writes one of 52
_LONGEST_READ = 16 << 20
_SPARE = 256 << 20  # headers and padding, beside what the members hold
_EXTENDED, _GLOBAL, _LONG_NAMES, _SPARSE = b"xX", b"g", b"LK", b"S"
_RECORD = re.compile(rb"([1-9][0-9]{0,5}) ([^=\n\0]{1,200})=")
_DIGITS = re.compile(rb"[0-9]{100}")
_TOO_LARGE = "a header in it, or all of it, is too large"


class TooLarge(ValueError):
    """An archive has more than is unpacked."""


class TarStream:
    """The decompressed archive, read from front to back.

    Its user sets `is_header` while tarfile looks for the next member, and clears it while the
    content of one is read. Raises ValueError for what no honest archive has.
    """

    def __init__(self, stream: Any, most: int) -> None:  # noqa: ANN401  (an open file)
        self._stream, self._most = stream, most + _SPARE
        self._place = self._of_member = self._global = 0
        self._awaited = b""  # the kind of header whose content comes next
        self._is_header = True

    @property
    def is_header(self) -> bool:
        """Whether headers are read, and not the content of a member."""
        return self._is_header

    @is_header.setter
    def is_header(self, value: bool) -> None:
        self._is_header, self._awaited, self._of_member = value, b"", 0

    def read(self, size: int = -1) -> bytes:
        """The next bytes, fewer only at the end."""
        if not 0 <= size <= _LONGEST_READ:
            raise TooLarge(_TOO_LARGE)
        if self._is_header:
            self._of_member += size
            if self._of_member > _MOST_OF_A_MEMBER:
                raise TooLarge(_TOO_LARGE)
        raw = self._next(size)
        if self._is_header and size != 1:  # of one byte: whether the archive ends here
            self._look_at(raw)
        return raw

    def tell(self) -> int:
        """How many bytes were read."""
        return self._place

    def seek(self, place: int, whence: int = 0) -> int:
        """Read up to there; back it never goes."""
        if whence or place < self._place:
            raise ValueError("a header in it leads back")
        while self._place < place:
            if not self._next(min(place - self._place, 1 << 20)):
                raise ValueError("it ends in the middle of a file")
        return self._place

    def _next(self, size: int) -> bytes:
        if self._place > self._most:
            raise TooLarge(_TOO_LARGE)
        raw = bytes(self._stream.read(size))
        self._place += len(raw)
        return raw

    def _look_at(self, raw: bytes) -> None:
        """Remember what a header announces, and check what one has announced."""
        awaited, self._awaited = self._awaited, b""
        if not awaited:
            kind = raw[156:157]
            if kind == _SPARSE:
                raise ValueError("it holds a sparse file")
            self._awaited = kind if kind in _EXTENDED + _GLOBAL + _LONG_NAMES else b""
        elif awaited not in _LONG_NAMES:
            if awaited == _GLOBAL:
                self._global += len(raw)
            if self._global > _MOST_GLOBAL:
                raise TooLarge(_TOO_LARGE)
            _check_records(raw)


def _check_records(raw: bytes) -> None:
    """Raise ValueError unless it is `LENGTH KEY=VALUE` and a line's end, again and again."""
    place = 0
    while raw[place : place + 1] not in {b"", b"\0"}:
        found = _RECORD.match(raw, place)
        end = place + int(found[1]) if found else 0
        if not found or found.end() >= end or raw[end - 1 : end] != b"\n":
            raise ValueError("an extended header in it is broken")
        if found[2].startswith(b"GNU.sparse."):
            raise ValueError("it holds a sparse file")
        place = end
    if raw[place:].strip(b"\0") or _DIGITS.search(raw):
        raise ValueError("an extended header in it is broken")
