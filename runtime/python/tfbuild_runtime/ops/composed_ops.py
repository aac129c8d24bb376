"""Functions that others are made of, which programs use now and then."""

from __future__ import annotations

import contextlib
import logging
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from tfbuild_runtime.framework import defaults, dtypes, tensor_shape
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.ops import (
    array_ops,
    case_ops,
    complex_ops,
    creation_ops,
    init_ops,
    linalg_ops,
    math_ops,
    nest,
    nn_ops,
    reduce_ops,
    weights_broadcast_ops,
)
from tfbuild_runtime.ops.emit import known_rank
from tfbuild_runtime.ops.host_ops import py_func
from tfbuild_runtime.ops.variable_scope import variable_scope


def rint(x: Any, name: str | None = None) -> Any:
    """Return the nearest whole numbers; of two equally near ones the even one."""
    return math_ops.round(x, name=name)


def to_complex64(x: Any, name: str = "ToComplex64") -> Any:
    """Return x as complex64."""
    return math_ops.cast(x, dtypes.complex64, name=name)


def to_complex128(x: Any, name: str = "ToComplex128") -> Any:
    """Return x as complex128."""
    return math_ops.cast(x, dtypes.complex128, name=name)


def to_bfloat16(x: Any, name: str = "ToBFloat16") -> Any:
    """Return x as bfloat16."""
    return math_ops.cast(x, dtypes.bfloat16, name=name)


def repeat(input: Any, repeats: Any, axis: int | None = None, name: str | None = None) -> Any:
    """Return each slice along an axis as often as repeats says; without an axis each element."""
    with framework.name_scope(name, "Repeat", [input, repeats]):
        x = framework.convert_to_tensor(input)
        if axis is None:
            x, axis = array_ops.reshape(x, [-1]), 0
        if axis < 0 and known_rank(x) is not None:
            axis += x.get_shape().ndims
        count = array_ops.shape(x)[axis]
        times = math_ops.cast(framework.convert_to_tensor(repeats), dtypes.int32)
        times = array_ops.broadcast_to(times, array_ops.stack([count]))
        most = reduce_ops.reduce_max(array_ops.concat([times, [0]], 0))
        places = array_ops.tile(array_ops.expand_dims(creation_ops.range(count), 1), [1, most])
        kept = creation_ops.range(most) < array_ops.expand_dims(times, 1)
        chosen = array_ops.boolean_mask(places, kept)
        return array_ops.gather(x, chosen, axis=axis)


def clip_by_average_norm(t: Any, clip_norm: Any, name: str | None = None) -> Any:
    """Return t, smaller where its norm for each element is larger than clip_norm."""
    with framework.name_scope(name, "clip_by_average_norm", [t, clip_norm]):
        t = framework.convert_to_tensor(t)
        count = math_ops.cast(array_ops.size(t), t.dtype.base_dtype)
        norm = math_ops.sqrt(reduce_ops.reduce_sum(t * t)) / count
        largest = math_ops.maximum(norm, framework.convert_to_tensor(clip_norm, t.dtype.base_dtype))
        return t * clip_norm / largest


def broadcast_static_shape(shape_x: Any, shape_y: Any) -> Any:
    """Return the shape to which both are broadcast, an unknown one where a rank is not known.

    Raises ValueError where they cannot be broadcast.
    """
    shapes = [tensor_shape.as_shape(shape) for shape in (shape_x, shape_y)]
    if any(shape.ndims is None for shape in shapes):
        return tensor_shape.unknown_shape()
    both = [shape.as_list() for shape in shapes]
    rank = max(map(len, both))
    found = []
    for one, other in zip(*([1] * (rank - len(sizes)) + sizes for sizes in both)):
        if one != other and 1 not in (one, other) and None not in (one, other):
            raise ValueError(f"Incompatible shapes for broadcasting: {shape_x} and {shape_y}")
        found.append(other if one in (1, None) and other != 1 else one)
    return tensor_shape.TensorShape(found)


