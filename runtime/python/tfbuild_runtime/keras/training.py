"""Models that are trained on arrays: compile, fit, evaluate and predict."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.keras import callbacks as calls
from tfbuild_runtime.keras import phase, values
from tfbuild_runtime.keras.batches import (
    WHOLE,
    Batches,
    Form,
    batches_of,
    is_drawn,
    one_by_one,
)  # fmt: skip
from tfbuild_runtime.keras.means import Means, is_due
from tfbuild_runtime.keras.network import Input, InputLayer, Network
from tfbuild_runtime.keras.optimizers import optimizer_of
from tfbuild_runtime.ops import creation_ops
from tfbuild_runtime.platform import tf_logging


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
        del max_queue_size  # batches are made as they are needed
        one_by_one(x, workers, use_multiprocessing)
        data = self._batches(x, y, sample_weight, batch_size, steps_per_epoch, class_weight,
                             "steps_per_epoch")  # fmt: skip
        self._prepare(data.example())
        data, validation = self._validation(data, validation_data, validation_split, batch_size,
                                            validation_steps)  # fmt: skip
        self.history = history = calls.History()
        names = self.metrics_names
        every = calls.Callbacks([*(callbacks or ()), history], self, {
            **data.params, "epochs": epochs, "verbose": verbose,
            "do_validation": validation is not None,
            "metrics": names + [f"val_{name}" for name in names if validation is not None],
        })  # fmt: skip
        self.stop_training = False
        every("on_train_begin", {})
        for epoch in range(initial_epoch, epochs):
            due = is_due(epoch + 1, validation_freq)
            self._epoch(epoch, (epochs, verbose, shuffle), data, every, validation if due else None)
            if data.ran_out and epoch + 1 < epochs:
                tf_logging.warning("Your dataset ran out of data; interrupting training. It makes "
                                   "fewer batches than the epochs have steps.")  # fmt: skip
                self.stop_training = True
            if self.stop_training:
                break
        every("on_train_end", {})
        return history

    def _batches(self, x: Any, y: Any, weights: Any, size: int | None, steps: int | None,
                 class_weight: Any = None, steps_name: str = "steps") -> Batches:  # fmt: skip
        """Return the batches of arrays, or of what makes batches."""
        inputs = self.input_names if self.outputs else []
        outputs = self._prepare().output_names if self.outputs else []
        form = Form(inputs, outputs, class_weight)
        return batches_of(x, y, weights, form, self._size(x, size), steps, steps_name)

    def _size(self, x: Any, size: int | None) -> int | None:
        """Return the size of batches that the inputs were made for; raises ValueError."""
        fixed = (self.inputs[0].get_shape().dims or [None])[0] if self.inputs else None
        fixed = getattr(fixed, "value", fixed)
        if fixed is None or size == WHOLE or is_drawn(x):
            return size
        if size not in (None, fixed):
            raise ValueError(f"The `batch_size` argument value {size} is incompatible with the "
                             f"specified batch size of your Input Layer: {fixed}")  # fmt: skip
        return fixed

    def _validation(self, data: Batches, given: Any, share: float, size: int | None,
                    steps: int | None) -> tuple[Batches, Batches | None]:  # fmt: skip
        """Return what is trained on, and what is validated with; raises ValueError."""
        if given is not None:
            several = isinstance(given, (list, tuple))
            if several and len(given) not in (2, 3):
                raise ValueError("When passing a `validation_data` argument, it must contain either"
                                 " 2 items (x_val, y_val), or 3 items (x_val, y_val, "
                                 f"val_sample_weights), not {len(given)}")  # fmt: skip
            x, y, weights = (*(given if several else (given,)), None, None)[:3]
            return data, self._batches(x, y, weights, None if is_drawn(x) else size, steps, None,
                                       "validation_steps")  # fmt: skip
        if share:
            if not 0 < share < 1:
                raise ValueError(f"`validation_split` is a share between 0 and 1, not {share}")
            return data.split(share, steps)
        if steps:
            raise ValueError("`validation_steps` should not be specified if `validation_data` is "
                             "None.")  # fmt: skip
        return data, None

    def _epoch(self, epoch: int, how: tuple[int, int, Any], data: Batches, every: calls.Callbacks,
               validation: Batches | None) -> None:  # fmt: skip
        epochs, verbose, shuffle = how
        began = time.perf_counter()
        every("on_epoch_begin", epoch, {})
        total = Means(self._prepare().measures, data.trains_by_examples)
        for number, batch in enumerate(data.epoch(shuffle)):
            self._one_batch("train", number, batch, total, data, every)
            if self.stop_training:
                break
        if total.is_empty:
            return
        logs = total.logs()
        if validation is not None and not self.stop_training:
            if data.sets_validation_size:
                validation.validate_in(batch.size)
            found = self._evaluated(validation, every, shuffle=not data.sets_validation_size)
            logs.update({f"val_{name}": value for name, value in found.items()})
        if verbose:
            said = " - ".join(f"{name}: {np.mean(value):.4f}" for name, value in logs.items())
            print(f"Epoch {epoch + 1}/{epochs} - {time.perf_counter() - began:.0f}s - {said}")
        every("on_epoch_end", epoch, logs)

    def _one_batch(self, kind: str, number: int, batch: Any, total: Means, data: Batches,
                   every: calls.Callbacks) -> None:  # fmt: skip
        def step() -> dict[str, Any]:
            found = total.add(*self._step(batch, training=kind == "train"), batch.size)
            return dict(zip(self.metrics_names, found))

        every.batch(kind, number, batch.size if data.trains_by_examples else 1, step)

    def _evaluated(self, data: Batches, every: calls.Callbacks,
                   shuffle: bool = False) -> dict[str, Any]:  # fmt: skip
        """Return the losses and metrics over all examples; TensorFlow shuffles in a training, and
        so the order of the next epoch depends on it.
        """
        data.restart()
        total = Means(self._prepare(data.example()).measures, data.tests_by_examples)
        every("on_test_begin", {})
        for number, batch in enumerate(data.epoch(shuffle)):
            self._one_batch("test", number, batch, total, data, every)
        every("on_test_end", {})
        return total.logs()

    def _step(self, batch: Any, training: bool) -> tuple[list[Any], list[Any]]:
        """Run one batch; return its loss and metrics, and how much the batch counts in each."""
        objective = self._prepare(batch.inputs)
        with self._graph.as_default():
            step = objective.train_step() if training else None
            session = values.get_session()
            feeds = {**objective.feeds(batch), **phase.fed(training)}
            counted = [one.counts for one in objective.measures if one.counts is not None]
            fetches = [[one.value for one in objective.measures], counted,
                       *([step] if training else [])]  # fmt: skip
            found, counts = session.run(fetches, feeds)[:2]
        known = iter(counts)
        every = [1 if one.counts is None else next(known) for one in objective.measures]
        return [float(one) if np.ndim(one) == 0 else one for one in found], every

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
        data = self._batches(*given, WHOLE, None, class_weight)
        measures = self._prepare(data.example()).measures
        batch = next(iter(data.epoch(False)))
        total = self.__dict__.get("_running") or Means(measures, True)
        found = total.add(*self._step(batch, training), batch.size)
        self._running = None if reset else total
        return _one_or_all(found)

    def reset_metrics(self) -> None:
        """Forget the batches that train_on_batch and test_on_batch added to the metrics."""
        self._running = None

    def evaluate(self, x: Any = None, y: Any = None, batch_size: int | None = None,
                 verbose: int = 1, sample_weight: Any = None, steps: int | None = None,
                 callbacks: Any = None, max_queue_size: int = 10, workers: int = 1,
                 use_multiprocessing: bool = False) -> Any:  # fmt: skip
        """Return the loss over all examples, with metrics a list."""
        del verbose, max_queue_size  # as in TensorFlow 1, nothing is printed
        one_by_one(x, workers, use_multiprocessing)
        data = self._batches(x, y, sample_weight, batch_size, steps)
        self._prepare(data.example())
        every = calls.Callbacks(callbacks or (), self, {
            **data.params, "epochs": 1, "verbose": 0, "do_validation": False,
            "metrics": self.metrics_names})  # fmt: skip
        return _one_or_all(list(self._evaluated(data, every).values()))

    def predict(self, x: Any, batch_size: int | None = None, verbose: int = 0,
                steps: int | None = None, callbacks: Any = None, max_queue_size: int = 10,
                workers: int = 1, use_multiprocessing: bool = False) -> Any:  # fmt: skip
        """Return what the model makes of all examples, as an array for each output."""
        del verbose, max_queue_size  # as in TensorFlow 1, nothing is printed
        one_by_one(x, workers, use_multiprocessing)
        form = Form(self.input_names if self.outputs else [], None)
        data = batches_of(x, None, None, form, self._size(x, batch_size), steps)
        if not self.outputs:
            self._begin_with(data.example())
        every = calls.Callbacks(callbacks or (), self, {
            **data.params, "epochs": 1, "verbose": 0, "do_validation": False, "metrics": [],
        })  # fmt: skip
        parts: list[Any] = []
        every("on_predict_begin", {})
        with self._graph.as_default():
            session = values.get_session()

            def step() -> dict[str, Any]:
                feeds = {**dict(zip(self.inputs, batch.inputs)), **phase.fed(False)}
                parts.append(session.run(self.outputs, feeds))
                return {"outputs": parts[-1]}

            for number, batch in enumerate(data.epoch(False)):
                every.batch("predict", number, batch.size if data.trains_by_examples else 1, step)
        every("on_predict_end", {})
        whole = [np.concatenate(rows) for rows in zip(*parts)]
        return whole[0] if len(whole) == 1 else whole

    def predict_on_batch(self, x: Any) -> Any:
        """Return what the model makes of one batch."""
        return self.predict(x, batch_size=WHOLE)

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

    def save(self, filepath: str, overwrite: bool = True, save_format: Any = None,
             **_: Any) -> None:  # fmt: skip
        """Raise NotImplementedError: weights can be saved, models cannot."""
        del overwrite, save_format
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

    def _again(self, inputs: Any) -> Any:
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


def _one_or_all(found: list[float]) -> Any:
    return found[0] if len(found) == 1 else found


def _type_of(array: Any) -> Any:
    return dtypes.float32 if array.dtype.kind == "f" else dtypes.as_dtype(array.dtype)
