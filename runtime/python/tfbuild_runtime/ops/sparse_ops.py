"""Sparse tensors: made dense, picked from, multiplied and looked up by."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework.sparse_tensor import SparseTensor, SparseTensorValue
from tfbuild_runtime.ops import array_ops, creation_ops, embedding_ops, math_ops, reduce_ops
from tfbuild_runtime.ops.emit import emit


def _sparse(value: Any) -> SparseTensor:
    if isinstance(value, SparseTensorValue):
        return SparseTensor.from_value(value)
    if not isinstance(value, SparseTensor):
        raise TypeError("Input must be a SparseTensor.")
    return value


def sparse_placeholder(dtype: Any, shape: Any = None, name: str | None = None) -> SparseTensor:
    """Return a sparse tensor to feed; what is known of its shape is the rank, or all of it."""

    def named(part: str) -> str | None:
        return f"{name}/{part}" if name else None

    sizes = None if shape is None else list(getattr(shape, "as_list", lambda: shape)())
    rank = None if sizes is None else len(sizes)
    if sizes is not None and all(size is not None and size >= 0 for size in sizes):
        whole: Any = framework.constant(sizes, dtypes.int64, name=named("shape") or "Const")
    else:
        whole = creation_ops.placeholder(dtypes.int64, [rank], name=named("shape"))
    values = creation_ops.placeholder(dtype, [None], name=named("values"))
    indices = creation_ops.placeholder(dtypes.int64, [None, rank], name=named("indices"))
    return SparseTensor(indices, values, whole)


def sparse_to_dense(sparse_indices: Any, output_shape: Any, sparse_values: Any,
                    default_value: Any = 0, validate_indices: bool = True,
                    name: str | None = None) -> Any:  # fmt: skip
    """Return a tensor of default_value but for the values at the indices."""
    values = framework.convert_to_tensor(sparse_values, name="sparse_values")
    kind = values.dtype.base_dtype
    if kind == dtypes.string and default_value == 0:
        default_value = ""
    other = framework.convert_to_tensor(default_value, dtype=kind, name="default_value")
    return emit("SparseToDense", [sparse_indices, output_shape, values, other], name,
                validate_indices=validate_indices)  # fmt: skip


def sparse_tensor_to_dense(sp_input: Any, default_value: Any = None, validate_indices: bool = True,
                           name: str | None = None) -> Any:  # fmt: skip
    """Return the whole tensor, default_value where nothing stands."""
    given = _sparse(sp_input)
    if default_value is None:
        default_value = "" if given.dtype.base_dtype == dtypes.string else 0
    return sparse_to_dense(given.indices, given.dense_shape, given.values, default_value,
                           validate_indices, name)  # fmt: skip


def sparse_tensor_dense_matmul(sp_a: Any, b: Any, adjoint_a: bool = False, adjoint_b: bool = False,
                               name: str | None = None) -> Any:  # fmt: skip
    """Return the product of a sparse and a dense matrix."""
    a = _sparse(sp_a)
    with framework.name_scope(name, "SparseTensorDenseMatMul", [b]) as scope:
        b = framework.convert_to_tensor(b, name="b")
        return emit("SparseTensorDenseMatMul", [*a.parts(), b], scope, adjoint_a=adjoint_a,
                    adjoint_b=adjoint_b)  # fmt: skip


def sparse_retain(sp_input: Any, to_retain: Any) -> SparseTensor:
    """Return the elements for which to_retain is true."""
    given = _sparse(sp_input)
    kept = array_ops.reshape(array_ops.where(to_retain), [-1])
    return SparseTensor(array_ops.gather(given.indices, kept), array_ops.gather(given.values, kept),
                        given.dense_shape)  # fmt: skip


def _strides(shape: Any) -> Any:
    """Return how far apart neighbours along each axis are in memory."""
    from tfbuild_runtime.ops.order_ops import cumprod

    return cumprod(shape, exclusive=True, reverse=True)


def _places(indices: Any, shape: Any) -> Any:
    """Return where each element stands in memory."""
    return reduce_ops.reduce_sum(indices * array_ops.expand_dims(_strides(shape), 0), 1)


def sparse_reorder(sp_input: Any, name: str | None = None) -> SparseTensor:
    """Return the same tensor with its elements in their order in memory."""
    from tfbuild_runtime.ops.counting_ops import argsort

    given = _sparse(sp_input)
    with framework.name_scope(name, "SparseReorder"):
        order = argsort(_places(given.indices, given.dense_shape))
        indices = array_ops.gather(given.indices, order)
        return SparseTensor(indices, array_ops.gather(given.values, order), given.dense_shape)


def sparse_transpose(sp_input: Any, perm: Any = None, name: str | None = None) -> SparseTensor:
    """Return the tensor with its axes in another order."""
    given = _sparse(sp_input)
    with framework.name_scope(name, "SparseTranspose"):
        if perm is None:
            perm = list(range(given.shape.ndims or 0))[::-1]
        turned = SparseTensor(array_ops.gather(given.indices, perm, axis=1), given.values,
                              array_ops.gather(given.dense_shape, perm))  # fmt: skip
        return sparse_reorder(turned)


def sparse_reshape(sp_input: Any, shape: Any, name: str | None = None) -> SparseTensor:
    """Return the same elements as a tensor of another shape; one size may be -1."""
    given = _sparse(sp_input)
    with framework.name_scope(name, "SparseReshape"):
        wanted = math_ops.cast(framework.convert_to_tensor(shape), dtypes.int64)
        total = reduce_ops.reduce_prod(given.dense_shape)
        known = reduce_ops.reduce_prod(math_ops.maximum(wanted, 1) * math_ops.cast(
            math_ops.not_equal(wanted, 0), dtypes.int64))  # fmt: skip
        rest = total // math_ops.maximum(known, 1)
        whole = array_ops.where_v2(math_ops.equal(wanted, -1), rest, wanted)
        from tfbuild_runtime.ops.check_ops import assert_equal

        same = assert_equal(reduce_ops.reduce_prod(whole), total,
                            message="Input and requested shape have other sizes")  # fmt: skip
        with framework.control_dependencies([same]):
            places = array_ops.expand_dims(_places(given.indices, given.dense_shape), 1)
        strides = array_ops.expand_dims(_strides(whole), 0)
        indices = places // strides % array_ops.expand_dims(whole, 0)
        return SparseTensor(indices, given.values, whole)


def sparse_reduce_sum(sp_input: Any, axis: Any = None, keepdims: Any = None,
                      reduction_axes: Any = None, keep_dims: Any = None) -> Any:  # fmt: skip
    """Return the sums along the axes, a dense tensor."""
    axis = reduction_axes if axis is None else axis
    dense = sparse_tensor_to_dense(sp_input)
    return reduce_ops.reduce_sum(dense, axis, keepdims=bool(keepdims or keep_dims))


def embedding_lookup_sparse(params: Any, sp_ids: Any, sp_weights: Any,
                            partition_strategy: str = "mod", name: str | None = None,
                            combiner: str | None = None, max_norm: Any = None) -> Any:  # fmt: skip
    """Return for each row of ids the vectors put together; combiner is mean, sqrtn or sum.

    Raises ValueError for another combiner.
    """
    combiner = combiner or "mean"
    if combiner not in ("mean", "sqrtn", "sum"):
        raise ValueError("combiner must be one of 'mean', 'sqrtn' or 'sum'")
    ids = _sparse(sp_ids)
    with framework.name_scope(name, "embedding_lookup_sparse"):
        rows = math_ops.cast(ids.indices[:, 0], dtypes.int32)
        count = reduce_ops.reduce_max(array_ops.concat([rows, [-1]], 0)) + 1
        found = embedding_ops.embedding_lookup(params, ids.values, partition_strategy,
                                               max_norm=max_norm)  # fmt: skip
        weights = creation_ops.ones_like(rows, found.dtype.base_dtype)
        if sp_weights is not None:
            weights = math_ops.cast(_sparse(sp_weights).values, found.dtype.base_dtype)
        wide = weights
        for _ in range((found.get_shape().ndims or 2) - 1):
            wide = array_ops.expand_dims(wide, -1)
        total = reduce_ops.unsorted_segment_sum(found * wide, rows, count)
        if combiner == "sum":
            return total
        size = wide if combiner == "mean" else math_ops.square(wide)
        norm = reduce_ops.unsorted_segment_sum(size, rows, count)
        return math_ops.div_no_nan(total, norm if combiner == "mean" else math_ops.sqrt(norm))