def broadcast_dynamic_shape(shape_x: Any, shape_y: Any) -> Any:
    """Return, as a tensor, the shape to which two shapes are broadcast."""
    both = [framework.convert_to_tensor(shape) for shape in (shape_x, shape_y)]
    kind = both[0].dtype.base_dtype
    rank = math_ops.maximum(*(array_ops.size(shape) for shape in both))
    wide = [
        array_ops.concat([creation_ops.ones(array_ops.stack([rank - array_ops.size(shape)]), kind),
                          shape], 0)
        for shape in both
    ]  # fmt: skip
    return array_ops.where_v2(math_ops.equal(wide[0], 1), wide[1], wide[0])


def dimension_value(dimension: Any) -> Any:
    """Return a size as a number, or None."""
    return getattr(dimension, "value", dimension)


def dimension_at_index(shape: Any, index: int) -> Any:
    """Return one size of a shape."""
    return shape[index]


def switch_case(branch_index: Any, branch_fns: Any, default: Any = None,
                name: str = "switch_case") -> Any:  # fmt: skip
    """Return what the function of that number gives, else the default, or the last one."""
    pairs = branch_fns.items() if isinstance(branch_fns, dict) else enumerate(branch_fns)
    numbered = sorted((number, function) for number, function in pairs)
    last = numbered[-1][1] if default is None else default
    choices = [(math_ops.equal(branch_index, number), function) for number, function in numbered]
    return case_ops.case(choices, default=last, name=name)


def print_v2(*inputs: Any, output_stream: Any = None, summarize: int = 3, sep: str = " ",
             end: str = "\n", name: str | None = None) -> Any:  # fmt: skip
    """Return an operation that writes its inputs, by default to the standard error."""
    flat = nest.flatten(list(inputs))
    tensors = [one for one in flat if framework.is_tensor_like(one)]
    edge = max(1, summarize) if summarize != -1 else sys.maxsize

    def write(*arrays: Any) -> Any:
        given = iter(arrays)
        said = [_said(next(given), edge) if framework.is_tensor_like(one) else str(one)
                for one in flat]  # fmt: skip
        (output_stream or sys.stderr).write(sep.join(said) + end)
        return np.bool_(True)

    return py_func(write, tensors, dtypes.bool, name=name or "PrintV2").op


def _said(array: Any, edge: int) -> str:
    value = np.asarray(array)
    if value.dtype.kind in "OS" and value.ndim == 0:
        one = value.item()
        return one.decode(errors="replace") if isinstance(one, bytes) else str(one)
    most = 2 * edge if edge < sys.maxsize else sys.maxsize
    return np.array2string(value, edgeitems=edge, threshold=most, separator=" ")


def timestamp(name: str | None = None) -> Any:
    """Return the seconds since 1970 when the step runs it."""
    found = py_func(lambda: np.float64(time.time()), [], dtypes.float64, name=name or "Timestamp")
    found.set_shape([])
    return found


@contextlib.contextmanager
def init_scope() -> Iterator[None]:
    """Add the operations of the block outside of branches and loops, waiting for nothing."""
    with framework.control_dependencies(None):
        yield


@contextlib.contextmanager
def op_scope(values: Any, name: str | None, default_name: str | None = None) -> Iterator[str]:
    """Put a prefix before the names made in the block."""
    with framework.name_scope(name, default_name, list(values)) as scope:
        yield scope


def variable_op_scope(
    values: Any, name_or_scope: Any, default_name: str | None = None, initializer: Any = None,
    regularizer: Any = None, caching_device: Any = None, partitioner: Any = None,
    custom_getter: Any = None, reuse: Any = None, dtype: Any = None,
    use_resource: bool | None = None, constraint: Any = None,
) -> Any:  # fmt: skip
    """Put a prefix before variables and names made in the block."""
    return variable_scope(
        name_or_scope, default_name, values, initializer, regularizer, caching_device, partitioner,
        custom_getter, reuse, dtype, use_resource, constraint,
    )  # fmt: skip


def no_regularizer(_: Any) -> None:
    """Make no loss of a variable."""


def recompute_grad(f: Callable[..., Any]) -> Callable[..., Any]:
    """Return f: its gradients are the same, computed once."""
    return f


