"""The table of ops says what there is, and no kernel is less accurate than it says."""

import math
import re

import op_table
import pytest
from accuracy import BINARY, ROWS, SUMS, UNARY, measure

AGAIN = "run python/tests/op_table.py"


def written():
    """Return the cells of the table that is in the sources, by op."""
    lines = op_table.TABLE.read_text(encoding="utf-8").splitlines()
    cells = [[c.strip() for c in line.strip("|").split("|")] for line in lines if "| " in line]
    return {row[0]: row[1:] for row in cells if row[0] != "op"}


def stated(op):
    """Return the errors that the table states for an op, by type."""
    return {kind: float(value) for kind, value in re.findall(r"(\w+) ([\d.]+)", written()[op][3])}


MEASURED = sorted(set(written()) & {*UNARY, *BINARY, *SUMS, *ROWS})


def test_the_table_has_every_op_as_it_is() -> None:
    there = {op: [*cells[:3], cells[4]] for op, cells in written().items()}
    assert there == op_table.rows(), AGAIN


def test_every_elementwise_op_is_measured() -> None:
    assert all(stated(op) for op in MEASURED), AGAIN


@pytest.mark.parametrize("op", MEASURED)
def test_no_kernel_is_less_accurate_than_the_table_says(op: str) -> None:
    # Of three vector mechanisms that processors have, one is here: a tie may fall otherwise.
    for kind, limit in stated(op).items():
        assert measure(op, kind) <= limit + 0.1, (op, kind, AGAIN)


@pytest.mark.parametrize("op", sorted({*UNARY} & set(written())))
def test_elementary_functions_of_float_are_within_two_units(op: str) -> None:
    assert stated(op)["float"] <= 2
    assert math.isfinite(stated(op)["float"])
