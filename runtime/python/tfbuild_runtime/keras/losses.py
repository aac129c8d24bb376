"""Losses and metrics by their words: functions of what is wanted and what was predicted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.ops import array_ops, conv_variants, math_ops, nn_ops, reduce_ops, xent_ops
from tfbuild_runtime.ops.emit import emit

EPSILON = 1e-7


def _both(y_true: Any, y_pred: Any) -> tuple[Any, Any]:
    """Return both as tensors of the prediction's type."""
    prediction = framework.convert_to_tensor(y_pred)
    wanted = framework.convert_to_tensor(y_true)
    return math_ops.cast(wanted, prediction.dtype.base_dtype), prediction


def mean_squared_error(y_true: Any, y_pred: Any) -> Any:
    """Return the mean of squared differences along the last axis."""
    wanted, prediction = _both(y_true, y_pred)
    return reduce_ops.reduce_mean(math_ops.squared_difference(prediction, wanted), -1)


def mean_absolute_error(y_true: Any, y_pred: Any) -> Any:
    """Return the mean of absolute differences along the last axis."""
    wanted, prediction = _both(y_true, y_pred)
    return reduce_ops.reduce_mean(math_ops.abs(prediction - wanted), -1)


def mean_absolute_percentage_error(y_true: Any, y_pred: Any) -> Any:
    """Return 100 times the mean of differences as shares of what is wanted."""
    wanted, prediction = _both(y_true, y_pred)
    least = framework.constant(EPSILON, prediction.dtype.base_dtype)
    shares = math_ops.abs((wanted - prediction) / math_ops.maximum(math_ops.abs(wanted), least))
    return 100.0 * reduce_ops.reduce_mean(shares, -1)


def mean_squared_logarithmic_error(y_true: Any, y_pred: Any) -> Any:
    """Return the mean of squared differences of logarithms."""
    wanted, prediction = _both(y_true, y_pred)
    least = framework.constant(EPSILON, prediction.dtype.base_dtype)
    logs = [math_ops.log(math_ops.maximum(x, least) + 1.0) for x in (prediction, wanted)]
    return reduce_ops.reduce_mean(math_ops.squared_difference(*logs), -1)


def binary_crossentropy(y_true: Any, y_pred: Any, from_logits: bool = False,
                        label_smoothing: float = 0.0, axis: int = -1) -> Any:  # fmt: skip
    """Return the mean cross entropy of independent probabilities."""
    wanted, prediction = _both(y_true, y_pred)
    if label_smoothing:
        wanted = wanted * (1.0 - label_smoothing) + 0.5 * label_smoothing
    return reduce_ops.reduce_mean(of_probabilities(wanted, prediction, from_logits), axis)


def of_probabilities(wanted: Any, prediction: Any, from_logits: bool) -> Any:
    """Return the cross entropy of each probability, exactly where a sigmoid made it."""
    if not from_logits and prediction.op.type == "Sigmoid":  # more exact than the probability
        prediction, from_logits = prediction.op.inputs[0], True
    if from_logits:
        return xent_ops.sigmoid_cross_entropy_with_logits(labels=wanted, logits=prediction)
    p = _clipped(prediction)
    return -(wanted * math_ops.log(p + EPSILON) + (1.0 - wanted) * math_ops.log(1.0 - p + EPSILON))


def _clipped(prediction: Any) -> Any:
    dtype = prediction.dtype.base_dtype
    least, most = framework.constant(EPSILON, dtype), framework.constant(1 - EPSILON, dtype)
    return math_ops.maximum(math_ops.minimum(prediction, most), least)


def categorical_crossentropy(y_true: Any, y_pred: Any, from_logits: bool = False,
                             label_smoothing: float = 0.0, axis: int = -1) -> Any:  # fmt: skip
    """Return the cross entropy of one distribution for each row."""
    wanted, prediction = _both(y_true, y_pred)
    if label_smoothing:
        count = math_ops.cast(array_ops.shape(wanted)[axis], wanted.dtype.base_dtype)
        wanted = wanted * (1.0 - label_smoothing) + label_smoothing / count
    if not from_logits and prediction.op.type == "Softmax":
        prediction, from_logits = prediction.op.inputs[0], True
    if from_logits:
        return xent_ops.softmax_cross_entropy_with_logits_v2(wanted, prediction, axis)
    shares = prediction / reduce_ops.reduce_sum(prediction, axis, keepdims=True)
    return -reduce_ops.reduce_sum(wanted * math_ops.log(_clipped(shares)), axis)


