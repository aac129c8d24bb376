"""tf.ragged: ragged tensors of lists and of ranges, and functions of their values."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tfbuild_runtime.framework import dtypes, ops, tensor_shape
from tfbuild_runtime.framework.operation import Tensor
from tfbuild_runtime.ops import array_ops, check_ops, creation_ops, math_ops, reduce_ops
from tfbuild_runtime.ragged import partitions, slicing
from tfbuild_runtime.ragged.tensor import RaggedTensor
from tfbuild_runtime.ragged.value import RaggedTensorValue


def constant(pylist: Any, dtype: Any = None, ragged_rank: int | None = None,
             inner_shape: Any = None, name: str | None = None,
             row_splits_dtype: Any = dtypes.int64) -> Any:  # fmt: skip
    """Return nested lists as a RaggedTensor; one list, or a value, as a tensor.

    Raises ValueError for values that are not nested alike, or less than ragged_rank says.
    """
    with ops.name_scope(name, "RaggedConstant"):
        kind = dtypes.as_dtype(row_splits_dtype)
        flat, nested = _flattened(pylist, ragged_rank, inner_shape)
        made: Any = ops.constant(flat, dtype, shape=_shape_of(flat, inner_shape), name="values")
        for splits in reversed(nested):
            made = RaggedTensor(made, ops.constant(splits, kind))
        return made


def constant_value(pylist: Any, dtype: Any = None, ragged_rank: int | None = None,
                   inner_shape: Any = None, row_splits_dtype: Any = "int64") -> Any:  # fmt: skip
    """Return nested lists as a RaggedTensorValue; one list, or a value, as an array.

    Raises ValueError for values that are not nested alike, or less than ragged_rank says.
    """
    kind = dtypes.as_dtype(row_splits_dtype).as_numpy_dtype
    flat, nested = _flattened(pylist, ragged_rank, inner_shape)
    wanted = None if dtype is None else dtypes.as_dtype(dtype).as_numpy_dtype
    made: Any = np.array(flat, wanted).reshape(_shape_of(flat, inner_shape) or np.shape(flat))
    for splits in reversed(nested):
        made = RaggedTensorValue(made, np.array(splits, kind))
    return made


def placeholder(dtype: Any, ragged_rank: int, value_shape: Any = None,
                name: str | None = None) -> Any:  # fmt: skip
    """Return a RaggedTensor to feed, whose innermost values have a shape; a tensor of rank 0."""
    with ops.name_scope(name, "RaggedPlaceholder"):
        if ragged_rank == 0:
            return creation_ops.placeholder(dtype, value_shape, "value")
        shape = tensor_shape.TensorShape([None]).concatenate(value_shape)
        made: Any = creation_ops.placeholder(dtype, shape, "flat_values")
        for level in reversed(builtins.range(ragged_rank)):
            splits = creation_ops.placeholder(dtypes.int64, [None], f"row_splits_{level}")
            made = RaggedTensor(made, splits)
        return made


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, tuple)) or (isinstance(value, np.ndarray) and value.ndim > 0)


def _depths(value: Any) -> tuple[int | None, int]:
    """Return how deep values are nested, None where there is none, and how deep lists are."""
    if not _is_list(value):
        return 0, 0
    below = [_depths(item) for item in value]
    of_values = {depth for depth, _ in below if depth is not None}
    if len(of_values) > 1:
        raise ValueError("all scalar values must have the same nesting depth")
    deepest = max((depth for _, depth in below), default=0) + 1
    return (of_values.pop() + 1 if of_values else None), deepest


def _flattened(pylist: Any, ragged_rank: int | None, inner_shape: Any) -> tuple[Any, list[Any]]:
    """Return the values of the innermost rows, and the splits of each dimension."""
    of_values, deepest = _depths(pylist)
    if of_values is not None and deepest > of_values:
        raise ValueError(f"Invalid pylist={pylist}: empty list nesting is greater than scalar "
                         "value nesting")  # fmt: skip
    inner = len(inner_shape) if inner_shape is not None else 0
    if of_values == 0 and (ragged_rank or inner):
        raise ValueError(f"Invalid pylist={pylist}: incompatible with ragged_rank={ragged_rank} "
                         f"and inner_shape={inner_shape}")  # fmt: skip
    if ragged_rank is None:
        ragged_rank = max(0, deepest - 1 - inner)
    elif inner_shape is not None and of_values not in (None, ragged_rank + inner + 1):
        raise ValueError(f"Invalid pylist={pylist}: incompatible with ragged_rank={ragged_rank} "
                         f"and dim(inner_shape)={inner}")  # fmt: skip
    if of_values is not None and of_values <= ragged_rank and ragged_rank:
        raise ValueError(f"pylist has scalar values depth {of_values}, but ragged_rank="
                         f"{ragged_rank} requires scalar value depth greater than "
                         f"{ragged_rank}")  # fmt: skip
    nested, rows = [], pylist
    for _ in builtins.range(ragged_rank):
        nested.append(np.cumsum([0, *(len(row) for row in rows)]).tolist())
        rows = [item for row in rows for item in row]
    return rows, nested


def _shape_of(flat: Any, inner_shape: Any) -> Any:
    if inner_shape is None or not _is_list(flat):
        return None
    return [len(flat), *inner_shape]


def range(starts: Any, limits: Any = None, deltas: Any = 1, dtype: Any = None,
          name: str | None = None, row_splits_dtype: Any = dtypes.int64
          ) -> RaggedTensor:  # fmt: skip
    """Return a row of numbers from each start, by delta, up to but without the limit.

    Without limits these are the starts, and rows begin at 0. Scalars count for every row. A step
    ends with InvalidArgumentError for vectors of several lengths and for a delta of 0.
    """
    starts, limits = (0, starts) if limits is None else (starts, limits)
    with ops.name_scope(name, "RaggedRange", [starts, limits, deltas]):
        given = [ops.convert_to_tensor(value, dtype, name=part) for value, part in
                 ((starts, "starts"), (limits, "limits"), (deltas, "deltas"))]  # fmt: skip
        order = [dtypes.int32, dtypes.int64, dtypes.bfloat16, dtypes.float32, dtypes.float64]
        for value in given:
            if value.dtype not in order:
                raise ValueError(f"ranges are of numbers, not of {value.dtype.name}")
        widest = max((value.dtype for value in given), key=order.index)
        same = [math_ops.cast(value, widest) for value in given]
        splits, numbers = slicing.ranges(*same, dtypes.as_dtype(row_splits_dtype))
        return RaggedTensor.from_row_splits(numbers, splits, None, False)


def map_flat_values(op: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Return op's result for the flat values of ragged arguments, in the rows of these.

    Without ragged arguments it is op's result alone. Arguments may be lists and dicts of ragged
    tensors. Raises ValueError where the result has another number of values, or rows are known to
    differ; a step ends with InvalidArgumentError where they do.
    """
    found: list[RaggedTensor] = []

    def flat(value: Any) -> Any:
        if isinstance(value, RaggedTensor):
            found.append(value)
            return value.flat_values
        if isinstance(value, (list, tuple)):
            return [flat(item) for item in value]
        if isinstance(value, dict):
            return {key: flat(item) for key, item in value.items()}
        return value

    flat_args, flat_kwargs = [flat(value) for value in args], flat(kwargs)
    if not found:
        return op(*args, **kwargs)
    with ops.control_dependencies(_same_rows(found)):
        result = op(*flat_args, **flat_kwargs)
        if isinstance(result, Tensor):  # a function may return what it was given
            result = array_ops.identity(result)
    count = found[0].flat_values.shape[:1]
    if result.shape.rank == 0 or not count.is_compatible_with(result.shape[:1]):
        raise ValueError("tf.ragged.map_flat_values requires that the output of `op` has as many "
                         f"values as its ragged inputs, {count[0]}; its shape is "
                         f"{result.shape}")  # fmt: skip
    return found[0].with_flat_values(result)


