"""Containers of killed builds end before what they wrote to is read."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tfbuild.containers import left


def test_they_are_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    ended: list[object] = []

    @contextmanager
    def engine() -> Iterator[str]:
        yield "an engine"

    monkeypatch.setattr(left, "open_engine", engine)
    monkeypatch.setattr(left, "clear", ended.append)
    left.end_left()
    assert ended == ["an engine"]
