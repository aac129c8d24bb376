"""Faults of a recipe file: in the order of their lines, and none twice."""

from pathlib import Path

import pytest

from tfbuild.core.errors import BadRecipe
from tfbuild.recipes.faults import MOST, Faults

TEXT = "name: x\nbuild:\n  system: cmake\n  targets:\n  - one\n  - two\n"
PATH = Path("x.yaml")


def test_nothing_is_raised_where_nothing_was_found() -> None:
    Faults(PATH).require_none(TEXT)


def test_they_come_by_their_lines() -> None:
    faults = Faults(PATH)
    faults.add(("build", "targets", "[2]"), "it is 'two'", meant=("two", ("too", "one")))
    faults.add(("build", "system"), "it is odd", why="it holds 3")
    faults.add(("product",), "it is missing")
    with pytest.raises(BadRecipe) as caught:
        faults.require_none(TEXT)
    assert caught.value.message == "x.yaml has 3 faults"
    first, second, third = caught.value.why.splitlines()
    assert first == "product: it is missing"
    assert second == "line 3: build: system: it is odd (it holds 3)"
    assert third.startswith("line 6: build: targets[2]: it is 'two' (did you mean 'too'?")


def test_a_place_without_a_line_has_that_of_what_is_above() -> None:
    faults = Faults(PATH)
    faults.add(("build", "system", "none"), "it is odd")
    with pytest.raises(BadRecipe, match=r"^x\.yaml, line 3: build: system: none: it is odd$"):
        faults.require_none(TEXT)


def test_what_lies_above_or_below_a_fault_is_concerned() -> None:
    faults = Faults(PATH)
    faults.add(("build", "system"), "it is odd")
    assert faults.concerns(("build",))
    assert faults.concerns(("build", "system", "x"))
    assert not faults.concerns(("build", "targets"))


def test_a_number_of_them_is_enough() -> None:
    faults = Faults(PATH)
    for _ in range(MOST + 1):
        faults.add((), "it is odd")
    with pytest.raises(BadRecipe, match=f"more than {MOST} faults"):
        faults.require_none(TEXT)
