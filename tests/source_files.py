"""The project's own source files, and what a file of Python imports and calls."""

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "tfbuild"
Node = TypeVar("Node", bound=ast.AST)


@cache
def python_files() -> list[Path]:
    """Every Python file of the program."""
    return [path for path in sorted(PACKAGE.rglob("*.py")) if "_data" not in path.parts]


def module_files() -> list[Path]:
    """Those that run in the program; probes run in a wheel's interpreter."""
    return [path for path in python_files() if "probes" not in path.parts]


def name_of(path: Path) -> str:
    """`core/process` for `tfbuild/core/process.py`."""
    return path.relative_to(PACKAGE).with_suffix("").as_posix()


def package_of(name: str) -> str:
    """`core` for `core/process`."""
    return name.partition("/")[0]


@cache
def tree_of(path: Path) -> ast.Module:
    """The syntax tree of a file."""
    return ast.parse(path.read_text())


def nodes_of(path: Path, kind: type[Node]) -> Iterator[Node]:
    """Every node of a kind in a file."""
    return iter(_nodes_by_kind(path).get(kind, ()))


@cache
def imports_of(path: Path) -> set[str]:
    """Every module that a file imports, anywhere in it, by its full name."""
    found = {alias.name for node in nodes_of(path, ast.Import) for alias in node.names}
    for node in nodes_of(path, ast.ImportFrom):
        if node.module:
            found.add(node.module)
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def own_imports_of(path: Path) -> set[str]:
    """Modules of tfbuild that a file imports, as names of files."""
    words = {n.removeprefix("tfbuild.").replace(".", "/") for n in imports_of(path) if "." in n}
    return (words & _names()) - {name_of(path)}


@cache
def calls_of(path: Path) -> set[str]:
    """What a file calls as a method or by way of a module: `json.loads`, `.read_text`."""
    found = set()
    for node in nodes_of(path, ast.Call):
        if isinstance(node.func, ast.Attribute):
            owner = node.func.value
            name = owner.id if isinstance(owner, ast.Name) else ""
            found |= {f"{name}.{node.func.attr}", f".{node.func.attr}"}
    return found


@cache
def _nodes_by_kind(path: Path) -> Mapping[type[ast.AST], list[Any]]:
    """What several rules look at is walked through once."""
    found = defaultdict(list)
    for node in ast.walk(tree_of(path)):
        found[type(node)].append(node)
    return found


@cache
def _names() -> set[str]:
    return {name_of(path) for path in python_files()}
