"""A report counts by itself only where this user's tfbuild has written it."""

import json
from pathlib import Path

import pytest

from tfbuild.builds.expectations import expected_of
from tfbuild.core.report_seal import is_own, sealed

DOCUMENT = {"schema": "tfbuild.report/2", "plan": {"of": [1.5, "é", None]}}


def _read(report: Path) -> object:
    try:
        return json.loads(report.read_text())
    except (OSError, ValueError):
        return None


def test_a_report_of_ones_own_is_known_wherever_it_lies(tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    report.write_text(json.dumps(sealed(DOCUMENT)))
    assert is_own(_read(report))
    assert expected_of(report, "").source == report
    assert is_own(_read(report.rename(tmp_path / "moved.json")))


def test_any_other_counts_where_it_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = tmp_path / "a report.json"
    report.write_text(json.dumps(sealed(DOCUMENT)))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "another"))
    assert not is_own(_read(report)), "the seal of another user"
    expected = expected_of(report, "")
    assert expected.source is None
    assert expected.said.endswith(f"--plan '{report}'")
    assert expected_of(report, str(report)).source == report


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"seal": ""}', '{"seal": [1]}'])
def test_what_is_no_report_is_nobodys(text: str, tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    assert not is_own(_read(report))
    assert expected_of(report, "").said == ""
    report.write_text(text)
    assert not is_own(_read(report))