def sparse_categorical_crossentropy(y_true: Any, y_pred: Any, from_logits: bool = False,
                                    axis: int = -1, ignore_class: Any = None) -> Any:  # fmt: skip
    """Return the cross entropy of one class for each row.

    Raises NotImplementedError for a class that does not count.
    """
    if ignore_class is not None:
        raise NotImplementedError("ignore_class is not there: give sample_weight 0 to such rows")
    prediction = framework.convert_to_tensor(y_pred)
    wanted = math_ops.cast(framework.convert_to_tensor(y_true), dtypes.int64)
    if not from_logits and prediction.op.type == "Softmax":
        prediction, from_logits = prediction.op.inputs[0], True
    if not from_logits:
        prediction = math_ops.log(_clipped(prediction))
    prediction = _classes_last(prediction, axis)
    sizes = prediction.get_shape().as_list()
    rows = array_ops.reshape(prediction, [-1, sizes[-1]])
    found = xent_ops.sparse_softmax_cross_entropy_with_logits(
        labels=array_ops.reshape(wanted, [-1]), logits=rows
    )
    if len(sizes) == 2:
        return found
    return array_ops.reshape(found, array_ops.shape(prediction)[:-1])


def _classes_last(prediction: Any, axis: int) -> Any:
    rank = prediction.get_shape().ndims
    if axis % rank == rank - 1:
        return prediction
    others = [i for i in range(rank) if i != axis % rank]
    return array_ops.transpose(prediction, [*others, axis % rank])


def hinge(y_true: Any, y_pred: Any) -> Any:
    """Return the mean of max(1 - wanted * predicted, 0), of labels -1 and 1 (or 0 and 1)."""
    wanted, prediction = _both(y_true, y_pred)
    return reduce_ops.reduce_mean(_hinges(wanted, prediction), -1)


def squared_hinge(y_true: Any, y_pred: Any) -> Any:
    """Return the mean of squared hinges."""
    wanted, prediction = _both(y_true, y_pred)
    return reduce_ops.reduce_mean(math_ops.square(_hinges(wanted, prediction)), -1)


def _hinges(wanted: Any, prediction: Any) -> Any:
    """Return max(1 - wanted * predicted, 0), whose derivative where both are 0 is that of 1 - x."""
    away = 1.0 - _signs(wanted) * prediction
    return math_ops.maximum(away, framework.constant(0.0, away.dtype.base_dtype))


def _signs(wanted: Any) -> Any:
    ones = math_ops.logical_or(math_ops.equal(wanted, 0.0), math_ops.equal(wanted, 1.0))
    return emit("SelectV2", [reduce_ops.reduce_all(ones), 2.0 * wanted - 1.0, wanted])


def kullback_leibler_divergence(y_true: Any, y_pred: Any) -> Any:
    """Return the sum of wanted * log(wanted / predicted)."""
    wanted, prediction = (_upto_one(x) for x in _both(y_true, y_pred))
    return reduce_ops.reduce_sum(wanted * math_ops.log(wanted / prediction), -1)


def _upto_one(x: Any) -> Any:
    dtype = x.dtype.base_dtype
    least, most = framework.constant(EPSILON, dtype), framework.constant(1.0, dtype)
    return math_ops.minimum(math_ops.maximum(x, least), most)


def poisson(y_true: Any, y_pred: Any) -> Any:
    """Return the mean of predicted - wanted * log(predicted)."""
    wanted, prediction = _both(y_true, y_pred)
    return reduce_ops.reduce_mean(prediction - wanted * math_ops.log(prediction + EPSILON), -1)


def cosine_proximity(y_true: Any, y_pred: Any, axis: int = -1) -> Any:
    """Return minus the cosine of the angle between both."""
    wanted, prediction = (nn_ops.l2_normalize(x, axis) for x in _both(y_true, y_pred))
    return -reduce_ops.reduce_sum(wanted * prediction, axis)


