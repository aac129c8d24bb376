"""Shapes that may be known in part while a graph is built."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from tfbuild_runtime.protos import messages


class Dimension:
    """The size of one dimension, or unknown (value None)."""

    __slots__ = ("_of", "_value")

    def __init__(self, value: Any, of: Any = None) -> None:
        self._value = _as_size(value)
        self._of = of  # the tensor whose shape this is a part of, if it is one's

    @property
    def value(self) -> int | None:
        """The size; None when unknown."""
        return self._value

    def is_compatible_with(self, other: Any) -> bool:
        """Whether both can be the same size."""
        return _merge_sizes(self._value, _as_size(other)) is not False

    def assert_is_compatible_with(self, other: Any) -> None:
        """Raise ValueError unless both can be the same size."""
        self.merge_with(other)

    def merge_with(self, other: Any) -> Dimension:
        """Return what is known from both; raises ValueError when they differ."""
        merged = _merge_sizes(self._value, _as_size(other))
        if merged is False:
            raise ValueError(f"Dimensions {self} and {other} are not compatible")
        return Dimension(merged)

    def __eq__(self, other: object) -> Any:
        size = other._value if isinstance(other, Dimension) else other
        if self._value is None or size is None:
            return None  # as in TensorFlow: neither true nor false
        return self._value == size

    def __ne__(self, other: object) -> Any:
        same = self == other
        return None if same is None else not same

    def __hash__(self) -> int:
        return hash(self._value)

    def __int__(self) -> int:
        return self.__index__()

    def __index__(self) -> int:
        if self._value is None:
            raise TypeError(f"the dimension is unknown{_because(self._of)}")
        return self._value

    def _combine(self, other: Any, compute: Any) -> Dimension:
        size = _as_size(other)
        known = self._value is not None and size is not None
        return Dimension(compute(self._value, size) if known else None)

    def __add__(self, other: Any) -> Dimension:
        return self._combine(other, lambda a, b: a + b)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Dimension:
        return self._combine(other, lambda a, b: a - b)

    def __mul__(self, other: Any) -> Dimension:
        return self._combine(other, lambda a, b: a * b)

    __rmul__ = __mul__

    def __rsub__(self, other: Any) -> Dimension:
        return self._combine(other, lambda a, b: b - a)

    def __rfloordiv__(self, other: Any) -> Dimension:
        return self._combine(other, lambda a, b: b // a)

    def __lt__(self, other: Any) -> Any:
        return self._compare(other, lambda a, b: a < b)

    def __le__(self, other: Any) -> Any:
        return self._compare(other, lambda a, b: a <= b)

    def __gt__(self, other: Any) -> Any:
        return self._compare(other, lambda a, b: a > b)

    def __ge__(self, other: Any) -> Any:
        return self._compare(other, lambda a, b: a >= b)

    def _compare(self, other: Any, test: Any) -> Any:
        size = _as_size(other)
        return None if self._value is None or size is None else test(self._value, size)

    def __floordiv__(self, other: Any) -> Dimension:
        return self._combine(other, lambda a, b: a // b)

    def __mod__(self, other: Any) -> Dimension:
        return self._combine(other, lambda a, b: a % b)

    def __repr__(self) -> str:
        return f"Dimension({self._value})"

    def __str__(self) -> str:
        return "?" if self._value is None else str(self._value)


def _as_size(value: Any) -> int | None:
    if value is None:
        return None
    if isinstance(value, Dimension):
        return value._value
    if isinstance(value, float):
        if not value.is_integer():
            raise ValueError(f"Ambiguous dimension: {value}")
        value = int(value)
    try:
        size = value.__index__()
    except AttributeError:
        raise TypeError(f"a dimension is an integer or None, not {_described(value)}") from None
    if size == -1:
        return None
    if size < 0:
        raise ValueError(f"dimension {size} must not be negative")
    return int(size)


def _described(value: Any) -> str:
    op = getattr(value, "op", None)
    if op is None:
        return repr(value)
    return (
        f"{value!r}, a tensor whose value is only known when the graph runs; it comes from "
        f"{op.name!r} ({op.type}), made at {op.defined_at}"
    )


def _merge_sizes(a: int | None, b: int | None) -> Any:
    if a is None:
        return b
    return a if b is None or a == b else False


_plain_sizes = [False]


def enable_v2_tensorshape() -> None:
    """Let the elements of a TensorShape be integers and None."""
    _plain_sizes[0] = True


def disable_v2_tensorshape() -> None:
    """Let the elements of a TensorShape be Dimensions, as in TensorFlow 1; the default."""
    _plain_sizes[0] = False


def _element(size: int | None, of: Any) -> Any:
    return size if _plain_sizes[0] else Dimension(size, of)


def _because(tensor: Any) -> str:
    if tensor is None:
        return ""
    from tfbuild_runtime.framework.shape_origin import why_unknown

    return f": {why_unknown(tensor)}"


class TensorShape:
    """The shape of a tensor: nothing known, the rank, or the rank and some sizes."""

    __slots__ = ("_of", "_sizes")

    def __init__(self, dims: Any, of: Any = None) -> None:
        self._of = of  # the tensor whose shape this is, if it is one's
        self._sizes: tuple[int | None, ...] | None
        if dims is None:
            self._sizes = None
        elif isinstance(dims, TensorShape):
            self._sizes = dims._sizes
        elif isinstance(dims, Iterable):
            self._sizes = tuple(_as_size(size) for size in dims)
        elif messages.is_message(dims, "TensorShapeProto"):
            sizes = tuple(None if dim.size == -1 else _as_size(dim.size) for dim in dims.dim)
            self._sizes = None if dims.unknown_rank else sizes
        else:
            self._sizes = (_as_size(dims),)

    @property
    def rank(self) -> int | None:
        """The number of dimensions; None when unknown."""
        return None if self._sizes is None else len(self._sizes)

    @property
    def ndims(self) -> int | None:
        """The number of dimensions; None when unknown."""
        return self.rank

    @property
    def dims(self) -> list[Dimension] | None:
        """The dimensions; None when the rank is unknown."""
        return None if self._sizes is None else [Dimension(s, self._of) for s in self._sizes]

    def as_proto(self) -> Any:
        """Return the shape as a TensorShapeProto."""
        if self._sizes is None:
            return messages.TensorShapeProto(unknown_rank=True)
        sizes = (-1 if size is None else size for size in self._sizes)
        return messages.TensorShapeProto(dim=[{"size": size} for size in sizes])

    def as_list(self) -> list[int | None]:
        """Return the sizes, None for unknown ones; raises ValueError on an unknown rank."""
        if self._sizes is None:
            because = _because(self._of)
            raise ValueError(f"as_list() is not defined on an unknown TensorShape{because}")
        return list(self._sizes)

    def num_elements(self) -> int | None:
        """Return the product of the sizes; None when one is unknown."""
        if self._sizes is None:
            return None
        product = 1
        for size in self._sizes:
            if size is None:
                return None
            product *= size
        return product

    def is_fully_defined(self) -> bool:
        """Whether every size is known."""
        return self._sizes is not None and None not in self._sizes

    def assert_is_fully_defined(self) -> None:
        """Raise ValueError unless every size is known."""
        if not self.is_fully_defined():
            raise ValueError(f"Shape {self} is not fully defined{_because(self._of)}")

    def is_compatible_with(self, other: Any) -> bool:
        """Whether one array can have both shapes."""
        mine, theirs = self._sizes, as_shape(other)._sizes
        if mine is None or theirs is None:
            return True
        pairs = zip(mine, theirs)
        return len(mine) == len(theirs) and all(_merge_sizes(*pair) is not False for pair in pairs)

    def assert_is_compatible_with(self, other: Any) -> None:
        """Raise ValueError unless one array can have both shapes."""
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {as_shape(other)} are incompatible")

    def merge_with(self, other: Any) -> TensorShape:
        """Return what is known from both; raises ValueError when they contradict each other."""
        second = as_shape(other)
        self.assert_is_compatible_with(second)
        if self._sizes is None:
            return second
        if second._sizes is None:
            return self
        pairs = zip(self._sizes, second._sizes)
        return TensorShape(_merge_sizes(*pair) for pair in pairs)

    def concatenate(self, other: Any) -> TensorShape:
        """Return the dimensions of this shape followed by those of the other."""
        other = as_shape(other)
        if self._sizes is None or other._sizes is None:
            return TensorShape(None)
        return TensorShape(self._sizes + other._sizes)

    def with_rank(self, rank: int) -> TensorShape:
        """Return the shape with that rank; raises ValueError when it has another."""
        try:
            return self.merge_with([None] * rank)
        except ValueError:
            raise ValueError(f"Shape {self} must have rank {rank}") from None

    def with_rank_at_least(self, rank: int) -> TensorShape:
        """Return the shape; raises ValueError when its rank is less."""
        if self._sizes is not None and len(self._sizes) < rank:
            raise ValueError(f"Shape {self} must have rank at least {rank}")
        return self

    def assert_has_rank(self, rank: int) -> None:
        """Raise ValueError unless the rank can be that."""
        self.with_rank(rank)

    def __len__(self) -> int:
        return len(self.as_list())

    def __bool__(self) -> bool:
        return self._sizes is not None

    def __iter__(self) -> Iterator[Any]:
        return (_element(size, self._of) for size in self.as_list())

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            return TensorShape(None if self._sizes is None else self._sizes[key])
        return _element(None if self._sizes is None else self._sizes[key], self._of)

    def __add__(self, other: Any) -> TensorShape:
        return self.concatenate(other)

    def __radd__(self, other: Any) -> TensorShape:
        return as_shape(other).concatenate(self)

    def __eq__(self, other: object) -> bool:
        try:
            return self._sizes == as_shape(other)._sizes
        except (TypeError, ValueError):
            return False

    def __hash__(self) -> int:
        return hash(self._sizes)

    def __repr__(self) -> str:
        return f"TensorShape({None if self._sizes is None else list(self._sizes)})"

    def __str__(self) -> str:
        if self._sizes is None:
            return "<unknown>"
        comma = "," if len(self._sizes) == 1 else ""
        return "(" + ", ".join("?" if s is None else str(s) for s in self._sizes) + comma + ")"

    def __reduce__(self) -> Any:
        return TensorShape, (self._sizes,)


def as_shape(value: Any) -> TensorShape:
    """Return value as a TensorShape."""
    return value if isinstance(value, TensorShape) else TensorShape(value)


def unknown_shape(rank: int | None = None) -> TensorShape:
    """Return a shape of which nothing, or only the rank, is known."""
    return TensorShape(None if rank is None else [None] * rank)


def scalar() -> TensorShape:
    """Return the shape of a scalar."""
    return TensorShape([])
