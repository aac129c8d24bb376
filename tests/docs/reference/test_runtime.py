"""What the reference says of the runtime, out of its sources."""

import re

from docs.reference.runtime import exports, runtime_pages


def row(name: str) -> list[str]:
    page = runtime_pages()["reference/python.md"]
    found = re.search(rf"^\| `tf\.{re.escape(name)}` \| (.*) \|$", page, re.MULTILINE)
    assert found
    return found[1].split(" | ")


def test_a_function_has_its_arguments_and_what_it_does() -> None:
    arguments, says = row("matmul")
    assert arguments.startswith("`a`, `b`, `transpose_a`")
    assert says == "Return the matrix product; leading dimensions are batches."


def test_a_class_has_the_arguments_that_make_one() -> None:
    arguments, says = row("train.AdamOptimizer")
    assert arguments.startswith("`learning_rate`, `beta1`")
    assert "self" not in arguments
    assert says


def test_most_names_are_described() -> None:
    rows = re.findall(r"^\| `tf\..*$", runtime_pages()["reference/python.md"], re.MULTILINE)
    assert len(rows) == len(exports())
    assert sum(not line.endswith("|  |") for line in rows) > 0.6 * len(rows)


def test_the_table_of_ops_is_that_of_the_runtime() -> None:
    page = runtime_pages()["reference/ops.md"]
    assert "op_table.py" not in page
    assert "\n| op | types | GPU | gradient | accuracy | file |\n" in page
