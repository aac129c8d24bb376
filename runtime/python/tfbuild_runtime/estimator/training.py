"""Training and evaluating in turns, and what is exported meanwhile."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from tfbuild_runtime.platform import tf_logging
from tfbuild_runtime.train.basic_hooks import CheckpointSaverListener


class Exporter:
    """Exports an estimator after an evaluation, into a folder of its name."""

    def __init__(self, name: str, serving_input_receiver_fn: Callable[[], Any],
                 assets_extra: Any = None, as_text: bool = False) -> None:  # fmt: skip
        if not name:
            raise ValueError('"name" must be specified.')
        self.name = name
        self._receiver_fn = serving_input_receiver_fn
        self._assets_extra, self._as_text = assets_extra, as_text

    def export(self, estimator: Any, export_path: str, checkpoint_path: str, eval_result: Any,
               is_the_final_export: bool) -> bytes | None:  # fmt: skip
        """Return the path of what was exported, or None where this is not the time."""
        raise NotImplementedError("a kind of exporter says when")

    def _written(self, estimator: Any, folder: str, checkpoint: str) -> bytes:
        return estimator.export_saved_model(  # type: ignore[no-any-return]
            folder, self._receiver_fn, self._assets_extra, self._as_text, checkpoint
        )


class FinalExporter(Exporter):
    """Exports once, at the end."""

    def export(self, estimator: Any, export_path: str, checkpoint_path: str, eval_result: Any,
               is_the_final_export: bool) -> bytes | None:  # fmt: skip
        """Export, at the end."""
        del eval_result
        if not is_the_final_export:
            return None
        return self._written(estimator, export_path, checkpoint_path)


class _Keeping(Exporter):
    """Keeps some of the exports, the latest."""

    def __init__(self, name: str, serving_input_receiver_fn: Callable[[], Any],
                 assets_extra: Any, as_text: bool,
                 exports_to_keep: int | None) -> None:  # fmt: skip
        super().__init__(name, serving_input_receiver_fn, assets_extra, as_text)
        if exports_to_keep is not None and exports_to_keep <= 0:
            raise ValueError(f"`exports_to_keep`, if provided, must be a positive number. Got "
                             f"{exports_to_keep}")  # fmt: skip
        self._keep = exports_to_keep

    def _forget_old(self, folder: str) -> None:
        if self._keep is None:
            return
        exports = sorted((path for path in Path(folder).iterdir() if path.name.isdigit()),
                         key=lambda path: int(path.name))  # fmt: skip
        for old in exports[: -self._keep]:
            shutil.rmtree(old, ignore_errors=True)


class LatestExporter(_Keeping):
    """Exports after each evaluation, and keeps the latest."""

    def __init__(self, name: str, serving_input_receiver_fn: Callable[[], Any],
                 assets_extra: Any = None, as_text: bool = False,
                 exports_to_keep: int | None = 5) -> None:  # fmt: skip
        super().__init__(name, serving_input_receiver_fn, assets_extra, as_text, exports_to_keep)

    def export(self, estimator: Any, export_path: str, checkpoint_path: str, eval_result: Any,
               is_the_final_export: bool) -> bytes | None:  # fmt: skip
        """Export, and remove what is more than to be kept."""
        del eval_result, is_the_final_export
        written = self._written(estimator, export_path, checkpoint_path)
        self._forget_old(export_path)
        return written


def _has_less_loss(best_eval_result: Any, current_eval_result: Any) -> bool:
    """Whether the loss has become smaller; raises ValueError where there is none."""
    for result in (best_eval_result, current_eval_result):
        if not result or "loss" not in result:
            raise ValueError("an evaluation needs a loss to be compared")
    return bool(best_eval_result["loss"] > current_eval_result["loss"])


class BestExporter(_Keeping):
    """Exports whenever an evaluation is better than all before it in this run."""

    def __init__(self, name: str = "best_exporter",
                 serving_input_receiver_fn: Callable[[], Any] | None = None,
                 event_file_pattern: Any = None, compare_fn: Callable[..., Any] = _has_less_loss,
                 assets_extra: Any = None, as_text: bool = False,
                 exports_to_keep: int | None = 5) -> None:  # fmt: skip
        if serving_input_receiver_fn is None:
            raise ValueError("`serving_input_receiver_fn` must be defined.")
        if event_file_pattern is not None:
            raise NotImplementedError("the best of earlier runs is not read from event files")
        super().__init__(name, serving_input_receiver_fn, assets_extra, as_text, exports_to_keep)
        self._is_better, self._best = compare_fn, None

    def export(self, estimator: Any, export_path: str, checkpoint_path: str, eval_result: Any,
               is_the_final_export: bool) -> bytes | None:  # fmt: skip
        """Export what is better than all before."""
        del is_the_final_export
        best = self._best
        if best is not None and not self._is_better(
            best_eval_result=best, current_eval_result=eval_result
        ):
            return None
        self._best = eval_result
        written = self._written(estimator, export_path, checkpoint_path)
        self._forget_old(export_path)
        return written


class TrainSpec(NamedTuple):
    """What train_and_evaluate trains with."""

    input_fn: Callable[..., Any]
    max_steps: int | None = None
    hooks: Any = None
    saving_listeners: Any = None


class EvalSpec(NamedTuple):
    """What train_and_evaluate evaluates with, how often at most, and what it exports."""

    input_fn: Callable[..., Any]
    steps: int | None = 100
    name: str | None = None
    hooks: Any = None
    exporters: Any = None
    start_delay_secs: float = 120
    throttle_secs: float = 600

    @property
    def all_exporters(self) -> tuple[Exporter, ...]:
        """The exporters, of which there may be one alone."""
        if self.exporters is None:
            return ()
        is_one = isinstance(self.exporters, Exporter)
        return (self.exporters,) if is_one else tuple(self.exporters)


class _Evaluating(CheckpointSaverListener):
    """Evaluates what was saved, when the last time is long enough ago, and at the end."""

    def __init__(self, estimator: Any, spec: EvalSpec, max_steps: int | None) -> None:
        self._estimator, self._spec, self._max_steps = estimator, spec, max_steps
        self._last = 0.0
        self._evaluated_step: int | None = None
        self._has_begun = False
        self.results: tuple[Any, Any] = (None, None)

    def begin(self) -> None:
        """Begin to count the time."""
        self._last = time.monotonic()

    def after_save(self, session: Any, global_step_value: int) -> bool | None:
        """Evaluate, unless this is what the training begins with."""
        del session
        if not self._has_begun:
            self._has_begun = True
            return None
        if time.monotonic() - self._last >= self._spec.throttle_secs:
            self._evaluate(global_step_value)
        return None

    def end(self, session: Any, global_step_value: int) -> None:
        """Evaluate what the training ends with."""
        del session
        if self._evaluated_step != global_step_value:
            self._evaluate(global_step_value)

    def _evaluate(self, step: int) -> None:
        spec, estimator = self._spec, self._estimator
        found = estimator.evaluate(spec.input_fn, spec.steps, spec.hooks, name=spec.name)
        is_final = self._max_steps is not None and step >= self._max_steps
        exported = [
            exporter.export(
                estimator, os.fspath(Path(estimator.model_dir, "export", exporter.name)),
                estimator.latest_checkpoint(), found, is_final,
            )
            for exporter in spec.all_exporters
        ]  # fmt: skip
        self._last, self._evaluated_step = time.monotonic(), step
        self.results = found, exported


def train_and_evaluate(estimator: Any, train_spec: TrainSpec, eval_spec: EvalSpec) -> Any:
    """Train in this process, evaluate some of its checkpoints and the last; return what that gave.

    The result is the metrics of the last evaluation and what its exporters wrote; (None, None)
    where the training had reached max_steps before.
    """
    watch = _Evaluating(estimator, eval_spec, train_spec.max_steps)
    listeners = [*(train_spec.saving_listeners or ()), watch]
    estimator.train(train_spec.input_fn, train_spec.hooks, max_steps=train_spec.max_steps,
                    saving_listeners=listeners)  # fmt: skip
    if watch.results[0] is None:
        tf_logging.info("There was nothing to train, and so nothing to evaluate.")
    return watch.results


__all__ = [
    "BestExporter",
    "EvalSpec",
    "Exporter",
    "FinalExporter",
    "LatestExporter",
    "TrainSpec",
    "train_and_evaluate",
]
