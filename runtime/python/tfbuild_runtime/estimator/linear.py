"""Linear models, and models that know nothing but the mean."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfbuild_runtime.estimator.canned import (
    as_columns,
    checked_features,
    linear_logits,
    linear_rate,
    linear_scope,
    optimizer_of,
)
from tfbuild_runtime.estimator.class_heads import class_head
from tfbuild_runtime.estimator.estimator import Estimator
from tfbuild_runtime.estimator.heads import Head, RegressionHead
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.ops import array_ops, creation_ops, init_ops
from tfbuild_runtime.ops.losses import Reduction
from tfbuild_runtime.ops.variable_scope import get_variable, variable_scope

_MOST_RATE = 0.2
_BASELINE_RATE = 0.3
ModelFn = Callable[..., Any]


def _linear_model_fn(head: Head, feature_columns: Any, optimizer: Any, partitioner: Any,
                     sparse_combiner: str) -> ModelFn:  # fmt: skip
    columns = as_columns(feature_columns)

    def model_fn(features: Any, labels: Any, mode: str, config: Any) -> Any:
        del config
        with linear_scope(partitioner):  # of the optimiser's variables as well
            logits = linear_logits(checked_features(features), columns, head.logits_dimension,
                                   sparse_combiner)  # fmt: skip
            chosen = optimizer_of(optimizer, linear_rate(columns, _MOST_RATE))
            return head.create_estimator_spec(features, mode, logits, labels, chosen)

    return model_fn


class LinearEstimator(Estimator):
    """A linear model with a head that is given."""

    def __init__(self, head: Any, feature_columns: Any, model_dir: str | None = None,
                 optimizer: Any = "Ftrl", config: Any = None, partitioner: Any = None,
                 sparse_combiner: str = "sum", warm_start_from: Any = None) -> None:  # fmt: skip
        model_fn = _linear_model_fn(head, feature_columns, optimizer, partitioner, sparse_combiner)
        super().__init__(model_fn, model_dir, config, None, warm_start_from)


class LinearClassifier(LinearEstimator):
    """A linear model that predicts classes, by a logistic regression or a softmax."""

    def __init__(self, feature_columns: Any, model_dir: str | None = None, n_classes: int = 2,
                 weight_column: Any = None, label_vocabulary: Any = None, optimizer: Any = "Ftrl",
                 config: Any = None, partitioner: Any = None, warm_start_from: Any = None,
                 loss_reduction: str = Reduction.SUM,
                 sparse_combiner: str = "sum") -> None:  # fmt: skip
        head = class_head(n_classes, weight_column, label_vocabulary, loss_reduction)
        super().__init__(head, feature_columns, model_dir, optimizer, config, partitioner,
                         sparse_combiner, warm_start_from)  # fmt: skip


class LinearRegressor(LinearEstimator):
    """A linear model of numbers, by least squares."""

    def __init__(self, feature_columns: Any, model_dir: str | None = None,
                 label_dimension: int = 1, weight_column: Any = None, optimizer: Any = "Ftrl",
                 config: Any = None, partitioner: Any = None, warm_start_from: Any = None,
                 loss_reduction: str = Reduction.SUM,
                 sparse_combiner: str = "sum") -> None:  # fmt: skip
        head = RegressionHead(label_dimension, weight_column, loss_reduction)
        super().__init__(head, feature_columns, model_dir, optimizer, config, partitioner,
                         sparse_combiner, warm_start_from)  # fmt: skip


def _baseline_model_fn(head: Head, optimizer: Any) -> ModelFn:
    def model_fn(features: Any, labels: Any, mode: str, config: Any) -> Any:
        del config
        first = framework.convert_to_tensor(_some_feature(checked_features(features)))
        with variable_scope("baseline"):
            bias = get_variable("bias", [head.logits_dimension], initializer=init_ops.Zeros())
            rows = array_ops.shape(first)[0]
            logits = creation_ops.ones([rows, head.logits_dimension]) * bias
        chosen = optimizer_of(optimizer, _BASELINE_RATE)
        return head.create_estimator_spec(features, mode, logits, labels, chosen)

    return model_fn


def _some_feature(features: Any) -> Any:
    """Return a tensor with a row for each example; of sparse features their shape has as many."""
    for value in features.values():
        if not hasattr(value, "dense_shape"):
            return value
    value = next(iter(features.values()))
    return creation_ops.zeros(array_ops.reshape(value.dense_shape[0], [1]))


class BaselineEstimator(Estimator):
    """A model that ignores its features, with a head that is given."""

    def __init__(self, head: Any, model_dir: str | None = None, optimizer: Any = "Ftrl",
                 config: Any = None) -> None:  # fmt: skip
        super().__init__(_baseline_model_fn(head, optimizer), model_dir, config)


class BaselineClassifier(BaselineEstimator):
    """Predicts how frequent each class is."""

    def __init__(self, model_dir: str | None = None, n_classes: int = 2, weight_column: Any = None,
                 label_vocabulary: Any = None, optimizer: Any = "Ftrl", config: Any = None,
                 loss_reduction: str = Reduction.SUM) -> None:  # fmt: skip
        head = class_head(n_classes, weight_column, label_vocabulary, loss_reduction)
        super().__init__(head, model_dir, optimizer, config)


class BaselineRegressor(BaselineEstimator):
    """Predicts the mean of the labels."""

    def __init__(self, model_dir: str | None = None, label_dimension: int = 1,
                 weight_column: Any = None, optimizer: Any = "Ftrl", config: Any = None,
                 loss_reduction: str = Reduction.SUM) -> None:  # fmt: skip
        head = RegressionHead(label_dimension, weight_column, loss_reduction)
        super().__init__(head, model_dir, optimizer, config)


__all__ = [
    "BaselineClassifier",
    "BaselineEstimator",
    "BaselineRegressor",
    "LinearClassifier",
    "LinearEstimator",
    "LinearRegressor",
]
