"""Reads Starlark, which nearly is Python, without running it: what an expression stands for."""

import ast
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from string import Formatter
from typing import TypeVar

from tfbuild.core.errors import BadRequest
from tfbuild.core.python_text import parse_python, words_of
from tfbuild.core.safe_files import read_inside

T = TypeVar("T")
_AS_RELEASED = "name a source tree as it was released: see whether it is whole, and holds no more"
_LARGEST = 1_000_000  # bytes of a file that is read; the largest of a TensorFlow release has 0.1 MB
_MOST_LETTERS = 8_000_000  # of all files of a workspace
_MOST_WORDS = 400_000  # the same; about 3 MB of what people write
_LARGEST_VALUE = 100_000  # letters and items; the largest of a TensorFlow release has 2,000
_LARGEST_SUM = 5_000_000  # the same of all values that one workspace makes
_DEEPEST = 100  # expressions within each other, and values
_KEY_BITS = 32  # of a number that is a key of a mapping or a place in a list
_PLAIN_FIELDS = re.compile(r"(?:[^%]|%[sd%])*")  # a width would make it as long as it says


class Unknown(Exception):
    """A value that reading does not give; `is_given` where it is a caller's."""

    def __init__(self, *, is_given: bool = False) -> None:
        super().__init__()
        self.is_given = is_given


@dataclass(slots=True)
class StarlarkFiles:
    """Reads the files of a source tree, as many as a real one has."""

    tree: Path
    letters: int = 0  # read so far
    words: int = 0

    def text(self, path: Path) -> str:
        """What a file holds; BadRequest where it cannot be read or is more than any real one."""
        try:
            text = read_inside(self.tree, path, _LARGEST)
            self.letters += len(text)
            self.words += words_of(text)
        except (OSError, ValueError) as error:
            raise BadRequest(
                f"{path} cannot be read",
                code="source-file-unreadable",
                why=str(error),
                hint=_AS_RELEASED,
            ) from error
        if self.letters > _MOST_LETTERS or self.words > _MOST_WORDS:
            limits = f"{_MOST_LETTERS / 1e6:.0f} MB or {_MOST_WORDS:,} words and signs"
            raise BadRequest(
                f"{path} cannot be read",
                code="bazel-files-too-large",
                why=f"with the files that load it, it comes to more than {limits}",
                hint=_AS_RELEASED,
            )
        return text


def parse_starlark(path: Path, text: str) -> ast.Module:
    """The syntax tree of a file that holds the text; BadRequest where that is no Starlark."""
    try:
        return parse_python(text)
    except ValueError as error:
        raise BadRequest(
            f"{path} cannot be read",
            code="not-starlark",
            why=str(error),
            hint=_AS_RELEASED,
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
        """Take up a size; Unknown where it is too large for one value or for what is left.

        What is refused counts too: finding that out took its time.
        """
        is_refused = size > min(self.left, _LARGEST_VALUE)
        self.left -= min(size, self.left)
        if is_refused:
            raise Unknown

    def take_values(self, *values: object) -> int:
        """Take up the letters and items of values, what stands there twice counted twice.

        Gives their number; Unknown as `take`, or where a value is nested too deeply.
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
            if size + len(inner) > min(self.left, _LARGEST_VALUE):
                self.take(size)
                raise Unknown
            return inner

        if not self.left or not _is_shallow(list(values), below):
            raise Unknown
        self.take(size)
        return size


@dataclass(slots=True)
class _Progress:
    """What was found of the expressions of one place: each is read once."""

    found: dict[ast.expr, object] = field(
        default_factory=dict
    )  # an Unknown where reading did not give a value
    depth: int = 0


@dataclass(frozen=True, slots=True)
class Names:
    """What names stand for at one place; `given` are those whose values callers choose.

    The values must not change as long as it is in use.
    """

    values: Mapping[str, object]
    given: frozenset[str] = frozenset()
    room: Room = field(default_factory=Room)  # one for all places of a workspace
    progress: _Progress = field(default_factory=_Progress)

    def value(self, node: ast.expr) -> object:
        """What an expression stands for; Unknown where that takes running it, or too much room."""
        return _value(self, node)


# --- inside ------------------------------------------------------------------------------------


def _value(names: Names, node: ast.expr) -> object:
    if isinstance(node, ast.Constant | ast.Name):
        return _read(names, node)
    found = names.progress.found
    if node not in found:
        try:
            found[node] = _read(names, node)
        except Unknown as error:
            found[node] = Unknown(is_given=error.is_given)
            raise
    value = found[node]
    if isinstance(value, Unknown):
        raise Unknown(is_given=value.is_given)
    return value


def _read(names: Names, node: ast.expr) -> object:
    read = _READERS.get(type(node))
    if read is None or names.progress.depth >= _DEEPEST:
        raise Unknown
    names.progress.depth += 1
    try:
        return read(names, node)
    except (TypeError, ValueError, KeyError, IndexError, AttributeError, MemoryError) as error:
        raise Unknown from error
    finally:
        names.progress.depth -= 1


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
    names.room.take_values(found)
    return found


def _mapping(names: Names, node: ast.Dict) -> object:
    pairs = zip(node.keys, node.values, strict=True)
    found = {_key(names, key): _value(names, one) for key, one in pairs if key is not None}
    names.room.take_values(found)
    return found


def _subscript(names: Names, node: ast.Subscript) -> object:
    return _value(names, node.value)[_key(names, node.slice)]  # type: ignore[index]


def _key(names: Names, node: ast.expr) -> str | int:
    """A text or a small number: others can be chosen to be found slowly."""
    found = _value(names, node)
    if isinstance(found, str) or (isinstance(found, int) and found.bit_length() <= _KEY_BITS):
        return found
    raise Unknown


def _joined(names: Names, node: ast.BinOp) -> object:
    left, right = _value(names, node.left), _value(names, node.right)
    names.room.take_values(left, right)
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
        names.room.take_values(words[0], words[0])
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
        names.room.take(names.room.take_values(words[0]) * (1 + len(text)))
        return text.join(words[0])  # type: ignore[arg-type]
    raise Unknown


def _formatted(room: Room, text: str, words: list[object], named: Mapping[str, object]) -> object:
    """Only with fields of Starlark, which knows no widths, attributes or items in them."""
    _require_plain((*words, *named.values()))
    sizes = [room.take_values(word) for word in (text, *words, *named.values())]
    fields = [(name, spec) for _, name, spec, _ in Formatter().parse(text) if name is not None]
    if any(spec or not re.fullmatch(r"\w*", name) for name, spec in fields):
        raise Unknown
    room.take(len(text) + len(fields) * max(sizes[1:], default=0))
    return text.format(*words, **named)


def _replaced(room: Room, text: str, words: list[object]) -> object:
    old, new, *_ = words
    size = room.take_values(new)
    room.take(len(text))
    room.take(text.count(old) * size)  # type: ignore[arg-type]
    return text.replace(*words)  # type: ignore[arg-type]


def _require_plain(words: Iterable[object]) -> None:
    """Unknown for what is no text and no number: as a text it may be longer than it is."""
    if not all(isinstance(word, (str, int)) for word in words):
        raise Unknown


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
