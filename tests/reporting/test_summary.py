"""How many passed, and which versions, in a few words."""

from tfbuild.reporting.summary import counted_text, tally, versions_text


def test_tally() -> None:
    assert tally(["passed", "skipped", "passed"]) == "2 passed, 1 skipped"
    assert tally([]) == ""


def test_versions_are_told_in_one_order() -> None:
    assert versions_text({"numpy": "2.0", "python": "3.9", "gcc": "9.3"}) == "gcc 9.3, numpy 2.0"


def test_other_machines_are_named_where_they_had_a_part() -> None:
    assert counted_text(3, 0, 9, 0) == "3 actions, 9 from the cache"
    assert counted_text(3, 2, 9, 4) == (
        "3 actions (2 on other machines), 9 from the cache (4 over the network)"
    )
