"""Sparse tensors: made dense, picked from, multiplied and looked up by."""

from __future__ import annotations

import math
from typing import Any

from tfbuild_runtime.framework import dtypes, tensor_shape
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework.constant import constant_value_as_shape
from tfbuild_runtime.framework.operation import Tensor
from tfbuild_runtime.framework.sparse_tensor import SparseTensor, SparseTensorValue
from tfbuild_runtime.ops import (
    array_ops,
    creation_ops,
    embedding_ops,
    math_ops,
    order_ops,
    reduce_ops,
)
from tfbuild_runtime.ops.emit import emit


def as_sparse(value: Any) -> SparseTensor:
    """Return a SparseTensor that is given, or made of its value; raises TypeError for others."""
    if isinstance(value, SparseTensorValue):
        return SparseTensor.from_value(value)
    if not isinstance(value, SparseTensor):
        raise TypeError("Input must be a SparseTensor.")
    return value


def sparse_placeholder(dtype: Any, shape: Any = None, name: str | None = None) -> SparseTensor:
    """Return a sparse tensor to feed, of the shape, or of as much as that says of it.

    The shape may be a tensor; what is fed may have another one.
    """

    def named(part: str) -> str | None:
        return f"{name}/{part}" if name else None

    known = tensor_shape.TensorShape(None)
    if shape is None:
        whole = creation_ops.placeholder(dtypes.int64, [None], name=named("shape"))
    else:
        if isinstance(shape, Tensor):
            known = constant_value_as_shape(shape)
        else:
            known = _as_shape(shape)
            sizes = [-1 if size is None else size for size in known.as_list()]
            shape = framework.constant(sizes, dtypes.int64, [len(sizes)])
        whole = creation_ops.placeholder_with_default(shape, shape.get_shape(), named("shape"))
    values = creation_ops.placeholder(dtype, [None], name=named("values"))
    indices = creation_ops.placeholder(dtypes.int64, [None, known.rank], name=named("indices"))
    made = SparseTensor(indices, values, whole)
    made.set_shape(known)
    return made


def _as_shape(sizes: Any) -> Any:
    if isinstance(sizes, tensor_shape.TensorShape):
        return sizes
    plain = [getattr(size, "value", size) for size in sizes]
    return tensor_shape.TensorShape([None if size in (None, -1) else int(size) for size in plain])


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
    given = as_sparse(sp_input)
    if default_value is None:
        default_value = "" if given.dtype.base_dtype == dtypes.string else 0
    return sparse_to_dense(given.indices, given.dense_shape, given.values, default_value,
                           validate_indices, name)  # fmt: skip


def sparse_tensor_dense_matmul(sp_a: Any, b: Any, adjoint_a: bool = False, adjoint_b: bool = False,
                               name: str | None = None) -> Any:  # fmt: skip
    """Return the product of a sparse and a dense matrix."""
    a = as_sparse(sp_a)
    with framework.name_scope(name, "SparseTensorDenseMatMul", [b]) as scope:
        b = framework.convert_to_tensor(b, name="b")
        return emit("SparseTensorDenseMatMul", [*a.parts(), b], scope, adjoint_a=adjoint_a,
                    adjoint_b=adjoint_b)  # fmt: skip


def sparse_retain(sp_input: Any, to_retain: Any) -> SparseTensor:
    """Return the elements for which to_retain is true."""
    given = as_sparse(sp_input)
    kept = array_ops.reshape(array_ops.where(to_retain), [-1])
    return SparseTensor(array_ops.gather(given.indices, kept), array_ops.gather(given.values, kept),
                        given.dense_shape)  # fmt: skip


def sparse_reorder(sp_input: Any, name: str | None = None) -> SparseTensor:
    """Return the same tensor with its elements in their order in memory."""
    given = as_sparse(sp_input)
    op = framework.apply_op("SparseReorder", list(given.parts()), {}, name or "SparseReorder")
    sizes = given.dense_shape
    if framework.constant_value(sizes) is None:
        sizes = array_ops.identity(sizes)
    return SparseTensor(op.outputs[0], op.outputs[1], sizes)


