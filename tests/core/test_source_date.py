"""The moment of files that must be the same bytes each time."""

import pytest

from tests.failing import fails
from tfbuild.core.source_date import source_date


def test_it_is_read_where_it_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    assert source_date() is None
    for text, seconds in (("", None), ("0", 0), ("1700000000", 1_700_000_000)):
        monkeypatch.setenv("SOURCE_DATE_EPOCH", text)
        assert source_date() == seconds


@pytest.mark.parametrize("text", ["now", "-1", "1.5", "9" * 400, "4354819199", "٤", " 1", "1_0"])
def test_what_is_no_moment_is_refused(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", text)
    with fails("source-date-wrong", "SOURCE_DATE_EPOCH", text[:40]):
        source_date()
