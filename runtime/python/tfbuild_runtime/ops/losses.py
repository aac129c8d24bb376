"""Losses: differences between labels and predictions, weighted and reduced to one number."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework.graph_keys import GraphKeys
from tfbuild_runtime.ops import (
    array_ops,
    counting_ops,
    creation_ops,
    math_ops,
    nn_ops,
    reduce_ops,
    weights_broadcast_ops,
    xent_ops,
)
from tfbuild_runtime.ops.emit import emit, known_rank, only_one


class Reduction:
    """How the losses of the elements become one."""

    NONE = "none"
    SUM = "weighted_sum"
    SUM_OVER_BATCH_SIZE = "weighted_sum_over_batch_size"
    MEAN = "weighted_mean"
    SUM_BY_NONZERO_WEIGHTS = "weighted_sum_by_nonzero_weights"
    SUM_OVER_NONZERO_WEIGHTS = SUM_BY_NONZERO_WEIGHTS

    @classmethod
    def all(cls) -> tuple[str, ...]:
        """Return all ways."""
        return (cls.NONE, cls.SUM, cls.MEAN, cls.SUM_OVER_BATCH_SIZE, cls.SUM_BY_NONZERO_WEIGHTS)

    @classmethod
    def validate(cls, key: str) -> None:
        """Raise ValueError for what is none of them."""
        if key not in cls.all():
            raise ValueError(f"Invalid Reduction Key {key}; there are {', '.join(cls.all())}")


_DEFAULT = Reduction.SUM_BY_NONZERO_WEIGHTS


def compute_weighted_loss(losses: Any, weights: Any = 1.0, scope: str | None = None,
                          loss_collection: str | None = GraphKeys.LOSSES,
                          reduction: str = _DEFAULT) -> Any:  # fmt: skip
    """Return the losses times their weights, reduced, and add the result to a collection.

    Raises ValueError unless weights are a scalar or of the rank of the losses, with sizes of 1 or
    theirs; where that is not known yet, the step fails with InvalidArgumentError.
    """
    Reduction.validate(reduction)
    with framework.name_scope(scope, "weighted_loss", [losses]):
        losses = framework.convert_to_tensor(losses)
        wide = math_ops.cast(losses, "float32") if losses.dtype.size < 4 else losses
        weights = framework.convert_to_tensor(weights, name="weights")
        weights = math_ops.cast(weights, wide.dtype.base_dtype)
        fits = weights_broadcast_ops.assert_broadcastable(weights, wide)
        with framework.control_dependencies([fits] if fits.type == "Assert" else []):
            weighted = math_ops.multiply(wide, weights)
        loss = _reduced(weighted, weights, reduction)
        loss = math_ops.cast(loss, losses.dtype.base_dtype)
        if loss_collection:
            add_loss(loss, loss_collection)
        return loss


def _reduced(weighted: Any, weights: Any, reduction: str) -> Any:
    if reduction == Reduction.NONE:
        return weighted
    total = reduce_ops.reduce_sum(weighted)
    if reduction == Reduction.SUM:
        return total
    dtype = weighted.dtype.base_dtype
    if reduction == Reduction.SUM_OVER_BATCH_SIZE:
        return _safe_mean(total, math_ops.cast(array_ops.size(weighted), dtype))
    everywhere = math_ops.multiply(creation_ops.ones_like(weighted), weights)
    if reduction == Reduction.MEAN:
        return _safe_mean(total, reduce_ops.reduce_sum(everywhere))
    present = math_ops.cast(math_ops.not_equal(everywhere, 0), dtype)
    return _safe_mean(total, reduce_ops.reduce_sum(present))


def _safe_mean(total: Any, count: Any) -> Any:
    return emit("DivNoNan", [total, count], "value")


def _both(labels: Any, predictions: Any, dtype: Any = "float32") -> tuple[Any, Any]:
    """Return both in one type: float32 as in TensorFlow, but for cross entropies of logits."""
    if labels is None or predictions is None:
        raise ValueError("a loss needs both labels and predictions (or logits)")
    predictions = math_ops.cast(predictions, dtype)
    labels = math_ops.cast(labels, predictions.dtype.base_dtype)
    predictions.get_shape().assert_is_compatible_with(labels.get_shape())
    return labels, predictions


def _floating(value: Any) -> Any:
    """Return the type of logits, float32 where they have none of their own."""
    if value is None:
        return None
    tensor = framework.convert_to_tensor(value)
    return tensor.dtype.base_dtype if tensor.dtype.base_dtype.is_floating else "float32"


def absolute_difference(labels: Any, predictions: Any, weights: Any = 1.0, scope: str | None = None,
                        loss_collection: str | None = GraphKeys.LOSSES,
                        reduction: str = _DEFAULT) -> Any:  # fmt: skip
    """Return |predictions - labels|, weighted and reduced."""
    with framework.name_scope(scope, "absolute_difference") as inner:
        labels, predictions = _both(labels, predictions)
        losses = math_ops.abs(math_ops.subtract(predictions, labels))
        return compute_weighted_loss(losses, weights, inner, loss_collection, reduction)


def mean_squared_error(labels: Any, predictions: Any, weights: Any = 1.0, scope: str | None = None,
                       loss_collection: str | None = GraphKeys.LOSSES,
                       reduction: str = _DEFAULT) -> Any:  # fmt: skip
    """Return (predictions - labels) squared, weighted and reduced."""
    with framework.name_scope(scope, "mean_squared_error") as inner:
        labels, predictions = _both(labels, predictions)
        losses = math_ops.squared_difference(predictions, labels)
        return compute_weighted_loss(losses, weights, inner, loss_collection, reduction)


def huber_loss(labels: Any, predictions: Any, weights: Any = 1.0, delta: float = 1.0,
               scope: str | None = None, loss_collection: str | None = GraphKeys.LOSSES,
               reduction: str = _DEFAULT) -> Any:  # fmt: skip
    """Return half the square of small differences, and a line for those beyond delta."""
    with framework.name_scope(scope, "huber_loss") as inner:
        labels, predictions = _both(labels, predictions)
        size = math_ops.abs(math_ops.subtract(predictions, labels))
        small = math_ops.minimum(size, delta)
        line = math_ops.multiply(delta, math_ops.subtract(size, small))
        losses = math_ops.add(math_ops.multiply(0.5, math_ops.square(small)), line)
        return compute_weighted_loss(losses, weights, inner, loss_collection, reduction)


def log_loss(labels: Any, predictions: Any, weights: Any = 1.0, epsilon: float = 1e-7,
             scope: str | None = None, loss_collection: str | None = GraphKeys.LOSSES,
             reduction: str = _DEFAULT) -> Any:  # fmt: skip
    """Return the cross entropy of probabilities, weighted and reduced."""
    with framework.name_scope(scope, "log_loss") as inner:
        labels, predictions = _both(labels, predictions)
        yes = math_ops.multiply(labels, math_ops.log(math_ops.add(predictions, epsilon)))
        against = math_ops.log(math_ops.add(math_ops.subtract(1, predictions), epsilon))
        no = math_ops.multiply(math_ops.subtract(1, labels), against)
        losses = math_ops.subtract(math_ops.negative(yes), no)
        return compute_weighted_loss(losses, weights, inner, loss_collection, reduction)


def hinge_loss(labels: Any, logits: Any, weights: Any = 1.0, scope: str | None = None,
               loss_collection: str | None = GraphKeys.LOSSES,
               reduction: str = _DEFAULT) -> Any:  # fmt: skip
    """Return max(0, 1 - logits) for labels of 1 and max(0, 1 + logits) for labels of 0."""
    with framework.name_scope(scope, "hinge_loss") as inner:
        labels, logits = _both(labels, logits)
        signs = math_ops.subtract(math_ops.multiply(2, labels), 1)
        losses = nn_ops.relu(math_ops.subtract(1, math_ops.multiply(signs, logits)))
        return compute_weighted_loss(losses, weights, inner, loss_collection, reduction)


def cosine_distance(labels: Any, predictions: Any, axis: int | None = None, weights: Any = 1.0,
                    scope: str | None = None, loss_collection: str | None = GraphKeys.LOSSES,
                    reduction: str = _DEFAULT, dim: int | None = None) -> Any:  # fmt: skip
    """Return 1 - the cosine between unit vectors, weighted and reduced."""
    axis = only_one(axis, dim, "axis", "dim")
    if axis is None:
        raise ValueError("cosine_distance needs an axis")
    with framework.name_scope(scope, "cosine_distance_loss") as inner:
        labels, predictions = _both(labels, predictions)
        products = math_ops.multiply(predictions, labels)
        losses = math_ops.subtract(1, reduce_ops.reduce_sum(products, axis=axis, keepdims=True))
        return compute_weighted_loss(losses, weights, inner, loss_collection, reduction)


def sigmoid_cross_entropy(multi_class_labels: Any, logits: Any, weights: Any = 1.0,
                          label_smoothing: float = 0, scope: str | None = None,
                          loss_collection: str | None = GraphKeys.LOSSES,
                          reduction: str = _DEFAULT) -> Any:  # fmt: skip
    """Return the sigmoid cross entropy, weighted and reduced."""
    with framework.name_scope(scope, "sigmoid_cross_entropy_loss") as inner:
        labels, logits = _both(multi_class_labels, logits, _floating(logits))
        if label_smoothing > 0:
            labels = math_ops.add(math_ops.multiply(labels, 1 - label_smoothing),
                                  0.5 * label_smoothing)  # fmt: skip
        losses = xent_ops.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)
        return compute_weighted_loss(losses, weights, inner, loss_collection, reduction)


def softmax_cross_entropy(onehot_labels: Any, logits: Any, weights: Any = 1.0,
                          label_smoothing: float = 0, scope: str | None = None,
                          loss_collection: str | None = GraphKeys.LOSSES,
                          reduction: str = _DEFAULT) -> Any:  # fmt: skip
    """Return the softmax cross entropy, weighted and reduced; labels are not differentiated."""
    with framework.name_scope(scope, "softmax_cross_entropy_loss") as inner:
        labels, logits = _both(onehot_labels, logits, _floating(logits))
        if label_smoothing > 0:
            classes = math_ops.cast(array_ops.shape(labels)[1], logits.dtype.base_dtype)
            share = math_ops.truediv(label_smoothing, classes)
            labels = math_ops.add(math_ops.multiply(labels, 1 - label_smoothing), share)
        labels = array_ops.stop_gradient(labels)
        losses = xent_ops.softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits)
        return compute_weighted_loss(losses, weights, inner, loss_collection, reduction)


def sparse_softmax_cross_entropy(labels: Any, logits: Any, weights: Any = 1.0,
                                 scope: str | None = None,
                                 loss_collection: str | None = GraphKeys.LOSSES,
                                 reduction: str = _DEFAULT) -> Any:  # fmt: skip
    """Return the cross entropy with labels that number their class, weighted and reduced."""
    with framework.name_scope(scope, "sparse_softmax_cross_entropy_loss") as inner:
        labels, logits = map(framework.convert_to_tensor, (labels, logits))
        label_rank, logit_rank = known_rank(labels), known_rank(logits)
        if label_rank is not None and label_rank == logit_rank:
            labels = array_ops.squeeze(labels, [-1])
        losses = xent_ops.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
        weights = framework.convert_to_tensor(weights, name="weights")
        ranks = known_rank(weights), known_rank(losses)
        if None in ranks:
            surplus = array_ops.rank(weights) - array_ops.rank(losses)
            weights = counting_ops.without_last(weights, math_ops.equal(surplus, 1))
        elif ranks[0] == ranks[1] + 1:
            weights = array_ops.squeeze(weights, [-1])
        return compute_weighted_loss(losses, weights, inner, loss_collection, reduction)


# ---- the collections ----------------------------------------------------------------------------


def add_loss(loss: Any, loss_collection: str | None = GraphKeys.LOSSES) -> None:
    """Add a loss to a collection."""
    if loss_collection:
        framework.add_to_collection(loss_collection, loss)


def get_losses(scope: str | None = None, loss_collection: str = GraphKeys.LOSSES) -> list[Any]:
    """Return the losses that were added."""
    return framework.get_collection(loss_collection, scope)


def get_regularization_losses(scope: str | None = None) -> list[Any]:
    """Return the losses that regularizers added."""
    return framework.get_collection(GraphKeys.REGULARIZATION_LOSSES, scope)


def get_regularization_loss(scope: str | None = None,
                            name: str = "total_regularization_loss") -> Any:  # fmt: skip
    """Return the sum of the losses that regularizers added; zero when there is none."""
    losses = get_regularization_losses(scope)
    if not losses:
        return framework.constant(0.0)
    return reduce_ops.add_n(losses, name=name)


def get_total_loss(add_regularization_losses: bool = True, name: str = "total_loss",
                   scope: str | None = None) -> Any:  # fmt: skip
    """Return the sum of all losses, of regularizers too unless asked otherwise."""
    losses = get_losses(scope=scope)
    if add_regularization_losses:
        losses += get_regularization_losses(scope=scope)
    return reduce_ops.add_n(losses, name=name)
