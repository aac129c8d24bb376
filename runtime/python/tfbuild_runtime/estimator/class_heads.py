"""Heads that predict classes: two by a sigmoid, more by a softmax."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tfbuild_runtime.estimator import outputs
from tfbuild_runtime.estimator.heads import Head, LossParts, Metrics, checked_labels, label_words
from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.metrics import metric_ops, threshold_metrics
from tfbuild_runtime.ops import (
    array_ops,
    check_ops,
    creation_ops,
    lookup_ops,
    losses,
    math_ops,
    nn_ops,
    reduce_ops,
    string_ops,
    xent_ops,
)
from tfbuild_runtime.saved_model import signature_constants

_DEFAULT = signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY


class _ClassHead(Head):
    """What heads of two and of more classes share: labels by number or word, and classes."""

    def __init__(self, classes: int, logits_dimension: int, vocabulary: Any, weight_column: Any,
                 loss_reduction: str) -> None:  # fmt: skip
        super().__init__(logits_dimension, weight_column, loss_reduction)
        self.classes = classes
        self._words = label_words(vocabulary, classes)

    def numbers_of(self, labels: Any, logits: Any) -> Any:
        """Return the number of each label [batch, 1], as int64; words have their places."""
        labels = checked_labels(labels, logits, 1)
        is_words = labels.dtype.base_dtype == dtypes.string
        if self._words is None:
            if is_words:
                raise ValueError(f"Labels dtype should be a number where there is no "
                                 f"label_vocabulary. Instead got {labels.dtype!r}.")  # fmt: skip
            return math_ops.cast(labels, dtypes.int64)
        if not is_words:
            raise ValueError(f"Labels dtype should be string if there is a vocabulary. Instead got "
                             f"{labels.dtype!r}")  # fmt: skip
        table = lookup_ops.index_table_from_tensor(self._words, name="class_id_lookup")
        return table.lookup(labels)

    def checked_range(self, labels: Any) -> Any:
        """Return the labels, whose step fails where one is not the number of a class."""
        limit = framework.constant(self.classes, labels.dtype.base_dtype)
        checks = [
            check_ops.assert_less(labels, limit, message=f"Labels must be < {self.classes}"),
            check_ops.assert_non_negative(labels, message="Labels must be >= 0"),
        ]
        with framework.control_dependencies(checks):
            return array_ops.identity(labels)

    def named(self, ids: Any) -> Any:
        """Return the words of classes by their numbers, or the numbers as words."""
        if self._words is None:
            return string_ops.as_string(ids, name="str_classes")
        table = lookup_ops.index_to_string_table_from_tensor(
            self._words, name="class_string_lookup"
        )
        return table.lookup(math_ops.cast(ids, dtypes.int64))

    def class_predictions(self, logits: Any, of_each: Any) -> dict[str, Any]:
        """Return the likeliest class by number and word, and all classes for each example."""
        ids = array_ops.expand_dims(reduce_ops.argmax(of_each, axis=-1), -1)
        numbers = array_ops.expand_dims(creation_ops.range(self.classes), 0)
        rows = array_ops.shape(logits)[0]
        every = array_ops.tile(numbers, [rows, 1])
        return {
            "class_ids": ids, "classes": self.named(ids),
            "all_class_ids": every, "all_classes": self.named(every),
        }  # fmt: skip

    def classification(self, predictions: Mapping[str, Any]) -> outputs.ClassificationOutput:
        """Return the scores of all classes, with their words, as they are exported."""
        return outputs.ClassificationOutput(predictions["probabilities"],
                                            predictions["all_classes"])  # fmt: skip


class BinaryHead(_ClassHead):
    """Two classes by one logit; also labels between 0 and 1."""

    def __init__(self, weight_column: Any = None, thresholds: Sequence[float] = (),
                 label_vocabulary: Any = None,
                 loss_reduction: str = losses.Reduction.SUM) -> None:  # fmt: skip
        super().__init__(2, 1, label_vocabulary, weight_column, loss_reduction)
        for threshold in thresholds or ():
            if not 0.0 < threshold < 1.0:
                raise ValueError(f"thresholds not in (0, 1): {tuple(thresholds)}.")
        self._thresholds = tuple(thresholds or ())

    def unreduced_loss(self, features: Any, logits: Any, labels: Any) -> tuple[Any, Any]:
        """Return the cross entropy [batch, 1], and the labels as floats."""
        if self._words is None:
            checked = checked_labels(labels, logits, 1)
            if checked.dtype.base_dtype == dtypes.string:
                self.numbers_of(labels, logits)
        else:
            checked = self.numbers_of(labels, logits)
        numbers = self.checked_range(math_ops.cast(checked, dtypes.float32))
        return xent_ops.sigmoid_cross_entropy_with_logits(labels=numbers, logits=logits), numbers

    def predictions(self, logits: Any) -> dict[str, Any]:
        """Return logits, the probability of class 1, those of both, and the likelier class."""
        both = array_ops.concat([creation_ops.zeros_like(logits), logits], -1)
        return {
            "logits": logits, "logistic": math_ops.sigmoid(logits),
            "probabilities": nn_ops.softmax(both), **self.class_predictions(logits, both),
        }  # fmt: skip

    def metrics(self, parts: LossParts, predictions: Mapping[str, Any]) -> Metrics:
        """Return means, accuracy, precision, recall and areas, and what thresholds give."""
        labels, weights = parts.labels, parts.weights
        logistic, ids = predictions["logistic"], predictions["class_ids"]
        found = {
            "average_loss": metric_ops.mean(parts.unreduced, weights),
            "accuracy": metric_ops.accuracy(labels, ids, weights),
            "precision": metric_ops.precision(labels, ids, weights),
            "recall": metric_ops.recall(labels, ids, weights),
            "prediction/mean": metric_ops.mean(logistic, weights),
            "label/mean": metric_ops.mean(labels, weights),
        }
        found["accuracy_baseline"] = tuple(
            math_ops.maximum(mean, 1.0 - mean) for mean in found["label/mean"]
        )
        for name, curve in (("auc", "ROC"), ("auc_precision_recall", "PR")):
            found[name] = threshold_metrics.auc(labels, logistic, weights, curve=curve)
        for threshold in self._thresholds:
            found.update(self._at(threshold, parts, logistic))
        return found

    def _at(self, threshold: float, parts: LossParts, logistic: Any) -> Metrics:
        """Return accuracy, precision and recall where more than a threshold is class 1."""
        above = math_ops.cast(math_ops.greater(logistic, threshold), dtypes.float32)
        labels, weights = parts.labels, parts.weights
        kinds = {"accuracy": metric_ops.accuracy, "precision": metric_ops.precision,
                 "recall": metric_ops.recall}  # fmt: skip
        return {f"{kind}/positive_threshold_{threshold:g}": metric(labels, above, weights)
                for kind, metric in kinds.items()}  # fmt: skip

    def export_outputs(self, predictions: Mapping[str, Any]) -> dict[str, Any]:
        """Return a classification, which is the default, a regression, and all predictions."""
        classified = self.classification(predictions)
        return {_DEFAULT: classified, "classification": classified,
                "regression": outputs.RegressionOutput(predictions["logistic"]),
                "predict": outputs.PredictOutput(predictions)}  # fmt: skip


class MultiClassHead(_ClassHead):
    """Three classes and more, each by a logit."""

    def __init__(self, n_classes: int, weight_column: Any = None, label_vocabulary: Any = None,
                 loss_reduction: str = losses.Reduction.SUM) -> None:  # fmt: skip
        if n_classes < 3:
            raise ValueError("n_classes must be > 2 for multiclass classification. Given: "
                             f"{n_classes}")  # fmt: skip
        super().__init__(n_classes, n_classes, label_vocabulary, weight_column, loss_reduction)

    def unreduced_loss(self, features: Any, logits: Any, labels: Any) -> tuple[Any, Any]:
        """Return the cross entropy [batch, 1], and the numbers of the labels."""
        numbers = self.checked_range(self.numbers_of(labels, logits))
        loss = losses.sparse_softmax_cross_entropy(numbers, logits,
                                                   reduction=losses.Reduction.NONE)  # fmt: skip
        return array_ops.expand_dims(loss, -1), numbers

    def predictions(self, logits: Any) -> dict[str, Any]:
        """Return logits, probabilities and the likeliest class."""
        return {"logits": logits, "probabilities": nn_ops.softmax(logits),
                **self.class_predictions(logits, logits)}  # fmt: skip

    def metrics(self, parts: LossParts, predictions: Mapping[str, Any]) -> Metrics:
        """Return the mean loss and the accuracy."""
        return {
            "average_loss": metric_ops.mean(parts.unreduced, parts.weights),
            "accuracy": metric_ops.accuracy(parts.labels, predictions["class_ids"], parts.weights),
        }

    def export_outputs(self, predictions: Mapping[str, Any]) -> dict[str, Any]:
        """Return a classification, which is the default, and all predictions."""
        classified = self.classification(predictions)
        return {_DEFAULT: classified, "classification": classified,
                "predict": outputs.PredictOutput(predictions)}  # fmt: skip


def class_head(n_classes: int, weight_column: Any, label_vocabulary: Any,
               loss_reduction: str) -> Head:  # fmt: skip
    """Return the head of a classifier of so many classes."""
    if n_classes == 2:
        return BinaryHead(weight_column, (), label_vocabulary, loss_reduction)
    return MultiClassHead(n_classes, weight_column, label_vocabulary, loss_reduction)


__all__ = ["BinaryHead", "MultiClassHead", "class_head"]
