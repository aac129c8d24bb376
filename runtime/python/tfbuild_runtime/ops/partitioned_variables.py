"""Variables in several parts, as one value: what cuts them, and what they are together."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tfbuild_runtime.framework import dtypes, tensor_shape
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.ops import control_ops
from tfbuild_runtime.ops.emit import emit

Partitioner = Callable[..., Sequence[int]]


class SaveSliceInfo:
    """Which part of a whole a variable is, for a checkpoint."""

    def __init__(self, full_name: str, full_shape: Any, var_offset: Any, var_shape: Any) -> None:
        self.full_name = full_name
        self.full_shape = list(full_shape)
        self.var_offset = list(var_offset)
        self.var_shape = list(var_shape)

    @property
    def spec(self) -> str:
        """The whole's shape and the part, as SaveV2 takes them."""
        parts = ":".join(f"{o},{s}" for o, s in zip(self.var_offset, self.var_shape))
        return " ".join([*map(str, self.full_shape), parts])


def fixed_size_partitioner(num_shards: int, axis: int = 0) -> Partitioner:
    """Return a function that cuts an axis into so many parts, or fewer where it is short."""

    def partitioner(shape: Any, **_: Any) -> list[int]:
        sizes = tensor_shape.as_shape(shape).as_list()
        return _along(len(sizes), axis, min(num_shards, sizes[axis]))

    return partitioner


