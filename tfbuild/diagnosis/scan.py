"""One walk through a log: where it holds words of the catalogue, and which lines those are.

A log is read in pieces and never held whole. All words are searched for at once; only lines that
hold one are decoded and matched.
"""

from bisect import bisect_left
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import BinaryIO

import ahocorasick_rs

from tfbuild.diagnosis.catalogue import Pitfall
from tfbuild.diagnosis.log_lines import LONGEST, clean

_PIECE = 1_000_000  # bytes read at once
_MOST_HITS = 40  # lines per pitfall; the first ones suffice
_MOST_TRIES = 200_000  # lines per pitfall that hold its word and are not it
_KEY_WORDS = frozenset({b"error:", b"Error:", b"ERROR", b"FATAL", b"fatal:", b"FAILED", b"failed:"})
_MOST_KEY_LINES, _LAST_KEY_LINES = 400, 8
_SUCCESS = b"Build completed successfully"
_ALWAYS = _KEY_WORDS | {_SUCCESS}


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A line that shows a pitfall, with the named parts of its pattern."""

    pitfall: Pitfall
    line: int
    offset: int  # bytes from the start of the log to the line
    text: str
    groups: dict[str, str]


@dataclass(slots=True, kw_only=True)
class LogScan:
    """What a walk found."""

    hits: list[Hit] = field(default_factory=list)
    key_lines: list[tuple[int, str]] = field(default_factory=list)  # lines that speak of an error
    last_key_lines: deque[tuple[int, str]] = field(
        default_factory=lambda: deque(maxlen=_LAST_KEY_LINES)
    )
    lines: int = 0
    succeeded_at: int = 0  # the last line that reported success; what was before it is overcome

    def all_key_lines(self) -> list[tuple[int, str]]:
        """The first and the last lines that speak of an error."""
        return [*self.key_lines, *self.last_key_lines]


class LogScanner:
    """The words of a catalogue, ready to be searched for."""

    def __init__(self, catalogue: Iterable[Pitfall]) -> None:
        self._owners: dict[bytes, list[Pitfall]] = {_SUCCESS: []}
        self._owners |= {word: [] for word in _KEY_WORDS}
        for pitfall in catalogue:
            for word in pitfall.words:
                self._owners.setdefault(word.encode(), []).append(pitfall)
        self._words = list(self._owners)
        self._automaton = ahocorasick_rs.BytesAhoCorasick(self._words)

    def scan(self, log: BinaryIO) -> LogScan:
        """All that a log says; reads it once, from where it stands."""
        walk = _Walk(self._owners)
        piece = b"\n"
        for piece in _pieces(log):
            found = self._automaton.find_matches_as_indexes(piece, overlapping=True)
            looked_for = [walk.looks_for(word) for word in self._words]
            words = [(at, self._words[index]) for index, at, _ in found if looked_for[index]]
            walk.take(piece, words)
        walk.found.lines += not piece.endswith(b"\n")
        return walk.found


# --- inside ------------------------------------------------------------------------------------


def _pieces(log: BinaryIO) -> Iterator[bytes]:
    """The log in pieces that end with a line, but for lines longer than a piece."""
    rest = b""
    while read := log.read(_PIECE):
        at = read.rfind(b"\n") + 1
        if at or len(rest) > _PIECE:
            yield rest + read[:at] if at else rest + read
            rest = read[at:] if at else b""
        else:
            rest += read
    if rest:
        yield rest


class _Walk:
    """What was met so far, piece by piece."""

    def __init__(self, owners: dict[bytes, list[Pitfall]]) -> None:
        self.found = LogScan()
        self._owners = owners
        self._offset = 0
        self._hits: Counter[str] = Counter()
        self._tries: Counter[str] = Counter()

    def looks_for(self, word: bytes) -> bool:
        """Whether a line with this word may still show something."""
        return word in _ALWAYS or any(map(self._wants, self._owners[word]))

    def take(self, piece: bytes, words: list[tuple[int, bytes]]) -> None:
        number, counted = self.found.lines + 1, 0
        for start, end, at, held in _lines(piece, self._worth_a_look(piece, words)):
            number += piece.count(b"\n", counted, start)
            counted = start
            wanted = self._wanted(held)
            is_key = not held.isdisjoint(_KEY_WORDS)
            if _SUCCESS in held:
                self.found.succeeded_at = number
            if not wanted and not is_key:
                continue
            text = clean(_around(piece, start, end, at))
            if is_key:
                is_early = len(self.found.key_lines) < _MOST_KEY_LINES
                (self.found.key_lines if is_early else self.found.last_key_lines).append(
                    (number, text)
                )
            self._match(wanted, text, (number, self._offset + start))
        self.found.lines += piece.count(b"\n")
        self._offset += len(piece)

    def _worth_a_look(
        self, piece: bytes, words: list[tuple[int, bytes]]
    ) -> list[tuple[int, bytes]]:
        """The words in order, without those that only speak of an error, once the first lines that
        do are known: of the others the last ones count."""
        words.sort()
        if len(self.found.key_lines) < _MOST_KEY_LINES:
            return words
        key_lines = {word for word in _KEY_WORDS if not any(map(self._wants, self._owners[word]))}
        places = [at for at, word in words if word in key_lines]
        since = len(piece)
        for _ in range(_LAST_KEY_LINES):
            index = bisect_left(places, since)
            since = piece.rfind(b"\n", 0, places[index - 1]) + 1 if index else 0
        return [(at, word) for at, word in words if at >= since or word not in key_lines]

    def _wanted(self, held: set[bytes]) -> list[Pitfall]:
        """The pitfalls that a line with these words may show, in the order of the catalogue."""
        if len(held) == 1:
            (word,) = held
            return [pitfall for pitfall in self._owners[word] if self._wants(pitfall)]
        owners = {p.place: p for word in held for p in self._owners[word]}
        return [owners[place] for place in sorted(owners) if self._wants(owners[place])]

    def _wants(self, pitfall: Pitfall) -> bool:
        name = pitfall.row.id
        return self._hits[name] < _MOST_HITS and self._tries[name] < _MOST_TRIES

    def _match(self, wanted: list[Pitfall], text: str, place: tuple[int, int]) -> None:
        for pitfall in wanted:
            groups = pitfall.match(text)
            if groups is None:
                self._tries[pitfall.row.id] += 1
                continue
            self._hits[pitfall.row.id] += 1
            line, offset = place
            hit = Hit(pitfall=pitfall, line=line, offset=offset, text=text, groups=groups)
            self.found.hits.append(hit)


def _lines(
    piece: bytes, words: list[tuple[int, bytes]]
) -> Iterator[tuple[int, int, int, set[bytes]]]:
    """Of each line that holds a word: its start, its end, the first word's place, all its words.

    The words are in order of their places.
    """
    index = 0
    while index < len(words):
        at = words[index][0]
        start = piece.rfind(b"\n", 0, at) + 1
        end = piece.find(b"\n", at)
        end = len(piece) if end < 0 else end
        held = set()
        while index < len(words) and words[index][0] < end:
            held.add(words[index][1])
            index += 1
        yield start, end, at, held


def _around(piece: bytes, start: int, end: int, at: int) -> str:
    """The line, or of a very long one what stands around the word."""
    if end - start > LONGEST:
        start, end = max(start, at - LONGEST // 2), min(end, at + LONGEST // 2)
    return piece[start:end].decode(errors="replace")
