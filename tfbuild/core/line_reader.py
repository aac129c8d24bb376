"""Cuts what a program says into lines, in time that follows its length however it comes."""

import codecs
import io
from typing import Protocol

_LONGEST_LINE = 1 << 20  # letters that are gathered before they are handed on


class LineTaker(Protocol):
    """Whoever takes lines."""

    def take(self, line: str, *, is_stdout: bool, goes_on: bool = False) -> None:
        """Take a line, or a piece of one that goes on."""


class LineReader:
    """Cuts one stream into lines, and a line that has no end into pieces of a limited length."""

    def __init__(self, output: LineTaker, *, is_stdout: bool) -> None:
        self._output = output
        self._is_stdout = is_stdout
        text = codecs.getincrementaldecoder("utf-8")("replace")
        self._decoder = io.IncrementalNewlineDecoder(text, translate=True)
        self._begun: list[str] = []  # of a line whose end has not come
        self._length = 0

    def feed(self, chunk: bytes) -> bool:
        """Hand on the lines that chunk completes; False at the end of the stream."""
        *ends, begin = self._decoder.decode(chunk, final=not chunk).split("\n")
        for end in ends:
            self._add(end)
            self._hand_on()
        self._add(begin)
        if self._length >= _LONGEST_LINE:
            self._hand_on(goes_on=True)
        elif self._begun and not chunk:
            self._hand_on()
        return bool(chunk)

    def _add(self, text: str) -> None:
        if text:
            self._begun.append(text)
            self._length += len(text)

    def _hand_on(self, *, goes_on: bool = False) -> None:
        line = "".join(self._begun)
        self._begun.clear()
        self._length = 0
        self._output.take(line, is_stdout=self._is_stdout, goes_on=goes_on)
