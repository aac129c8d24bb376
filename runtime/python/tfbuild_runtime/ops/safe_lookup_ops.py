"""Rows of tables by sparse numbers of which some are missing or negative."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework.sparse_tensor import SparseTensor
from tfbuild_runtime.ops import array_ops, creation_ops, math_ops, reduce_ops, sparse_ops
from tfbuild_runtime.ops.sparse_element_ops import sparse_fill_empty_rows


def safe_embedding_lookup_sparse(
    embedding_weights: Any, sparse_ids: Any, sparse_weights: Any = None,
    combiner: str | None = "mean", default_id: Any = None, name: str | None = None,
    partition_strategy: str = "div", max_norm: Any = None, allow_fast_lookup: bool = False,
) -> Any:  # fmt: skip
    """Return for each row of ids the vectors put together, whatever rank the ids have.

    Negative ids do not count, nor, unless sums are asked for, ids of weights that are not
    positive. A row without ids gives the vector of default_id, zeros without it. Raises ValueError
    without a table.
    """
    if embedding_weights is None or (
        isinstance(embedding_weights, (list, tuple)) and not embedding_weights
    ):
        raise ValueError(f"Missing embedding_weights {embedding_weights}.")
    with framework.name_scope(name, "embedding_lookup"):
        ids = sparse_ops.as_sparse(sparse_ids)
        leading = ids.dense_shape[:-1]
        known = ids.get_shape().ndims
        flat = array_ops.stack([reduce_ops.reduce_prod(leading), ids.dense_shape[-1]])
        ids = sparse_ops.sparse_reshape(ids, flat)
        weights = None
        if sparse_weights is not None:
            values = sparse_ops.as_sparse(sparse_weights).values
            weights = SparseTensor(ids.indices, values, ids.dense_shape)
        ids, weights = _counting(ids, weights, combiner)
        ids, is_empty = sparse_fill_empty_rows(ids, default_id or 0)
        if weights is not None:
            weights, _ = sparse_fill_empty_rows(weights, 1.0)
        found = sparse_ops.embedding_lookup_sparse(
            embedding_weights, ids, weights, partition_strategy, combiner=combiner,
            max_norm=max_norm, allow_fast_lookup=allow_fast_lookup,
        )  # fmt: skip
        rest = found.get_shape()[1:]
        if default_id is None:
            found = array_ops.where(is_empty, creation_ops.zeros_like(found), found)
        sizes = math_ops.cast(leading, array_ops.shape(found).dtype)
        made = array_ops.reshape(found, array_ops.concat([sizes, array_ops.shape(found)[1:]], 0))
        if known is not None:
            made.set_shape([*[None] * (known - 1), *rest.as_list()])
        return made


def _counting(ids: Any, weights: Any, combiner: str | None) -> tuple[Any, Any]:
    """Return the ids, and their weights, that count."""
    kept = math_ops.greater_equal(ids.values, 0)
    if weights is None:
        return sparse_ops.sparse_retain(ids, kept), None
    if combiner != "sum":
        kept = math_ops.logical_and(kept, math_ops.greater(weights.values, 0))
    return sparse_ops.sparse_retain(ids, kept), sparse_ops.sparse_retain(weights, kept)
