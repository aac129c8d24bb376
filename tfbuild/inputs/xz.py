"""A .xz file as a stream of what it holds, within limits of memory.

Python's own reader gives a file as much memory as its header asks for, up to 4 GB.
"""

import lzma
from typing import IO

_MOST_MEMORY = 256 << 20  # `xz -9` asks for 65 MB
_PIECE = 64 << 10


class XzStream:
    """What a .xz file holds, one stream in it after the other; lzma.LZMAError for a broken one."""

    def __init__(self, raw: IO[bytes]) -> None:
        self._raw, self._given = raw, b""
        self._decoder: lzma.LZMADecompressor | None = _decoder()

    def read(self, size: int) -> bytes:
        """The next bytes, fewer only at the end."""
        pieces, missing = [], size
        while missing > 0 and self._decoder is not None:
            piece = self._piece(self._decoder, missing)
            pieces.append(piece)
            missing -= len(piece)
        return b"".join(pieces)

    def _piece(self, decoder: lzma.LZMADecompressor, size: int) -> bytes:
        if decoder.eof:
            rest = decoder.unused_data.lstrip(b"\0") or self._behind_padding()
            self._decoder, self._given = (_decoder() if rest else None), rest
            return b""
        if decoder.needs_input and not self._given:
            self._given = self._raw.read(_PIECE)
            if not self._given:
                raise EOFError("it ends before its end is marked")
        given, self._given = self._given, b""
        return decoder.decompress(given, size)

    def _behind_padding(self) -> bytes:
        while piece := self._raw.read(_PIECE):
            if rest := piece.lstrip(b"\0"):
                return rest
        return b""


def _decoder() -> lzma.LZMADecompressor:
    return lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_MOST_MEMORY)
