"""Models that are trained on arrays: compile, fit, evaluate and predict."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any

import numpy as np

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.keras import callbacks as calls
from tfbuild_runtime.keras import phase, values
from tfbuild_runtime.keras.batches import Batches, batches_of
from tfbuild_runtime.keras.network import Input, InputLayer, Network
from tfbuild_runtime.keras.optimizers import optimizer_of
from tfbuild_runtime.ops import creation_ops


class Model(Network):
    """Layers from inputs to outputs, or those of a class's own call, which can be trained."""

    def compile(self, optimizer: Any = "rmsprop", loss: Any = None, metrics: Any = None,
                loss_weights: Any = None, **_: Any) -> None:  # fmt: skip
        """Say how it is trained: by which optimiser, against which losses, and what is reported."""
        self.optimizer = optimizer_of(optimizer)
        self.loss = loss
        self._metric_specs = list(metrics or ())
        self._loss_weights = loss_weights
        self._compiled: Any = None
        self.stop_training = False
        if self.outputs:
            self._prepare()

    @property
    def metrics_names(self) -> list[str]:
        """The names of what evaluate returns."""
        return ["loss", *(name for name, _ in self._prepare().metrics)]

    def _prepare(self, example: Any = None) -> Any:
        from tfbuild_runtime.keras.objective import Objective

        if getattr(self, "optimizer", None) is None:
            raise RuntimeError("You must compile your model before training/testing.")
        if self._compiled is None:
            if not self.outputs:
                self._begin_with(example)
            with self._graph.as_default():
                self._compiled = Objective(self, self.loss, self._metric_specs,
                                           self._loss_weights)  # fmt: skip
        return self._compiled

    def _begin_with(self, example: Any) -> None:
        """Make inputs as the arrays are, and outputs, for a model with a call of its own."""
        if example is None:
            raise ValueError(f"model {self.name!r} has no inputs yet: give it an input_shape, or "
                             "call it on a tensor")  # fmt: skip
        arrays = [np.asarray(one) for one in (example if isinstance(example, list) else [example])]
        given = [Input(one.shape[1:], dtype=_type_of(one)) for one in arrays]
        self._inputs = given if isinstance(example, list) else given[0]
        self._outputs = self(self._inputs)
        self._graph = self.outputs[0].graph

    # ---- training -------------------------------------------------------------------------------

    def fit(self, x: Any = None, y: Any = None, batch_size: int | None = None, epochs: int = 1,
            verbose: int = 1, callbacks: Any = None, validation_split: float = 0.0,
            validation_data: Any = None, shuffle: bool = True, class_weight: Any = None,
            sample_weight: Any = None, initial_epoch: int = 0, steps_per_epoch: int | None = None,
            validation_steps: int | None = None, **_: Any) -> calls.History:  # fmt: skip
        """Train for some epochs; return the history of losses and metrics."""
        data = batches_of(x, y, sample_weight, class_weight, batch_size or 32, steps_per_epoch)
        if validation_split:
            data, validation_data = data.split(validation_split)
        self._prepare(data.example())
        history = calls.History()
        every = [*(callbacks or ()), history]
        for one in every:
            one.set_model(self)
            one.set_params({"epochs": epochs, "verbose": verbose, "metrics": self.metrics_names})
        self.stop_training = False
        _notify(every, "on_train_begin", {})
        for epoch in range(initial_epoch, epochs):
            self._epoch(epoch, epochs, data, every, (shuffle, verbose),
                        (validation_data, batch_size, validation_steps))  # fmt: skip
            if self.stop_training:
                break
        _notify(every, "on_train_end", {})
        self.history = history
        return history

    def _epoch(self, epoch: int, epochs: int, data: Batches, every: list[calls.Callback],
               how: tuple[bool, int], validation: tuple[Any, Any, Any]) -> None:  # fmt: skip
        shuffle, verbose = how
        began = time.perf_counter()
        _notify(every, "on_epoch_begin", epoch, {})
        total = _Means(self.metrics_names)
        for number, batch in enumerate(data.epoch(shuffle)):
            _notify(every, "on_batch_begin", number, {"batch": number, "size": batch.size})
            found = self._step(batch, training=True)
            total.add(found, batch.size)
            _notify(every, "on_batch_end", number, dict(zip(self.metrics_names, found)))
            if self.stop_training:
                break
        logs = total.logs()
        given, size, steps = validation
        if given is not None:
            found = self.evaluate(*given, batch_size=size, verbose=0) if isinstance(
                given, (tuple, list)) else self.evaluate(given, steps=steps, verbose=0)  # fmt: skip
            listed = found if isinstance(found, list) else [found]
            logs.update({f"val_{name}": value for name, value in zip(self.metrics_names, listed)})
        if verbose:
            said = " - ".join(f"{name}: {value:.4f}" for name, value in logs.items())
            print(f"Epoch {epoch + 1}/{epochs} - {time.perf_counter() - began:.0f}s - {said}")
        _notify(every, "on_epoch_end", epoch, logs)

    def _step(self, batch: Any, training: bool) -> list[float]:
        """Run one batch; return its loss and metrics."""
        objective = self._prepare(batch.inputs)
        with self._graph.as_default():
            step = objective.train_step() if training else None
            session = values.get_session()
            feeds = {**objective.feeds(batch), **phase.fed(training)}
            fetches = [objective.reported, *([step] if training else [])]
            return [float(one) for one in session.run(fetches, feeds)[0]]

    def train_on_batch(self, x: Any, y: Any = None, sample_weight: Any = None,
                       class_weight: Any = None, **_: Any) -> Any:  # fmt: skip
        """Take one step on a batch; return its loss, with metrics a list."""
        data = batches_of(x, y, sample_weight, class_weight, None, None)
        return _one_or_all(self._step(next(iter(data.epoch(False))), training=True))

    def test_on_batch(self, x: Any, y: Any = None, sample_weight: Any = None, **_: Any) -> Any:
        """Return the loss of a batch, with metrics a list."""
        data = batches_of(x, y, sample_weight, None, None, None)
        return _one_or_all(self._step(next(iter(data.epoch(False))), training=False))

    def evaluate(self, x: Any = None, y: Any = None, batch_size: int | None = None,
                 verbose: int = 1, sample_weight: Any = None, steps: int | None = None,
                 **_: Any) -> Any:  # fmt: skip
        """Return the loss over all examples, with metrics a list."""
        del verbose
        data = batches_of(x, y, sample_weight, None, batch_size or 32, steps)
        self._prepare(data.example())
        total = _Means(self.metrics_names)
        for batch in data.epoch(False):
            total.add(self._step(batch, training=False), batch.size)
        return _one_or_all(list(total.logs().values()))

    def predict(self, x: Any, batch_size: int | None = None, verbose: int = 0,
                steps: int | None = None, **_: Any) -> Any:  # fmt: skip
        """Return what the model makes of all examples, as an array for each output."""
        del verbose
        data = batches_of(x, None, None, None, batch_size or 32, steps)
        if not self.outputs:
            self._begin_with(data.example())
        parts = []
        with self._graph.as_default():
            session = values.get_session()
            for batch in data.epoch(False):
                feeds = {**dict(zip(self.inputs, batch.inputs)), **phase.fed(False)}
                parts.append(session.run(self.outputs, feeds))
        whole = [np.concatenate(rows) for rows in zip(*parts)]
        return whole[0] if len(whole) == 1 else whole

    def predict_on_batch(self, x: Any) -> Any:
        """Return what the model makes of one batch."""
        return self.predict(x, batch_size=1 << 62)

    def predict_classes(self, x: Any, batch_size: int = 32, verbose: int = 0) -> Any:
        """Return the most probable class of each example."""
        found = self.predict(x, batch_size, verbose)
        return found.argmax(-1) if found.shape[-1] > 1 else (found > 0.5).astype("int32")

    def fit_generator(self, generator: Any, steps_per_epoch: int | None = None, epochs: int = 1,
                      verbose: int = 1, callbacks: Any = None, validation_data: Any = None,
                      validation_steps: int | None = None, **_: Any) -> calls.History:  # fmt: skip
        """Train on batches that a generator makes."""
        return self.fit(generator, epochs=epochs, verbose=verbose, callbacks=callbacks,
                        validation_data=validation_data, validation_steps=validation_steps,
                        steps_per_epoch=steps_per_epoch)  # fmt: skip

    def evaluate_generator(self, generator: Any, steps: int | None = None, **_: Any) -> Any:
        """Return the loss over batches that a generator makes."""
        return self.evaluate(generator, steps=steps)

    def predict_generator(self, generator: Any, steps: int | None = None, **_: Any) -> Any:
        """Return what the model makes of batches of a generator."""
        return self.predict(generator, steps=steps)

    def save(self, filepath: str, *_: Any, **__: Any) -> None:
        """Raise NotImplementedError: weights can be saved, models cannot."""
        raise NotImplementedError(f"models are not written ({filepath}): use save_weights, or "
                                  "tf.train.Saver, and build the model anew")  # fmt: skip


