"""Ragged tensors turned, repeated, cut and picked from, by the names of functions of tensors."""

from __future__ import annotations

import builtins
from typing import Any

from tfbuild_runtime.framework import dtypes, ops
from tfbuild_runtime.framework.operation import Tensor
from tfbuild_runtime.ops import array_ops, check_ops, counting_ops, creation_ops, math_ops
from tfbuild_runtime.ops.emit import only_one
from tfbuild_runtime.ragged import partitions as row_partitions
from tfbuild_runtime.ragged import slicing
from tfbuild_runtime.ragged.tensor import RaggedTensor

_ALL = builtins.slice(None)


def place_of(axis: Any, rank: int | None) -> int:
    """Return an axis counted from the front; ValueError for one that is not there or not known."""
    axis = ops.constant_value(axis) if isinstance(axis, Tensor) else axis
    if axis is None or rank is None:
        raise ValueError("the axis and the rank of a ragged tensor must be known here")
    if not -rank <= axis < rank:
        raise ValueError(f"axis={axis} out of bounds: expected -{rank}<=axis<{rank}")
    return int(axis) % rank


def reverse(tensor: Any, axis: Any, name: str | None = None) -> Any:
    """Return the rows, or what is in them, in the other order along each of the axes.

    Raises TypeError for axes that are no list of numbers, ValueError for one that is not there.
    """
    if isinstance(axis, Tensor):
        known = ops.constant_value(axis)
        axis = None if known is None else known.tolist()
    if not isinstance(axis, (list, tuple)) or not all(isinstance(one, int) for one in axis):
        raise TypeError("`axis` must be a list of int or a constant tensor when reversing axes in "
                        "a ragged tensor")  # fmt: skip
    with ops.name_scope(name, "Reverse", [tensor]):
        places = [place_of(one, tensor.shape.rank) for one in axis]
        turned = builtins.slice(None, None, -1)
        keys = [turned if at in places else _ALL
                for at in builtins.range(max(places, default=-1) + 1)]  # fmt: skip
        return tensor[tuple(keys)]


def tile(input: Any, multiples: Any, name: str | None = None) -> Any:
    """Return the ragged tensor as often along each axis as multiples say.

    Raises ValueError where these are known not to be one for each axis.
    """
    with ops.name_scope(name, "RaggedTile", [input, multiples]):
        counts = row_partitions.as_partition(multiples, "multiples", input.row_splits.dtype)
        counts.shape.assert_is_compatible_with([input.shape.rank])
        return _repeated(_tiled(input, counts), counts[0])


def _tiled(ragged: Any, counts: Any) -> Any:
    """Return what tile makes of all axes but the first."""
    if not isinstance(ragged, RaggedTensor):
        return array_ops.tile(ragged, array_ops.concat([[1], counts[1:]], 0))
    values = _tiled(ragged.values, counts[1:])
    splits = ragged.row_splits * counts[1]
    lengths = array_ops.gather(ragged.row_lengths(), row_partitions.to_rowids(splits))
    places = math_ops.floormod(row_partitions.places_in_rows(splits), math_ops.maximum(lengths, 1))
    starts = array_ops.gather(ragged.row_starts(), row_partitions.to_rowids(splits))
    return RaggedTensor.from_row_splits(
        slicing.gather(values, starts + places), splits, None, False
    )


def _repeated(ragged: Any, count: Any) -> Any:
    rows = creation_ops.range(ragged.nrows())
    return slicing.gather(ragged, array_ops.tile(rows, array_ops.reshape(count, [1])))