def sparse_transpose(sp_input: Any, perm: Any = None, name: str | None = None) -> SparseTensor:
    """Return the tensor with its axes in another order."""
    given = as_sparse(sp_input)
    with framework.name_scope(name, "SparseTranspose"):
        if perm is None:
            perm = list(range(given.shape.ndims or 0))[::-1]
        turned = SparseTensor(array_ops.gather(given.indices, perm, axis=1), given.values,
                              array_ops.gather(given.dense_shape, perm))  # fmt: skip
        return sparse_reorder(turned)


def sparse_reshape(sp_input: Any, shape: Any, name: str | None = None) -> SparseTensor:
    """Return the same elements as a tensor of another shape; one size may be -1."""
    given = as_sparse(sp_input)
    with framework.name_scope(name, "SparseReshape", [given]) as scope:
        wanted = math_ops.cast(framework.convert_to_tensor(shape), dtypes.int64)
        op = framework.apply_op("SparseReshape", [given.indices, given.dense_shape, wanted], {},
                                scope)  # fmt: skip
        known = _completed(given, framework.known_ints(wanted))
        sizes = op.outputs[1] if known is None else framework.constant(known, dtypes.int64)
        return SparseTensor(op.outputs[0], array_ops.identity(given.values), sizes)


def _completed(given: SparseTensor, wanted: list[int | None] | None) -> list[int] | None:
    """Return the sizes of a reshaped tensor where they are known; raises ValueError if wrong."""
    sizes = framework.constant_value(given.dense_shape)
    if wanted is None or sizes is None:
        return None
    total = math.prod(int(size) for size in sizes)
    shape = [-1 if size is None else size for size in wanted]
    if wanted.count(-1) > 1:
        raise ValueError(f"At most one dimension can be inferred (-1). Found: {shape}")
    if shape.count(-1) > 1:
        return None
    if -1 in shape:  # to be inferred, or not known yet: it is what is left either way
        known = math.prod(size for size in shape if size != -1)
        shape[shape.index(-1)] = total // known if known else 0
    size = math.prod(shape)
    if size != total:
        raise ValueError(f"Cannot reshape a tensor with {total} elements to shape {shape} "
                         f"({size} elements).")  # fmt: skip
    return shape


def embedding_lookup_sparse(params: Any, sp_ids: Any, sp_weights: Any,
                            partition_strategy: str = "mod", name: str | None = None,
                            combiner: str | None = None, max_norm: Any = None,
                            allow_fast_lookup: bool = False) -> Any:  # fmt: skip
    """Return for each row of ids the vectors put together; combiner is mean, sqrtn or sum.

    Of vectors of 16 bits the result is float32. Raises ValueError for another combiner.
    """
    del allow_fast_lookup  # there is one way to look up
    combiner = combiner or "mean"
    if combiner not in ("mean", "sqrtn", "sum"):
        raise ValueError("combiner must be one of 'mean', 'sqrtn' or 'sum'")
    ids = as_sparse(sp_ids)
    with framework.name_scope(name, "embedding_lookup_sparse"):
        rows = math_ops.cast(ids.indices[:, 0], dtypes.int32)
        count = reduce_ops.reduce_max(array_ops.concat([rows, [-1]], 0)) + 1
        # Each row once, as in TensorFlow: the norm of the gradient's rows depends on it.
        distinct, places = order_ops.unique(ids.values)
        found = embedding_ops.embedding_lookup(params, distinct, partition_strategy,
                                               max_norm=max_norm)  # fmt: skip
        found = array_ops.gather(found, places)
        if found.dtype.base_dtype in (dtypes.float16, dtypes.bfloat16):
            found = math_ops.cast(found, dtypes.float32)  # TensorFlow 1 adds these up, and keeps it
        weights = None if sp_weights is None else as_sparse(sp_weights).values
        return embedding_ops.combined_rows(found, rows, count, weights, combiner)
