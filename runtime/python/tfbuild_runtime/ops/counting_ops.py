"""Counting and sorting: nonzero elements, confusion matrices, sorted rows, grids."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.ops import (
    array_ops,
    check_ops,
    creation_ops,
    host_ops,
    math_ops,
    order_ops,
    reduce_ops,
)
from tfbuild_runtime.ops.emit import emit, known_rank, only_one


def count_nonzero(input_tensor: Any = None, axis: Any = None, keepdims: Any = None,
                  dtype: Any = dtypes.int64, name: str | None = None,
                  reduction_indices: Any = None, keep_dims: Any = None,
                  input: Any = None) -> Any:  # fmt: skip
    """Return how many elements along the axes are not zero, or not empty."""
    value = only_one(input_tensor, input, "input_tensor", "input")
    axis = only_one(axis, reduction_indices, "axis", "reduction_indices")
    with framework.name_scope(name, "count_nonzero", [value]):
        value = framework.convert_to_tensor(value, name="input")
        nothing = "" if value.dtype.base_dtype == dtypes.string else 0
        if value.dtype.base_dtype == dtypes.bool:
            there = value
        else:
            there = math_ops.not_equal(value, framework.constant(nothing, value.dtype.base_dtype))
        ones = math_ops.cast(there, dtypes.int64)
        total = reduce_ops.reduce_sum(ones, axis, keepdims=bool(keepdims or keep_dims))
        return math_ops.cast(total, dtype)


def argsort(values: Any, axis: int = -1, direction: str = "ASCENDING", stable: bool = False,
            name: str | None = None) -> Any:  # fmt: skip
    """Return the places of the elements along an axis in order, of equal ones the first first."""
    del stable
    with framework.name_scope(name, "argsort", [values]):
        return _sorted(values, axis, direction).indices


def sort(values: Any, axis: int = -1, direction: str = "ASCENDING",
         name: str | None = None) -> Any:  # fmt: skip
    """Return the elements along an axis in order."""
    with framework.name_scope(name, "sort", [values]):
        found = _sorted(values, axis, direction)
        return found.values if direction == "DESCENDING" else _mirrored(found.values)


def _mirrored(values: Any) -> Any:
    """Return values whose order is the other way round, and of them these again.

    Of integers that is the complement: the least one has no negative.
    """
    dtype = values.dtype.base_dtype
    if not dtype.is_integer:
        return math_ops.negative(values)
    last = dtype.max if dtype.is_unsigned else -1
    return math_ops.subtract(framework.constant(last, dtype), values)


def _sorted(values: Any, axis: int, direction: str) -> order_ops.TopK:
    """Return rows in order: of ascending ones, the mirrored values."""
    if direction not in ("ASCENDING", "DESCENDING"):
        raise ValueError(f"direction should be ASCENDING or DESCENDING, not {direction!r}")
    values = framework.convert_to_tensor(values, name="values")
    rank = known_rank(values)
    if rank is None and axis == -1:
        return _sorted_rows(values, direction)
    if rank is None:
        raise ValueError(f"sorting along axis {axis} needs a tensor of known rank")
    if not -rank <= axis < rank:
        raise ValueError(f"axis {axis} is not below the rank {rank}")
    order = [place for place in range(rank) if place != axis % rank] + [axis % rank]
    turned = values if axis % rank == rank - 1 else array_ops.transpose(values, order)
    found = _sorted_rows(turned, direction)
    back = sorted(range(rank), key=lambda place: order[place])
    if back == list(range(rank)):
        return found
    return order_ops.TopK(*(array_ops.transpose(part, back) for part in found))


def _sorted_rows(values: Any, direction: str) -> order_ops.TopK:
    size = array_ops.shape(values)[-1]
    return order_ops.top_k(values if direction == "DESCENDING" else _mirrored(values), size)


def meshgrid(*args: Any, **kwargs: Any) -> list[Any]:
    """Return for each vector a tensor over the grid of all of them."""
    indexing, name = kwargs.pop("indexing", "xy"), kwargs.pop("name", "meshgrid")
    if kwargs:
        raise TypeError(f"'{next(iter(kwargs))}' is an invalid keyword argument for this function")
    if indexing not in ("xy", "ij"):
        raise ValueError(f"Argument `indexing` should be 'xy' or 'ij', not {indexing!r}")
    with framework.name_scope(name, "meshgrid", list(args)):
        vectors = [array_ops.reshape(framework.convert_to_tensor(value), [-1]) for value in args]
        count = len(vectors)
        sizes = [array_ops.size(vector) for vector in vectors]
        places = list(range(count))
        if indexing == "xy" and count > 1:
            places[0], places[1] = 1, 0
        around = [sizes[places.index(axis)] for axis in range(count)]
        shape = array_ops.stack(around) if count else []
        made = []
        for vector, place in zip(vectors, places):
            narrow = [1] * count
            narrow[place] = -1
            ones = creation_ops.ones(shape, vector.dtype.base_dtype)
            made.append(array_ops.reshape(vector, narrow) * ones)
        return made


def remove_squeezable_dimensions(labels: Any, predictions: Any, expected_rank_diff: int = 0,
                                 name: str | None = None) -> tuple[Any, Any]:  # fmt: skip
    """Return both as tensors, where one has a last dimension of 1 too many without it.

    The predictions have expected_rank_diff dimensions more than the labels.
    """
    with framework.name_scope(name, "remove_squeezable_dimensions", [labels, predictions]):
        labels, predictions = map(framework.convert_to_tensor, (labels, predictions))
        ranks = known_rank(predictions), known_rank(labels)
        if None not in ranks:
            surplus: Any = ranks[0] - ranks[1] - expected_rank_diff
            if surplus == 1 and _may_end_in_one(predictions):
                predictions = array_ops.squeeze(predictions, [-1])
            elif surplus == -1 and _may_end_in_one(labels):
                labels = array_ops.squeeze(labels, [-1])
            return labels, predictions
        surplus = array_ops.rank(predictions) - array_ops.rank(labels) - expected_rank_diff
        if _may_end_in_one(predictions):
            predictions = without_last(predictions, math_ops.equal(surplus, 1))
        if _may_end_in_one(labels):
            labels = without_last(labels, math_ops.equal(surplus, -1))
        return labels, predictions


def _may_end_in_one(tensor: Any) -> bool:
    shape = tensor.get_shape()
    return shape.ndims is None or (shape.ndims > 0 and shape.as_list()[-1] in (None, 1))


def without_last(tensor: Any, is_surplus: Any) -> Any:
    """Return a tensor without its last dimension, of size 1, where a truth value says so."""
    shape = array_ops.shape(tensor)
    kept = array_ops.rank(tensor) - math_ops.cast(is_surplus, dtypes.int32)
    return array_ops.reshape(tensor, shape[:kept])


def confusion_matrix(labels: Any, predictions: Any, num_classes: Any = None,
                     dtype: Any = dtypes.int32, name: str | None = None,
                     weights: Any = None) -> Any:  # fmt: skip
    """Return how often each label (row) was predicted as each class (column).

    A step with a negative class, or one of num_classes and more, fails with InvalidArgumentError.
    Raises ValueError where labels and predictions cannot be of one shape.
    """
    with framework.name_scope(name, "confusion_matrix", [labels, predictions]):
        labels, predictions = remove_squeezable_dimensions(labels, predictions)
        predictions.get_shape().assert_is_compatible_with(labels.get_shape())
        labels = _classes(labels, "labels", num_classes)
        predictions = _classes(predictions, "predictions", num_classes)
        if num_classes is None:
            largest = math_ops.maximum(reduce_ops.reduce_max(labels),
                                       reduce_ops.reduce_max(predictions))  # fmt: skip
            num_classes = largest + 1
        size = math_ops.cast(num_classes, dtypes.int64)
        places = array_ops.stack([labels, predictions], axis=1)
        if weights is None:
            counts = creation_ops.ones_like(predictions, dtype)
        else:
            counts = math_ops.cast(array_ops.reshape(weights, [-1]), dtype)
        return emit("ScatterNd", [places, counts, array_ops.stack([size, size])])


def _classes(values: Any, name: str, count: Any) -> Any:
    """Return numbers of classes as a vector of int64 that a step cannot have out of range."""
    values = math_ops.cast(array_ops.reshape(values, [-1]), dtypes.int64)
    message = f"`{name}` contains negative values"
    checks = [check_ops.assert_non_negative(values, message=message)]
    if count is not None:
        most = math_ops.cast(count, dtypes.int64)
        checks.append(check_ops.assert_less(values, most, message=f"`{name}` out of bound"))
    with framework.control_dependencies(checks):
        return array_ops.identity(values)


def bincount(arr: Any, weights: Any = None, minlength: Any = None, maxlength: Any = None,
             dtype: Any = dtypes.int32, name: str | None = None) -> Any:  # fmt: skip
    """Return how often each whole number is there, or the sum of the weights that stand for it."""
    with framework.name_scope(name, "bincount", [arr]):
        numbers = array_ops.reshape(math_ops.cast(arr, dtypes.int32), [-1])
        positive = check_ops.assert_non_negative(numbers, message="Input arr must be non-negative!")
        with framework.control_dependencies([positive]):
            numbers = array_ops.identity(numbers)
        size = reduce_ops.reduce_max(array_ops.concat([numbers, [-1]], 0)) + 1
        if minlength is not None:
            size = math_ops.maximum(size, minlength)
        if maxlength is not None:
            size = math_ops.minimum(size, maxlength)
            numbers = array_ops.where_v2(numbers < size, numbers, -1)
        if weights is None:
            each = creation_ops.ones_like(numbers, dtype)
        else:
            each = array_ops.reshape(framework.convert_to_tensor(weights), [-1])
        return reduce_ops.unsorted_segment_sum(each, numbers, size)


def parallel_stack(values: Any, name: str = "parallel_stack") -> Any:
    """Return stack(values)."""
    return array_ops.stack(values, name=name)


def setdiff1d(x: Any, y: Any, index_dtype: Any = dtypes.int32,
              name: str | None = None) -> tuple[Any, Any]:  # fmt: skip
    """Return the elements of x that are not in y, and their places in x."""
    with framework.name_scope(name, "ListDiff", [x, y]):
        x = framework.convert_to_tensor(x, name="x")
        y = framework.convert_to_tensor(y, dtype=x.dtype.base_dtype, name="y")
        # Each value gets a number where it comes first, those of y before all others.
        numbers = order_ops.unique(array_ops.concat([y, x], 0))[1]
        count = array_ops.size(y)
        of_y = reduce_ops.reduce_max(array_ops.concat([numbers[:count], [-1]], 0))
        places = array_ops.where(math_ops.greater(numbers[count:], of_y))[:, 0]
        return array_ops.gather(x, places), math_ops.cast(places, index_dtype)


def histogram_fixed_width_bins(values: Any, value_range: Any, nbins: Any = 100,
                               dtype: Any = dtypes.int32,
                               name: str | None = None) -> Any:  # fmt: skip
    """Return the number of the bin of each value; what lies outside is in the outermost ones."""
    with framework.name_scope(name, "histogram_fixed_width_bins", [values]):
        values = framework.convert_to_tensor(values, name="values")
        ends = framework.convert_to_tensor(value_range, dtype=values.dtype.base_dtype)
        shares = math_ops.truediv(values - ends[0], ends[1] - ends[0])
        bins = math_ops.cast(nbins, shares.dtype.base_dtype)
        found = math_ops.minimum(math_ops.maximum(math_ops.floor(shares * bins), 0), bins - 1)
        return math_ops.cast(found, dtype)


def histogram_fixed_width(values: Any, value_range: Any, nbins: Any = 100,
                          dtype: Any = dtypes.int32, name: str | None = None) -> Any:  # fmt: skip
    """Return how many values are in each of the bins.

    The step raises InvalidArgumentError where a value is NaN, which is in none of them.
    """
    with framework.name_scope(name, "histogram_fixed_width", [values]):
        values = framework.convert_to_tensor(values, name="values")
        if values.dtype.is_floating:
            is_number = reduce_ops.reduce_all(math_ops.logical_not(math_ops.is_nan(values)))
            checked = host_ops.Assert(is_number, ["the values of a histogram hold NaN"])
            with framework.control_dependencies([checked]):
                values = array_ops.identity(values)
        bins = array_ops.reshape(histogram_fixed_width_bins(values, value_range, nbins), [-1])
        ones = creation_ops.ones_like(bins, dtype)
        return reduce_ops.unsorted_segment_sum(ones, bins, nbins)
