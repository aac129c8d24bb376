"""The hooks that come with the runtime."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework.graph_keys import GraphKeys
from tfbuild_runtime.platform import tf_logging
from tfbuild_runtime.protos import messages
from tfbuild_runtime.summary.writer import FileWriterCache
from tfbuild_runtime.train.global_step import get_global_step
from tfbuild_runtime.train.graph_io import write_graph
from tfbuild_runtime.train.session_run_hook import SessionRunArgs, SessionRunHook


class NanLossDuringTrainingError(RuntimeError):
    """The loss is no number any longer."""

    def __str__(self) -> str:
        return "NaN loss during training."


class SecondOrStepTimer:
    """Says when so many seconds or steps have gone by."""

    def __init__(self, every_secs: float | None = None, every_steps: int | None = None) -> None:
        if (every_secs is None) == (every_steps is None):
            raise ValueError("exactly one of every_secs and every_steps must be provided.")
        self._every_secs = every_secs
        self._every_steps = every_steps
        self.reset()

    def reset(self) -> None:
        """Begin anew."""
        self._last_step: int | None = None
        self._last_time: float | None = None

    def should_trigger_for_step(self, step: int) -> bool:
        """Whether it is time at that step."""
        if self._last_step is None or self._last_time is None:
            return True
        if step == self._last_step:
            return False
        if self._every_secs is not None:
            return time.time() >= self._last_time + self._every_secs
        return step >= self._last_step + (self._every_steps or 0)

    def update_last_triggered_step(self, step: int) -> tuple[float | None, int | None]:
        """Remember that step; return the seconds and steps since the one before, None at first."""
        now, elapsed = time.time(), (None, None)
        if self._last_step is not None and self._last_time is not None:
            elapsed = (now - self._last_time, step - self._last_step)  # type: ignore[assignment]
        self._last_step, self._last_time = step, now
        return elapsed

    def last_triggered_step(self) -> int | None:
        """Return the step that was remembered last."""
        return self._last_step


def step_or_error(what: str) -> Any:
    """Return the global step; raises RuntimeError, which names the hook, when there is none."""
    step = get_global_step()
    if step is None:
        raise RuntimeError(f"Global step should be created to use {what}.")
    return step


def step_after(run_context: Any, fetched: Any, step: Any, timer: SecondOrStepTimer) -> int:
    """Return the global step behind a run, exact where the timer waits for that run or the next.

    What the run has fetched may be from before or behind its update.
    """
    near = timer.should_trigger_for_step(int(fetched) + 2)
    return int(run_context.session.run(step)) if near else int(fetched)


class StopAtStepHook(SessionRunHook):
    """Ends a training at a step, or after a number of them."""

    def __init__(self, num_steps: int | None = None, last_step: int | None = None) -> None:
        if (num_steps is None) == (last_step is None):
            raise ValueError("Exactly one of num_steps or last_step should be specified.")
        self._num_steps = num_steps
        self._last_step = last_step
        self._step: Any = None

    def begin(self) -> None:
        """Find the global step; raises RuntimeError when there is none."""
        self._step = step_or_error("StopAtStepHook")

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Count from the step at which the session begins."""
        if self._last_step is None:
            self._last_step = int(session.run(self._step)) + (self._num_steps or 0)

    def before_run(self, run_context: Any) -> SessionRunArgs:
        """Ask for the global step."""
        return SessionRunArgs(self._step)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Ask for the end when the step has come."""
        last = self._last_step or 0
        # The value that was fetched may be from before this step's update.
        reached = run_values.results + 1 >= last and run_context.session.run(self._step) >= last
        if reached:
            run_context.request_stop()


class LoggingTensorHook(SessionRunHook):
    """Logs the values of tensors every so many steps or seconds, or at the end."""

    def __init__(self, tensors: Any, every_n_iter: int | None = None,
                 every_n_secs: float | None = None, at_end: bool = False,
                 formatter: Callable[[Any], str] | None = None) -> None:  # fmt: skip
        only_at_end = at_end and every_n_iter is None and every_n_secs is None
        if not only_at_end and (every_n_iter is None) == (every_n_secs is None):
            raise ValueError("either at_end and/or exactly one of every_n_iter and every_n_secs "
                             "must be provided.")  # fmt: skip
        if every_n_iter is not None and every_n_iter <= 0:
            raise ValueError(f"invalid every_n_iter={every_n_iter}.")
        if isinstance(tensors, Mapping):
            self._tensors = dict(tensors)
        else:
            self._tensors = {getattr(item, "name", item): item for item in tensors}
        self._order = list(self._tensors)
        self._timer = None if only_at_end else SecondOrStepTimer(every_n_secs, every_n_iter)
        self._at_end = at_end
        self._formatter = formatter
        self._iteration = 0
        self._wanted = False
        self._current: dict[str, Any] = {}

    def begin(self) -> None:
        """Find the tensors by their names."""
        graph = framework.get_default_graph()
        self._iteration = 0
        self._current = {tag: graph.as_graph_element(item) for tag, item in self._tensors.items()}
        if self._timer is not None:
            self._timer.reset()

    def before_run(self, run_context: Any) -> SessionRunArgs | None:
        """Ask for the tensors when it is time."""
        timer = self._timer
        self._wanted = timer is not None and timer.should_trigger_for_step(self._iteration)
        return SessionRunArgs(self._current) if self._wanted else None

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Log them."""
        if self._wanted:
            self._log(run_values.results)
        self._iteration += 1

    def end(self, session: Any) -> None:
        """Log them once more when that was asked for."""
        if self._at_end:
            self._log(session.run(self._current))

    def _log(self, values: Any) -> None:
        elapsed = None
        if self._timer is not None:
            elapsed, _ = self._timer.update_last_triggered_step(self._iteration)
        if self._formatter is not None:
            tf_logging.info(self._formatter(values))
            return
        text = ", ".join(f"{tag} = {values[tag]}" for tag in self._order)
        tf_logging.info("%s" + ("" if elapsed is None else f" ({elapsed:.3f} sec)"), text)