def assert_proper_iterable(values: Any) -> None:
    """Raise TypeError for what is no list, or only looks like one."""
    wrong = framework.is_tensor_like(values) or isinstance(values, (np.ndarray, str, bytes))
    if wrong or not isinstance(values, Iterable):
        raise TypeError(f"Expected argument 'values' to be a 'proper' iterable. Found: {values!r}")


def get_logger() -> Any:
    """Return the logger of that name."""
    return logging.getLogger("tensorflow")


def executing_eagerly_outside_functions() -> bool:
    """Whether operations run at once: no, they are added to a graph."""
    return defaults.get_default_graph() is None


# ---- tf.nn and tf.math ---------------------------------------------------------------------------


def crelu(features: Any, name: str | None = None, axis: int = -1) -> Any:
    """Return relu(x) and relu(-x) along an axis."""
    with framework.name_scope(name, "CRelu", [features]) as scope:
        x = framework.convert_to_tensor(features)
        return nn_ops.relu(array_ops.concat([x, -x], axis), name=scope)


def sufficient_statistics(x: Any, axes: Any, shift: Any = None, keep_dims: Any = None,
                          name: str | None = None, keepdims: Any = None) -> Any:  # fmt: skip
    """Return count, sum and sum of squares of x - shift along axes, and shift."""
    keep = bool(keepdims if keep_dims is None else keep_dims)
    with framework.name_scope(name, "sufficient_statistics", [x, shift]):
        x = framework.convert_to_tensor(x)
        sizes = array_ops.gather(array_ops.shape(x), list(axes))
        count = math_ops.cast(reduce_ops.reduce_prod(sizes), x.dtype.base_dtype)
        away = x if shift is None else x - shift
        total = reduce_ops.reduce_sum(away, axes, keepdims=keep)
        return count, total, reduce_ops.reduce_sum(away * away, axes, keepdims=keep), shift


def normalize_moments(counts: Any, mean_ss: Any, variance_ss: Any, shift: Any,
                      name: str | None = None) -> tuple[Any, Any]:  # fmt: skip
    """Return mean and variance by what sufficient_statistics gave."""
    with framework.name_scope(name, "normalize", [counts, mean_ss, variance_ss, shift]):
        off = mean_ss / counts
        mean = off if shift is None else off + shift
        return mean, variance_ss / counts - off * off


def reduce_variance(input_tensor: Any, axis: Any = None, keepdims: bool = False,
                    name: str | None = None) -> Any:  # fmt: skip
    """Return the variance along axes."""
    with framework.name_scope(name or "reduce_variance"):
        x = framework.convert_to_tensor(input_tensor)
        away = x - reduce_ops.reduce_mean(x, axis, keepdims=True)
        return reduce_ops.reduce_mean(away * away, axis, keepdims=keepdims)


def reduce_std(input_tensor: Any, axis: Any = None, keepdims: bool = False,
               name: str | None = None) -> Any:  # fmt: skip
    """Return the standard deviation along axes."""
    with framework.name_scope(name or "reduce_std"):
        return math_ops.sqrt(reduce_variance(input_tensor, axis, keepdims))


def reduce_euclidean_norm(input_tensor: Any, axis: Any = None, keepdims: bool = False,
                          name: str | None = None) -> Any:  # fmt: skip
    """Return the root of the sum of squares, of complex numbers of their sizes, along axes.

    That of integers is rounded down.
    """
    with framework.name_scope(name or "EuclideanNorm"):
        x = framework.convert_to_tensor(input_tensor)
        squares = x * (complex_ops.conj(x) if x.dtype.is_complex else x)
        total = reduce_ops.reduce_sum(squares, axis, keepdims=keepdims)
        if not x.dtype.is_integer:
            return math_ops.sqrt(total)
        return math_ops.cast(math_ops.sqrt(math_ops.cast(total, dtypes.float64)), x.dtype)


