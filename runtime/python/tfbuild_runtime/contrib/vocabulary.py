"""tf.contrib.learn.preprocessing: documents as rows of the numbers of their words."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

_WORDS = re.compile(r"[A-Z]{2,}(?![a-z])|[A-Z][a-z]+(?=[A-Z])|['\w\-]+", re.UNICODE)


def tokenizer(iterator: Iterable[str]) -> Iterator[list[str]]:
    """Yield the words of each document."""
    for document in iterator:
        yield _WORDS.findall(document)


class CategoricalVocabulary:
    """Words by number; 0 is what is not known."""

    def __init__(self, unknown_token: str = "<UNK>",
                 support_reverse: bool = True) -> None:  # fmt: skip
        self._unknown = unknown_token
        self._has_reverse = support_reverse
        self._numbers = {unknown_token: 0}
        self._counts: dict[str, int] = {}
        self._frozen = False

    def __len__(self) -> int:
        return len(self._numbers)

    def freeze(self, freeze: bool = True) -> None:
        """Take no new words from now on, or take them again."""
        self._frozen = freeze

    def get(self, category: str) -> int:
        """Return the number of a word: a new one for a new word, unless it is frozen."""
        if category not in self._numbers:
            if self._frozen:
                return 0
            self._numbers[category] = len(self._numbers)
        return self._numbers[category]

    def add(self, category: str, count: int = 1) -> None:
        """Count a word."""
        if self.get(category) > 0:
            self._counts[category] = self._counts.get(category, 0) + count

    def trim(self, min_frequency: int, max_frequency: int = -1) -> None:
        """Keep words that were counted more than min_frequency times, the most frequent first.

        With a max_frequency above 0 they were also counted less often than that.
        """
        ordered = sorted(sorted(self._counts.items()), key=lambda one: one[1], reverse=True)
        kept = [
            (word, count)
            for word, count in ordered
            if count > min_frequency and not 0 < max_frequency <= count
        ]
        self._counts = dict(kept)
        self._numbers = {self._unknown: 0}
        for word, _ in kept:
            self._numbers[word] = len(self._numbers)

    def reverse(self, class_id: int) -> str:
        """Return the word of a number; raises ValueError where that is not supported."""
        if not self._has_reverse:
            raise ValueError("This vocabulary wasn't initialized with support_reverse to support "
                             "reverse() function.")  # fmt: skip
        return list(self._numbers)[class_id]

    def state(self) -> dict[str, Any]:
        """Return all that is known, as JSON can hold it."""
        return {"words": list(self._numbers), "counts": self._counts, "frozen": self._frozen,
                "reverse": self._has_reverse}  # fmt: skip

    @classmethod
    def of_state(cls, state: dict[str, Any]) -> CategoricalVocabulary:
        """Return the vocabulary of what state() gave."""
        made = cls(state["words"][0], state["reverse"])
        made._numbers = {word: number for number, word in enumerate(state["words"])}
        made._counts, made._frozen = dict(state["counts"]), state["frozen"]
        return made


class VocabularyProcessor:
    """Makes rows of numbers of documents, of max_document_length each, with 0 behind short ones."""

    def __init__(self, max_document_length: int, min_frequency: int = 0,
                 vocabulary: CategoricalVocabulary | None = None,
                 tokenizer_fn: Callable[..., Any] | None = None) -> None:  # fmt: skip
        self.max_document_length, self.min_frequency = max_document_length, min_frequency
        self.vocabulary_ = vocabulary or CategoricalVocabulary()
        self._tokenizer = tokenizer_fn or tokenizer

    def fit(self, raw_documents: Iterable[str], unused_y: Any = None) -> VocabularyProcessor:
        """Learn the words of documents; return this object."""
        del unused_y
        for words in self._tokenizer(raw_documents):
            for word in words:
                self.vocabulary_.add(word)
        if self.min_frequency > 0:
            self.vocabulary_.trim(self.min_frequency)
        self.vocabulary_.freeze()
        return self

    def fit_transform(self, raw_documents: Any, unused_y: Any = None) -> Iterator[Any]:
        """Learn the words of documents, and yield the row of each."""
        return self.fit(raw_documents, unused_y).transform(raw_documents)

    def transform(self, raw_documents: Iterable[str]) -> Iterator[Any]:
        """Yield an array of int64 [max_document_length] for each document."""
        for words in self._tokenizer(raw_documents):
            row = np.zeros(self.max_document_length, np.int64)
            for place, word in enumerate(words[: self.max_document_length]):
                row[place] = self.vocabulary_.get(word)
            yield row

    def reverse(self, documents: Iterable[Any]) -> Iterator[str]:
        """Yield the words of each row, with blanks between them."""
        for row in documents:
            yield " ".join(self.vocabulary_.reverse(int(number)) for number in row)

    def save(self, filename: Any) -> None:
        """Write it into a file, but for a tokenizer of the program's own."""
        state = {"length": self.max_document_length, "frequency": self.min_frequency,
                 "vocabulary": self.vocabulary_.state()}  # fmt: skip
        Path(filename).write_text(json.dumps(state), encoding="utf-8")

    @classmethod
    def restore(cls, filename: Any) -> VocabularyProcessor:
        """Return what was saved; raises ValueError for other files, as those of TensorFlow."""
        try:
            state = json.loads(Path(filename).read_bytes())
            vocabulary = CategoricalVocabulary.of_state(state["vocabulary"])
            return cls(state["length"], state["frequency"], vocabulary)
        except (ValueError, KeyError, TypeError, IndexError) as error:
            raise ValueError(f"{filename} is no vocabulary that was saved here") from error


__all__ = ["CategoricalVocabulary", "VocabularyProcessor", "tokenizer"]
