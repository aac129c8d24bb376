"""Records to JSON and back."""

import json
from pathlib import Path

import pytest

from tests.sample_report import a_report
from tfbuild.core.records import Pin
from tfbuild.core.reports import Report
from tfbuild.core.serialization import from_plain, to_plain


def test_a_whole_report_survives(tmp_path: Path) -> None:
    report = a_report(tmp_path)
    assert from_plain(Report, json.loads(json.dumps(to_plain(report)))) == report


@pytest.mark.parametrize(
    "data",
    [
        {"axis": "python"},
        {"axis": "python", "spec": 3},
        {"axis": "python", "spec": "3", "more": "x"},
        ["python"],
        None,
    ],
)
def test_what_does_not_fit_is_refused(data: object) -> None:
    with pytest.raises(ValueError, match="Pin"):
        from_plain(Pin, data)


def test_a_flag_is_no_number() -> None:
    with pytest.raises(ValueError, match=r"sizes\[1\]: unexpected True"):
        from_plain(tuple[int, ...], [1, True], name="sizes")
