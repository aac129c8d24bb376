"""Slices of ragged tensors by their places: gather with axes and batches, gather_nd."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.framework import dtypes, ops
from tfbuild_runtime.framework.operation import Tensor
from tfbuild_runtime.ops import array_ops, check_ops, creation_ops, math_ops
from tfbuild_runtime.ragged import arrays, slicing
from tfbuild_runtime.ragged.tensor import RaggedTensor


def gather(params: Any, indices: Any, validate_indices: Any = None, name: str | None = None,
           axis: Any = None, batch_dims: int = 0) -> Any:  # fmt: skip
    """Return the slices of params along an axis, in the order of indices; both may be ragged.

    With batch_dims the indices of a row are places in the same row of params. Raises ValueError for
    axes and batches that are not there; a step ends with InvalidArgumentError for a place that is
    in no row.
    """
    del validate_indices
    with ops.name_scope(name, "RaggedGather", [params, indices]):
        params, indices = _as_given(params, "params"), _as_given(indices, "indices")
        batches = _batches(batch_dims, indices.shape.rank)
        place = batches if axis is None else arrays.place_of(axis, params.shape.rank)
        if place < batches:
            raise ValueError(f"axis={place} must be at least batch_dims={batches}")
        return _gathered(params, indices, place, batches)


def batch_gather(params: Any, indices: Any, name: str | None = None) -> Any:
    """Return the slices of each row of params that the same row of indices names."""
    with ops.name_scope(name, "RaggedBatchGather", [params, indices]):
        params, indices = _as_given(params, "params"), _as_given(indices, "indices")
        rank = indices.shape.rank
        if rank is None or rank < 1:
            raise ValueError("the rank of the indices must be known, and 1 at least")
        return _gathered(params, indices, rank - 1, rank - 1)


def gather_nd(
    params: Any, indices: Any, name: str | None = None, batch_dims: int = 0,
    bad_indices_policy: str = "",
) -> Any:  # fmt: skip
    """Return the slices of params at places that are given for several axes at once.

    Raises ValueError for batches, for a bad_indices_policy but the default, and where the number of
    axes is not known; a step ends with InvalidArgumentError for a place that is in no row.
    """
    if batch_dims:
        raise ValueError("gather_nd of ragged tensors has no batch_dims")
    if bad_indices_policy not in ("", "DEFAULT"):
        raise ValueError("non-default bad_indices_policy not supported for ragged gather")
    with ops.name_scope(name, "RaggedGatherNd", [params, indices]):
        params, indices = _as_given(params, "params"), _as_given(indices, "indices")
        if isinstance(indices, RaggedTensor):
            if indices.flat_values.shape.rank in (None, 1):
                raise ValueError("the last dimension of the indices must not be ragged")
            return indices.with_flat_values(_at_places(params, indices.flat_values))
        return _at_places(params, indices)


def _as_given(value: Any, name: str) -> Any:
    return value if isinstance(value, RaggedTensor) else ops.convert_to_tensor(value, name=name)


def _batches(batch_dims: int, rank: int | None) -> int:
    if batch_dims < 0:
        if rank is None:
            raise ValueError("a negative batch_dims needs a known rank of the indices")
        batch_dims += rank
    if batch_dims < 0 or (rank is not None and batch_dims > rank):
        raise ValueError(f"batch_dims={batch_dims} must not be more than the rank {rank} of the "
                         "indices")  # fmt: skip
    return batch_dims


def _gathered(params: Any, indices: Any, axis: int, batches: int) -> Any:
    if not isinstance(params, RaggedTensor) and not isinstance(indices, RaggedTensor):
        return array_ops.gather(params, indices, axis=axis, batch_dims=batches)
    if batches == 0 and axis == 0:
        if isinstance(indices, RaggedTensor):
            return indices.with_values(_gathered(params, indices.values, 0, 0))
        return slicing.gather(params, indices)
    params = params if isinstance(params, RaggedTensor) else RaggedTensor.from_tensor(params)
    if batches == 0:
        if axis > 1:
            return params.with_values(_gathered(params.values, indices, axis - 1, 0))
        return _gathered(params, _for_each_row(indices, params.nrows()), 1, 1)
    if indices.shape.rank == 1:  # one place in each row
        column = array_ops.expand_dims(indices, 1)
        return arrays.squeeze(_gathered(params, column, axis, batches), axis)
    given = indices
    if not isinstance(indices, RaggedTensor):
        indices = RaggedTensor.from_tensor(indices)
    message = "params and indices must have the same rows before the batch's end"
    with ops.control_dependencies([_equal(params.nrows(), indices.nrows(), message)]):
        if batches > 1 or axis > 1:
            return _in_rows(params, indices, axis, batches)
        places = _places_in(params, indices.values, indices.value_rowids())
        found = indices.with_values(_gathered(params.values, places, 0, 0))
    if given is indices or isinstance(params.values, RaggedTensor):
        return found
    shape = array_ops.concat([array_ops.shape(given), array_ops.shape(params.values)[1:]], 0)
    return array_ops.reshape(found.flat_values, shape)


def _in_rows(params: RaggedTensor, indices: RaggedTensor, axis: int, batches: int) -> Any:
    """Return what is gathered further in: both have the same rows, or an axis comes before it."""
    if batches > 1:
        indices = arrays.with_rows_of(indices, params.row_splits)
        return params.with_values(_gathered(params.values, indices.values, axis - 1, batches - 1))
    # Each of the values of a row is a batch of its own, with the indices of the row.
    spread = slicing.gather(indices, params.value_rowids())
    return params.with_values(_gathered(params.values, spread, axis - 1, 1))


def _for_each_row(indices: Any, count: Any) -> Any:
    """Return the same indices for so many rows."""
    zeros = array_ops.tile(ops.constant([0], dtypes.int64), array_ops.reshape(count, [1]))
    if isinstance(indices, RaggedTensor):
        whole = RaggedTensor.from_uniform_row_length(indices, indices.nrows(), 1, validate=False)
        return slicing.gather(whole, zeros)
    return array_ops.gather(array_ops.expand_dims(indices, 0), zeros)


def _places_in(params: RaggedTensor, indices: Any, rowids: Tensor) -> Any:
    """Return where among the values of params the indices of rows are."""
    flat = indices
    if isinstance(flat, RaggedTensor):
        outer = flat.value_rowids()
        return flat.with_values(_places_in(params, flat.values, array_ops.gather(rowids, outer)))
    kind = params.row_splits.dtype
    starts = array_ops.gather(params.row_starts(), rowids)
    lengths = array_ops.gather(params.row_lengths(), rowids)
    for _ in range((flat.shape.rank or 1) - 1):
        starts, lengths = array_ops.expand_dims(starts, -1), array_ops.expand_dims(lengths, -1)
    flat = math_ops.cast(flat, kind)
    message = "indices must be places in the rows of params"
    checks = [check_ops.assert_non_negative(flat, message=message),
              check_ops.assert_less(flat, creation_ops.zeros_like(flat) + lengths,
                                    message=message)]  # fmt: skip
    with ops.control_dependencies(checks):
        return flat + starts


def _at_places(params: Any, indices: Any) -> Any:
    """Return the slices at places, whose coordinates are the last dimension of a tensor."""
    if not isinstance(params, RaggedTensor):
        from tfbuild_runtime.ops import placement_ops

        return placement_ops.gather_nd(params, indices)
    size = indices.shape.as_list()[-1] if indices.shape.rank else None
    if size is None:
        raise ValueError("the number of coordinates of the indices must be known")
    if size == 0:
        raise ValueError("gather_nd of ragged tensors needs one coordinate at least")
    first = indices[..., 0]
    if size == 1:
        return slicing.gather(params, first)
    flat = array_ops.reshape(math_ops.cast(indices, params.row_splits.dtype), [-1, size])
    row, rest = flat[:, 0], flat[:, 1:]
    message = "the first coordinate must be a row of params"
    checks = [check_ops.assert_non_negative(row, message=message),
              check_ops.assert_less(row, params.nrows(), message=message)]  # fmt: skip
    with ops.control_dependencies(checks):
        row = array_ops.identity(row)
    below = _places_in(params, rest[:, 0], row)
    joined = array_ops.concat([array_ops.expand_dims(below, 1), rest[:, 1:]], 1)
    shape = array_ops.concat([array_ops.shape(indices)[:-1], [size - 1]], 0)
    return _at_places(params.values, array_ops.reshape(joined, shape))


def _equal(one: Tensor, two: Tensor, message: str) -> Any:
    return check_ops.assert_equal(
        math_ops.cast(one, dtypes.int64), math_ops.cast(two, dtypes.int64), message=message
    )
