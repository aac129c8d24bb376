"""What a compiled model trains against: losses and metrics, on placeholders of what is wanted."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.keras import losses
from tfbuild_runtime.ops import control_ops, creation_ops, math_ops, reduce_ops

_SPARSE = ("sparse_categorical_crossentropy", "sparse_categorical_accuracy")


class Objective:
    """The loss of a model, what is reported beside it, and the step that lowers it."""

    def __init__(self, model: Any, loss: Any, metrics: list[Any], loss_weights: Any) -> None:
        self._model = model
        count = len(model.outputs)
        specs = _each(loss, count, model.output_names)
        shares = _each(loss_weights, count, model.output_names)
        self.wanted: list[Any] = []
        self._weights = creation_ops.placeholder_with_default(np.ones([1], "float32"), [None])
        parts, self.metrics = [], []
        for output, spec, name, share in zip(model.outputs, specs, model.output_names, shares):
            if spec is None:
                self.wanted.append(None)
                continue
            wanted = _target(output, spec, name)
            self.wanted.append(wanted)
            with framework.name_scope(f"loss/{name}_loss"):
                one = self._weighted(losses.function_of(spec)(wanted, output))
            parts.append(one if share is None else one * float(share))
            if count > 1:
                self.metrics.append((f"{name}_loss", one))
        self._add_metrics(metrics, specs)
        parts += [reduce_ops.reduce_mean(loss) for loss in model.losses]
        if not parts:
            raise ValueError("The model cannot be compiled because it has no loss to optimize.")
        self.loss = parts[0]
        for part in parts[1:]:
            self.loss = self.loss + part
        self.reported = [self.loss, *(value for _, value in self.metrics)]
        self._step: Any = None

    def _weighted(self, rows: Any) -> Any:
        """Return the mean of the losses of examples, by their weights."""
        rank = rows.get_shape().ndims
        if rank is None or rank == 0:
            return reduce_ops.reduce_mean(rows)
        if rank > 1:
            rows = reduce_ops.reduce_mean(rows, list(range(1, rank)))
        return reduce_ops.reduce_mean(rows * math_ops.cast(self._weights, rows.dtype.base_dtype))

    def _add_metrics(self, metrics: list[Any], specs: list[Any]) -> None:
        names = self._model.output_names
        for spec in metrics:
            for output, wanted, loss, name in zip(self._model.outputs, self.wanted, specs, names):
                if wanted is None:
                    continue
                said, function = _metric(spec, output, loss)
                with framework.name_scope(f"metrics/{said}"):
                    value = reduce_ops.reduce_mean(function(wanted, output))
                self.metrics.append((said if len(names) == 1 else f"{name}_{said}", value))

    def feeds(self, batch: Any) -> dict[Any, Any]:
        """Return what a step on the batch is fed; raises ValueError where it does not fit."""
        wanted = [tensor for tensor in self.wanted if tensor is not None]
        if len(batch.inputs) != len(self._model.inputs) or len(batch.wanted) != len(wanted):
            raise ValueError(f"model {self._model.name!r} takes {len(self._model.inputs)} inputs "
                             f"and {len(wanted)} targets, not {len(batch.inputs)} and "
                             f"{len(batch.wanted)}")  # fmt: skip
        found = dict(zip(self._model.inputs, batch.inputs))
        found.update(
            (tensor, _fitting(tensor, array)) for tensor, array in zip(wanted, batch.wanted)
        )
        if batch.weights is not None:
            found[self._weights] = batch.weights
        return found

    def train_step(self) -> Any:
        """Return the operation that takes a step, with the updates of layers."""
        if self._step is None:
            model = self._model
            with framework.name_scope("training"):
                steps = model.optimizer.get_updates(self.loss, model.trainable_variables)
                self._step = control_ops.group(*steps, *model.updates)
        return self._step


def _each(given: Any, count: int, names: list[str]) -> list[Any]:
    if isinstance(given, dict):
        return [given.get(name) for name in names]
    if isinstance(given, (list, tuple)):
        return list(given)
    return [given] * count


def _target(output: Any, spec: Any, name: str) -> Any:
    """Return the placeholder of what an output should be."""
    sizes = output.get_shape().as_list()
    if _name_of(spec) in _SPARSE:
        sizes = [*sizes[:-1], 1] if len(sizes) < 3 else sizes[:-1]
    dtype = output.dtype.base_dtype if output.dtype.is_floating else dtypes.float32
    return creation_ops.placeholder(dtype, [None] * len(sizes), name=f"{name}_target")


def _name_of(spec: Any) -> str:
    if isinstance(spec, losses.LossFunction):
        return type(spec).function.__name__
    return spec if isinstance(spec, str) else getattr(spec, "__name__", type(spec).__name__)


def _fitting(tensor: Any, array: Any) -> Any:
    """Return the array with a last dimension of 1 where only that is missing."""
    rank = tensor.get_shape().ndims
    if rank is not None and array.ndim == rank - 1:
        return np.expand_dims(array, -1)
    return array


def _metric(spec: Any, output: Any, loss: Any) -> tuple[str, Any]:
    """Return name and function of a metric; accuracy is the one that goes with the loss."""
    if spec in ("accuracy", "acc"):
        sizes = output.get_shape().as_list()
        if _name_of(loss) in _SPARSE:
            return "acc", losses.sparse_categorical_accuracy
        if sizes[-1] == 1 or _name_of(loss) in ("binary_crossentropy", "bce"):
            return "acc", losses.binary_accuracy
        return "acc", losses.categorical_accuracy
    function = losses.function_of(spec, losses.METRICS)
    return _name_of(spec if callable(spec) else function), function