def multiply_no_nan(x: Any, y: Any, name: str | None = None) -> Any:
    """Return x * y, and 0 where y is 0 whatever x is."""
    with framework.name_scope(name, "multiply_no_nan", [x, y]):
        x = framework.convert_to_tensor(x)
        y = framework.convert_to_tensor(y, dtype=x.dtype.base_dtype)
        product = x * y
        nothing = math_ops.equal(y + creation_ops.zeros_like(product), 0)
        made = array_ops.where_v2(nothing, creation_ops.zeros_like(product), product)
        # The gradient of `where` would be 0 for a y of 0, and that of the product there is x.
        with framework.get_default_graph().gradient_override_map({"IdentityN": "MulNoNan"}):
            return framework.apply_op("IdentityN", [[made, x, y]]).outputs[0]


def reciprocal_no_nan(x: Any, name: str | None = None) -> Any:
    """Return 1 / x, and 0 where x is 0."""
    x = framework.convert_to_tensor(x)
    return math_ops.div_no_nan(creation_ops.ones_like(x), x, name=name)


def polyval(coeffs: Any, x: Any, name: str | None = None) -> Any:
    """Return the value of a polynomial; the coefficient of the highest power is the first."""
    with framework.name_scope(name, "polyval", [*coeffs, x]):
        x = framework.convert_to_tensor(x)
        total = creation_ops.zeros_like(x)
        for coefficient in coeffs:
            total = total * x + coefficient
        return total


def matvec(a: Any, b: Any, transpose_a: bool = False, adjoint_a: bool = False,
           a_is_sparse: bool = False, b_is_sparse: bool = False,
           name: str | None = None) -> Any:  # fmt: skip
    """Return matrices times vectors. That one has many zeros makes it no faster."""
    del a_is_sparse, b_is_sparse
    with framework.name_scope(name, "MatVec", [a, b]):
        column = array_ops.expand_dims(b, -1)
        product = linalg_ops.matmul(a, column, transpose_a=transpose_a, adjoint_a=adjoint_a)
        return array_ops.squeeze(product, [-1])


def mean_pairwise_squared_error(labels: Any, predictions: Any, weights: Any = 1.0,
                                scope: str | None = None,
                                loss_collection: str = "losses") -> Any:  # fmt: skip
    """Return, summed over rows, the mean of squared differences of errors of pairs of elements.

    An element whose weight is 0 is not counted. Raises ValueError unless weights are a scalar or
    of the rank of the labels, with sizes of 1 or theirs; where that is not known yet, the step
    fails with InvalidArgumentError.
    """
    with framework.name_scope(scope, "mean_pairwise_squared_error", [predictions, labels]):
        labels = math_ops.cast(labels, dtypes.float32)
        weights = math_ops.cast(weights, dtypes.float32)
        fits = weights_broadcast_ops.assert_broadcastable(weights, labels)
        with framework.control_dependencies([fits] if fits.type == "Assert" else []):
            errors = math_ops.cast(predictions, dtypes.float32) - labels
        axes = creation_ops.range(1, array_ops.rank(errors))
        counted = math_ops.cast(math_ops.not_equal(weights, 0.0), dtypes.float32)
        counted = weights_broadcast_ops.broadcast_weights(counted, errors)
        count = reduce_ops.reduce_sum(counted, axes, keepdims=True)
        squares = reduce_ops.reduce_sum(errors * errors, axes, keepdims=True)
        whole = math_ops.square(reduce_ops.reduce_sum(errors, axes, keepdims=True))
        others = math_ops.maximum(count - 1.0, 0.0)
        by_row = 2.0 * math_ops.div_no_nan(squares, others)
        by_row = by_row - 2.0 * math_ops.div_no_nan(whole, count * others)
        loss = reduce_ops.reduce_sum(by_row * weights)
        framework.add_to_collection(loss_collection, loss)
        return loss


def uniform_unit_scaling(factor: float = 1.0, seed: int | None = None,
                         dtype: Any = dtypes.float32) -> Any:  # fmt: skip
    """Return an initializer that draws evenly so that the scale of inputs is kept."""

    def make(shape: Any, dtype: Any = dtype, partition_info: Any = None) -> Any:
        sizes = [float(size) for size in (partition_info.full_shape if partition_info else shape)]
        depth = max(1.0, float(np.prod(sizes[:-1])) if len(sizes) > 1 else 1.0)
        most = float(np.sqrt(3 / depth)) * factor
        return init_ops.RandomUniform(-most, most, seed)(shape, dtype=dtype)

    return make