class NanTensorHook(SessionRunHook):
    """Ends a training whose loss is no number any longer."""

    def __init__(self, loss_tensor: Any, fail_on_nan_loss: bool = True) -> None:
        self._loss = loss_tensor
        self._fail = fail_on_nan_loss

    def before_run(self, run_context: Any) -> SessionRunArgs:
        """Ask for the loss."""
        return SessionRunArgs(self._loss)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Raise NanLossDuringTrainingError, or end the training, when it is no number."""
        if not np.isnan(run_values.results):
            return
        if self._fail:
            tf_logging.error("Model diverged with loss = NaN.")
            raise NanLossDuringTrainingError
        tf_logging.warning("Model diverged with loss = NaN.")
        run_context.request_stop()


class CheckpointSaverListener:
    """Functions that are called around a checkpoint."""

    def begin(self) -> None:
        """Be called before the session is made."""

    def before_save(self, session: Any, global_step_value: int) -> None:
        """Be called before a checkpoint is written."""

    def after_save(self, session: Any, global_step_value: int) -> bool | None:
        """Be called after; return True to end the training."""

    def end(self, session: Any, global_step_value: int) -> None:
        """Be called at the end."""


class CheckpointSaverHook(SessionRunHook):
    """Saves a checkpoint every so many steps or seconds, and at the end."""

    def __init__(
        self, checkpoint_dir: str, save_secs: float | None = None, save_steps: int | None = None,
        saver: Any = None, checkpoint_basename: str = "model.ckpt", scaffold: Any = None,
        listeners: Sequence[Any] | None = None, save_graph_def: bool = True,
    ) -> None:  # fmt: skip
        if saver is not None and scaffold is not None:
            raise ValueError("You cannot provide both saver and scaffold.")
        self._writes_graph = save_graph_def
        self._saver = saver
        self._scaffold = scaffold
        self._dir = checkpoint_dir
        self._path = os.path.join(checkpoint_dir, checkpoint_basename)  # noqa: PTH118
        self._timer = SecondOrStepTimer(save_secs, save_steps)
        self._listeners = list(listeners or ())
        self._step: Any = None

    def begin(self) -> None:
        """Find the global step; raises RuntimeError when there is none."""
        self._step = step_or_error("CheckpointSaverHook")
        for listener in self._listeners:
            listener.begin()

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Save what the session begins with, and write the graph for people and for TensorBoard."""
        step = int(session.run(self._step))
        graph = framework.get_default_graph()
        if self._writes_graph:
            write_graph(graph.as_graph_def(add_shapes=True), self._dir, "graph.pbtxt")
        FileWriterCache.get(self._dir).add_graph(graph, step)
        self._save(session, step)
        self._timer.update_last_triggered_step(step)

    def before_run(self, run_context: Any) -> SessionRunArgs:
        """Ask for the global step."""
        return SessionRunArgs(self._step)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Save when it is time."""
        step = step_after(run_context, run_values.results, self._step, self._timer)
        if self._timer.should_trigger_for_step(step):
            self._timer.update_last_triggered_step(step)
            if self._save(run_context.session, step):
                run_context.request_stop()

    def end(self, session: Any) -> None:
        """Save what the session ends with, unless it is saved already."""
        last = int(session.run(self._step))
        if last != self._timer.last_triggered_step():
            self._save(session, last)
        for listener in self._listeners:
            listener.end(session, last)

    def _save(self, session: Any, step: int) -> bool:
        tf_logging.info("Saving checkpoints for %d into %s.", step, self._path)
        for listener in self._listeners:
            listener.before_save(session, step)
        self._get_saver().save(session, self._path, global_step=step)
        saved = messages.SessionLog(status=messages.SessionLog.CHECKPOINT)
        saved.checkpoint_path = self._path
        FileWriterCache.get(self._dir).add_session_log(saved, step)
        # All are called, even when one wants the end.
        answers = [listener.after_save(session, step) for listener in self._listeners]
        return any(answers)

    def _get_saver(self) -> Any:
        if self._saver is not None:
            return self._saver
        if self._scaffold is not None:
            return self._scaffold.saver
        savers = framework.get_collection(GraphKeys.SAVERS)
        if len(savers) != 1:
            raise RuntimeError("CheckpointSaverHook needs one Saver: give it saver or scaffold; "
                               f"the collection SAVERS has {len(savers)}")  # fmt: skip
        self._saver = savers[0]
        return self._saver


class FinalOpsHook(SessionRunHook):
    """Runs tensors at the end and keeps their values."""

    def __init__(self, final_ops: Any, final_ops_feed_dict: Any = None) -> None:
        self._ops = final_ops
        self._feed = final_ops_feed_dict
        self.final_ops_values: Any = None

    def end(self, session: Any) -> None:
        """Run them."""
        if self._ops is not None:
            self.final_ops_values = session.run(self._ops, feed_dict=self._feed)


class FeedFnHook(SessionRunHook):
    """Feeds each step what a function gives."""

    def __init__(self, feed_fn: Callable[[], Any]) -> None:
        self.feed_fn = feed_fn

    def before_run(self, run_context: Any) -> SessionRunArgs:
        """Ask for nothing, and feed what the function gives."""
        return SessionRunArgs(fetches=None, feed_dict=self.feed_fn())


class GlobalStepWaiterHook(SessionRunHook):
    """Lets a worker wait until the others have made a number of steps."""

    def __init__(self, wait_until_step: int) -> None:
        self._wait_until = wait_until_step
        self._step: Any = None

    def begin(self) -> None:
        """Find the global step; raises RuntimeError when there is none."""
        self._step = step_or_error("GlobalStepWaiterHook")

    def before_run(self, run_context: Any) -> None:
        """Wait."""
        while self._wait_until and run_context.session.run(self._step) < self._wait_until:
            time.sleep(0.5)
        self._wait_until = 0