def _same_rows(found: list[RaggedTensor]) -> list[Any]:
    """Return checks that all have the rows of the first one."""
    checks = []
    wanted = found[0].nested_row_splits
    for other in found[1:]:
        given = other.nested_row_splits
        if len(given) != len(wanted):
            raise ValueError("all ragged arguments must have one ragged_rank, not "
                             f"{len(wanted)} and {len(given)}")  # fmt: skip
        for one, two in zip(wanted, given):
            if one is two:
                continue
            if not one.shape.is_compatible_with(two.shape):
                raise ValueError("all ragged arguments must have the same rows")
            message = "all ragged arguments must have the same rows"
            other_splits = math_ops.cast(two, one.dtype)
            checks.append(check_ops.assert_equal(one, other_splits, message=message))
    return checks


def elementwise(function: Callable[..., Any], *operands: Any, **named: Any) -> Any:
    """Return a function's result for the values of ragged operands of the same rows.

    Tensors are stretched along rows where they have one element for each, or one for all. Raises
    ValueError for those that would have to be cut into rows.
    """
    whole = next(each for each in _ragged_in([operands, list(named.values())]))

    def operand(value: Any) -> Any:
        is_list = isinstance(value, (list, tuple))
        if is_list and next(_ragged_in(value), None) is not None:
            return [operand(item) for item in value]
        if is_list or isinstance(value, np.ndarray) or ops.is_tensor_like(value):
            tensor = ops.convert_to_tensor(value, dtype_hint=whole.dtype.base_dtype)
            return _along_rows(tensor, whole)
        return value

    return map_flat_values(function, *[operand(value) for value in operands],
                           **{name: operand(value) for name, value in named.items()})  # fmt: skip


