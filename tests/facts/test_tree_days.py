"""What a development tree of a day asks for in place of the release it led to."""

from pathlib import Path

import pytest

from tests.matrix_files import small_facts
from tfbuild.facts.rules import Facts
from tfbuild.facts.tree_days import rules_of_day


@pytest.fixture
def facts(tmp_path: Path) -> Facts:
    effect = {"effect": "conflict", "says": "It is so.", "fix": "Another."}
    when = {"tensorflow": "any"}
    return small_facts(
        tmp_path / "small",
        tensorflow=[{"version": "2.0.0", "requires": {"bazel": "<5", "numpy": "<2"}}],
        rules=[
            {"id": "autumn", "days": "2019-09-15..2019-10-20", "when": when,
             "requires": {"bazel": ">=4"}, **effect},
            {"id": "winter", "days": "2019-12-01..2019-12-31", "when": when,
             "requires": {"bazel": ">=5"}, **effect},
            {"id": "always", "when": {**when, "bazel": "9"}, **effect},
        ],
    )  # fmt: skip


@pytest.mark.parametrize(
    ("day", "said"),
    [
        ("", {"tensorflow-2.0.0-bazel", "tensorflow-2.0.0-numpy", "always"}),
        ("2019-09-14", {"tensorflow-2.0.0-bazel", "tensorflow-2.0.0-numpy", "always"}),
        ("2019-09-15", {"autumn", "tensorflow-2.0.0-numpy", "always"}),
        ("2019-10-20", {"autumn", "tensorflow-2.0.0-numpy", "always"}),
        ("2019-12-31", {"winter", "tensorflow-2.0.0-numpy", "always"}),
    ],
)
def test_what_is_said_of_a_day_takes_the_place_of_the_release(
    day: str, said: set[str], facts: Facts
) -> None:
    found = {rule.fact.id for rule in rules_of_day(facts.rules, day)}
    assert (
        found & {"autumn", "winter", "always", "tensorflow-2.0.0-bazel", "tensorflow-2.0.0-numpy"}
        == said
    )
