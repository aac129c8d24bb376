"""What runs in a wheel's interpreter is written for the oldest that matrices/runtime.yaml has."""

import ast
import builtins
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tfbuild.tables import Tables
from tfbuild.versions import contains

ROOT = Path(__file__).parent.parent
FOLDERS = ("runtime/python/tfbuild_runtime", "runtime/python/tests", "tfbuild/probes")

# What the grammar does not tell: the minor version that brought it.
NEW_KEYWORDS = {
    ("zip", "strict"): 10, ("dataclass", "slots"): 10, ("dataclass", "kw_only"): 10,
    ("field", "kw_only"): 10, ("dataclass", "weakref_slot"): 11,
}  # fmt: skip
NEW_NAMES = {
    "aiter": 10, "anext": 10, "bit_count": 10, "Concatenate": 10, "EncodingWarning": 10,
    "KW_ONLY": 10, "NoneType": 10, "pairwise": 10, "ParamSpec": 10, "stdlib_module_names": 10,
    "TypeAlias": 10, "TypeGuard": 10, "UnionType": 10, "add_note": 11, "assert_never": 11,
    "BaseExceptionGroup": 11, "ExceptionGroup": 11, "file_digest": 11, "LiteralString": 11,
    "NotRequired": 11, "reveal_type": 11, "Self": 11, "StrEnum": 11, "TaskGroup": 11,
    "tomllib": 11, "TypeVarTuple": 11, "batched": 12, "sumprod": 12,
    "TypeAliasType": 12, "TypeIs": 13,
}  # fmt: skip
TYPES = {name for name, value in vars(builtins).items() if isinstance(value, type)} | {"Any"}


def minor_of(tables: Tables) -> int:
    """The 9 of Python 3.9, the oldest that a release of the runtime takes."""
    ranges = [dict(row.requires)["python"] for row in tables.axis("runtime")]
    return next(m for m in range(40) if any(contains(r, f"3.{m}") for r in ranges))


def names_of(node: ast.AST) -> Iterator[str]:
    """The names that a node takes from somewhere."""
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.Attribute):
        yield node.attr
    elif isinstance(node, (ast.Import, ast.ImportFrom)):
        yield from (alias.name for alias in node.names)


def is_type(node: ast.expr) -> bool:
    """Whether an operand can only be meant as a type; numbers and sets stay out of it."""
    if isinstance(node, ast.Subscript):
        return is_type(node.value)
    if isinstance(node, ast.BinOp):
        return is_type(node.left) or is_type(node.right)
    if isinstance(node, ast.Constant):
        return node.value is None
    return isinstance(node, ast.Name) and node.id in TYPES


def is_union(node: ast.AST) -> bool:
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.BitOr):
        return False
    return is_type(node.left) or is_type(node.right)


def annotations_of(tree: ast.Module) -> Iterator[ast.expr]:
    for node in ast.walk(tree):
        if isinstance(node, (ast.arg, ast.AnnAssign)) and node.annotation:
            yield node.annotation
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.returns:
            yield node.returns


def too_new(text: str, minor: int) -> list[str]:
    """What Python 3.MINOR does not know in a file, as "line: what"."""
    try:
        tree = ast.parse(text, feature_version=(3, minor))
    except SyntaxError as error:
        return [f"{error.lineno}: {error.msg}"]
    found = []
    postponed = "annotations" in {
        name
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and node.module == "__future__"
        for name in names_of(node)
    }
    spared = {id(n) for a in annotations_of(tree) for n in ast.walk(a)} if postponed else set()
    for node in ast.walk(tree):
        line = getattr(node, "lineno", 0)
        if id(node) in spared:
            continue
        found += [f"{line}: {n}" for n in names_of(node) if NEW_NAMES.get(n, 0) > minor]
        if isinstance(node, ast.Call):
            called = next(names_of(node.func), "")
            new = [k for k in node.keywords if NEW_KEYWORDS.get((called, k.arg or ""), 0) > minor]
            found += [f"{line}: {called}({keyword.arg}=)" for keyword in new]
        elif is_union(node) and minor < 10:
            found.append(f"{line}: a union of types, which is computed when it is read")
    return found


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_oldest_python_understands(folder: str, tables: Tables) -> None:
    files = sorted((ROOT / folder).rglob("*.py"))
    assert files
    minor = minor_of(tables)
    found = {p.relative_to(ROOT).as_posix(): too_new(p.read_text(), minor) for p in files}
    assert {name: lines for name, lines in found.items() if lines} == {}


def test_ruff_asks_for_nothing_newer(tables: Tables) -> None:
    ruff = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["ruff"]
    wanted = {"runtime/python/**", "tfbuild/probes/*"}
    assert ruff["per-file-target-version"] == dict.fromkeys(wanted, f"py3{minor_of(tables)}")
    assert "FA102" in ruff["lint"]["select"]  # unions in annotations without the future import


@pytest.mark.parametrize(
    "text",
    [
        "match x:\n    case 1: pass",
        "try: f()\nexcept* ValueError: pass",
        "def f(x: int | None): pass",
        "def f() -> 'list[int]' | None: pass",
        "x: str | bytes = b''",
        "from __future__ import annotations\nAlias = dict[str, int] | None",
        "from __future__ import annotations\nisinstance(x, int | float)",
        "zip(a, b, strict=True)",
        "@dataclass(frozen=True, slots=True)\nclass A: pass",
        "@dataclasses.dataclass(kw_only=True)\nclass A: pass",
        "mask.bit_count()",
        "from itertools import pairwise",
        "import tomllib",
    ],
)
def test_what_is_newer_is_found(text: str) -> None:
    assert too_new(text, 9)
    assert not too_new(text, 12)


@pytest.mark.parametrize(
    "text",
    [
        "from __future__ import annotations\ndef f(x: int | None = None) -> str | None: pass",
        "from __future__ import annotations\ndef f() -> Self: pass",
        "flags = 1 | 2 | mask\nboth = {1} | names",
        "merged = {} | {'a': 1}\nzip(a, b)",
        "'^a'.removeprefix('^')\nlist[int]",
    ],
)
def test_what_is_old_enough_is_let_through(text: str) -> None:
    assert too_new(text, 9) == []
