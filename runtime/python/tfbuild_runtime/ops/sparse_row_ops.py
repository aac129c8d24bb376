"""Sparse tensors as rows of three, which queues and datasets take like other tensors."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.framework import dtypes, tensor_shape
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework.sparse_tensor import SparseTensor
from tfbuild_runtime.ops.emit import emit
from tfbuild_runtime.ops.sparse_ops import as_sparse


def serialize_sparse(sp_input: Any, name: str | None = None, out_type: Any = dtypes.string) -> Any:
    """Return a sparse tensor as a row of three strings, or variants."""
    return emit("SerializeSparse", list(as_sparse(sp_input).parts()), name, out_type=out_type)


def serialize_many_sparse(sp_input: Any, name: str | None = None,
                          out_type: Any = dtypes.string) -> Any:  # fmt: skip
    """Return the rows of a sparse tensor, each one of its own, as rows of three."""
    return emit("SerializeManySparse", list(as_sparse(sp_input).parts()), name, out_type=out_type)


def deserialize_sparse(serialized_sparse: Any, dtype: Any, rank: int | None = None,
                       name: str | None = None) -> SparseTensor:  # fmt: skip
    """Return the sparse tensor of a row, or that of all rows behind one another.

    Of rows of the shape [..., 3] the first dimensions come before those of each sparse tensor;
    `rank` is the number of the latter.
    """
    rows = framework.convert_to_tensor(serialized_sparse, name="serialized_sparse")
    given = rows.shape.rank
    known = None if rank is None or given is None else given - 1 + rank
    return _deserialized("DeserializeSparse", rows, dtype, known, name)


def deserialize_many_sparse(serialized_sparse: Any, dtype: Any, rank: int | None = None,
                            name: str | None = None) -> SparseTensor:  # fmt: skip
    """Return the sparse tensor of the rows of a matrix of strings, of the rank that is told.

    Its first dimension is that of the rows, the others are the largest there are.
    """
    return _deserialized("DeserializeManySparse", serialized_sparse, dtype, rank, name)


def _deserialized(op: str, rows: Any, dtype: Any, rank: int | None,
                  name: str | None) -> SparseTensor:  # fmt: skip
    indices, values, sizes = framework.apply_op(op, [rows], {"dtype": dtype}, name or op).outputs
    indices.set_shape(tensor_shape.TensorShape([None, rank]))
    sizes.set_shape(tensor_shape.TensorShape([rank]))
    return SparseTensor(indices, values, sizes)