class Sequential(Model):
    """Layers in a row."""

    def __init__(self, layers: Any = None, name: str | None = None) -> None:
        super().__init__(name=name or None)
        for layer in layers or ():
            self.add(layer)

    def add(self, layer: Any) -> None:
        """Put a layer, or a model, behind the others."""
        parts = self.__dict__.setdefault("_part_list", [])
        if isinstance(layer, InputLayer):
            self._inputs = self._outputs = layer.output
            self._graph = layer.output.graph
            return
        if not parts and self._inputs is None:
            given = getattr(layer, "_given_shape", None)
            if given is not None:
                kind = getattr(layer, "dtype", None) or dtypes.float32
                self._inputs = Input(batch_shape=given, dtype=kind, name=f"{layer.name}_input")
            elif isinstance(layer, Network) and layer.inputs:
                self._inputs, self._outputs = layer.input, layer.output
                self._graph = layer.output.graph
                self.built = True
                parts.append(layer)
                return
            self._outputs = self._inputs
        parts.append(layer)
        if self._outputs is not None:
            self._outputs = layer(self._outputs)
            self._graph = self._outputs.graph
            self.built = True

    def pop(self) -> None:
        """Take the last layer off."""
        if not self.layers:
            raise TypeError("There are no layers in the model.")
        last = self.__dict__["_part_list"].pop()
        if self._outputs is not None:
            self._outputs = last.input

    def call(self, inputs: Any, **_: Any) -> Any:
        """Return what the layers make of other inputs."""
        for layer in self.layers:
            inputs = layer(inputs)
        return inputs

    def build(self, input_shape: Any = None) -> None:
        """Make the variables for inputs of that shape, batch and all."""
        if self._outputs is None and input_shape is not None and not self.built:
            self.built = True
            self._inputs = creation_ops.placeholder(dtypes.float32, input_shape)
            self._outputs = self.call(self._inputs)
            self._graph = self._outputs.graph
        self.built = True

    def _build_for(self, inputs: Any, tensors: list[Any]) -> None:
        del inputs, tensors
        self.built = True


class _Means:
    """Losses and metrics of batches, as means over examples."""

    def __init__(self, names: list[str]) -> None:
        self._names, self._count = names, 0
        self._sums = [0.0] * len(names)

    def add(self, found: Iterable[float], size: int) -> None:
        self._count += size
        self._sums = [total + one * size for total, one in zip(self._sums, found)]

    def logs(self) -> dict[str, float]:
        return {name: total / max(1, self._count) for name, total in zip(self._names, self._sums)}


def _notify(every: list[calls.Callback], what: str, *args: Any) -> None:
    for one in every:
        getattr(one, what)(*args)


def _one_or_all(found: list[float]) -> Any:
    return found[0] if len(found) == 1 else found


def _type_of(array: Any) -> Any:
    return dtypes.float32 if array.dtype.kind == "f" else dtypes.as_dtype(array.dtype)
