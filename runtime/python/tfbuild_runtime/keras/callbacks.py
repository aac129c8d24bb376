"""What is called while a model trains: its history, early stopping, rates of learning."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tfbuild_runtime.keras import values
from tfbuild_runtime.platform import tf_logging


class Callback:
    """What is called at the begin and the end of training, epochs and batches."""

    def __init__(self) -> None:
        self.model: Any = None
        self.params: dict[str, Any] = {}

    def set_model(self, model: Any) -> None:
        """Take the model that trains."""
        self.model = model

    def set_params(self, params: dict[str, Any]) -> None:
        """Take how it trains."""
        self.params = params

    def on_train_begin(self, logs: Any = None) -> None:
        """Training begins."""

    def on_train_end(self, logs: Any = None) -> None:
        """Training ends."""

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """An epoch begins."""

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """An epoch ends; logs have its losses and metrics."""

    def on_batch_begin(self, batch: int, logs: Any = None) -> None:
        """A batch begins."""

    def on_batch_end(self, batch: int, logs: Any = None) -> None:
        """A batch ends; logs have its losses and metrics."""

    def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:
        """A batch of the training begins."""
        self.on_batch_begin(batch, logs)

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        """A batch of the training ends; logs have its losses and metrics."""
        self.on_batch_end(batch, logs)

    def on_test_begin(self, logs: Any = None) -> None:
        """An evaluation, or a validation, begins."""

    def on_test_end(self, logs: Any = None) -> None:
        """An evaluation, or a validation, ends."""

    def on_test_batch_begin(self, batch: int, logs: Any = None) -> None:
        """A batch of an evaluation begins."""

    def on_test_batch_end(self, batch: int, logs: Any = None) -> None:
        """A batch of an evaluation ends; logs have its losses and metrics."""

    def on_predict_begin(self, logs: Any = None) -> None:
        """A prediction begins."""

    def on_predict_end(self, logs: Any = None) -> None:
        """A prediction ends."""

    def on_predict_batch_begin(self, batch: int, logs: Any = None) -> None:
        """A batch of a prediction begins."""

    def on_predict_batch_end(self, batch: int, logs: Any = None) -> None:
        """A batch of a prediction ends; logs have its outputs."""


class Callbacks:
    """Several callbacks of one model, called one after the other."""

    def __init__(self, every: Sequence[Callback], model: Any, params: dict[str, Any]) -> None:
        self._every = list(every)
        for one in self._every:
            one.set_model(model)
            one.set_params(params)

    def __call__(self, what: str, *args: Any) -> None:
        """Call the method of that name of each."""
        for one in self._every:
            getattr(one, what)(*args)

    def batch(self, kind: str, number: int, size: int, step: Callable[[], dict[str, Any]]) -> None:
        """Run a batch between the calls for its begin and its end; step returns what is logged."""
        logs = {"batch": number, "size": size}
        self(f"on_{kind}_batch_begin", number, dict(logs))
        found = step()
        self(f"on_{kind}_batch_end", number, {**logs, **found})


class History(Callback):
    """Losses and metrics of all epochs."""

    def __init__(self) -> None:
        super().__init__()
        self.epoch: list[int] = []
        self.history: dict[str, list[float]] = {}

    def on_train_begin(self, logs: Any = None) -> None:
        """Count the epochs anew."""
        self.epoch = []

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Keep what the epoch gave."""
        self.epoch.append(epoch)
        for name, value in (logs or {}).items():
            self.history.setdefault(name, []).append(value)


class LambdaCallback(Callback):
    """Calls the functions that it is given."""

    def __init__(self, on_epoch_begin: Any = None, on_epoch_end: Any = None,
                 on_batch_begin: Any = None, on_batch_end: Any = None, on_train_begin: Any = None,
                 on_train_end: Any = None, **kwargs: Callable[..., Any]) -> None:  # fmt: skip
        super().__init__()
        functions = {"on_epoch_begin": on_epoch_begin, "on_epoch_end": on_epoch_end,
                     "on_batch_begin": on_batch_begin, "on_batch_end": on_batch_end,
                     "on_train_begin": on_train_begin, "on_train_end": on_train_end}  # fmt: skip
        for name, function in {**functions, **kwargs}.items():
            if function is not None:
                setattr(self, name, function)


def _sign(mode: str, monitor: str) -> int:
    """Return 1 where larger values are better, else -1; raises ValueError for an unknown mode."""
    if mode not in ("auto", "max", "min"):
        raise ValueError(f"mode is auto, max or min, not {mode!r}")
    larger = mode == "max" or (mode == "auto" and monitor.endswith(("acc", "accuracy", "auc")))
    return 1 if larger else -1


