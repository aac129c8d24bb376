"""What models that come ready share: their optimisers, their parts of a graph, their summaries."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework.graph_keys import GraphKeys
from tfbuild_runtime.framework.variables import assign_add
from tfbuild_runtime.layers import core, feature_columns, normalization
from tfbuild_runtime.ops import control_ops, init_ops, math_ops, nn_ops
from tfbuild_runtime.ops.partitioned_variables import min_max_variable_partitioner
from tfbuild_runtime.ops.variable_scope import get_variable_scope, variable_scope
from tfbuild_runtime.summary import summary_ops
from tfbuild_runtime.train import global_step, more_optimizers, optimizers
from tfbuild_runtime.train.optimizer import Optimizer

_OPTIMIZERS: dict[str, Callable[[float], Optimizer]] = {
    "Adagrad": optimizers.AdagradOptimizer,
    "Adam": optimizers.AdamOptimizer,
    "Ftrl": more_optimizers.FtrlOptimizer,
    "RMSProp": optimizers.RMSPropOptimizer,
    "SGD": optimizers.GradientDescentOptimizer,
}
DNN_RATE = 0.05
DNN_RATE_BESIDE_LINEAR = 0.001
_BATCH_NORM_MOMENTUM = 0.999


def linear_rate(columns: Any, most: float) -> float:
    """Return the rate of a linear model: smaller the more columns it has."""
    return min(most, 1.0 / math.sqrt(len(as_columns(columns))))


def optimizer_of(given: Any, rate: float) -> Optimizer:
    """Return an optimiser: a name gets the rate, a function is called; raises ValueError."""
    if isinstance(given, str):
        if given not in _OPTIMIZERS:
            raise ValueError(f"Unsupported optimizer name: {given}. Supported names are: "
                             f"{tuple(sorted(_OPTIMIZERS))}")  # fmt: skip
        return _OPTIMIZERS[given](rate)
    if callable(given):
        given = given()
    if not isinstance(given, Optimizer):
        raise ValueError(f"The given object is not an Optimizer instance. Given: {given}")
    return given


def as_columns(columns: Any) -> list[Any]:
    """Return feature columns as a list."""
    if isinstance(columns, (list, tuple, set, frozenset)):
        return list(columns)
    return [] if columns is None else [columns]


def checked_features(features: Any) -> Mapping[str, Any]:
    """Return the features; raises ValueError unless they have names."""
    if not isinstance(features, Mapping):
        raise ValueError(f"features should be a dictionary of `Tensor`s. Given type: "
                         f"{type(features)}")  # fmt: skip
    return features


def linear_scope(partitioner: Any) -> Any:
    """Open the scope of a linear model's variables."""
    cut = partitioner or min_max_variable_partitioner(min_slice_size=64 << 20)
    return variable_scope("linear", partitioner=cut)


def dnn_scope() -> Any:
    """Open the scope of a network's variables."""
    return variable_scope("dnn", partitioner=min_max_variable_partitioner())


def linear_logits(features: Any, columns: Any, units: int, sparse_combiner: str) -> Any:
    """Return the logits [batch, units] of a linear model, with its variables in the open scope."""
    logits = feature_columns.linear_model(features, as_columns(columns), units, sparse_combiner)
    scope = get_variable_scope()
    bias = [part for part in scope.global_variables() if "bias_weights" in part.op.name]
    if units == 1 and bias:
        summary_ops.scalar("bias", bias[0][0])
    weights = [part for part in scope.trainable_variables() if part not in bias]
    if weights:
        summary_ops.scalar("fraction_of_zero_weights", _zero_share(weights))
    return logits


def _zero_share(weights: Sequence[Any]) -> Any:
    """Return which share of all elements is zero."""
    zeros = [nn_ops.zero_fraction(part) * float(math.prod(part.shape.as_list()))
             for part in weights]  # fmt: skip
    total = zeros[0]
    for other in zeros[1:]:
        total = total + other
    return total / float(sum(math.prod(part.shape.as_list()) for part in weights))


class Tower:
    """The hidden layers of a network, and how they are made."""

    def __init__(self, columns: Any, hidden_units: Sequence[int], activation_fn: Any,
                 dropout: float | None, batch_norm: bool, partitioner: Any) -> None:  # fmt: skip
        self._columns, self._units = as_columns(columns), list(hidden_units or ())
        self._activation = activation_fn
        self._dropout, self._batch_norm = dropout, batch_norm
        self._partitioner = partitioner or min_max_variable_partitioner(min_slice_size=64 << 20)

    def logits(self, features: Any, training: bool, units: int) -> Any:
        """Return the logits [batch, units], with all variables in the open scope."""
        with variable_scope("input_from_feature_columns", partitioner=self._partitioner):
            net = feature_columns.input_layer(features, self._columns)
        for number, width in enumerate(self._units):
            net = self._hidden(net, number, width, training)
        with variable_scope("logits") as scope:
            logits = core.dense(net, units, kernel_initializer=init_ops.GlorotUniform(),
                                name=scope)  # fmt: skip
        summarise(logits, scope.name)
        return logits

    def _hidden(self, net: Any, number: int, width: int, training: bool) -> Any:
        with variable_scope(f"hiddenlayer_{number}") as scope:
            net = core.dense(net, width, self._activation,
                             kernel_initializer=init_ops.GlorotUniform(), name=scope)  # fmt: skip
            if self._dropout is not None and training:
                net = core.dropout(net, self._dropout, training=True)
            if self._batch_norm:
                net = normalization.batch_normalization(
                    net, momentum=_BATCH_NORM_MOMENTUM, training=training,
                    name=f"batchnorm_{number}",
                )  # fmt: skip
        summarise(net, scope.name)
        return net


def summarise(values: Any, name: str) -> None:
    """Show what a layer puts out, and which share of it is zero."""
    summary_ops.scalar(f"{name}/fraction_of_zero_values", nn_ops.zero_fraction(values))
    summary_ops.histogram(f"{name}/activation", values)


def train_each(loss: Any, scopes: Mapping[str, Optimizer]) -> Any:
    """Return one step of each optimiser on the variables of its scope, which counts as one."""
    steps = [
        optimizer.minimize(
            loss, var_list=framework.get_collection(GraphKeys.TRAINABLE_VARIABLES, scope)
        )
        for scope, optimizer in scopes.items()
    ]
    with framework.control_dependencies([control_ops.group(*steps)]):
        return assign_add(global_step.get_global_step(), 1).op


def sum_of(parts: Sequence[Any]) -> Any:
    """Return the sum of the logits of one model or of two."""
    return parts[0] if len(parts) == 1 else math_ops.add(parts[0], parts[1])


__all__ = [
    "DNN_RATE",
    "DNN_RATE_BESIDE_LINEAR",
    "Tower",
    "as_columns",
    "checked_features",
    "dnn_scope",
    "linear_logits",
    "linear_rate",
    "linear_scope",
    "optimizer_of",
    "sum_of",
    "summarise",
    "train_each",
]
