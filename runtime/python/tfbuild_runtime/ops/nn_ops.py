"""Activations, softmax and what else the layers of neural networks are made of."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework.shape_origin import why_unknown
from tfbuild_runtime.ops import (
    array_ops,
    creation_ops,
    linalg_ops,
    math_ops,
    random_ops,
    reduce_ops,
)
from tfbuild_runtime.ops.emit import emit, known_rank, only_one


def relu(features: Any, name: str | None = None) -> Any:
    """Return max(features, 0)."""
    return emit("Relu", [features], name)


def relu6(features: Any, name: str | None = None) -> Any:
    """Return min(max(features, 0), 6)."""
    return emit("Relu6", [features], name)


def leaky_relu(features: Any, alpha: Any = 0.2, name: str | None = None) -> Any:
    """Return features where they are positive, and alpha times features elsewhere."""
    with framework.name_scope(name, "LeakyRelu", [features]) as scope:
        features = framework.convert_to_tensor(features, name="features")
        if features.dtype.is_integer:
            features = math_ops.cast(features, dtypes.float32)
        if framework.is_tensor_like(alpha):
            return emit("Maximum", [emit("Mul", [alpha, features], "mul"), features], scope)
        return emit("LeakyRelu", [features], scope, alpha=float(alpha))


def elu(features: Any, name: str | None = None) -> Any:
    """Return features where they are positive, and exp(features) - 1 elsewhere."""
    return emit("Elu", [features], name)


def swish(features: Any, beta: Any = 1.0, name: str | None = None) -> Any:
    """Return features * sigmoid(beta * features)."""
    with framework.name_scope(name, "swish", [features]) as scope:
        features = framework.convert_to_tensor(features, name="features")
        is_plain = isinstance(beta, float) and beta == 1.0
        gate = features if is_plain else math_ops.multiply(features, beta)
        return emit("Mul", [features, math_ops.sigmoid(gate)], scope)


def softplus(features: Any, name: str | None = None) -> Any:
    """Return log(exp(features) + 1)."""
    return emit("Softplus", [features], name)


def softsign(features: Any, name: str | None = None) -> Any:
    """Return features / (1 + |features|)."""
    return emit("Softsign", [features], name)


def swap_with_last(tensor: Any, axis: int) -> Any:
    """Return the tensor with an axis exchanged with the last; raises ValueError when the rank is
    not known or too small.
    """
    order = list(range(rank_with_axis(tensor, axis)))
    order[axis], order[-1] = order[-1], order[axis]
    return array_ops.transpose(tensor, order)


def rank_with_axis(tensor: Any, axis: int) -> int:
    """Return the rank; raises ValueError when it is not known, or has no such axis."""
    rank = known_rank(tensor)
    if rank is None:
        raise ValueError(f"axis {axis} needs a known rank, which set_shape gives: "
                         f"{why_unknown(tensor)}")  # fmt: skip
    if not -rank <= axis < rank:
        raise ValueError(f"axis {axis} is out of range for {tensor!r}")
    return rank


def _over_axis(op_type: str, logits: Any, axis: Any, dim: Any, name: str | None) -> Any:
    axis = only_one(axis, dim, "axis", "dim")
    axis = -1 if axis is None else int(axis)
    logits = framework.convert_to_tensor(logits, name="logits")
    rank = known_rank(logits)
    if axis == -1 or (rank is not None and axis == rank - 1):
        return emit(op_type, [logits], name)
    with framework.name_scope(name, op_type, [logits]):
        return swap_with_last(emit(op_type, [swap_with_last(logits, axis)]), axis)


def softmax(logits: Any, axis: Any = None, name: str | None = None, dim: Any = None) -> Any:
    """Return exp(logits) / sum(exp(logits)) along an axis, by default the last."""
    return _over_axis("Softmax", logits, axis, dim, name)


def log_softmax(logits: Any, axis: Any = None, name: str | None = None, dim: Any = None) -> Any:
    """Return log(softmax(logits)) along an axis, by default the last."""
    return _over_axis("LogSoftmax", logits, axis, dim, name)


def bias_add(value: Any, bias: Any, data_format: str | None = None, name: str | None = None) -> Any:
    """Return value with a bias added to each channel; raises ValueError for an unknown format."""
    layout = "NHWC"
    if data_format is not None:
        if data_format.startswith("NC"):
            layout = "NCHW"
        elif not (data_format.startswith("N") and data_format.endswith("C")):
            raise ValueError(f"data_format is N...C or NC..., not {data_format!r}")
    return emit("BiasAdd", [value, bias], name, data_format=layout)


def xw_plus_b(x: Any, weights: Any, biases: Any, name: str | None = None) -> Any:
    """Return matmul(x, weights) + biases."""
    with framework.name_scope(name, "xw_plus_b", [x, weights, biases]) as scope:
        return bias_add(linalg_ops.matmul(x, weights), biases, name=scope)


def l2_loss(t: Any, name: str | None = None) -> Any:
    """Return half the sum of the squares."""
    return emit("L2Loss", [t], name)


def dropout(x: Any, keep_prob: Any = None, noise_shape: Any = None, seed: int | None = None,
            name: str | None = None, rate: Any = None) -> Any:  # fmt: skip
    """Return x with a share of its elements zero and the others scaled up so that sums keep.

    Raises ValueError when the rate is missing, given twice, or not in [0, 1).
    """
    if (keep_prob is None) == (rate is None):
        raise ValueError("dropout needs either rate or keep_prob")
    if rate is None:
        rate = 1 - keep_prob
    with framework.name_scope(name, "dropout", [x]):
        x = framework.convert_to_tensor(x, name="x")
        dtype = x.dtype.base_dtype
        if framework.is_tensor_like(rate):
            rate = framework.convert_to_tensor(rate, dtype=dtype, name="rate")
            scaled = emit("RealDiv", [x, emit("Sub", [framework.constant(1, dtype), rate])])
        else:
            if not 0 <= rate < 1:
                raise ValueError(f"the dropout rate must be at least 0 and less than 1, not {rate}")
            if rate == 0:
                return x
            scaled = math_ops.multiply(x, framework.constant(1 / (1 - rate), dtype))
        shape = array_ops.shape(x) if noise_shape is None else _noise_shape(x, noise_shape)
        noise = random_ops.random_uniform(shape, seed=seed, dtype=dtype)
        keep = math_ops.greater_equal(noise, rate)
        dropped = array_ops.where_v2(keep, scaled, framework.constant(0, dtype))
        dropped.set_shape(x.get_shape())
        return dropped


def _noise_shape(x: Any, noise_shape: Any) -> Any:
    if framework.is_tensor_like(noise_shape) or None not in list(noise_shape):
        return noise_shape
    whole = x.get_shape().as_list()
    if len(noise_shape) != len(whole):
        raise ValueError(f"noise_shape has {len(noise_shape)} sizes for {len(whole)} dimensions")
    return [have if want is None else want for want, have in zip(noise_shape, whole)]


def l2_normalize(x: Any, axis: Any = None, epsilon: float = 1e-12, name: str | None = None,
                 dim: Any = None) -> Any:  # fmt: skip
    """Return x divided by its Euclidean length along the axes."""
    axis = only_one(axis, dim, "axis", "dim")
    with framework.name_scope(name, "l2_normalize", [x]) as scope:
        x = framework.convert_to_tensor(x, name="x")
        squares = reduce_ops.reduce_sum(math_ops.square(x), axis, keepdims=True)
        return emit("Mul", [x, math_ops.rsqrt(math_ops.maximum(squares, epsilon))], scope)


def moments(
    x: Any, axes: Any, shift: Any = None, name: str | None = None,
    keep_dims: bool | None = None, keepdims: bool | None = None,
) -> tuple[Any, Any]:  # fmt: skip
    """Return the mean and the variance over the axes."""
    keep = bool(only_one(keepdims, keep_dims, "keepdims", "keep_dims"))
    with framework.name_scope(name, "moments", [x]):
        x = framework.convert_to_tensor(x, name="x")
        # Half precision would lose the sum of many elements.
        y = math_ops.cast(x, dtypes.float32) if x.dtype.base_dtype == dtypes.float16 else x
        mean = reduce_ops.reduce_mean(y, axes, keepdims=True, name="mean")
        squares = math_ops.squared_difference(y, array_ops.stop_gradient(mean))
        variance = reduce_ops.reduce_mean(squares, axes, keepdims=True, name="variance")
        if not keep:
            mean, variance = array_ops.squeeze(mean, axes), array_ops.squeeze(variance, axes)
        dtype = x.dtype.base_dtype
        return math_ops.cast(mean, dtype), math_ops.cast(variance, dtype)


def batch_normalization(x: Any, mean: Any, variance: Any, offset: Any, scale: Any,
                        variance_epsilon: Any, name: str | None = None) -> Any:  # fmt: skip
    """Return (x - mean) / sqrt(variance + variance_epsilon) * scale + offset."""
    with framework.name_scope(name, "batchnorm", [x, mean, variance]):
        factor = math_ops.rsqrt(emit("AddV2", [variance, variance_epsilon], "add"))
        if scale is not None:
            factor = emit("Mul", [factor, scale], "mul")
        scaled = emit("Mul", [x, factor], "mul")
        shifted = emit("Mul", [mean, factor], "mul")
        shifted = emit("Neg", [shifted]) if offset is None else emit("Sub", [offset, shifted],
                                                                     "sub")  # fmt: skip
        return emit("AddV2", [scaled, shifted], "add")


def zero_fraction(value: Any, name: str | None = None) -> Any:
    """Return the share of zeros in value."""
    with framework.name_scope(name, "zero_fraction", [value]):
        value = framework.convert_to_tensor(value, name="value")
        zero = creation_ops.zeros([], value.dtype.base_dtype)
        return reduce_ops.reduce_mean(math_ops.cast(math_ops.equal(value, zero), dtypes.float32))


def selu(features: Any, name: str | None = None) -> Any:
    """Return the scaled exponential linear unit of each element."""
    return emit("Selu", [features], name)
