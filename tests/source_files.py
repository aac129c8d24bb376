"""The project's own source files, and what a file of Python imports and calls."""

import ast
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "tfbuild"


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


@cache
def imports_of(path: Path) -> set[str]:
    """Every module that a file imports, anywhere in it, by its full name."""
    found = set()
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
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
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            owner = node.func.value
            name = owner.id if isinstance(owner, ast.Name) else ""
            found |= {f"{name}.{node.func.attr}", f".{node.func.attr}"}
    return found


@cache
def _names() -> set[str]:
    return {name_of(path) for path in python_files()}
