"""Reads Starlark, which nearly is Python, without running it: what an expression stands for."""

import ast
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from string import Formatter
from typing import TypeVar

from tfbuild.core.errors import BadRequest
from tfbuild.core.safe_files import read_inside

T = TypeVar("T")
_LARGEST = 4_000_000  # bytes of a file that is read
_LARGEST_VALUE = 100_000  # letters and items; the largest of a TensorFlow release has 2,000
_LARGEST_SUM = 10_000_000  # the same of all values that one workspace makes
_DEEPEST = 100  # expressions within each other, and values
_PLAIN_FIELDS = re.compile(r"(?:[^%]|%[sd%])*")  # a width would make it as long as it says


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


@dataclass(slots=True)
class Room:
    """What values may still take up: a few lines can double one until no memory holds it."""

    left: int = _LARGEST_SUM  # letters and items

    def take(self, size: int) -> None:
        """Take up a size; Unknown where it is too large for one value or for what is left."""
        if size > min(self.left, _LARGEST_VALUE):
            raise Unknown
        self.left -= size


@dataclass(frozen=True, slots=True)
class Names:
    """What names stand for at one place; `given` are those whose values callers choose."""

    values: Mapping[str, object]
    given: frozenset[str] = frozenset()
    room: Room = field(default_factory=Room)  # one for all places of a workspace

    def value(self, node: ast.expr) -> object:
        """What an expression stands for; Unknown where that takes running it, or too much room."""
        nodes: list[ast.AST] = [node]
        if not _is_shallow(nodes, ast.iter_child_nodes):
            raise Unknown
        return _value(self, node)


# --- inside ------------------------------------------------------------------------------------


def _value(names: Names, node: ast.expr) -> object:
    read = _READERS.get(type(node))
    if read is None:
        raise Unknown
    try:
        return read(names, node)
    except (TypeError, ValueError, KeyError, IndexError, AttributeError, MemoryError) as error:
        raise Unknown from error


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
    found = tuple(_value(names, one) for one in node.elts)
    names.room.take(_size(found))
    return found


def _mapping(names: Names, node: ast.Dict) -> object:
    pairs = zip(node.keys, node.values, strict=True)
    found = {_value(names, key): _value(names, one) for key, one in pairs if key is not None}
    names.room.take(_size(found))
    return found


def _subscript(names: Names, node: ast.Subscript) -> object:
    return _value(names, node.value)[_value(names, node.slice)]  # type: ignore[index]


def _joined(names: Names, node: ast.BinOp) -> object:
    left, right = _value(names, node.left), _value(names, node.right)
    names.room.take(_size(left) + _size(right))
    if isinstance(node.op, ast.Add):
        return left + right  # type: ignore[operator]
    if isinstance(node.op, ast.Mod) and isinstance(left, str) and _PLAIN_FIELDS.fullmatch(left):
        _require_plain(right if isinstance(right, tuple) else (right,))
        return left % right
    raise Unknown


def _called(names: Names, node: ast.Call) -> object:
    """The few functions that addresses are made with."""
    name = called_name(node.func)
    words = [_value(names, one) for one in node.args]
    if name in {"tf_mirror_urls", "mirror_urls"} and len(words) == 1:
        names.room.take(2 * _size(words[0]))
        return (_mirrored(str(words[0])), str(words[0]))
    text = _value(names, node.func.value) if isinstance(node.func, ast.Attribute) else None
    named = {k.arg: _value(names, k.value) for k in node.keywords if k.arg}
    if not isinstance(text, str):
        raise Unknown
    if name == "format":
        return _formatted(names.room, text, words, named)
    if name == "replace" and not named:
        return _replaced(names.room, text, words)
    if name == "join" and len(words) == 1:
        names.room.take(_size(words[0]) * (1 + len(text)))
        return text.join(words[0])  # type: ignore[arg-type]
    raise Unknown


def _formatted(room: Room, text: str, words: list[object], named: Mapping[str, object]) -> object:
    """Only with fields of Starlark, which knows no widths, attributes or items in them."""
    _require_plain((*words, *named.values()))
    largest = max((_size(word) for word in (*words, *named.values())), default=0)
    fields = [(name, spec) for _, name, spec, _ in Formatter().parse(text) if name is not None]
    if any(spec or not re.fullmatch(r"\w*", name) for name, spec in fields):
        raise Unknown
    room.take(len(text) + len(fields) * largest)
    return text.format(*words, **named)


def _replaced(room: Room, text: str, words: list[object]) -> object:
    old, new, *_ = words
    room.take(len(text) + text.count(old) * _size(new))  # type: ignore[arg-type]
    return text.replace(*words)  # type: ignore[arg-type]


def _require_plain(words: Iterable[object]) -> None:
    """Unknown for what is no text and no number: as a text it may be longer than it is."""
    if not all(isinstance(word, (str, int)) for word in words):
        raise Unknown


def _size(value: object) -> int:
    """Letters and items of a value, one that stands there twice counted twice.

    Unknown where that is more than one may have, or where it is nested too deeply.
    """
    size = 0

    def below(one: object) -> Iterable[object]:
        nonlocal size
        inner: tuple[object, ...] = ()
        if isinstance(one, dict):
            inner = (*one.keys(), *one.values())
        elif isinstance(one, tuple):
            inner = one
        size += 1
        if isinstance(one, str):
            size += len(one)
        elif isinstance(one, int):
            size += one.bit_length() // 3  # about as many digits
        if size + len(inner) > _LARGEST_VALUE:
            raise Unknown
        return inner

    if not _is_shallow([value], below):
        raise Unknown
    return size


def _is_shallow(level: list[T], below: Callable[[T], Iterable[T]]) -> bool:
    """Whether no more than so many levels lie within each other."""
    for _ in range(_DEEPEST):
        if not level:
            return True
        level = [inner for one in level for inner in below(one)]
    return False


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
