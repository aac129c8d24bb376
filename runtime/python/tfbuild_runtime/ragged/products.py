"""Products, sums along rows and shares of ragged tensors, by the names of functions of tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfbuild_runtime.framework import dtypes, ops
from tfbuild_runtime.framework.operation import Tensor
from tfbuild_runtime.ops import (
    array_ops,
    check_ops,
    creation_ops,
    linalg_ops,
    math_ops,
    nn_ops,
    order_ops,
    placement_ops,
    reduce_ops,
    segment_ops,
    sparse_ops,
    string_ops,
)
from tfbuild_runtime.ops.emit import only_one
from tfbuild_runtime.ragged import arrays, functions, partitions, reductions
from tfbuild_runtime.ragged.tensor import RaggedTensor

_UNEVEN = "The matrices in `a` and `b` may not be ragged in their innermost dimension."


def add_n(inputs: Any, name: str | None = None) -> Any:
    """Return the sums of ragged tensors of the same rows."""
    with ops.name_scope(name, "RaggedAddN"):
        return functions.map_flat_values(reduce_ops.add_n, list(inputs))


def softmax(logits: Any, axis: Any = None, name: str | None = None, dim: Any = None) -> Any:
    """Return exp(logits) over its sum along an axis, the last one if nothing is said."""
    axis = only_one(axis, dim, "axis", "dim")
    with ops.name_scope(name, "RaggedSoftmax", [logits]):
        place = arrays.place_of(-1 if axis is None else axis, logits.shape.rank)
        flat, inner = logits.flat_values, logits.ragged_rank
        if place > inner:
            return logits.with_flat_values(nn_ops.softmax(flat, place - inner))
        if place < inner:
            return _by_tensor(logits, -float("inf"), lambda x: nn_ops.softmax(x, place))
        splits = logits.nested_row_splits[-1]
        ids, count = partitions.to_rowids(splits), array_ops.shape(splits)[0] - 1
        most = array_ops.stop_gradient(segment_ops.unsorted_segment_max(flat, ids, count))
        powers = math_ops.exp(flat - array_ops.gather(most, ids))
        sums = reduce_ops.unsorted_segment_sum(powers, ids, count)
        return logits.with_flat_values(powers / array_ops.gather(sums, ids))


def cumsum(x: Any, axis: Any = 0, exclusive: bool = False, reverse: bool = False,
           name: str | None = None) -> Any:  # fmt: skip
    """Return the sums along an axis up to each element, from the other end with reverse."""
    with ops.name_scope(name, "RaggedCumSum", [x]):
        place = arrays.place_of(axis, x.shape.rank)
        return _by_tensor(x, 0, lambda whole: order_ops.cumsum(whole, place, exclusive, reverse))


def _by_tensor(ragged: Any, default: Any, function: Callable[[Any], Any]) -> Any:
    """Return what a function makes of the elements within a tensor that is filled up."""
    whole = function(ragged.to_tensor(ops.constant(default, ragged.dtype.base_dtype)))
    places = []
    for splits, ids in zip(ragged.nested_row_splits, ragged.nested_value_rowids()):
        places = [array_ops.gather(place, ids) for place in places or [creation_ops.range(
            array_ops.shape(splits, out_type=splits.dtype)[0] - 1)]]  # fmt: skip
        places.append(partitions.places_in_rows(splits))
    return ragged.with_flat_values(placement_ops.gather_nd(whole, array_ops.stack(places, 1)))


# ---- products -----------------------------------------------------------------------------------


def matmul(a: Any, b: Any, transpose_a: bool = False, transpose_b: bool = False,
           adjoint_a: bool = False, adjoint_b: bool = False, a_is_sparse: bool = False,
           b_is_sparse: bool = False, name: str | None = None) -> Any:  # fmt: skip
    """Return the products of matrices, which may have sizes of their own where there are many.

    Raises ValueError for two types, two ranks or ranks that are not known; a step ends with
    InvalidArgumentError for matrices that do not fit, or whose own rows differ.
    """
    del a_is_sparse, b_is_sparse
    turned = {"transpose_a": transpose_a, "transpose_b": transpose_b,
              "adjoint_a": adjoint_a, "adjoint_b": adjoint_b}  # fmt: skip
    with ops.name_scope(name, "RaggedMatMul"):
        a, b = (value if isinstance(value, RaggedTensor) else ops.convert_to_tensor(value)
                for value in (a, b))  # fmt: skip
        if a.dtype.base_dtype != b.dtype.base_dtype:
            raise ValueError("`a` and `b` must have the same dtype.")
        rank = a.shape.rank if a.shape.rank is not None else b.shape.rank
        if rank is None or rank < 2 or b.shape.rank not in (None, rank):
            raise ValueError("`a` and `b` must have the same rank.")
        return _product(a, b, rank, turned)


def _product(a: Any, b: Any, rank: int, turned: dict[str, bool]) -> Any:
    if rank == 2:
        a, b = _even(a), _even(b)
    if not isinstance(a, RaggedTensor) and not isinstance(b, RaggedTensor):
        return linalg_ops.matmul(a, b, **turned)
    if rank == 3:
        return _of_batches(a, b, turned)
    a = a if isinstance(a, RaggedTensor) else RaggedTensor.from_tensor(a)
    b = arrays.with_rows_of(b, a.row_splits)
    return a.with_values(_product(a.values, b.values, rank - 1, turned))


def _even(value: Any) -> Any:
    """Return a ragged matrix as a tensor; a step ends where its rows have several lengths."""
    if not isinstance(value, RaggedTensor):
        return value
    whole = value.to_tensor()
    full = check_ops.assert_equal(array_ops.size(value.flat_values), array_ops.size(whole),
                                  message=_UNEVEN)  # fmt: skip
    with ops.control_dependencies([full]):
        return array_ops.identity(whole)


def _of_batches(a: Any, b: Any, turned: dict[str, bool]) -> Any:
    """Return the products of the matrices of two batches, of which one is ragged at least.

    What fills up the tensors is 0 and adds nothing; the rest of it is cut off.
    """
    turned_a = turned["transpose_a"] or turned["adjoint_a"]
    turned_b = turned["transpose_b"] or turned["adjoint_b"]
    (rows, inner_a), (inner_b, columns) = _sizes(a, turned_a), _sizes(b, turned_b)
    message = "the matrices of `a` and `b` do not fit each other"
    with ops.control_dependencies([check_ops.assert_equal(inner_a, inner_b, message=message)]):
        whole = linalg_ops.matmul(_filled(a), _filled(b), **turned)
    kind = (a if isinstance(a, RaggedTensor) else b).row_splits.dtype
    made = RaggedTensor.from_tensor(whole, math_ops.cast(rows, kind), row_splits_dtype=kind)
    ragged_b = isinstance(b, RaggedTensor)
    if not ragged_b or (b.ragged_rank == 1 and not turned_b):
        return made
    lengths = array_ops.gather(math_ops.cast(columns, kind), made.value_rowids())
    inner = RaggedTensor.from_tensor(made.values, lengths, row_splits_dtype=kind)
    return made.with_values(inner)


def _filled(value: Any) -> Any:
    return value.to_tensor() if isinstance(value, RaggedTensor) else value


def _sizes(value: Any, turned: bool) -> tuple[Tensor, Tensor]:
    """Return how many rows and columns each matrix has; a step ends where its rows differ."""
    if not isinstance(value, RaggedTensor):
        shape = array_ops.shape(value, out_type=dtypes.int64)
        rows, columns = (creation_ops.fill(shape[:1], shape[axis]) for axis in (1, 2))
    else:
        rows, below = math_ops.cast(value.row_lengths(), dtypes.int64), value.values
        if not isinstance(below, RaggedTensor):
            width = array_ops.shape(below, out_type=dtypes.int64)[1]
            columns = creation_ops.fill(array_ops.shape(rows), width)
        else:
            lengths, ids = math_ops.cast(below.row_lengths(), dtypes.int64), value.value_rowids()
            count = value.nrows()
            longest = segment_ops.unsorted_segment_max(lengths, ids, count)
            columns = math_ops.maximum(longest, 0)
            same = check_ops.assert_equal(lengths, array_ops.gather(columns, ids), message=_UNEVEN)
            with ops.control_dependencies([same]):
                columns = array_ops.identity(columns)
    return (columns, rows) if turned else (rows, columns)


# ---- segments -----------------------------------------------------------------------------------


def _by_segment(kind: str) -> Callable[..., Any]:
    function = getattr(reduce_ops if kind == "sum" else segment_ops, f"unsorted_segment_{kind}")

    def segments(data: Any, segment_ids: Any, num_segments: Any,
                 name: str | None = None) -> Any:  # fmt: skip
        """Return what the rows of each segment give together, rows of these where they are ragged.

        Segment ids have a number for each row, or for what the rows hold where they are ragged.
        """
        with ops.name_scope(name, f"RaggedSegment{kind.title()}"):
            data, ids = arrays.beside(data, segment_ids)
            return reductions.by_segment(function, data, ids, num_segments)

    return segments


unsorted_segment_sum = _by_segment("sum")
unsorted_segment_prod = _by_segment("prod")
unsorted_segment_min = _by_segment("min")
unsorted_segment_max = _by_segment("max")
unsorted_segment_mean = _by_segment("mean")
unsorted_segment_sqrt_n = _by_segment("sqrt_n")


def embedding_lookup_sparse(params: Any, sp_ids: Any, sp_weights: Any, *more: Any,
                            **named: Any) -> Any:  # fmt: skip
    """Return for each row of ragged ids the vectors put together.

    Raises TypeError where weights are given and are not ragged as the ids are.
    """
    ids, weights = _as_sparse(sp_ids, sp_weights)
    return sparse_ops.embedding_lookup_sparse(params, ids, weights, *more, **named)


def safe_embedding_lookup_sparse(embedding_weights: Any, sparse_ids: Any,
                                 sparse_weights: Any = None, *more: Any,
                                 **named: Any) -> Any:  # fmt: skip
    """Return the same, zeros or the vector of default_id for rows without ids; TypeError alike."""
    from tfbuild_runtime.ops import safe_lookup_ops

    ids, weights = _as_sparse(sparse_ids, sparse_weights)
    return safe_lookup_ops.safe_embedding_lookup_sparse(embedding_weights, ids, weights, *more,
                                                        **named)  # fmt: skip


def _as_sparse(ids: Any, weights: Any) -> tuple[Any, Any]:
    if not isinstance(ids, RaggedTensor) or not isinstance(weights, (RaggedTensor, type(None))):
        raise TypeError("ids and their weights must both be ragged, or neither")
    return ids.to_sparse(), None if weights is None else weights.to_sparse()


def reduce_join(inputs: Any, axis: Any = None, keep_dims: Any = None, separator: str = "",
                name: str | None = None, reduction_indices: Any = None,
                keepdims: Any = None) -> Any:  # fmt: skip
    """Return the strings along axes as one each, those of rows in their order."""
    axis = only_one(axis, reduction_indices, "axis", "reduction_indices")
    keep = bool(keep_dims or keepdims)
    with ops.name_scope(name, "RaggedReduceJoin", [inputs]):
        rank = inputs.shape.rank
        if rank is None:
            raise ValueError("the rank of ragged strings that are joined must be known")
        axes = [axis] if isinstance(axis, int) else range(rank) if axis is None else axis
        for place in sorted({arrays.place_of(one, rank) for one in axes}, reverse=True):
            inputs = _joined(inputs, place, separator, keep=keep)
        return inputs


def _joined(value: Any, axis: int, separator: str, *, keep: bool) -> Any:
    from tfbuild_runtime.ragged import rows

    if not isinstance(value, RaggedTensor):
        return string_ops.reduce_join(value, axis, keep, separator)
    if axis > 1:
        return value.with_values(_joined(value.values, axis - 1, separator, keep=keep))
    if axis == 0 or isinstance(value.values, RaggedTensor):
        raise ValueError("ragged strings are joined from their innermost rows outwards")
    # As in TensorFlow, what is joined begins with the first string that is not empty.
    length = math_ops.cast(string_ops.string_length(value.values), dtypes.int64)
    before = cumsum(value.with_values(length), 1, exclusive=True).values
    behind = string_ops.string_join([separator, value.values])
    parted = array_ops.where_v2(math_ops.equal(before, 0), value.values, behind)
    whole = value.with_values(parted).to_tensor("")
    joined = string_ops.reduce_join(whole, 1)
    return rows.expand_dims(joined, 1) if keep else joined
