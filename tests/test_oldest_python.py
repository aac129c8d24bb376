"""What runs in a wheel's interpreter is written for the oldest that matrices/runtime.yaml has."""

import ast
import builtins
import subprocess
import sysconfig
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tfbuild.core.versions import contains
from tfbuild.facts.tables import Tables

ROOT = Path(__file__).parent.parent
PLACES = (
    "runtime/python/tfbuild_runtime", "runtime/python/tests", "tfbuild/probes",
    "tfbuild/bazel/disk_script.py", "tfbuild/fetch/run_pip.py", "runtime/examples",
    *sorted(str(place.relative_to(ROOT)) for place in ROOT.glob("benchmarks/*/in_wheel")),
)  # fmt: skip
TYPES = {name for name, value in vars(builtins).items() if isinstance(value, type)} | {"Any"}
FUTURE = "from __future__ import annotations\n"


def oldest(tables: Tables) -> int:
    """The 9 of Python 3.9, the oldest that a release of the runtime takes."""
    ranges = [dict(row.requires)["python"] for row in tables.axis("runtime")]
    return next(m for m in range(40) if any(contains(r, f"3.{m}") for r in ranges))


def newer_than(minor: int, place: Path) -> str:
    """Grammar, modules, functions and arguments that Python 3.MINOR lacks; '' for none."""
    program = Path(sysconfig.get_path("scripts")) / "vermin"
    flags = (f"--target=3.{minor}-", "--violations", "--no-tips", "--no-parse-comments")
    done = subprocess.run(
        [program, *flags, "-vvv", place], capture_output=True, text=True, check=False
    )
    return done.stdout + done.stderr if done.returncode else ""


def annotations_of(tree: ast.Module) -> Iterator[ast.expr]:
    for node in ast.walk(tree):
        if isinstance(node, (ast.arg, ast.AnnAssign)) and node.annotation:
            yield node.annotation
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.returns:
            yield node.returns


def postpones(tree: ast.Module) -> bool:
    return any(
        isinstance(node, ast.ImportFrom)
        and node.module == "__future__"
        and "annotations" in {alias.name for alias in node.names}
        for node in tree.body
    )


def is_type(node: ast.expr) -> bool:
    """Whether an operand can only be meant as a type; numbers and sets stay out of it."""
    if isinstance(node, ast.Subscript):
        return is_type(node.value)
    if isinstance(node, ast.BinOp):
        return is_type(node.left) or is_type(node.right)
    if isinstance(node, ast.Constant):
        return node.value is None
    return isinstance(node, ast.Name) and node.id in TYPES


def computed_unions(text: str) -> list[int]:
    """Lines where types are joined by | while the program runs: Python 3.10 can do that."""
    tree = ast.parse(text)
    spared = {id(n) for a in annotations_of(tree) for n in ast.walk(a)} if postpones(tree) else ()
    return [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.BinOp)
        and isinstance(node.op, ast.BitOr)
        and id(node) not in spared
        and (is_type(node.left) or is_type(node.right))
    ]


@pytest.mark.slow
@pytest.mark.parametrize("name", PLACES)
def test_the_oldest_python_understands(name: str, tables: Tables) -> None:
    minor, place = oldest(tables), ROOT / name
    files = sorted(place.rglob("*.py")) if place.is_dir() else [place]
    for path in files:
        ast.parse(path.read_text(), str(path), feature_version=(3, minor))
    assert newer_than(minor, place) == ""
    unions = {path.name: computed_unions(path.read_text()) for path in files if minor < 10}
    assert {name: lines for name, lines in unions.items() if lines} == {}


def test_ruff_asks_for_nothing_newer(tables: Tables) -> None:
    ruff = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["ruff"]
    wanted = {
        "runtime/python/**", "runtime/examples/*", "tfbuild/probes/*", "benchmarks/*/in_wheel/*",
    }  # fmt: skip
    assert ruff["per-file-target-version"] == dict.fromkeys(wanted, f"py3{oldest(tables)}")
    assert "FA102" in ruff["lint"]["select"]  # unions in annotations without the future import


@pytest.mark.parametrize(
    "text",
    [
        "match x:\n    case 1: pass",
        "try: f()\nexcept* ValueError: pass",
        "zip(a, b, strict=True)",
        "from dataclasses import dataclass\n@dataclass(frozen=True, slots=True)\nclass A: pass",
        "from itertools import pairwise",
        "import importlib.metadata\nimportlib.metadata.packages_distributions()",
        "import tomllib",
    ],
)
def test_what_is_newer_is_found(text: str, tmp_path: Path) -> None:
    (tmp_path / "newer.py").write_text(text + "\n")
    assert "newer.py" in newer_than(9, tmp_path)
    assert newer_than(11, tmp_path) == ""
    assert "No files" in newer_than(9, tmp_path / "nothing")


@pytest.mark.parametrize(
    "text",
    [
        "def f(x: int | None): pass",
        "def f() -> 'list[int]' | None: pass",
        "x: str | bytes = b''",
        FUTURE + "Alias = dict[str, int] | None",
        FUTURE + "isinstance(x, int | float)",
    ],
)
def test_unions_that_are_computed_are_found(text: str) -> None:
    assert computed_unions(text) == [len(text.splitlines())]


@pytest.mark.parametrize(
    "text",
    [
        FUTURE + "def f(x: int | None = None) -> str | None: pass",
        "flags = 1 | 2 | mask\nboth = {1} | names",
        "merged = {} | {'a': 1}",
    ],
)
def test_other_uses_of_the_sign_are_let_through(text: str) -> None:
    assert computed_unions(text) == []
