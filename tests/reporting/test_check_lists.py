"""Failed before passed before skipped; skipped ones by their reason."""

from typing import Any

from tfbuild.reporting.check_lists import not_skipped, skipped_by_reason, worst_first


def a_check(name: str, state: str, reason: str = "") -> dict[str, Any]:
    return {"name": name, "state": state, "reason": reason}


CHECKS = [
    a_check("a", "skipped", "no GPU"), a_check("b", "passed"), a_check("c", "failed", "wrong"),
    a_check("d", "skipped", "no emulator"), a_check("e", "reused"), a_check("f", "odd"),
    a_check("g", "skipped", "no GPU"),
]  # fmt: skip


def test_what_was_skipped_stands_last_and_what_failed_first() -> None:
    assert "".join(check["name"] for check in worst_first(CHECKS)) == "cfbeadg"
    assert "".join(check["name"] for check in not_skipped(CHECKS)) == "cfbe"


def test_what_was_skipped_is_grouped_by_its_reason() -> None:
    assert skipped_by_reason(CHECKS) == [("no GPU", ["a", "g"]), ("no emulator", ["d"])]
    assert skipped_by_reason([]) == []
