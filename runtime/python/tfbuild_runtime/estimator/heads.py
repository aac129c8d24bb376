"""What a canned model does with its logits: loss, metrics, predictions, what it exports."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from tfbuild_runtime.estimator import outputs
from tfbuild_runtime.estimator.spec import EstimatorSpec, ModeKeys
from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework.graph_keys import GraphKeys
from tfbuild_runtime.layers.feature_columns import NumericColumn, numeric_column
from tfbuild_runtime.metrics import metric_ops
from tfbuild_runtime.ops import array_ops, control_ops, losses, math_ops
from tfbuild_runtime.saved_model import signature_constants
from tfbuild_runtime.summary import summary_ops
from tfbuild_runtime.train import global_step

Metrics = dict[str, tuple[Any, Any]]
_DEFAULT = signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY


class LossParts(NamedTuple):
    """A loss, and what it was made of."""

    training: Any  # one number, by weights and reduction
    unreduced: Any  # [batch, 1], or a number for each logit, without weights
    weights: Any  # 1.0 where there are none
    labels: Any  # as the loss and the metrics take them


class Head:
    """A head for logits [batch, logits_dimension]."""

    def __init__(self, logits_dimension: int, weight_column: Any, loss_reduction: str) -> None:
        losses.Reduction.validate(loss_reduction)
        if loss_reduction == losses.Reduction.NONE:
            raise ValueError(f"Invalid loss_reduction: {loss_reduction}")
        self.logits_dimension = logits_dimension
        self._weight_column = _checked_weight_column(weight_column)
        self._reduction = loss_reduction

    # ---- what each kind of head says ------------------------------------------------------------

    def unreduced_loss(self, features: Any, logits: Any, labels: Any) -> tuple[Any, Any]:
        """Return the loss of each example, and the labels as metrics take them."""
        raise NotImplementedError("a head has a loss")

    def predictions(self, logits: Any) -> dict[str, Any]:
        """Return what is predicted, by name."""
        raise NotImplementedError("a head predicts")

    def metrics(self, parts: LossParts, predictions: Mapping[str, Any]) -> Metrics:
        """Return the metrics of an evaluation."""
        raise NotImplementedError("a head has metrics")

    def export_outputs(self, predictions: Mapping[str, Any]) -> dict[str, Any]:
        """Return what is exported, by the names of signatures."""
        raise NotImplementedError("a head exports")

    # ---- what is the same for all ---------------------------------------------------------------

    def loss(self, features: Any, logits: Any, labels: Any) -> LossParts:
        """Return the loss; raises ValueError for labels that do not fit the logits."""
        unreduced, labels = self.unreduced_loss(features, logits, labels)
        weights = self._weights(features, logits)
        training = losses.compute_weighted_loss(unreduced, weights, reduction=self._reduction)
        return LossParts(training, unreduced, weights, labels)

    def create_estimator_spec(
        self, features: Any, mode: str, logits: Any, labels: Any = None, optimizer: Any = None,
        train_op_fn: Callable[[Any], Any] | None = None,
    ) -> EstimatorSpec:  # fmt: skip
        """Return what the model is in a mode.

        A training is what train_op_fn makes of the loss, or else the optimizer's step; raises
        ValueError where it has both, or neither.
        """
        with framework.name_scope("head"):
            logits = _checked_logits(logits, self.logits_dimension)
            found = self.predictions(logits)
            if mode == ModeKeys.PREDICT:
                return EstimatorSpec(mode, found, export_outputs=self.export_outputs(found))
            parts = self.loss(features, logits, labels)
            if mode == ModeKeys.EVAL:
                metrics = self.metrics(parts, found)
                return EstimatorSpec(mode, found, parts.training, eval_metric_ops=metrics)
            train_op = _with_updates(_train_op(parts.training, optimizer, train_op_fn))
        self._summarise(parts)
        return EstimatorSpec(mode, found, parts.training, train_op)

    def _summarise(self, parts: LossParts) -> None:
        """Show the loss, and that of an example where it is a sum, by names without a scope."""
        with framework.name_scope(None):
            summary_ops.scalar("loss", parts.training)
            if self._reduction == losses.Reduction.SUM:
                mean = losses.compute_weighted_loss(
                    parts.unreduced, parts.weights, loss_collection=None,
                    reduction=losses.Reduction.MEAN,
                )  # fmt: skip
                summary_ops.scalar("average_loss", mean)

    def _weights(self, features: Any, logits: Any) -> Any:
        """Return the weights of examples, [batch, 1] or as the logits; 1.0 without a column."""
        column = self._weight_column
        if column is None:
            return 1.0
        if column.key not in features:
            raise ValueError(f"Feature {column.key} is not in features dictionary.")
        given = framework.convert_to_tensor(features[column.key])
        weights = math_ops.cast(given, dtypes.float32)
        if column.normalizer is not None:
            weights = column.normalizer(weights)
        shape = weights.get_shape()
        if shape.rank == logits.get_shape().rank - 1:
            return array_ops.expand_dims(weights, -1)
        last = shape.as_list()[-1] if shape.rank else None
        if last not in (None, 1, *((self.logits_dimension,) if self.takes_wide_weights else ())):
            raise ValueError(f"weights shape must be [D0, D1, ... DN] or [D0, D1, ... DN, 1], got "
                             f"{shape}")  # fmt: skip
        return weights

    takes_wide_weights = False  # whether there may be a weight for each logit


def _checked_weight_column(given: Any) -> NumericColumn | None:
    """Return the column of weights; raises TypeError for what is neither a name nor numbers."""
    if given is None or isinstance(given, NumericColumn):
        return given
    if not isinstance(given, str):
        raise TypeError("Weight column must be either a string or a numeric column."
                        f" Given type: {type(given)}.")  # fmt: skip
    return numeric_column(given, shape=(1,))


def _checked_logits(logits: Any, dimension: int) -> Any:
    logits = math_ops.cast(logits, dtypes.float32)
    last = logits.get_shape().as_list()[-1]
    if last not in (None, dimension):
        raise ValueError(f"logits shape must be [D0, D1, ... DN, {dimension}], got "
                         f"{logits.get_shape()}")  # fmt: skip
    return logits


def checked_labels(labels: Any, logits: Any, dimension: int) -> Any:
    """Return labels [batch, dimension]; raises ValueError for none and for other shapes."""
    if labels is None:
        raise ValueError(
            "You must provide a labels Tensor. Given: None. Suggested troubleshooting steps: Check "
            "that input_fn returns features and labels."
        )
    if hasattr(labels, "dense_shape"):
        raise ValueError(f"labels must be dense, [batch_size, {dimension}], not a SparseTensor")
    labels = framework.convert_to_tensor(labels)
    if labels.get_shape().rank == logits.get_shape().rank - 1:
        labels = array_ops.expand_dims(labels, -1)
    shape = labels.get_shape()
    if shape.rank is not None and shape.as_list()[-1] not in (None, dimension):
        raise ValueError(f"Mismatched label shape. Expected labels dimension={dimension}. Received "
                         f"{shape.as_list()[-1]}.")  # fmt: skip
    return labels


def _train_op(loss: Any, optimizer: Any, train_op_fn: Callable[[Any], Any] | None) -> Any:
    if (optimizer is None) == (train_op_fn is None):
        raise ValueError("train_op_fn and optimizer cannot both be None, nor both be set.")
    if train_op_fn is not None:
        return train_op_fn(loss)
    return optimizer.minimize(loss, global_step=global_step.get_global_step())


def _with_updates(train_op: Any) -> Any:
    """Let a training step also run what layers keep for it, such as moving averages."""
    updates = framework.get_collection(GraphKeys.UPDATE_OPS)
    return control_ops.group(train_op, *updates) if updates else train_op


class RegressionHead(Head):
    """Numbers, by the squares of their errors."""

    takes_wide_weights = True

    def __init__(self, label_dimension: int = 1, weight_column: Any = None,
                 loss_reduction: str = losses.Reduction.SUM) -> None:  # fmt: skip
        if label_dimension < 1:
            raise ValueError(f"Invalid label_dimension {label_dimension}.")
        super().__init__(label_dimension, weight_column, loss_reduction)

    def unreduced_loss(self, features: Any, logits: Any, labels: Any) -> tuple[Any, Any]:
        """Return the squared errors [batch, label_dimension], and the labels as floats."""
        labels = math_ops.cast(checked_labels(labels, logits, self.logits_dimension),
                               dtypes.float32)  # fmt: skip
        return losses.mean_squared_error(labels, logits, reduction=losses.Reduction.NONE), labels

    def predictions(self, logits: Any) -> dict[str, Any]:
        """Return the logits."""
        return {"predictions": logits}

    def metrics(self, parts: LossParts, predictions: Mapping[str, Any]) -> Metrics:
        """Return the means of loss, predictions and labels, each by its weights."""
        values = {
            "average_loss": parts.unreduced,
            "prediction/mean": predictions["predictions"],
            "label/mean": parts.labels,
        }
        return {name: metric_ops.mean(value, parts.weights) for name, value in values.items()}

    def export_outputs(self, predictions: Mapping[str, Any]) -> dict[str, Any]:
        """Return the predictions as a regression, which is the default, and as they are."""
        value = outputs.RegressionOutput(predictions["predictions"])
        return {_DEFAULT: value, "regression": value,
                "predict": outputs.PredictOutput(predictions)}  # fmt: skip


def label_words(vocabulary: Sequence[str] | None, classes: int) -> list[str] | None:
    """Return the vocabulary of labels; raises ValueError unless it names each class."""
    if vocabulary is None:
        return None
    if not isinstance(vocabulary, (list, tuple)):
        raise ValueError(f"label_vocabulary should be a list or a tuple. Given type: "
                         f"{type(vocabulary)}")  # fmt: skip
    if len(vocabulary) != classes:
        raise ValueError(f"Length of label_vocabulary must be n_classes: {len(vocabulary)} vs "
                         f"{classes}.")  # fmt: skip
    return list(vocabulary)


__all__ = ["Head", "LossParts", "Metrics", "RegressionHead", "checked_labels", "label_words"]