def variable_axis_size_partitioner(
    max_shard_bytes: int, axis: int = 0, bytes_per_string_element: int = 16,
    max_shards: int | None = None,
) -> Partitioner:  # fmt: skip
    """Return a function that cuts an axis so that no part has more bytes; raises ValueError."""
    if max_shard_bytes < 1 or bytes_per_string_element < 1 or (max_shards or 1) < 1:
        raise ValueError("max_shard_bytes, bytes_per_string_element and max_shards are positive")

    def partitioner(shape: Any, dtype: Any) -> list[int]:
        sizes = tensor_shape.as_shape(shape).as_list()
        slice_bytes = _bytes_of(dtype, bytes_per_string_element) * (
            math.prod(sizes) // max(1, sizes[axis])
        )
        rows = max(1, max_shard_bytes // max(1, slice_bytes))
        count = -(-sizes[axis] // rows)
        return _along(len(sizes), axis, max(1, min(count, max_shards or count)))

    return partitioner


def min_max_variable_partitioner(
    max_partitions: int = 1, axis: int = 0, min_slice_size: int = 256 << 10,
    bytes_per_string_element: int = 16,
) -> Partitioner:  # fmt: skip
    """Return a function that cuts an axis into parts of at least so many bytes, or raises."""
    if max_partitions < 1 or min_slice_size < 1:
        raise ValueError("max_partitions and min_slice_size are positive")

    def partitioner(shape: Any, dtype: Any) -> list[int]:
        sizes = tensor_shape.as_shape(shape).as_list()
        total = math.prod(sizes) * _bytes_of(dtype, bytes_per_string_element)
        count = max(1, -(-total // min_slice_size))
        return _along(len(sizes), axis, min(sizes[axis], max_partitions, count))

    return partitioner


def _along(rank: int, axis: int, count: int) -> list[int]:
    parts = [1] * rank
    parts[axis] = max(1, count)
    return parts


def _bytes_of(dtype: Any, of_string: int) -> int:
    kind = dtypes.as_dtype(dtype)
    return of_string if kind.base_dtype == dtypes.string else int(kind.size)


class PartitionedVariable:
    """Variables that are the parts of one along an axis; used as a tensor they are joined."""

    def __init__(self, name: str, shape: Any, dtype: Any, variable_list: Sequence[Any],
                 partitions: Sequence[int]) -> None:  # fmt: skip
        self._name = name
        self._shape = tensor_shape.as_shape(shape)
        self._dtype = dtypes.as_dtype(dtype).base_dtype
        self._parts = list(variable_list)
        self._partitions = list(partitions)
        cut = [axis for axis, count in enumerate(partitions) if count > 1]
        self._axis = cut[0] if cut else 0

    def __iter__(self) -> Iterator[Any]:
        return iter(self._parts)

    def __len__(self) -> int:
        return len(self._parts)

    def _get_variable_list(self) -> list[Any]:
        return list(self._parts)

    def _get_partitions(self) -> list[int]:
        return list(self._partitions)

    def _to_tensor(self, as_ref: bool) -> Any:
        del as_ref
        return self.as_tensor()

    def as_tensor(self) -> Any:
        """Return the parts joined; like reading a variable, it waits for no operation around it."""
        with framework.control_dependencies(None):
            return self._concat()

    def _concat(self) -> Any:
        joined = self._parts[0]
        if len(self._parts) > 1:
            with framework.name_scope(f"{self._name}/ConcatPartitions/"):
                joined = emit("ConcatV2", [self._parts, self._axis], "concat")
        with framework.name_scope(None):
            return emit("Identity", [joined], self._name)

    @property
    def name(self) -> str:
        """The name of the whole."""
        return self._name

    @property
    def dtype(self) -> Any:
        """The type of its elements."""
        return self._dtype

    @property
    def shape(self) -> Any:
        """The shape of the whole."""
        return self._shape

    def get_shape(self) -> Any:
        """Return the shape of the whole."""
        return self._shape

    @property
    def trainable(self) -> bool:
        """Whether trainings change it."""
        return bool(self._parts[0].trainable)

    @property
    def initializer(self) -> Any:
        """The operation that gives all parts their first values."""
        return control_ops.group(*[part.initializer for part in self._parts])

    def assign(self, value: Any, use_locking: bool = False, name: str | None = None) -> list[Any]:
        """Return the parts after they were set to the parts of the value."""
        del use_locking, name
        sizes = [part.get_shape().as_list()[self._axis] for part in self._parts]
        pieces = framework.apply_op(
            "SplitV", [framework.convert_to_tensor(value, self._dtype), sizes, self._axis],
            {"num_split": len(sizes)},
        ).outputs  # fmt: skip
        return [part.assign(piece) for part, piece in zip(self._parts, pieces)]


def make_parts(name: str, partitioner: Partitioner, make: Callable[..., Any],
               arguments: dict[str, Any]) -> PartitionedVariable:  # fmt: skip
    """Return a variable cut as the partitioner says; make(name, **arguments) makes a part.

    Raises ValueError for a shape that is not known, and for cuts along several axes.
    """
    if not callable(partitioner):
        raise ValueError(f"Partitioner must be callable, but received: {partitioner}")
    initializer, dtype = (
        arguments.get("initializer"),
        dtypes.as_dtype(arguments.get("dtype") or "float32"),
    )
    whole = None if initializer is None or callable(initializer) else initializer
    known = arguments["shape"] if whole is None else framework.convert_to_tensor(whole).get_shape()
    shape = tensor_shape.as_shape(known)
    if not shape.is_fully_defined():
        raise ValueError(f"Shape of a new partitioned variable ({name}) must be fully defined, but "
                         f"instead was {shape}.")  # fmt: skip
    sizes = shape.as_list()
    partitions = list(partitioner(shape=shape, dtype=dtype))
    if len(partitions) != len(sizes) or sum(count > 1 for count in partitions) > 1:
        raise ValueError(f"a partitioner gives a number for each axis, of which one may be more "
                         f"than 1: {partitions} for {shape}")  # fmt: skip
    axis = max(range(len(sizes)), key=lambda i: partitions[i])
    parts, begin = [], 0
    for number in range(partitions[axis]):
        length = sizes[axis] // partitions[axis] + (number < sizes[axis] % partitions[axis])
        part_shape = [*sizes[:axis], length, *sizes[axis + 1 :]]
        offset = [begin if i == axis else 0 for i in range(len(sizes))]
        given = dict(arguments, shape=part_shape)
        if whole is not None:
            given.update(shape=None, initializer=emit("Slice", [whole, offset, part_shape]))
        part = make(f"{name}/part_{number}", **given)
        part._save_slice_info = SaveSliceInfo(name, sizes, offset, part_shape)
        parts.append(part)
        begin += length
    return PartitionedVariable(name, shape, dtype, parts, partitions)
