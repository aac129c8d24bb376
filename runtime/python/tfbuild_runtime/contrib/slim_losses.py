"""slim's losses: those of tf.losses with the predictions first."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.ops import losses


def sigmoid_cross_entropy(logits: Any, multi_class_labels: Any, weights: Any = 1.0,
                          label_smoothing: float = 0, scope: str | None = None) -> Any:  # fmt: skip
    """Return the sigmoid cross entropy, weighted and reduced."""
    return losses.sigmoid_cross_entropy(multi_class_labels, logits, weights, label_smoothing, scope)


def softmax_cross_entropy(logits: Any, onehot_labels: Any, weights: Any = 1.0,
                          label_smoothing: float = 0, scope: str | None = None) -> Any:  # fmt: skip
    """Return the softmax cross entropy, weighted and reduced."""
    return losses.softmax_cross_entropy(onehot_labels, logits, weights, label_smoothing, scope)


def sparse_softmax_cross_entropy(logits: Any, labels: Any, weights: Any = 1.0,
                                 scope: str | None = None) -> Any:  # fmt: skip
    """Return the cross entropy with labels that number their class, weighted and reduced."""
    return losses.sparse_softmax_cross_entropy(labels, logits, weights, scope)


def mean_squared_error(predictions: Any, labels: Any = None, weights: Any = 1.0,
                       scope: str | None = None) -> Any:  # fmt: skip
    """Return (predictions - labels) squared, weighted and reduced."""
    return losses.mean_squared_error(labels, predictions, weights, scope)


def log_loss(predictions: Any, labels: Any = None, weights: Any = 1.0, epsilon: float = 1e-7,
             scope: str | None = None) -> Any:  # fmt: skip
    """Return the logarithmic loss of probabilities, weighted and reduced."""
    return losses.log_loss(labels, predictions, weights, epsilon, scope)


def hinge_loss(logits: Any, labels: Any = None, scope: str | None = None) -> Any:
    """Return the hinge loss, reduced."""
    return losses.hinge_loss(labels, logits, scope=scope)


def cosine_distance(predictions: Any, labels: Any = None, axis: int | None = None,
                    weights: Any = 1.0, scope: str | None = None,
                    dim: int | None = None) -> Any:  # fmt: skip
    """Return 1 - the cosine between unit vectors, weighted and reduced."""
    return losses.cosine_distance(labels, predictions, axis if dim is None else dim, weights, scope)
