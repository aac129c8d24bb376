"""What a compiled model trains against: losses and metrics, on placeholders of what is wanted."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.keras import loss_classes, losses
from tfbuild_runtime.layers.base import snake_case
from tfbuild_runtime.ops import array_ops, control_ops, creation_ops, math_ops, reduce_ops
from tfbuild_runtime.ops.emit import emit
from tfbuild_runtime.platform import tf_logging

_SPARSE = ("sparse_categorical_crossentropy", "sparse_categorical_accuracy")


class Asked(NamedTuple):
    """What a model is compiled with, for each of its outputs."""

    loss: Any
    metrics: Any
    loss_weights: Any
    weighted_metrics: Any
    sample_weight_mode: Any


class Measure(NamedTuple):
    """A number of each batch, and how much a batch counts in the mean of an epoch."""

    name: str
    value: Any
    counts: Any = None  # a tensor: how many values, or the sum of their weights; None is 1


class _Output(NamedTuple):
    """One output of a model, what it is compared with, and the weights of the examples."""

    name: str
    made: Any
    wanted: Any
    weights: Any
    spec: Any
    loss: Any


class Objective:
    """The loss of a model, what is reported beside it, and the step that lowers it."""

    def __init__(self, model: Any, asked: Asked) -> None:
        self._model = model
        names = model.output_names
        specs = _each(asked.loss, names, "loss")
        shares = _each(asked.loss_weights, names, "loss_weights")
        modes = _each(asked.sample_weight_mode, names, "sample_weight_mode")
        parts: list[Any] = []
        self._measures: list[Measure] = []
        self._outputs: list[_Output] = []
        for made, spec, name, share, mode in zip(model.outputs, specs, names, shares, modes):
            if spec is None:
                self._outputs.append(_Output(name, made, None, None, None, None))
                continue
            output = _Output(name, made, _target(made, spec, name), _weights(mode), spec,
                             loss_classes.loss_of(spec))  # fmt: skip
            self._outputs.append(output)
            with framework.name_scope(f"loss/{name}_loss"):
                one = _loss(output)
            parts.append(one if share is None else one * float(share))
            if len(names) > 1:
                self._measures.append(Measure(f"{name}_loss", one))
        self._add_metrics(asked.metrics, asked.weighted_metrics)
        parts += [reduce_ops.reduce_mean(loss) for loss in model.losses]
        if not parts:
            raise ValueError("The model cannot be compiled because it has no loss to optimize.")
        self.loss = parts[0]
        for part in parts[1:]:
            self.loss = self.loss + part
        self.measures = [Measure("loss", self.loss), *self._measures]
        self._trained, self._updates = list(model.trainable_variables), list(model.updates)
        self._step: Any = None

    @property
    def output_names(self) -> list[str]:
        """The names of the outputs that have a loss."""
        return [output.name for output in self._outputs if output.wanted is not None]

    def _add_metrics(self, metrics: Any, weighted: Any) -> None:
        names = [output.name for output in self._outputs]
        plain, others = (_metrics_of(one, names) for one in (metrics, weighted))
        for output, specs, with_weights in zip(self._outputs, plain, others):
            if output.wanted is None:
                continue
            for spec, weights in [*((one, None) for one in specs),
                                  *((one, output.weights) for one in with_weights)]:  # fmt: skip
                said, function = _metric(spec, output.made, output.spec)
                said = said if weights is None else f"weighted_{said}"
                with framework.name_scope(f"metrics/{said}"):
                    found = function(output.wanted, output.made)
                    value, counts = _mean(found, weights)
                said = said if len(names) == 1 else f"{output.name}_{said}"
                self._measures.append(Measure(self._unique(said), value, counts))

    def _unique(self, name: str) -> str:
        taken = {measure.name for measure in self._measures}
        return next(n for n in (name, *(f"{name}_{i}" for i in range(1, len(taken) + 2)))
                    if n not in taken)  # fmt: skip

    def feeds(self, batch: Any) -> dict[Any, Any]:
        """Return what a step on the batch is fed; raises ValueError where it does not fit."""
        outputs = [output for output in self._outputs if output.wanted is not None]
        if len(batch.inputs) != len(self._model.inputs) or len(batch.wanted) != len(outputs):
            raise ValueError(f"model {self._model.name!r} takes {len(self._model.inputs)} inputs "
                             f"and {len(outputs)} targets, not {len(batch.inputs)} and "
                             f"{len(batch.wanted)}")  # fmt: skip
        found = dict(zip(self._model.inputs, batch.inputs))
        for output, array, weights in zip(outputs, batch.wanted, batch.weights):
            found[output.wanted] = _fitting(output.wanted, array)
            _check_target(output, found[output.wanted].shape)
            if weights is None:
                continue
            if weights.ndim != output.weights.get_shape().ndims:
                raise ValueError(f"Found a sample_weight array with shape {weights.shape}: it is "
                                 'one number for each example, or with sample_weight_mode='
                                 '"temporal" in compile() one for each time')  # fmt: skip
            found[output.weights] = weights
        return found

    def train_step(self) -> Any:
        """Return the operation that takes a step, with the updates of layers."""
        if self._step is None:
            model = self._model
            if {id(v) for v in model.trainable_variables} != {id(v) for v in self._trained}:
                tf_logging.warning("Discrepancy between trainable weights and collected trainable "
                                   "weights, did you set `model.trainable` without calling "
                                   "`model.compile` after ?")  # fmt: skip
            with framework.name_scope("training"):
                steps = model.optimizer.get_updates(self.loss, self._trained)
                self._step = control_ops.group(*steps, *self._updates)
        return self._step


def _each(given: Any, names: list[str], what: str) -> list[Any]:
    """Return one for each output; raises ValueError where the number or a name is another one."""
    if isinstance(given, dict):
        unknown = sorted(set(given) - set(names))
        if unknown:
            raise ValueError(f"Unknown entries in {what} dictionary: {unknown}. Only expected "
                             f"following keys: {names}")  # fmt: skip
        return [given.get(name) for name in names]
    if isinstance(given, (list, tuple)):
        if len(given) != len(names):
            raise ValueError(f"When passing a list as {what}, it should have one entry per model "
                             f"output. The model has {len(names)} outputs, but you passed "
                             f"{what}={given}")  # fmt: skip
        return list(given)
    return [given] * len(names)


def _metrics_of(given: Any, names: list[str]) -> list[list[Any]]:
    """Return the metrics of each output."""
    nested = isinstance(given, (list, tuple)) and any(isinstance(x, (list, tuple)) for x in given)
    if isinstance(given, dict) or nested:
        found = _each(given, names, "metrics")
        return [_listed(one) for one in found]
    if given is not None and not isinstance(given, (list, tuple)):
        raise TypeError("Type of `metrics` argument not understood. Expected a list or dictionary, "
                        f"found: {given}")  # fmt: skip
    return [_listed(given)] * len(names)


def _listed(given: Any) -> list[Any]:
    if given is None:
        return []
    return list(given) if isinstance(given, (list, tuple)) else [given]


def _weights(mode: Any) -> Any:
    """Return the placeholder of the weights of examples, or of times; they are 1 when not fed."""
    if mode not in (None, "samplewise", "temporal"):
        raise ValueError(f'sample_weight_mode should be None or "temporal". Found: {mode}')
    rank = 2 if mode == "temporal" else 1
    return creation_ops.placeholder_with_default(np.ones([1] * rank, "float32"), [None] * rank)


def _loss(output: _Output) -> Any:
    """Return the loss of an output."""
    loss = output.loss
    if not hasattr(loss, "reduction"):  # an object of the program's own, which reduces itself
        return loss(output.wanted, output.made, sample_weight=output.weights)
    rows = framework.convert_to_tensor(loss.call(output.wanted, output.made))
    return loss_classes.reduced(rows, _wide(output.weights, rows), loss.reduction)


def _wide(weights: Any, rows: Any) -> Any:
    """Return the weights of examples with as many dimensions as their losses have."""
    rank, given = rows.get_shape().ndims, weights.get_shape().ndims
    if rank is None or rank <= given:
        return weights
    sizes = array_ops.shape(weights)
    return array_ops.reshape(
        weights, array_ops.stack([*(sizes[i] for i in range(given)), *[1] * (rank - given)])
    )


def _mean(found: Any, weights: Any) -> tuple[Any, Any]:
    """Return the mean of a metric over a batch, and how much the batch counts."""
    if weights is None:
        return reduce_ops.reduce_mean(found), array_ops.size(found)
    every = _wide(math_ops.cast(weights, found.dtype.base_dtype), found)
    every = every * emit("OnesLike", [found])
    total = reduce_ops.reduce_sum(every)
    return emit("DivNoNan", [reduce_ops.reduce_sum(found * every), total]), total


def _target(output: Any, spec: Any, name: str) -> Any:
    """Return the placeholder of what an output should be."""
    sizes = output.get_shape().as_list()
    if _name_of(spec) in _SPARSE:
        sizes = [*sizes[:-1], 1] if len(sizes) < 3 else sizes[:-1]
    dtype = output.dtype.base_dtype if output.dtype.is_floating else dtypes.float32
    return creation_ops.placeholder(dtype, [None] * len(sizes), name=f"{name}_target")


def _name_of(spec: Any) -> str:
    if isinstance(spec, loss_classes.FunctionLoss):
        return spec.function.__name__
    if isinstance(spec, loss_classes.Loss):
        return spec.name or snake_case(type(spec).__name__)
    return spec if isinstance(spec, str) else getattr(spec, "__name__", type(spec).__name__)


def _fitting(tensor: Any, array: Any) -> Any:
    """Return the array with a last dimension of 1 where only that is missing."""
    rank = tensor.get_shape().ndims
    if rank is not None and array.ndim == rank - 1:
        return np.expand_dims(array, -1)
    return array


_OF_ONE_SHAPE = (losses.binary_crossentropy, losses.categorical_crossentropy,
                 losses.mean_squared_error)  # fmt: skip


def _check_target(output: _Output, shape: tuple[int, ...]) -> None:
    """Raise ValueError for targets that a loss would be computed of by broadcasting alone."""
    function = getattr(output.loss, "function", None)
    if function is losses.categorical_crossentropy and shape[-1] == 1:
        raise ValueError(f"You are passing a target array of shape {shape} while using as loss "
                         "`categorical_crossentropy`, which expects targets to be binary matrices "
                         "(1s and 0s) of shape (samples, classes). Use to_categorical, or "
                         "`sparse_categorical_crossentropy` for classes as numbers.")  # fmt: skip
    made = output.made.get_shape().as_list()
    others = [one for one, size in zip(shape[1:], made[1:]) if size not in (None, one)]
    if function in _OF_ONE_SHAPE and others:
        raise ValueError(f"A target array with shape {shape} was passed for an output of shape "
                         f"{tuple(made)} while using as loss `{_name_of(output.spec)}`. This loss "
                         "expects targets to have the same shape as the output.")  # fmt: skip


def _metric(spec: Any, output: Any, loss: Any) -> tuple[str, Any]:
    """Return name and function of a metric; accuracy is the one that goes with the loss."""
    short = {"accuracy": "acc", "acc": "acc", "crossentropy": "ce", "ce": "ce"}
    said = short.get(spec) if isinstance(spec, str) else None
    if said is None:
        function = loss_classes.function_of(spec, losses.METRICS)
        return _name_of(spec if callable(spec) else function), function
    kind = "categorical"
    if output.get_shape().as_list()[-1] == 1 or _name_of(loss) in ("binary_crossentropy", "bce"):
        kind = "binary"
    elif _name_of(loss) in _SPARSE:
        kind = "sparse_categorical"
    return said, losses.METRICS[f"{kind}_{'accuracy' if said == 'acc' else 'crossentropy'}"]
