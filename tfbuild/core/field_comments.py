"""What the fields of a record mean, as the comments in its source code say it."""

import ast
import inspect
import textwrap
from collections.abc import Mapping
from dataclasses import is_dataclass
from functools import cache


@cache
def comments_of(kind: type) -> Mapping[str, str]:
    """The comment of each field that has one, own or inherited: behind it, or in lines above it."""
    return {
        name: said
        for base in reversed(kind.__mro__)
        if is_dataclass(base)
        for name, said in _own_comments(base).items()
    }


def summary_of(kind: type | None) -> str:
    """The first line of a record's docstring; empty for none."""
    return (inspect.getdoc(kind) or "").partition("\n")[0] if kind else ""


def _own_comments(kind: type) -> dict[str, str]:
    lines = textwrap.dedent(inspect.getsource(kind)).splitlines()
    (node,) = ast.parse("\n".join(lines)).body
    found = {}
    for part in node.body if isinstance(node, ast.ClassDef) else ():
        if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name):
            last = lines[(part.end_lineno or part.lineno) - 1]
            _, _, behind = last.partition("  # ")
            said = behind.strip() or _above(lines[: part.lineno - 1])
            if said and not said.startswith("noqa"):
                found[part.target.id] = said
    return found


def _above(lines: list[str]) -> str:
    """The comment that ends with the last of these lines, as one line."""
    said: list[str] = []
    for line in reversed(lines):
        if not line.lstrip().startswith("# "):
            break
        said.insert(0, line.strip().removeprefix("# "))
    return " ".join(said)
