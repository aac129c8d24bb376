"""What is called while a model trains: its history, early stopping, rates of learning."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfbuild_runtime.keras import values


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


class History(Callback):
    """Losses and metrics of all epochs."""

    def __init__(self) -> None:
        super().__init__()
        self.epoch: list[int] = []
        self.history: dict[str, list[float]] = {}

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Keep what the epoch gave."""
        self.epoch.append(epoch)
        for name, value in (logs or {}).items():
            self.history.setdefault(name, []).append(value)


class LambdaCallback(Callback):
    """Calls the functions that it is given."""

    def __init__(self, **functions: Callable[..., Any]) -> None:
        super().__init__()
        for name, function in functions.items():
            setattr(self, name, function)


class EarlyStopping(Callback):
    """Ends training when a value has not become better for some epochs."""

    def __init__(self, monitor: str = "val_loss", min_delta: float = 0, patience: int = 0,
                 verbose: int = 0, mode: str = "auto", baseline: Any = None,
                 restore_best_weights: bool = False) -> None:  # fmt: skip
        super().__init__()
        del verbose
        self.monitor, self.patience = monitor, patience
        larger = mode == "max" or (mode == "auto" and "acc" in monitor)
        self._sign = 1 if larger else -1
        self._least = abs(min_delta)
        self._best = float("-inf") if baseline is None else self._sign * baseline
        self._weights: Any = None
        self._restores = restore_best_weights
        self._since = 0
        self.stopped_epoch = 0

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """See whether it became better."""
        value = (logs or {}).get(self.monitor)
        if value is None:
            return
        if self._sign * value - self._least > self._best:
            self._best, self._since = self._sign * value, 0
            if self._restores:
                self._weights = self.model.get_weights()
            return
        self._since += 1
        if self._since >= self.patience:
            self.stopped_epoch = epoch
            self.model.stop_training = True
            if self._weights is not None:
                self.model.set_weights(self._weights)


class LearningRateScheduler(Callback):
    """Sets the rate of learning of each epoch."""

    def __init__(self, schedule: Callable[..., float], verbose: int = 0) -> None:
        super().__init__()
        del verbose
        self.schedule = schedule

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """Set the rate."""
        rate = self.model.optimizer.lr
        try:
            value = self.schedule(epoch, values.get_values([rate])[0])
        except TypeError:
            value = self.schedule(epoch)
        values.set_values([rate], [value])


class ModelCheckpoint(Callback):
    """Writes the weights at the end of epochs, or of those that are the best so far."""

    def __init__(self, filepath: str, monitor: str = "val_loss", verbose: int = 0,
                 save_best_only: bool = False, save_weights_only: bool = False, mode: str = "auto",
                 period: int = 1, **_: Any) -> None:  # fmt: skip
        super().__init__()
        del verbose, save_weights_only
        self.filepath, self.monitor, self.period = str(filepath), monitor, period
        self._only_best = save_best_only
        self._sign = 1 if mode == "max" or (mode == "auto" and "acc" in monitor) else -1
        self._best = float("-inf")

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Write the weights."""
        known = dict(logs or {})
        if (epoch + 1) % self.period:
            return
        value = self._sign * known.get(self.monitor, float("nan"))
        if self._only_best and not value > self._best:
            return
        self._best = value
        self.model.save_weights(self.filepath.format(epoch=epoch + 1, **known))
