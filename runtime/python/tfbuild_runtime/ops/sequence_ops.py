"""Small constants and masks that are made of other operations."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.ops import array_ops, creation_ops, math_ops, reduce_ops


def sequence_mask(lengths: Any, maxlen: Any = None, dtype: Any = dtypes.bool,
                  name: str | None = None) -> Any:  # fmt: skip
    """Return for each length a row that is true in its first places, maxlen of them in all."""
    with framework.name_scope(name, "SequenceMask", [lengths]):
        lengths = framework.convert_to_tensor(lengths)
        known = framework.constant_value(lengths) if maxlen is None else None
        if known is not None and known.size:
            maxlen = max(int(known.max()), 0)
        elif maxlen is None:
            maxlen = math_ops.maximum(reduce_ops.reduce_max(lengths), 0)
        limit = math_ops.cast(maxlen, lengths.dtype.base_dtype)
        # In int64: in int32 a greater length would become another one.
        places = math_ops.cast(creation_ops.range(math_ops.cast(limit, dtypes.int64)),
                               lengths.dtype.base_dtype)  # fmt: skip
        mask = math_ops.less(places, array_ops.expand_dims(lengths, -1))
        wanted = dtypes.as_dtype(dtype)
        return mask if wanted == dtypes.bool else math_ops.cast(mask, wanted)


def eye(num_rows: Any, num_columns: Any = None, batch_shape: Any = None,
        dtype: Any = dtypes.float32, name: str | None = None) -> Any:  # fmt: skip
    """Return an identity matrix, or a batch of them."""
    with framework.name_scope(name, "eye"):
        columns = num_rows if num_columns is None else num_columns
        matrix = creation_ops.one_hot(creation_ops.range(num_rows), columns, dtype=dtype)
        if batch_shape is None:
            return matrix
        batch = framework.convert_to_tensor(batch_shape, dtypes.int32)
        return array_ops.broadcast_to(matrix, array_ops.concat([batch, array_ops.shape(matrix)], 0))


def linspace(start: Any, stop: Any, num: Any, name: str | None = None, axis: int = 0) -> Any:
    """Return num numbers from start to stop, evenly apart; of tensors, along a new axis.

    Raises ValueError for an axis that the result does not have.
    """
    with framework.name_scope(name, "LinSpace"):
        start = framework.convert_to_tensor(start, name="start")
        stop = framework.convert_to_tensor(stop, start.dtype.base_dtype, name="stop")
        steps = math_ops.maximum(framework.convert_to_tensor(num) - 1, 1)
        numbers = creation_ops.range(num)
        rank = (stop - start).get_shape().ndims or 0
        if not -rank - 1 <= axis <= rank:
            raise ValueError(f"linspace of rank {rank + 1} has no axis {axis}")
        if rank:
            both = creation_ops.zeros_like(stop - start)
            start, stop = (array_ops.expand_dims(one + both, axis) for one in (start, stop))
            place = axis % (rank + 1)
            numbers = array_ops.reshape(numbers, [*[1] * place, -1, *[1] * (rank - place)])
        places = math_ops.cast(numbers, start.dtype.base_dtype)
        last = math_ops.equal(numbers, steps)
        steps = math_ops.cast(steps, start.dtype.base_dtype)
        values = start + places * ((stop - start) / steps)
        return array_ops.where_v2(last, stop, values)


lin_space = linspace
