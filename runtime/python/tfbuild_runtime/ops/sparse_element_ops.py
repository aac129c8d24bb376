"""Sparse tensors added, joined, cut, reduced and compared, element by element."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework.sparse_tensor import SparseTensor, SparseTensorValue
from tfbuild_runtime.framework.tensor_shape import TensorShape
from tfbuild_runtime.ops import array_ops, creation_ops, math_ops, reduce_ops
from tfbuild_runtime.ops.emit import emit, only_one
from tfbuild_runtime.ops.sparse_ops import as_sparse


def _outputs(op_type: str, inputs: list[Any], name: str | None, **attrs: Any) -> Any:
    return framework.apply_op(op_type, inputs, attrs, name or op_type).outputs


def _sizes(value: Any, name: str) -> Any:
    return math_ops.cast(framework.convert_to_tensor(value, name=name), dtypes.int64)


def _is_sparse(value: Any) -> bool:
    return isinstance(value, (SparseTensor, SparseTensorValue))


def sparse_add(a: Any, b: Any, threshold: Any = None, thresh: Any = None) -> Any:
    """Return the sum: sparse where both are, without sums of two that are below the threshold.

    Raises TypeError when neither is sparse.
    """
    threshold = only_one(threshold, thresh, "threshold", "thresh") or 0
    if not (_is_sparse(a) or _is_sparse(b)):
        raise TypeError("At least one input should be SparseTensor; do you mean to use tf.add()?")
    if _is_sparse(a) and _is_sparse(b):
        left, right = as_sparse(a), as_sparse(b)
        real = left.values.dtype.real_dtype.base_dtype
        least = framework.convert_to_tensor(threshold, dtype=real, name="threshold")
        indices, values, shape = _outputs("SparseAdd", [*left.parts(), *right.parts(), least], None)
        known = [one.dense_shape for one in (left, right)
                 if framework.constant_value(one.dense_shape) is not None]  # fmt: skip
        return SparseTensor(indices, values, known[0] if known else shape)
    if _is_sparse(b):
        a, b = b, a
    return emit("SparseTensorDenseAdd", [*as_sparse(a).parts(), b])


def sparse_concat(axis: int | None = None, sp_inputs: Any = None, name: str | None = None,
                  expand_nonconcat_dim: bool = False, concat_dim: int | None = None,
                  expand_nonconcat_dims: bool | None = None) -> SparseTensor:  # fmt: skip
    """Return sparse tensors put one behind the other along an axis.

    The other sizes must agree, or become the largest with expand_nonconcat_dims.
    """
    given = only_one(axis, concat_dim, "axis", "concat_dim")
    inputs = [as_sparse(value) for value in sp_inputs]
    if len(inputs) == 1:
        return inputs[0]
    shapes = [value.dense_shape for value in inputs]
    if expand_nonconcat_dim if expand_nonconcat_dims is None else expand_nonconcat_dims:
        largest = reduce_ops.reduce_max(array_ops.stack(shapes), 0)
        place = given if given >= 0 else given + (inputs[0].shape.ndims or 0)
        shapes = [array_ops.concat([largest[:place], shape[place : place + 1],
                                    largest[place + 1 :]], 0) for shape in shapes]  # fmt: skip
    parts = [[value.indices for value in inputs], [value.values for value in inputs], shapes]
    joined = SparseTensor(*_outputs("SparseConcat", parts, name, concat_dim=given))
    joined.set_shape(_joined_shape([framework.constant_value_as_shape(s) for s in shapes], given))
    return joined


def _joined_shape(shapes: list[TensorShape], axis: int) -> TensorShape:
    """Return the shape of tensors put one behind the other where all of theirs are known.

    Whether they fit is seen when they are joined.
    """
    rank = shapes[0].ndims
    if not all(shape.is_fully_defined() and shape.ndims == rank for shape in shapes):
        return TensorShape(None)
    if rank is None or not -rank <= axis < rank:
        return TensorShape(None)
    sizes = shapes[0].as_list()
    sizes[axis] = sum(int(shape[axis]) for shape in shapes)
    return TensorShape(sizes)


def sparse_slice(sp_input: Any, start: Any, size: Any, name: str | None = None) -> SparseTensor:
    """Return the part from start on, as far as size and the tensor go."""
    given = as_sparse(sp_input)
    with framework.name_scope(name, "SparseSlice", [given]) as scope:
        corner = [_sizes(start, "start"), _sizes(size, "size")]
        return SparseTensor(*_outputs("SparseSlice", [*given.parts(), *corner], scope))


def sparse_split(keyword_required: Any = None, sp_input: Any = None, num_split: Any = None,
                 axis: Any = None, name: str | None = None,
                 split_dim: Any = None) -> list[SparseTensor]:  # fmt: skip
    """Return as many parts along an axis; the first ones are longer where it does not divide.

    Takes arguments by name only; raises ValueError where one is missing.
    """
    if keyword_required is not None:
        raise ValueError("Keyword arguments are required for this function.")
    axis = only_one(axis, split_dim, "axis", "split_dim")
    if sp_input is None or num_split is None or axis is None:
        missing = "sp_input" if sp_input is None else "num_split" if num_split is None else "axis"
        raise ValueError(f"{missing} is required")
    given = as_sparse(sp_input)
    outputs = _outputs("SparseSplit", [_sizes(axis, "split_dim"), *given.parts()], name,
                       num_split=num_split)  # fmt: skip
    return [SparseTensor(*outputs[part::num_split]) for part in range(num_split)]


def _axes(given: SparseTensor, axis: Any) -> Any:
    if axis is not None:
        return array_ops.reshape(framework.convert_to_tensor(axis, dtypes.int32), [-1])
    rank = given.shape.ndims
    if rank is not None:
        return framework.constant(list(range(rank)), dtypes.int32)
    return creation_ops.range(0, array_ops.size(given.dense_shape))


def _reduced(op_type: str, sp_input: Any, axis: Any, keepdims: Any) -> Any:
    given = as_sparse(sp_input)
    return _outputs(op_type, [*given.parts(), _axes(given, axis)], None, keep_dims=bool(keepdims))


def sparse_reduce_sum(sp_input: Any, axis: Any = None, keepdims: Any = None,
                      reduction_axes: Any = None, keep_dims: Any = None) -> Any:  # fmt: skip
    """Return the sums along the axes, a dense tensor."""
    axis = only_one(axis, reduction_axes, "axis", "reduction_axes")
    return _reduced("SparseReduceSum", sp_input, axis, keepdims or keep_dims)[0]


def sparse_reduce_max(sp_input: Any, axis: Any = None, keepdims: Any = None,
                      reduction_axes: Any = None, keep_dims: Any = None) -> Any:  # fmt: skip
    """Return the largest elements that are there along the axes, a dense tensor; else 0."""
    axis = only_one(axis, reduction_axes, "axis", "reduction_axes")
    return _reduced("SparseReduceMax", sp_input, axis, keepdims or keep_dims)[0]


def sparse_reduce_sum_sparse(sp_input: Any, axis: Any = None, keepdims: Any = None,
                             reduction_axes: Any = None,
                             keep_dims: Any = None) -> SparseTensor:  # fmt: skip
    """Return the sums along the axes, a sparse tensor."""
    axis = only_one(axis, reduction_axes, "axis", "reduction_axes")
    return SparseTensor(*_reduced("SparseReduceSumSparse", sp_input, axis, keepdims or keep_dims))


def sparse_reduce_max_sparse(sp_input: Any, axis: Any = None, keepdims: Any = None,
                             reduction_axes: Any = None,
                             keep_dims: Any = None) -> SparseTensor:  # fmt: skip
    """Return the largest elements that are there along the axes, a sparse tensor."""
    axis = only_one(axis, reduction_axes, "axis", "reduction_axes")
    return SparseTensor(*_reduced("SparseReduceMaxSparse", sp_input, axis, keepdims or keep_dims))


def sparse_softmax(sp_input: Any, name: str | None = None) -> SparseTensor:
    """Return the softmax of the elements that are there, along the last axis."""
    given = as_sparse(sp_input)
    return given.with_values(emit("SparseSoftmax", list(given.parts()), name))


def _extremes(op_type: str, sp_a: Any, sp_b: Any, name: str | None) -> SparseTensor:
    left, right = as_sparse(sp_a), as_sparse(sp_b)
    indices, values = _outputs(op_type, [*left.parts(), *right.parts()], name)
    return SparseTensor(indices, values, left.dense_shape)


def sparse_maximum(sp_a: Any, sp_b: Any, name: str | None = None) -> SparseTensor:
    """Return the larger of two elements; one that is missing is 0."""
    return _extremes("SparseSparseMaximum", sp_a, sp_b, name)


def sparse_minimum(sp_a: Any, sp_b: Any, name: str | None = None) -> SparseTensor:
    """Return the smaller of two elements; one that is missing is 0."""
    return _extremes("SparseSparseMinimum", sp_a, sp_b, name)


def sparse_dense_cwise_add(sp_t: Any, dense_t: Any) -> SparseTensor:
    """Return the elements with those of a dense tensor added."""
    given = as_sparse(sp_t)
    return given.with_values(emit("SparseDenseCwiseAdd", [*given.parts(), dense_t]))


def sparse_fill_empty_rows(sp_input: Any, default_value: Any,
                           name: str | None = None) -> tuple[SparseTensor, Any]:  # fmt: skip
    """Return the tensor with a default value at the start of empty rows, and which these were."""
    given = as_sparse(sp_input)
    with framework.name_scope(name, "SparseFillEmptyRows", [given]) as scope:
        other = framework.convert_to_tensor(default_value, dtype=given.values.dtype.base_dtype)
        indices, values, empty, _ = _outputs("SparseFillEmptyRows", [*given.parts(), other], scope)
        return SparseTensor(indices, values, given.dense_shape), empty


def sparse_reset_shape(sp_input: Any, new_shape: Any = None) -> SparseTensor:
    """Return the same elements in a tensor of another shape: the smallest, or the one given.

    Raises ValueError where it is known that they do not fit.
    """
    given = as_sparse(sp_input)
    indices, values = array_ops.identity(given.indices), array_ops.identity(given.values)
    if new_shape is None:
        none = given.dense_shape * 0 - 1
        whole = array_ops.concat([indices, array_ops.expand_dims(none, 0)], 0)
        return SparseTensor(indices, values, reduce_ops.reduce_max(whole, 0) + 1)
    shape = math_ops.cast(framework.convert_to_tensor(new_shape), dtypes.int64)
    shape.get_shape().assert_has_rank(1)
    given.dense_shape.get_shape().assert_is_compatible_with(shape.get_shape())
    wanted, sizes = framework.constant_value(shape), framework.constant_value(given.dense_shape)
    if wanted is not None and sizes is not None:
        if any(wanted < sizes):
            raise ValueError("The new shape should have dimension sizes of at least those of the "
                             f"tensor: {wanted.tolist()} < {sizes.tolist()}")  # fmt: skip
        return SparseTensor(indices, values, shape)
    from tfbuild_runtime.ops.check_ops import assert_less_equal

    with framework.control_dependencies([assert_less_equal(given.dense_shape, shape)]):
        return SparseTensor(indices, values, array_ops.identity(shape))


def sparse_to_indicator(sp_input: Any, vocab_size: Any, name: str | None = None) -> Any:
    """Return for each row which of the whole numbers below vocab_size are its elements."""
    from tfbuild_runtime.ops.sparse_ops import sparse_tensor_to_dense

    given = as_sparse(sp_input)
    with framework.name_scope(name, "SparseToIndicator", [given]) as scope:
        ones = creation_ops.ones_like(given.values, dtype=dtypes.bool)
        merged = sparse_merge(given, given.with_values(ones), vocab_size)
        return sparse_tensor_to_dense(merged, False, False, name=scope)


def sparse_merge(sp_ids: Any, sp_values: Any, vocab_size: Any, name: str | None = None,
                 already_sorted: bool = False) -> SparseTensor:  # fmt: skip
    """Return values whose last coordinate is their id instead of their place in the row."""
    from tfbuild_runtime.ops.sparse_ops import sparse_reorder

    many = isinstance(sp_ids, Sequence) and not isinstance(sp_ids, SparseTensorValue)
    ids = [as_sparse(value) for value in (sp_ids if many else [sp_ids])]
    sizes = list(vocab_size) if many else [vocab_size]
    if len(ids) != len(sizes):
        raise ValueError("sp_ids and vocab_size have to have equal lengths.")
    values = as_sparse(sp_values)
    with framework.name_scope(name, "SparseMerge"):
        columns = [array_ops.expand_dims(math_ops.cast(one.values, dtypes.int64), 1) for one in ids]
        indices = array_ops.concat([ids[0].indices[:, :-1], *columns], 1)
        lasts = [array_ops.reshape(_sizes(size, "vocab_size"), [1]) for size in sizes]
        shape = array_ops.concat([ids[0].dense_shape[:-1], *lasts], 0)
        merged = SparseTensor(indices, values.values, shape)
        return merged if already_sorted else sparse_reorder(merged)


def from_dense(tensor: Any, name: str | None = None) -> SparseTensor:
    """Return the elements of a dense tensor that are not 0."""
    with framework.name_scope(name, "dense_to_sparse", [tensor]):
        tensor = framework.convert_to_tensor(tensor)
        zero = creation_ops.zeros_like(tensor)
        places = array_ops.where(math_ops.not_equal(tensor, zero))
        shape = array_ops.shape(tensor, out_type=dtypes.int64)
        return SparseTensor(places, emit("GatherNd", [tensor, places]), shape)


def sparse_expand_dims(sp_input: Any, axis: Any = None, name: str | None = None) -> SparseTensor:
    """Return the tensor with one more axis of size 1."""
    given = as_sparse(sp_input)
    rank = given.shape.ndims
    place = -1 if axis is None else axis
    if rank is None:
        raise ValueError("the rank of the sparse tensor must be known")
    if not -rank - 1 <= place <= rank:
        raise ValueError(f"axis {axis} is not in [{-rank - 1}, {rank}]")
    place = place + rank + 1 if place < 0 else place
    with framework.name_scope(name, "expand_dims", [given]):
        zeros = creation_ops.zeros_like(given.indices[:, :1])
        indices = array_ops.concat([given.indices[:, :place], zeros, given.indices[:, place:]], 1)
        shape = array_ops.concat([given.dense_shape[:place], _sizes([1], "one"),
                                  given.dense_shape[place:]], 0)  # fmt: skip
        return SparseTensor(indices, given.values, shape)


def sparse_eye(num_rows: Any, num_columns: Any = None, dtype: Any = dtypes.float32,
               name: str | None = None) -> SparseTensor:  # fmt: skip
    """Return a matrix with ones on its diagonal."""
    with framework.name_scope(name, "eye", [num_rows]):
        rows = _sizes(num_rows, "num_rows")
        columns = rows if num_columns is None else _sizes(num_columns, "num_columns")
        count = math_ops.minimum(rows, columns)
        numbers = creation_ops.range(count)
        return SparseTensor(
            array_ops.stack([numbers, numbers], 1),
            creation_ops.ones(array_ops.reshape(count, [1]), dtype),
            array_ops.stack([rows, columns]),
        )


def sparse_mask(a: Any, mask_indices: Any, name: str | None = None) -> Any:
    """Return the slices of IndexedSlices whose numbers are not among the given ones."""
    from tfbuild_runtime.framework.indexed_slices import IndexedSlices
    from tfbuild_runtime.ops.counting_ops import setdiff1d

    with framework.name_scope(name, "sparse_mask", [a, mask_indices]):
        kept, places = setdiff1d(a.indices, mask_indices)
        return IndexedSlices(array_ops.gather(a.values, places), kept, a.dense_shape)