def split(value: Any, num_or_size_splits: Any, axis: Any = 0, num: int | None = None,
          name: str | None = None) -> list[Any]:  # fmt: skip
    """Return the parts of a ragged tensor along an axis whose sizes are all the same.

    Raises ValueError for an axis of rows of any length, for fewer parts than one and where their
    number is not known; a step ends with InvalidArgumentError where they do not make up the whole.
    """
    with ops.name_scope(name, "RaggedSplit", [value]):
        place = place_of(axis, value.shape.rank)
        size = _size_of(value, place)
        if isinstance(num_or_size_splits, int):
            count = num_or_size_splits
            if count < 1:
                raise ValueError(f"`num_or_size_splits` must be >=1 if it is an `int`, not {count}")
            lengths = creation_ops.fill([count], math_ops.div(size, count))
        else:
            lengths = ops.convert_to_tensor(num_or_size_splits)
            lengths.shape.assert_has_rank(1)
            known = lengths.shape.as_list()[0]
            count = num if known is None else known
            if count is None or num not in (None, count):
                raise ValueError(f"the number of parts must be known, and be num: {known}, {num}")
        ends = row_partitions.from_lengths(math_ops.cast(lengths, dtypes.int64))
        message = "Cannot exactly split the axis of the ragged tensor into these parts"
        whole = check_ops.assert_equal(ends[-1], math_ops.cast(size, dtypes.int64), message=message)
        least = check_ops.assert_non_negative(lengths, message="sizes must not be negative")
        with ops.control_dependencies([whole, least]):
            ends = array_ops.identity(ends)
        keys = [_ALL] * place
        return [value[(*keys, builtins.slice(ends[at], ends[at + 1]))]
                for at in builtins.range(count)]  # fmt: skip


def _size_of(value: Any, axis: int) -> Any:
    """Return the size of an axis; ValueError for one of rows of any length."""
    if not isinstance(value, RaggedTensor):
        return array_ops.shape(value, out_type=dtypes.int64)[axis]
    if axis == 0:
        return value.nrows(dtypes.int64)
    if axis > 1:
        return _size_of(value.values, axis - 1)
    if value.uniform_row_length is None:
        raise ValueError(f"Cannot split a ragged dimension, of {value}")
    return value.uniform_row_length


def squeeze(input: Any, axis: Any = None, name: str | None = None,
            squeeze_dims: Any = None) -> Any:  # fmt: skip
    """Return the ragged tensor without axes of size 1.

    Raises ValueError without axes and for those that are not there; a step ends with
    InvalidArgumentError where one has another size.
    """
    axis = only_one(axis, squeeze_dims, "axis", "squeeze_dims")
    if axis is None:
        raise ValueError("Ragged.squeeze must have an axis argument.")
    axes = [axis] if isinstance(axis, int) else axis
    with ops.name_scope(name, "RaggedSqueeze", [input]):
        places = {place_of(one, input.shape.rank) for one in axes}
        for place in sorted(places, reverse=True):
            input = _without_axis(input, place)
        return input


def _without_axis(value: Any, axis: int) -> Any:
    if not isinstance(value, RaggedTensor):
        return array_ops.squeeze(value, [axis])
    if axis > 1:
        return value.with_values(_without_axis(value.values, axis - 1))
    size = value.nrows() if axis == 0 else value.row_lengths()
    message = f"the axis {axis} that is squeezed must have size 1"
    with ops.control_dependencies([check_ops.assert_equal(size, ops.constant(1, size.dtype),
                                                          message=message)]):  # fmt: skip
        if isinstance(value.values, RaggedTensor):
            inner = value.values
            return inner.with_flat_values(array_ops.identity(inner.flat_values))
        return array_ops.identity(value.values)


def dynamic_partition(data: Any, partitions: Any, num_partitions: int,
                      name: str | None = None) -> list[Any]:  # fmt: skip
    """Return num_partitions ragged tensors, each of the rows that go there, in their order.

    Partitions have a number for each row, or for what the rows hold where they are ragged. What is
    in no partition is left out.
    """
    with ops.name_scope(name, "RaggedDynamicPartition"):
        data, which = beside(data, partitions)
        return [_kept(data, math_ops.equal(which, ops.constant(at, which.dtype)))
                for at in builtins.range(num_partitions)]  # fmt: skip


