"""The moment of files that must be the same bytes each time."""

import pytest

from tfbuild.core.errors import BadRequest
from tfbuild.core.source_date import source_date


def test_it_is_told_where_it_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    assert source_date() is None
    for text, seconds in (("", None), ("0", 0), ("1700000000", 1_700_000_000)):
        monkeypatch.setenv("SOURCE_DATE_EPOCH", text)
        assert source_date() == seconds


@pytest.mark.parametrize("text", ["now", "-1", "1.5", "9" * 400, "4354819199", "٤", " 1", "1_0"])
def test_what_is_no_moment_is_refused(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", text)
    with pytest.raises(BadRequest, match="SOURCE_DATE_EPOCH") as caught:
        source_date()
    assert "unset" in caught.value.hint
