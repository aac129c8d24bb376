"""The frames in which an engine sends the two streams of a program: who speaks, how much, what."""

import struct
from collections.abc import Iterator

STDOUT, STDERR = 1, 2
_HEAD = struct.Struct(">BxxxL")  # the stream, and the size of what follows


class FrameReader:
    """Takes a stream in any pieces, and gives the content of the frames as it comes."""

    def __init__(self) -> None:
        self._head = b""
        self._number = STDOUT
        self._left = 0  # bytes of the frame that is being read

    def feed(self, chunk: bytes) -> Iterator[tuple[int, bytes]]:
        """What came of each frame: STDOUT or STDERR, and the content."""
        at = 0
        while at < len(chunk):
            if not self._left:
                lacking = _HEAD.size - len(self._head)
                self._head += chunk[at : at + lacking]
                at += lacking
                if len(self._head) == _HEAD.size:
                    number, self._left = _HEAD.unpack(self._head)
                    self._number = number if number == STDERR else STDOUT
                    self._head = b""
                continue
            content = chunk[at : at + self._left]
            at += len(content)
            self._left -= len(content)
            yield self._number, content