class EarlyStopping(Callback):
    """Ends training when a value has not become better for some epochs."""

    def __init__(self, monitor: str = "val_loss", min_delta: float = 0, patience: int = 0,
                 verbose: int = 0, mode: str = "auto", baseline: Any = None,
                 restore_best_weights: bool = False,
                 start_from_epoch: int = 0) -> None:  # fmt: skip
        super().__init__()
        self.monitor, self.patience, self.verbose = monitor, patience, verbose
        self._sign = _sign(mode, monitor)
        self._least = abs(min_delta)
        self._baseline = None if baseline is None else self._sign * baseline
        self._restores, self._first = restore_best_weights, start_from_epoch
        self.on_train_begin()

    def on_train_begin(self, logs: Any = None) -> None:
        """Begin anew."""
        self._best = float("-inf")
        self._weights: Any = None
        self._best_epoch = self._since = self.stopped_epoch = 0

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """See whether it became better."""
        value = _monitored(self, logs)
        if value is None or epoch < self._first:
            return
        value = self._sign * value
        better = value - self._least > self._best
        if better or (self._restores and self._weights is None):
            self._best_epoch = epoch
            self._weights = self.model.get_weights() if self._restores else None
        self._since += 1
        if better:
            self._best = value
            if self._baseline is None or value - self._least > self._baseline:
                self._since = 0
        elif self._since >= self.patience and epoch > 0:
            self.stopped_epoch = epoch
            self.model.stop_training = True

    def on_train_end(self, logs: Any = None) -> None:
        """Set the weights of the best epoch, where they are asked for."""
        if self.stopped_epoch and self.verbose:
            print(f"Epoch {self.stopped_epoch + 1}: early stopping")
        if self._weights is not None:
            if self.verbose:
                print("Restoring model weights from the end of the best epoch: "
                      f"{self._best_epoch + 1}.")  # fmt: skip
            self.model.set_weights(self._weights)


def _monitored(callback: Any, logs: Any) -> Any:
    """Return the value that a callback watches, or None with a warning."""
    value = (logs or {}).get(callback.monitor)
    if value is None:
        tf_logging.warning("%s conditioned on metric `%s` which is not available. Available "
                           "metrics are: %s", type(callback).__name__, callback.monitor,
                           ",".join(logs or ()))  # fmt: skip
    return value


class LearningRateScheduler(Callback):
    """Sets the rate of learning of each epoch."""

    def __init__(self, schedule: Callable[..., float], verbose: int = 0) -> None:
        super().__init__()
        self.schedule, self.verbose = schedule, verbose

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """Set the rate; raises ValueError where there is none to set, or it is no float."""
        if not hasattr(self.model.optimizer, "lr"):
            raise ValueError('Optimizer must have a "lr" attribute.')
        rate = self.model.optimizer.lr
        try:
            value = self.schedule(epoch, float(values.get_values([rate])[0]))
        except TypeError:
            value = self.schedule(epoch)
        if not isinstance(value, (float, np.floating)):
            raise ValueError('The output of the "schedule" function should be float. '
                             f"Got: {value}")  # fmt: skip
        values.set_values([rate], [value])
        if self.verbose:
            print(f"\nEpoch {epoch + 1}: LearningRateScheduler setting learning rate to {value}.")

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Say which rate it was."""
        if logs is not None:
            logs["lr"] = float(values.get_values([self.model.optimizer.lr])[0])


class ModelCheckpoint(Callback):
    """Writes the weights at the end of epochs, or of those that are the best so far."""

    def __init__(self, filepath: str, monitor: str = "val_loss", verbose: int = 0,
                 save_best_only: bool = False, save_weights_only: bool = False, mode: str = "auto",
                 save_freq: Any = "epoch", options: Any = None,
                 initial_value_threshold: Any = None, period: int = 1) -> None:  # fmt: skip
        super().__init__()
        if options is not None:
            raise NotImplementedError("ModelCheckpoint(options=...) is not there")
        if save_freq != "epoch":
            raise NotImplementedError("ModelCheckpoint writes at the end of epochs: "
                                      f"save_freq={save_freq!r} is not there")  # fmt: skip
        if not save_weights_only:
            tf_logging.warning("ModelCheckpoint(save_weights_only=False): models are not written, "
                               "their weights are")  # fmt: skip
        self.filepath, self.monitor, self.period = str(filepath), monitor, period
        self.verbose, self._only_best = verbose, save_best_only
        self._sign = _sign(mode, monitor)
        first = initial_value_threshold
        self._best = float("-inf") if first is None else self._sign * first

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Write the weights."""
        known = dict(logs or {})
        if (epoch + 1) % self.period:
            return
        if self._only_best:
            value = _monitored(self, known)
            if value is None or not self._sign * value > self._best:
                return
            self._best = self._sign * value
        path = self.filepath.format(epoch=epoch + 1, **known)
        if self.verbose:
            print(f"\nEpoch {epoch + 1}: saving model to {path}")
        self.model.save_weights(path)
