"""Ragged tensors made dense, and tensors made ragged."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.framework import dtypes, ops, tensor_shape
from tfbuild_runtime.framework.operation import Tensor
from tfbuild_runtime.framework.sparse_tensor import SparseTensor
from tfbuild_runtime.ops import array_ops, creation_ops, math_ops, reduce_ops
from tfbuild_runtime.ragged import partitions


def to_tensor(ragged: Any, default_value: Any, shape: Any) -> Tensor:
    """Return a tensor of that shape with the rows of a ragged one."""
    kind = ragged.dtype.base_dtype
    if default_value is None:
        default_value = "" if kind == dtypes.string else False if kind.is_bool else 0
    fallback = ops.convert_to_tensor(default_value, kind, name="default_value")
    splits = list(ragged.nested_row_splits)
    attrs = {"row_partition_types": ["ROW_SPLITS"] * len(splits)}
    inputs = [_sizes(shape), ragged.flat_values, fallback, splits]
    made: Tensor = ops.apply_op("RaggedTensorToTensor", inputs, attrs).outputs[0]
    rows = ragged.shape[:1]
    if shape is None and made.shape.rank is not None:
        made.set_shape(rows.concatenate([None] * (made.shape.rank - 1)))
    return made


def _sizes(shape: Any) -> Any:
    if shape is None:
        return ops.constant(-1, dtypes.int64)
    if isinstance(shape, Tensor):
        return shape
    sizes = tensor_shape.as_shape(shape)
    if sizes.rank is None:
        return ops.constant(-1, dtypes.int64)
    known = [-1 if size is None else size for size in sizes.as_list()]
    return ops.constant(known, dtypes.int64, shape=[len(known)])


def from_tensor(cls: Any, tensor: Any, lengths: Any, padding: Any, ragged_rank: int,
                dtype: Any) -> Any:  # fmt: skip
    """Return the rows of a tensor as a ragged one of a class."""
    tensor = ops.convert_to_tensor(tensor, name="tensor")
    if lengths is not None and padding is not None:
        raise ValueError("Specify lengths or padding, but not both.")
    rank = tensor.shape.rank
    if rank is None:
        raise ValueError("The rank of the tensor must be known.")
    if not 0 < ragged_rank < rank:
        raise ValueError(f"ragged_rank must be greater than 0 and less than {rank}, the rank of "
                         f"the tensor; got {ragged_rank}")  # fmt: skip
    if lengths is None and padding is None:
        return _evenly(cls, tensor, ragged_rank, dtype)
    if ragged_rank != 1:
        raise ValueError(f"with lengths or padding ragged_rank must be 1, not {ragged_rank}")
    if lengths is None:
        lengths = _without(padding, tensor, dtype)
    lengths = partitions.as_partition(lengths, "lengths", dtype)
    width = array_ops.shape(tensor, out_type=dtype)[1]
    lengths = math_ops.minimum(math_ops.maximum(lengths, 0), width)
    kept = creation_ops.range(width) < array_ops.expand_dims(lengths, 1)
    values = array_ops.boolean_mask(tensor, kept)
    return cls.from_row_lengths(values, lengths, None, False)


def from_sparse(cls: Any, st_input: Any, dtype: Any) -> Any:
    """Return the rows of a sparse matrix without gaps as a ragged tensor of a class."""
    if not isinstance(st_input, SparseTensor):
        raise TypeError(f"st_input must be a SparseTensor, got {type(st_input).__name__}.")
    if st_input.shape.rank not in (None, 2):
        raise ValueError(f"st_input must be a matrix, its shape is {st_input.shape}")
    places = math_ops.cast(st_input.indices, dtype)
    rows = math_ops.cast(st_input.dense_shape[0], dtype)
    made = cls.from_value_rowids(st_input.values, places[:, 0], rows)
    whole = math_ops.equal(places[:, 1], partitions.places_in_rows(made.row_splits))
    gaps = partitions.held(reduce_ops.reduce_all(whole), "SparseTensor is not right-ragged")
    with ops.control_dependencies([gaps]):
        return made.with_values(array_ops.identity(made.values))


def _evenly(cls: Any, tensor: Tensor, ragged_rank: int, dtype: Any) -> Any:
    sizes = tensor.shape.as_list()
    shape = array_ops.shape(tensor, out_type=dtype)
    rows = reduce_ops.reduce_prod(shape[: ragged_rank + 1])
    made: Any = array_ops.reshape(tensor, array_ops.concat([[rows], shape[ragged_rank + 1 :]], 0))
    for axis in range(ragged_rank, 0, -1):
        count = reduce_ops.reduce_prod(shape[:axis])
        length = shape[axis] if sizes[axis] is None else ops.constant(sizes[axis], dtype)
        made = cls.from_uniform_row_length(made, length, count, validate=False)
    return made


def _without(padding: Any, tensor: Tensor, dtype: Any) -> Tensor:
    """Return how many elements each row has before those at its end that are padding."""
    padding = ops.convert_to_tensor(padding, tensor.dtype.base_dtype, name="padding")
    other = math_ops.not_equal(tensor, padding)
    axes = list(range(2, tensor.shape.rank or 0))
    other = reduce_ops.reduce_any(other, axes) if axes else other
    places = creation_ops.range(array_ops.shape(tensor, out_type=dtype)[1]) + 1
    ends = math_ops.cast(other, dtype) * places
    return math_ops.maximum(reduce_ops.reduce_max(ends, 1), 0)  # type: ignore[no-any-return]
