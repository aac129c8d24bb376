"""Networks of fully connected layers, alone and beside a linear model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tfbuild_runtime.estimator.canned import (
    DNN_RATE,
    DNN_RATE_BESIDE_LINEAR,
    Tower,
    as_columns,
    checked_features,
    dnn_scope,
    linear_logits,
    linear_rate,
    linear_scope,
    optimizer_of,
    sum_of,
    summarise,
    train_each,
)
from tfbuild_runtime.estimator.class_heads import class_head
from tfbuild_runtime.estimator.estimator import Estimator
from tfbuild_runtime.estimator.heads import Head, RegressionHead
from tfbuild_runtime.estimator.spec import ModeKeys
from tfbuild_runtime.ops.losses import Reduction
from tfbuild_runtime.ops.nn_ops import relu

_MOST_LINEAR_RATE = 0.005  # beside a network
ModelFn = Callable[..., Any]


def _dnn_model_fn(head: Head, tower: Tower, optimizer: Any) -> ModelFn:
    def model_fn(features: Any, labels: Any, mode: str, config: Any) -> Any:
        del config
        training = mode == ModeKeys.TRAIN
        with dnn_scope():  # of the optimiser's variables as well
            logits = tower.logits(checked_features(features), training, head.logits_dimension)
            chosen = optimizer_of(optimizer, DNN_RATE)
            return head.create_estimator_spec(features, mode, logits, labels, chosen)

    return model_fn


class DNNEstimator(Estimator):
    """A network with a head that is given."""

    def __init__(self, head: Any, hidden_units: Sequence[int], feature_columns: Any,
                 model_dir: str | None = None, optimizer: Any = "Adagrad",
                 activation_fn: Any = relu, dropout: float | None = None,
                 input_layer_partitioner: Any = None, config: Any = None,
                 warm_start_from: Any = None, batch_norm: bool = False) -> None:  # fmt: skip
        tower = Tower(feature_columns, hidden_units, activation_fn, dropout, batch_norm,
                      input_layer_partitioner)  # fmt: skip
        model_fn = _dnn_model_fn(head, tower, optimizer)
        super().__init__(model_fn, model_dir, config, None, warm_start_from)


class DNNClassifier(DNNEstimator):
    """A network that predicts classes."""

    def __init__(self, hidden_units: Sequence[int], feature_columns: Any,
                 model_dir: str | None = None, n_classes: int = 2, weight_column: Any = None,
                 label_vocabulary: Any = None, optimizer: Any = "Adagrad",
                 activation_fn: Any = relu, dropout: float | None = None,
                 input_layer_partitioner: Any = None, config: Any = None,
                 warm_start_from: Any = None, loss_reduction: str = Reduction.SUM,
                 batch_norm: bool = False) -> None:  # fmt: skip
        head = class_head(n_classes, weight_column, label_vocabulary, loss_reduction)
        super().__init__(head, hidden_units, feature_columns, model_dir, optimizer, activation_fn,
                         dropout, input_layer_partitioner, config, warm_start_from,
                         batch_norm)  # fmt: skip


class DNNRegressor(DNNEstimator):
    """A network that predicts numbers, by least squares."""

    def __init__(self, hidden_units: Sequence[int], feature_columns: Any,
                 model_dir: str | None = None, label_dimension: int = 1, weight_column: Any = None,
                 optimizer: Any = "Adagrad", activation_fn: Any = relu,
                 dropout: float | None = None, input_layer_partitioner: Any = None,
                 config: Any = None, warm_start_from: Any = None,
                 loss_reduction: str = Reduction.SUM,
                 batch_norm: bool = False) -> None:  # fmt: skip
        head = RegressionHead(label_dimension, weight_column, loss_reduction)
        super().__init__(head, hidden_units, feature_columns, model_dir, optimizer, activation_fn,
                         dropout, input_layer_partitioner, config, warm_start_from,
                         batch_norm)  # fmt: skip


class _Sides:
    """The linear side of a model and its network, of which one may be missing."""

    def __init__(self, linear_columns: Any, linear_optimizer: Any, dnn_columns: Any,
                 dnn_optimizer: Any, hidden_units: Any, tower: Tower, sparse_combiner: str,
                 partitioner: Any) -> None:  # fmt: skip
        self._linear_columns = as_columns(linear_columns)
        self._has_dnn = bool(as_columns(dnn_columns))
        if not self._linear_columns and not self._has_dnn:
            raise ValueError("Either linear_feature_columns or dnn_feature_columns must be "
                             "defined.")  # fmt: skip
        if self._has_dnn and not hidden_units:
            raise ValueError("dnn_hidden_units must be defined when dnn_feature_columns is "
                             "specified.")  # fmt: skip
        self._optimizers = {"dnn": dnn_optimizer, "linear": linear_optimizer}
        self._tower, self._combiner, self._partitioner = tower, sparse_combiner, partitioner

    def model_fn(self, head: Head) -> ModelFn:
        """Return the model function."""

        def model_fn(features: Any, labels: Any, mode: str, config: Any) -> Any:
            del config
            checked, units = checked_features(features), head.logits_dimension
            optimizers, parts = {}, []
            if self._has_dnn:
                chosen = optimizer_of(self._optimizers["dnn"], DNN_RATE_BESIDE_LINEAR)
                optimizers["dnn"] = chosen
                with dnn_scope():
                    parts.append(self._tower.logits(checked, mode == ModeKeys.TRAIN, units))
            if self._linear_columns:
                rate = linear_rate(self._linear_columns, _MOST_LINEAR_RATE)
                optimizers["linear"] = optimizer_of(self._optimizers["linear"], rate)
                with linear_scope(self._partitioner) as scope:
                    made = linear_logits(checked, self._linear_columns, units, self._combiner)
                    summarise(made, scope.name)
                parts.append(made)
            return head.create_estimator_spec(
                features, mode, sum_of(parts), labels,
                train_op_fn=lambda loss: train_each(loss, optimizers),
            )  # fmt: skip

        return model_fn


class DNNLinearCombinedEstimator(Estimator):
    """A linear model and a network whose logits are added, with a head that is given."""

    def __init__(self, head: Any, model_dir: str | None = None, linear_feature_columns: Any = None,
                 linear_optimizer: Any = "Ftrl", dnn_feature_columns: Any = None,
                 dnn_optimizer: Any = "Adagrad", dnn_hidden_units: Any = None,
                 dnn_activation_fn: Any = relu, dnn_dropout: float | None = None,
                 input_layer_partitioner: Any = None, config: Any = None,
                 batch_norm: bool = False, linear_sparse_combiner: str = "sum",
                 warm_start_from: Any = None) -> None:  # fmt: skip
        tower = Tower(dnn_feature_columns, dnn_hidden_units, dnn_activation_fn, dnn_dropout,
                      batch_norm, input_layer_partitioner)  # fmt: skip
        sides = _Sides(linear_feature_columns, linear_optimizer, dnn_feature_columns,
                       dnn_optimizer, dnn_hidden_units, tower, linear_sparse_combiner,
                       input_layer_partitioner)  # fmt: skip
        super().__init__(sides.model_fn(head), model_dir, config, None, warm_start_from)


class DNNLinearCombinedClassifier(DNNLinearCombinedEstimator):
    """A linear model and a network that predict classes together."""

    def __init__(self, model_dir: str | None = None, linear_feature_columns: Any = None,
                 linear_optimizer: Any = "Ftrl", dnn_feature_columns: Any = None,
                 dnn_optimizer: Any = "Adagrad", dnn_hidden_units: Any = None,
                 dnn_activation_fn: Any = relu, dnn_dropout: float | None = None,
                 n_classes: int = 2, weight_column: Any = None, label_vocabulary: Any = None,
                 input_layer_partitioner: Any = None, config: Any = None,
                 warm_start_from: Any = None, loss_reduction: str = Reduction.SUM,
                 batch_norm: bool = False,
                 linear_sparse_combiner: str = "sum") -> None:  # fmt: skip
        head = class_head(n_classes, weight_column, label_vocabulary, loss_reduction)
        super().__init__(head, model_dir, linear_feature_columns, linear_optimizer,
                         dnn_feature_columns, dnn_optimizer, dnn_hidden_units, dnn_activation_fn,
                         dnn_dropout, input_layer_partitioner, config, batch_norm,
                         linear_sparse_combiner, warm_start_from)  # fmt: skip


class DNNLinearCombinedRegressor(DNNLinearCombinedEstimator):
    """A linear model and a network that predict numbers together."""

    def __init__(self, model_dir: str | None = None, linear_feature_columns: Any = None,
                 linear_optimizer: Any = "Ftrl", dnn_feature_columns: Any = None,
                 dnn_optimizer: Any = "Adagrad", dnn_hidden_units: Any = None,
                 dnn_activation_fn: Any = relu, dnn_dropout: float | None = None,
                 label_dimension: int = 1, weight_column: Any = None,
                 input_layer_partitioner: Any = None, config: Any = None,
                 warm_start_from: Any = None, loss_reduction: str = Reduction.SUM,
                 batch_norm: bool = False,
                 linear_sparse_combiner: str = "sum") -> None:  # fmt: skip
        head = RegressionHead(label_dimension, weight_column, loss_reduction)
        super().__init__(head, model_dir, linear_feature_columns, linear_optimizer,
                         dnn_feature_columns, dnn_optimizer, dnn_hidden_units, dnn_activation_fn,
                         dnn_dropout, input_layer_partitioner, config, batch_norm,
                         linear_sparse_combiner, warm_start_from)  # fmt: skip


__all__ = [
    "DNNClassifier",
    "DNNEstimator",
    "DNNLinearCombinedClassifier",
    "DNNLinearCombinedEstimator",
    "DNNLinearCombinedRegressor",
    "DNNRegressor",
]
