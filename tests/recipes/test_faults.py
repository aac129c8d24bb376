"""Faults of a recipe file: in the order of their lines, and none twice."""

from pathlib import Path

from tests.failing import fails
from tfbuild.core.errors import BadRecipe
from tfbuild.recipes.faults import MOST, Faults

TEXT = "name: x\nbuild:\n  system: cmake\n  targets:\n  - one\n  - two\n"
PATH = Path("x.yaml")


def test_nothing_is_raised_where_nothing_was_found() -> None:
    Faults(PATH).require_none(TEXT)


def odd(*, why: str = "", hint: str = "") -> BadRecipe:
    """A fault of some value."""
    return BadRecipe("it is odd", code="odd", why=why, hint=hint)


def test_they_come_by_their_lines() -> None:
    faults = Faults(PATH)
    faults.add(("build", "targets", "[2]"), odd(hint="take one"))
    faults.add(("build", "system"), odd(why="it holds 3"))
    faults.add(("product",), odd())
    with fails("recipe-has-faults", "x.yaml", "3") as caught:
        faults.require_none(TEXT)
    assert caught.value.why.splitlines() == [
        "product: it is odd",
        "line 3: build: system: it is odd (it holds 3)",
        "line 6: build: targets[2]: it is odd (take one)",
    ]


def test_a_fault_alone_is_the_error_itself() -> None:
    faults = Faults(PATH)
    faults.add(("build", "system", "none"), odd(why="it holds 3", hint="take one"))
    with fails("odd") as caught:
        faults.require_none(TEXT)
    error = caught.value
    assert error.message == "x.yaml, line 3: build: system: none: it is odd", "the line above it"
    assert (error.why, error.hint) == ("it holds 3", "take one")


def test_what_lies_above_or_below_a_fault_is_concerned() -> None:
    faults = Faults(PATH)
    faults.add(("build", "system"), odd())
    assert faults.concerns(("build",))
    assert faults.concerns(("build", "system", "x"))
    assert not faults.concerns(("build", "targets"))


def test_a_number_of_them_is_enough() -> None:
    faults = Faults(PATH)
    for _ in range(MOST + 1):
        faults.add((), odd())
    with fails("recipe-has-faults", str(MOST)) as caught:
        faults.require_none(TEXT)
    assert len(caught.value.why.splitlines()) == MOST
