"""The frames in which an engine sends the two streams of a program: who speaks, how much, what."""

import struct
from collections.abc import Iterator

STDOUT, STDERR = 1, 2
_HEAD = struct.Struct(">BxxxL")  # the stream, and the size of what follows


class FrameReader:
    """Takes a stream in any pieces, and gives the content of each whole frame."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, chunk: bytes) -> Iterator[tuple[int, bytes]]:
        """The frames that are whole now: STDOUT or STDERR, and the content."""
        self._rest += chunk
        while len(self._rest) >= _HEAD.size:
            number, size = _HEAD.unpack_from(self._rest)
            end = _HEAD.size + size
            if len(self._rest) < end:
                return
            content, self._rest = self._rest[_HEAD.size : end], self._rest[end:]
            yield (number if number == STDERR else STDOUT), content
