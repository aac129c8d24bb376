"""Reads Starlark, which nearly is Python, without running it: what an expression stands for."""

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from tfbuild.core.errors import BadRequest
from tfbuild.core.safe_files import read_inside

_LARGEST = 4_000_000  # bytes of a file that is read


class Unknown(Exception):
    """A value that reading does not tell; `is_given` where it is a caller's."""

    def __init__(self, *, is_given: bool = False) -> None:
        super().__init__()
        self.is_given = is_given


def parse_starlark(tree: Path, path: Path) -> ast.Module:
    """A file of a source tree, parsed; BadRequest where it cannot be read or is no Starlark."""
    try:
        return ast.parse(read_inside(tree, path, _LARGEST), filename=str(path))
    except (OSError, ValueError, SyntaxError, RecursionError, MemoryError) as error:
        raise BadRequest(
            f"{path} cannot be read", why=str(error), hint="see whether the tree is whole"
        ) from error


def called_name(node: ast.expr) -> str:
    """The last name of what is called: http_archive of native.http_archive."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def literal_text(node: ast.expr) -> str:
    """A text that stands there as it is; empty for anything else."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    return ""


@dataclass(frozen=True, slots=True)
class Names:
    """What names stand for at one place; `given` are those whose values callers choose."""

    values: Mapping[str, object]
    given: frozenset[str] = frozenset()

    def value(self, node: ast.expr) -> object:
        """What an expression stands for; Unknown where that takes running it."""
        read = _READERS.get(type(node))
        if read is None:
            raise Unknown
        try:
            return read(self, node)
        except (TypeError, ValueError, KeyError, IndexError, AttributeError, MemoryError) as error:
            raise Unknown from error


# --- inside ------------------------------------------------------------------------------------


def _constant(_: Names, node: ast.Constant) -> object:
    return node.value


def _named(names: Names, node: ast.Name) -> object:
    if node.id in names.values:
        return names.values[node.id]
    raise Unknown(is_given=node.id in names.given)


def _attribute(names: Names, node: ast.Attribute) -> object:
    """ctx.attr.urls of a rule: its users say what that is."""
    below: ast.expr = node
    while isinstance(below, ast.Attribute):
        below = below.value
    raise Unknown(is_given=isinstance(below, ast.Name) and below.id in names.given)


def _several(names: Names, node: ast.List | ast.Tuple) -> object:
    return tuple(names.value(one) for one in node.elts)


def _mapping(names: Names, node: ast.Dict) -> object:
    pairs = zip(node.keys, node.values, strict=True)
    return {names.value(key): names.value(one) for key, one in pairs if key is not None}


def _subscript(names: Names, node: ast.Subscript) -> object:
    return names.value(node.value)[names.value(node.slice)]  # type: ignore[index]


def _joined(names: Names, node: ast.BinOp) -> object:
    left, right = names.value(node.left), names.value(node.right)
    if isinstance(node.op, ast.Add):
        return left + right  # type: ignore[operator]
    if isinstance(node.op, ast.Mod) and isinstance(left, str):
        return left % right
    raise Unknown


def _called(names: Names, node: ast.Call) -> object:
    """The few functions that addresses are made with."""
    name = called_name(node.func)
    words = [names.value(one) for one in node.args]
    if name in {"tf_mirror_urls", "mirror_urls"} and len(words) == 1:
        return (_mirrored(str(words[0])), str(words[0]))
    text = names.value(node.func.value) if isinstance(node.func, ast.Attribute) else None
    named = {k.arg: names.value(k.value) for k in node.keywords if k.arg}
    if not isinstance(text, str):
        raise Unknown
    if name == "format":
        return text.format(*words, **named)
    if name == "replace" and not named:
        return text.replace(*words)  # type: ignore[arg-type]
    if name == "join" and len(words) == 1:
        return text.join(words[0])  # type: ignore[arg-type]
    raise Unknown


def _mirrored(url: str) -> str:
    """As `tf_mirror_urls` of TensorFlow's third_party/repo.bzl has it."""
    return f"https://storage.googleapis.com/mirror.tensorflow.org/{url.removeprefix('https://')}"


_READERS: Mapping[type[ast.expr], Callable[..., object]] = {
    ast.Constant: _constant,
    ast.Name: _named,
    ast.Attribute: _attribute,
    ast.List: _several,
    ast.Tuple: _several,
    ast.Dict: _mapping,
    ast.Subscript: _subscript,
    ast.BinOp: _joined,
    ast.Call: _called,
}
