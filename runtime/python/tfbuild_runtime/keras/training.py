"""Models that are trained on arrays: compile, fit, evaluate and predict."""

from __future__ import annotations

import time
import warnings
from typing import Any

import numpy as np

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.keras import callbacks as calls
from tfbuild_runtime.keras import phase, values
from tfbuild_runtime.keras.batches import Batches, Form, batches_of
from tfbuild_runtime.keras.network import Input, InputLayer, Network
from tfbuild_runtime.keras.optimizers import optimizer_of
from tfbuild_runtime.ops import creation_ops


class Model(Network):
    """Layers from inputs to outputs, or those of a class's own call, which can be trained."""

    def compile(self, optimizer: Any = "rmsprop", loss: Any = None, metrics: Any = None,
                loss_weights: Any = None, sample_weight_mode: Any = None,
                weighted_metrics: Any = None, target_tensors: Any = None, distribute: Any = None,
                run_eagerly: Any = None) -> None:  # fmt: skip
        """Say how it is trained: by which optimiser, against which losses, and what is reported."""
        for what, given in (("target_tensors", target_tensors), ("distribute", distribute),
                            ("run_eagerly", run_eagerly)):  # fmt: skip
            if given:
                raise NotImplementedError(f"compile({what}=...) is not there")
        self.optimizer = optimizer_of(optimizer)
        self.loss = loss
        self._asked = (loss, metrics, loss_weights, weighted_metrics, sample_weight_mode)
        self._compiled: Any = None
        self.stop_training = False
        if self.outputs:
            self._prepare()

    @property
    def metrics_names(self) -> list[str]:
        """The names of what evaluate returns."""
        return [measure.name for measure in self._prepare().measures]

    def _prepare(self, example: Any = None) -> Any:
        from tfbuild_runtime.keras.objective import Asked, Objective

        if getattr(self, "optimizer", None) is None:
            raise RuntimeError("You must compile your model before training/testing.")
        if self._compiled is None:
            if not self.outputs:
                self._begin_with(example)
            with self._graph.as_default():
                self._compiled = Objective(self, Asked(*self._asked))
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
            validation_steps: int | None = None, validation_freq: Any = 1,
            max_queue_size: int = 10, workers: int = 1,
            use_multiprocessing: bool = False) -> calls.History:  # fmt: skip
        """Train for some epochs; return the history of losses and metrics."""
        del max_queue_size, workers, use_multiprocessing  # batches are made as they are needed
        data = self._batches(x, y, sample_weight, batch_size, steps_per_epoch, class_weight)

        validation = None
        if validation_split:
            data, validation = data.split(validation_split)
        self._prepare(data.example())
        if validation_data is not None:
            given = (validation_data if isinstance(validation_data, (tuple, list))
                     else (validation_data,))  # fmt: skip
            validation = self._batches(*(*given, None, None)[:3], batch_size, validation_steps)
        history = calls.History()
        every = calls.Callbacks([*(callbacks or ()), history], self, {
            "epochs": epochs, "verbose": verbose, "metrics": self.metrics_names})  # fmt: skip
        self.stop_training = False
        every("on_train_begin", {})
        for epoch in range(initial_epoch, epochs):
            due = _is_due(epoch + 1, validation_freq)
            self._epoch(epoch, (epochs, verbose), data.epoch(shuffle), data.trains_by_examples,
                        every, validation if due else None)  # fmt: skip
            if data.ran_out and epoch + 1 < epochs:
                warnings.warn("Your dataset ran out of data; interrupting training. It makes fewer "
                              "batches than the epochs have steps.", stacklevel=2)  # fmt: skip
                self.stop_training = True
            if self.stop_training:
                break
        every("on_train_end", {})
        self.history = history
        return history

    def _batches(self, x: Any, y: Any, weights: Any, size: int | None, steps: int | None,
                 class_weight: Any = None) -> Batches:  # fmt: skip
        """Return the batches of arrays, or of what makes batches."""
        inputs = self.input_names if self.outputs else []
        outputs = self._prepare().output_names if self.outputs else []
        form = Form(inputs, outputs, class_weight)
        return batches_of(x, y, weights, form, size or 32, steps)

    def _epoch(self, epoch: int, how: tuple[int, int], batches: Any, counts: bool,
               every: calls.Callbacks, validation: Batches | None) -> None:  # fmt: skip
        epochs, verbose = how
        began = time.perf_counter()
        every("on_epoch_begin", epoch, {})
        total = _Means(self._prepare().measures, counts)
        for number, batch in enumerate(batches):
            self._one_batch("train", number, batch, total, every)
            if self.stop_training:
                break
        if total.is_empty:
            return
        logs = total.logs()
        if validation is not None:
            found = self._evaluated(validation, every)
            logs.update({f"val_{name}": value for name, value in found.items()})
        if verbose:
            said = " - ".join(f"{name}: {np.mean(value):.4f}" for name, value in logs.items())
            print(f"Epoch {epoch + 1}/{epochs} - {time.perf_counter() - began:.0f}s - {said}")
        every("on_epoch_end", epoch, logs)

    def _one_batch(self, kind: str, number: int, batch: Any, total: _Means,
                   every: calls.Callbacks) -> None:  # fmt: skip
        def step() -> dict[str, Any]:
            found = self._step(batch, training=kind == "train")
            total.add(found, batch.size)
            return dict(zip(self.metrics_names, found[0]))

        every.batch(kind, number, batch.size, step)

    def _evaluated(self, data: Batches, every: calls.Callbacks) -> dict[str, Any]:
        """Return the losses and metrics over all examples."""
        total = _Means(self._prepare(data.example()).measures, data.tests_by_examples)
        every("on_test_begin", {})
        for number, batch in enumerate(data.epoch(False)):
            self._one_batch("test", number, batch, total, every)
        every("on_test_end", {})
        return total.logs()

    def _step(self, batch: Any, training: bool) -> tuple[list[Any], list[Any]]:
        """Run one batch; return its loss and metrics, and what weighs them where that is known."""
        objective = self._prepare(batch.inputs)
        with self._graph.as_default():
            step = objective.train_step() if training else None
            session = values.get_session()
            feeds = {**objective.feeds(batch), **phase.fed(training)}
            weighing = [one.counts for one in objective.measures if not isinstance(one.counts, str)]
            fetches = [[one.value for one in objective.measures], weighing,
                       *([step] if training else [])]  # fmt: skip
            found, weights = session.run(fetches, feeds)[:2]
            return [float(one) if np.ndim(one) == 0 else one for one in found], weights

    def train_on_batch(self, x: Any, y: Any = None, sample_weight: Any = None,
                       class_weight: Any = None, reset_metrics: bool = True) -> Any:  # fmt: skip
        """Take one step on a batch; return its loss, with metrics a list."""
        return self._on_batch((x, y, sample_weight), class_weight, reset_metrics, training=True)

    def test_on_batch(self, x: Any, y: Any = None, sample_weight: Any = None,
                      reset_metrics: bool = True) -> Any:  # fmt: skip
        """Return the loss of a batch, with metrics a list."""
        return self._on_batch((x, y, sample_weight), None, reset_metrics, training=False)

    def _on_batch(self, given: tuple[Any, Any, Any], class_weight: Any, reset: bool,
                  training: bool) -> Any:  # fmt: skip
        if not reset:
            raise NotImplementedError("reset_metrics=False is not there: use fit or evaluate")
        data = self._batches(*given, 1 << 62, None, class_weight)
        return _one_or_all(self._step(next(iter(data.epoch(False))), training)[0])

    def evaluate(self, x: Any = None, y: Any = None, batch_size: int | None = None,
                 verbose: int = 1, sample_weight: Any = None, steps: int | None = None,
                 callbacks: Any = None, max_queue_size: int = 10, workers: int = 1,
                 use_multiprocessing: bool = False) -> Any:  # fmt: skip
        """Return the loss over all examples, with metrics a list."""
        del verbose, max_queue_size, workers, use_multiprocessing  # nothing is printed
        data = self._batches(x, y, sample_weight, batch_size, steps)
        every = calls.Callbacks(callbacks or (), self, {"steps": steps})
        return _one_or_all(list(self._evaluated(data, every).values()))

    def predict(self, x: Any, batch_size: int | None = None, verbose: int = 0,
                steps: int | None = None, callbacks: Any = None, max_queue_size: int = 10,
                workers: int = 1, use_multiprocessing: bool = False) -> Any:  # fmt: skip
        """Return what the model makes of all examples, as an array for each output."""
        del verbose, max_queue_size, workers, use_multiprocessing  # nothing is printed
        form = Form(self.input_names if self.outputs else [], [])
        data = batches_of(x, None, None, form, batch_size or 32, steps)
        if not self.outputs:
            self._begin_with(data.example())
        every = calls.Callbacks(callbacks or (), self, {"steps": steps})
        parts: list[Any] = []
        every("on_predict_begin", {})
        with self._graph.as_default():
            session = values.get_session()

            def step() -> dict[str, Any]:
                feeds = {**dict(zip(self.inputs, batch.inputs)), **phase.fed(False)}
                parts.append(session.run(self.outputs, feeds))
                return {"outputs": parts[-1]}

            for number, batch in enumerate(data.epoch(False)):
                every.batch("predict", number, batch.size, step)
        every("on_predict_end", {})
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
                      validation_steps: int | None = None, validation_freq: Any = 1,
                      class_weight: Any = None, max_queue_size: int = 10, workers: int = 1,
                      use_multiprocessing: bool = False, shuffle: bool = True,
                      initial_epoch: int = 0) -> calls.History:  # fmt: skip
        """Train on batches that a generator makes."""
        return self.fit(
            generator, epochs=epochs, verbose=verbose, callbacks=callbacks,
            validation_data=validation_data, validation_steps=validation_steps,
            validation_freq=validation_freq, class_weight=class_weight, shuffle=shuffle,
            initial_epoch=initial_epoch, steps_per_epoch=steps_per_epoch,
            max_queue_size=max_queue_size, workers=workers,
            use_multiprocessing=use_multiprocessing,
        )  # fmt: skip

    def evaluate_generator(self, generator: Any, steps: int | None = None, callbacks: Any = None,
                           max_queue_size: int = 10, workers: int = 1,
                           use_multiprocessing: bool = False, verbose: int = 0) -> Any:  # fmt: skip
        """Return the loss over batches that a generator makes."""
        return self.evaluate(generator, None, None, verbose, None, steps, callbacks,
                             max_queue_size, workers, use_multiprocessing)  # fmt: skip

    def predict_generator(self, generator: Any, steps: int | None = None, callbacks: Any = None,
                          max_queue_size: int = 10, workers: int = 1,
                          use_multiprocessing: bool = False, verbose: int = 0) -> Any:  # fmt: skip
        """Return what the model makes of batches of a generator."""
        return self.predict(generator, None, verbose, steps, callbacks, max_queue_size, workers,
                            use_multiprocessing)  # fmt: skip

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
    """Losses and metrics of batches, as means over examples, over batches or by weights."""

    def __init__(self, measures: list[Any], counts_examples: bool) -> None:
        self._names = [measure.name for measure in measures]
        self._counts = [measure.counts for measure in measures]
        if not counts_examples:
            self._counts[0] = "batches"
        self._sums: list[Any] = [0.0] * len(measures)
        self._totals = [0.0] * len(measures)

    def add(self, found: tuple[list[Any], list[Any]], size: int) -> None:
        weights = iter(found[1])
        for i, (value, counts) in enumerate(zip(found[0], self._counts)):
            by_word = {"examples": size, "batches": 1}
            share = by_word[counts] if isinstance(counts, str) else float(next(weights))
            self._sums[i] = self._sums[i] + value * share
            self._totals[i] += share

    @property
    def is_empty(self) -> bool:
        return not any(self._totals)

    def logs(self) -> dict[str, Any]:
        every = zip(self._names, self._sums, self._totals)
        return {name: value / (total or 1.0) for name, value, total in every}


def _is_due(epoch: int, freq: Any) -> bool:
    """Whether the epoch, counted from 1, is validated; raises ValueError for an odd frequency."""
    if isinstance(freq, int) and freq > 0:
        return epoch % freq == 0
    if not isinstance(freq, (list, tuple, set)):
        raise ValueError(f"`validation_freq` is a positive number or a list of epochs, not {freq}")
    return epoch in freq


def _one_or_all(found: list[float]) -> Any:
    return found[0] if len(found) == 1 else found


def _type_of(array: Any) -> Any:
    return dtypes.float32 if array.dtype.kind == "f" else dtypes.as_dtype(array.dtype)