def _ragged_in(values: Any) -> Iterator[RaggedTensor]:
    for value in values:
        if isinstance(value, RaggedTensor):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from _ragged_in(value)


def _along_rows(tensor: Any, whole: RaggedTensor) -> Any:
    """Return what stands beside each of the flat values of a ragged tensor."""
    flat = whole.flat_values
    if tensor.shape.rank is None or flat.shape.rank is None or tensor.shape.rank < flat.shape.rank:
        return tensor
    rank = whole.ragged_rank + flat.shape.rank
    sizes = [1] * (rank - tensor.shape.rank) + tensor.shape.as_list()
    outer, inner = sizes[: whole.ragged_rank + 1], sizes[whole.ragged_rank + 1 :]
    if len(sizes) > rank or any(size != 1 for size in outer[1:]):
        raise ValueError("operators take ragged tensors of the same rows and scalars, not a "
                         f"tensor of shape {tensor.shape}")  # fmt: skip
    lead = array_ops.shape(tensor)[: tensor.shape.rank - len(inner)]
    rows = array_ops.reshape(tensor, array_ops.concat(
        [[reduce_ops.reduce_prod(lead)], array_ops.shape(tensor)[tensor.shape.rank - len(inner):]],
        0))  # fmt: skip
    if outer[0] == 1:
        return rows
    ids = None
    for level in reversed(whole.nested_value_rowids()):
        ids = level if ids is None else array_ops.gather(level, ids)
    return array_ops.gather(rows, ids)


def row_splits_to_segment_ids(splits: Any, name: str | None = None,
                              out_type: Any = None) -> Tensor:  # fmt: skip
    """Return the row of each value, for splits that say where rows begin."""
    with ops.name_scope(name, "RaggedSplitsToSegmentIds", [splits]):
        ids = partitions.to_rowids(partitions.as_partition(splits, "splits"))
        cast: Tensor = ids if out_type is None else math_ops.cast(ids, dtypes.as_dtype(out_type))
        return cast


def segment_ids_to_row_splits(segment_ids: Any, num_segments: Any = None, out_type: Any = None,
                              name: str | None = None) -> Tensor:  # fmt: skip
    """Return where rows begin, for values that say their row."""
    with ops.name_scope(name, "SegmentIdsToRaggedSplits", [segment_ids]):
        ids = partitions.as_partition(segment_ids, "segment_ids")
        splits = partitions.from_rowids(ids, num_segments)
        cast: Tensor = splits if out_type is None else math_ops.cast(splits, out_type)
        return cast