def huber(y_true: Any, y_pred: Any, delta: float = 1.0) -> Any:
    """Return half the squared difference where it is small, else one that grows as a line."""
    wanted, prediction = _both(y_true, y_pred)
    away = math_ops.abs(prediction - wanted)
    small = math_ops.minimum(away, framework.constant(delta, away.dtype.base_dtype))
    return reduce_ops.reduce_mean(0.5 * small * small + delta * (away - small), -1)


def logcosh(y_true: Any, y_pred: Any) -> Any:
    """Return the mean of the logarithms of the hyperbolic cosines of differences."""
    wanted, prediction = _both(y_true, y_pred)
    away = prediction - wanted
    return reduce_ops.reduce_mean(away + nn_ops.softplus(-2.0 * away) - 0.6931471805599453, -1)


# ---- metrics ------------------------------------------------------------------------------------


def binary_accuracy(y_true: Any, y_pred: Any, threshold: float = 0.5) -> Any:
    """Return the share of probabilities on the right side of the threshold."""
    wanted, prediction = _both(y_true, y_pred)
    bound = framework.constant(threshold, prediction.dtype.base_dtype)
    chosen = math_ops.cast(emit("Greater", [prediction, bound]), prediction.dtype.base_dtype)
    return reduce_ops.reduce_mean(math_ops.cast(math_ops.equal(wanted, chosen), dtypes.float32), -1)


def categorical_accuracy(y_true: Any, y_pred: Any) -> Any:
    """Return 1 where the largest of both is at the same place, else 0."""
    wanted, prediction = _both(y_true, y_pred)
    same = math_ops.equal(_largest(wanted), _largest(prediction))
    return math_ops.cast(same, dtypes.float32)


def sparse_categorical_accuracy(y_true: Any, y_pred: Any) -> Any:
    """Return 1 where the class is the most probable one, else 0."""
    prediction = framework.convert_to_tensor(y_pred)
    chosen = _largest(prediction)
    wanted = math_ops.cast(framework.convert_to_tensor(y_true), dtypes.int64)
    if wanted.get_shape().ndims == prediction.get_shape().ndims:
        wanted = array_ops.squeeze(wanted, [-1])
    return math_ops.cast(math_ops.equal(wanted, chosen), dtypes.float32)


def _largest(x: Any) -> Any:
    return emit("ArgMax", [x, -1], output_type=dtypes.int64)


def top_k_categorical_accuracy(y_true: Any, y_pred: Any, k: int = 5) -> Any:
    """Return 1 where the wanted class is among the k most probable ones, else 0."""
    found = conv_variants.in_top_k(y_pred, _largest(framework.convert_to_tensor(y_true)), k)
    return math_ops.cast(found, dtypes.float32)


LOSSES: dict[str, Callable[..., Any]] = {
    "binary_crossentropy": binary_crossentropy, "bce": binary_crossentropy,
    "categorical_crossentropy": categorical_crossentropy, "cosine_proximity": cosine_proximity,
    "hinge": hinge, "huber": huber, "huber_loss": huber,
    "kullback_leibler_divergence": kullback_leibler_divergence,
    "kld": kullback_leibler_divergence, "logcosh": logcosh,
    "mean_absolute_error": mean_absolute_error, "mae": mean_absolute_error,
    "mean_absolute_percentage_error": mean_absolute_percentage_error,
    "mape": mean_absolute_percentage_error, "mean_squared_error": mean_squared_error,
    "mse": mean_squared_error, "msle": mean_squared_logarithmic_error,
    "mean_squared_logarithmic_error": mean_squared_logarithmic_error, "poisson": poisson,
    "sparse_categorical_crossentropy": sparse_categorical_crossentropy,
    "squared_hinge": squared_hinge,
}  # fmt: skip
METRICS = {
    **LOSSES, "binary_accuracy": binary_accuracy, "categorical_accuracy": categorical_accuracy,
    "sparse_categorical_accuracy": sparse_categorical_accuracy,
    "top_k_categorical_accuracy": top_k_categorical_accuracy,
}  # fmt: skip
