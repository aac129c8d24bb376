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
    """Return the sparse tensor of the rows of a matrix of strings, of the rank that is given.

    Its first dimension is that of the rows, the others are the largest there are.
    """
    return _deserialized("DeserializeManySparse", serialized_sparse, dtype, rank, name)


def _deserialized(op: str, rows: Any, dtype: Any, rank: int | None,
                  name: str | None) -> SparseTensor:  # fmt: skip
    indices, values, sizes = framework.apply_op(op, [rows], {"dtype": dtype}, name or op).outputs
    indices.set_shape(tensor_shape.TensorShape([None, rank]))
    sizes.set_shape(tensor_shape.TensorShape([rank]))
    return SparseTensor(indices, values, sizes)


_CROSS_KEY = 0xDECAFCAFFE  # what TensorFlow's hashes of crosses begin with


def _crossed(inputs: Any, name: str | None, attrs: dict[str, Any]) -> SparseTensor:
    """Return the crosses of matrices; sparse ones come before dense ones."""
    sparse = [as_sparse(one) for one in inputs if hasattr(one, "dense_shape")]
    dense = [framework.convert_to_tensor(one) for one in inputs if not hasattr(one, "dense_shape")]

    def plain(values: Any) -> Any:
        is_text = values.dtype.base_dtype == dtypes.string
        return values if is_text else emit("Cast", [values], DstT=dtypes.int64)

    words = [plain(one.values) for one in sparse], [plain(one) for one in dense]
    types = {
        "sparse_types": [value.dtype.base_dtype for value in words[0]],
        "dense_types": [value.dtype.base_dtype for value in words[1]],
        "internal_type": dtypes.string,
    }
    parts = [[one.indices for one in sparse], words[0], [one.dense_shape for one in sparse],
             words[1]]  # fmt: skip
    indices, values, shape = framework.apply_op(
        "SparseCross", parts, {**attrs, **types}, name or "SparseCross"
    ).outputs
    return SparseTensor(indices, values, shape)


def sparse_cross(inputs: Any, name: str | None = None,
                 separator: str | None = None) -> SparseTensor:  # fmt: skip
    """Return all combinations of what stands in each row of matrices, as words joined by _X_.

    Raises NotImplementedError for another separator.
    """
    if separator not in (None, "_X_"):
        raise NotImplementedError("crosses are joined by _X_")
    return _crossed(inputs, name, {"hashed_output": False, "num_buckets": 0, "hash_key": 0,
                                   "out_type": dtypes.string})  # fmt: skip


def sparse_cross_hashed(inputs: Any, num_buckets: int = 0, hash_key: int | None = None,
                        name: str | None = None) -> SparseTensor:  # fmt: skip
    """Return all combinations of what stands in each row of matrices, as hashes in buckets."""
    key = _CROSS_KEY if hash_key is None else hash_key
    return _crossed(inputs, name, {"hashed_output": True, "num_buckets": num_buckets,
                                   "hash_key": key, "out_type": dtypes.int64})  # fmt: skip