def _kept(data: Any, mask: Any) -> Any:
    return slicing.gather(data, array_ops.squeeze(array_ops.where(mask), axis=[1]))


def stack_dynamic_partitions(data: Any, partitions: Any, num_partitions: Any,
                             name: str | None = None) -> RaggedTensor:  # fmt: skip
    """Return a row for each partition of the slices of data that go there, in their order.

    A step ends with InvalidArgumentError for a partition that is not below num_partitions.
    """
    with ops.name_scope(name, "SegmentStack"):
        nested = [part for part in (data, partitions) if isinstance(part, RaggedTensor)]
        data, which = beside(data, partitions)
        count = math_ops.cast(num_partitions, which.dtype)
        message = "partitions must be less than num_partitions, and not negative"
        checks = [check_ops.assert_less(which, count, message=message),
                  check_ops.assert_non_negative(which, message=message)]  # fmt: skip
        with ops.control_dependencies(checks):
            order = counting_ops.argsort(which, stable=True)
        splits = row_partitions.from_rowids(array_ops.gather(which, order), count)
        if nested:
            splits = math_ops.cast(splits, nested[0].row_splits.dtype)
        return RaggedTensor.from_row_splits(slicing.gather(data, order), splits, None, False)


def beside(data: Any, partitions: Any) -> tuple[Any, Tensor]:
    """Return the slices of data that have a partition each, and the vector of these.

    Raises ValueError where the partitions have more dimensions than data, or rows that differ.
    """
    if not isinstance(data, RaggedTensor):
        data = ops.convert_to_tensor(data, name="data")
    if not isinstance(partitions, RaggedTensor):
        partitions = ops.convert_to_tensor(partitions, name="partitions")
    rank = partitions.shape.rank
    if rank is None or rank == 0:
        raise ValueError(f"partitions must have a known rank, of 1 at least, not {rank}")
    if rank == 1:
        return data, partitions
    if not isinstance(partitions, RaggedTensor):
        partitions = RaggedTensor.from_tensor(partitions, ragged_rank=rank - 1)
    data = with_rows_of(data, partitions.row_splits)
    return beside(data.values, partitions.values)


def with_rows_of(data: Any, splits: Tensor) -> RaggedTensor:
    """Return data as a ragged tensor whose rows are known, or are checked, to be these."""
    if not isinstance(data, RaggedTensor):
        data = RaggedTensor.from_tensor(data)
    if data.row_splits is splits:
        return data
    message = "ragged tensors that go together must have the same rows"
    same = check_ops.assert_equal(
        math_ops.cast(data.row_splits, dtypes.int64), math_ops.cast(splits, dtypes.int64),
        message=message,
    )  # fmt: skip
    with ops.control_dependencies([same]):
        return data.with_flat_values(array_ops.identity(data.flat_values))


def merge_dims(value: Any, outer: int, inner: int) -> Any:
    """Return a tensor, ragged or not, whose axes from outer to inner are one."""
    if outer == inner:
        return value
    if not isinstance(value, RaggedTensor):
        shape = array_ops.shape(value)
        return array_ops.reshape(value, array_ops.concat(
            [shape[:outer], [-1], shape[inner + 1 :]], 0))  # fmt: skip
    if outer == 0:
        return merge_dims(value.values, 0, inner - 1)
    if outer > 1:
        return value.with_values(merge_dims(value.values, outer - 1, inner - 1))
    splits, below = value.row_splits, value.values
    for _ in builtins.range(inner - 1):
        if isinstance(below, RaggedTensor):
            splits, below = array_ops.gather(below.row_splits, splits), below.values
        else:
            splits = splits * array_ops.shape(below, out_type=splits.dtype)[1]
            below = merge_dims(below, 0, 1)
    return RaggedTensor.from_row_splits(below, splits, None, False)
