"""The bundled runtime: its ops, and the names of its Python interface."""

import ast
import importlib
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from docs.reference.markdown import code, codes, heading, page, prose, table
from tfbuild.core.paths import data_folder

_PACKAGE = "tfbuild_runtime"
_Definition = ast.FunctionDef | ast.ClassDef


def runtime_pages() -> dict[str, str]:
    """The page of the ops and that of the Python names."""
    return {"reference/ops.md": _ops(), "reference/python.md": _python()}


def op_table() -> str:
    """What runtime/OPS.md holds: the paragraph about its columns, and the table."""
    text = (data_folder("runtime") / "OPS.md").read_text(encoding="utf-8")
    return text[text.index("*Types*") :]


@cache
def exports() -> Mapping[str, str]:
    """Every public name below `tf`, and its place as MODULE:NAME."""
    folder = data_folder("runtime") / "python"
    found: dict[str, str] = {}
    with _importing_from(folder):
        for path in sorted((folder / _PACKAGE).glob("*/_*exports.py")):
            module = importlib.import_module(f"{_PACKAGE}.{path.parent.name}.{path.stem}")
            found |= getattr(module, "EXPORTS", {})
    return found


# --- inside ------------------------------------------------------------------------------------


@contextmanager
def _importing_from(folder: Path) -> Iterator[None]:
    """Import the lists of names from the sources: they import nothing that is compiled."""
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))


def _ops() -> str:
    return page(
        "Ops of the bundled runtime",
        "The ops that graphs can hold, as `tf.raw_ops` has them. The names and the meaning of their"
        " inputs, outputs and attributes are those of TensorFlow.",
        op_table(),
        summary="Every op with its types, its gradient and its measured accuracy.",
    )


def _python() -> str:
    spaces: dict[str, list[str]] = {}
    for name in sorted(exports(), key=str.lower):
        spaces.setdefault(name.rpartition(".")[0], []).append(name)
    parts = []
    for space, names in sorted(spaces.items()):
        title = f"tf.{space}" if space else "tf"
        rows = [(code(f"tf.{name}"), codes(_arguments(name)), prose(_says(name))) for name in names]
        parts.append(heading(2, title, title.replace(".", "-")))
        parts.append(table(("Name", "Arguments", "What it is"), rows))
    return page(
        "Python interface of the bundled runtime",
        f"`import {_PACKAGE}.compat.v1 as tf` gives the names of TensorFlow 1 that follow,"
        f" {len(exports()):,} in all. A name without a description is documented by"
        " TensorFlow alone.",
        *parts,
        summary="Every public name of `tfbuild_runtime.compat.v1`.",
    )


def _says(name: str) -> str:
    """The first sentence of its documentation."""
    node = _definition(name)
    first = " ".join((ast.get_docstring(node) or "").split("\n\n")[0].split()) if node else ""
    sentence = re.match(r".*?\.(?= [A-Z]|$)", first)
    return sentence[0] if sentence else first


def _arguments(name: str) -> list[str]:
    """The arguments of a function, without their defaults; of a class those that make one."""
    node = _definition(name)
    if isinstance(node, ast.ClassDef):
        made = (one for one in node.body if isinstance(one, ast.FunctionDef))
        node = next((one for one in made if one.name == "__init__"), None)
    if not isinstance(node, ast.FunctionDef):
        return []
    words = node.args
    names = [one.arg for one in (*words.posonlyargs, *words.args) if one.arg not in {"self", "cls"}]
    names += [f"*{words.vararg.arg}"] if words.vararg else []
    names += [one.arg for one in words.kwonlyargs]
    names += [f"**{words.kwarg.arg}"] if words.kwarg else []
    return names


def _definition(name: str) -> _Definition | None:
    """Where a name is defined, as far as its own module says it."""
    module, _, inner = exports()[name].partition(":")
    return _definitions(module).get(inner)


@cache
def _definitions(module: str) -> Mapping[str, _Definition]:
    path = data_folder("runtime") / "python" / Path(*module.split("."))
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    if not file.is_file():
        return {}
    body = ast.parse(file.read_text(encoding="utf-8")).body
    return {node.name: node for node in body if isinstance(node, _Definition)}
