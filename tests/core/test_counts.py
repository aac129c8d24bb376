"""Counts in sentences."""

import ast
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from tests.source_files import PACKAGE
from tfbuild.core.counts import counted

# What is counted, as the code calls it: a size, a limit or a measure is no count of things.
_COUNT = re.compile(r"len\(|sum\(|(.*[._])?(count|total|dropped|gone|kills|executed|cpus|targets)$")
_MANY = re.compile(r" (?:[a-z]+ )?(?!this|less|has|was|is|its|does)[a-z]{2,}[^s\W]s\b")


@pytest.mark.parametrize(
    ("count", "words", "said"),
    [
        (1, ("file",), "1 file"),
        (0, ("file",), "0 files"),
        (2000, ("library",), "2,000 libraries"),
        (2, ("day",), "2 days"),
        (1.5, ("processor",), "1.5 processors"),
        (3, ("process",), "3 processes"),
        (1, ("file is left", "files are left"), "1 file is left"),
        (2, ("file is left", "files are left"), "2 files are left"),
    ],
)
def test_a_count_agrees_with_its_noun(count: float, words: tuple[str, ...], said: str) -> None:
    assert counted(count, *words) == said


def is_alone(path: Path) -> bool:
    """Whether it runs beside a wheel, where tfbuild is not."""
    return path.parent.name == "probes" or path.name == "compare.py"


def fixed_plurals(path: Path) -> Iterator[str]:
    """Counts in an f-string that a fixed plural follows."""
    for node in ast.walk(ast.parse(path.read_text())):
        for value, text in pairwise(node.values if isinstance(node, ast.JoinedStr) else ()):
            said = text.value if isinstance(text, ast.Constant) else ""
            if not isinstance(value, ast.FormattedValue) or not isinstance(said, str):
                continue
            if _COUNT.match(ast.unparse(value.value)) and _MANY.match(said):
                yield f"{path.name}:{value.lineno}: {ast.unparse(value.value)}{said[:30]}"


def test_no_count_is_followed_by_a_fixed_plural() -> None:
    own = (path for path in sorted(PACKAGE.rglob("*.py")) if not is_alone(path))
    assert [line for path in own for line in fixed_plurals(path)] == []
