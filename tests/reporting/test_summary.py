"""How many passed, and which versions, in a few words."""

from tfbuild.reporting.summary import tally, versions_text


def test_tally() -> None:
    assert tally(["passed", "skipped", "passed"]) == "2 passed, 1 skipped"
    assert tally([]) == ""


def test_versions_are_told_in_one_order() -> None:
    assert versions_text({"numpy": "2.0", "python": "3.9", "gcc": "9.3"}) == "gcc 9.3, numpy 2.0"
