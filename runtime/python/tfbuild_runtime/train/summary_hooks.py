"""Hooks that write event files and traces while a model trains."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tfbuild_runtime.platform import tf_logging
from tfbuild_runtime.protos import messages
from tfbuild_runtime.python.client import timeline
from tfbuild_runtime.summary.writer import FileWriterCache
from tfbuild_runtime.train.basic_hooks import SecondOrStepTimer, step_after, step_or_error
from tfbuild_runtime.train.session_run_hook import SessionRunArgs, SessionRunHook


class SummarySaverHook(SessionRunHook):
    """Writes summaries every so many steps or seconds."""

    def __init__(self, save_steps: int | None = None, save_secs: float | None = None,
                 output_dir: Any = None, summary_writer: Any = None, scaffold: Any = None,
                 summary_op: Any = None) -> None:  # fmt: skip
        if (scaffold is None) == (summary_op is None):
            raise ValueError("Exactly one of scaffold or summary_op must be provided.")
        self._summary_op = summary_op
        self._scaffold = scaffold
        self._dir = output_dir
        self._writer = summary_writer
        self._timer = SecondOrStepTimer(save_secs, save_steps)
        self._step: Any = None
        self._next: int | None = None
        self._asked = False

    def begin(self) -> None:
        """Open the file and find the global step; raises RuntimeError when there is none."""
        if self._writer is None and self._dir:
            self._writer = FileWriterCache.get(self._dir)
        self._step = step_or_error("SummarySaverHook")
        self._timer.reset()

    def before_run(self, run_context: Any) -> SessionRunArgs:
        """Ask for the summaries when it is time."""
        self._asked = self._next is None or self._timer.should_trigger_for_step(self._next)
        wanted = {"step": self._step}
        operations = self._operations() if self._asked else []
        if operations:
            wanted["summary"] = operations
        return SessionRunArgs(wanted)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Write them."""
        if not self._writer:
            return
        step = step_after(run_context, run_values.results["step"], self._step, self._timer)
        if self._next is None:
            self._writer.add_session_log(
                messages.SessionLog(status=messages.SessionLog.START), step
            )
        if self._asked:
            self._timer.update_last_triggered_step(step)
            for summary in run_values.results.get("summary", ()):
                self._writer.add_summary(summary, step)
        self._next = step + 1

    def end(self, session: Any = None) -> None:
        """Let the file have all that was written."""
        if self._writer:
            self._writer.flush()

    def _operations(self) -> Sequence[Any]:
        found = self._summary_op
        if found is None:
            found = self._scaffold.summary_op
        if found is None:
            return []
        return found if isinstance(found, (list, tuple)) else [found]


class ProfilerHook(SessionRunHook):
    """Traces a step every so many steps or seconds; writes its timeline, and it as an event."""

    def __init__(self, save_steps: int | None = None, save_secs: float | None = None,
                 output_dir: Any = "", show_dataflow: bool = True,
                 show_memory: bool = False) -> None:  # fmt: skip
        self._dir = Path(os.fspath(output_dir))
        self._how = {"show_dataflow": show_dataflow, "show_memory": show_memory}
        self._timer = SecondOrStepTimer(save_secs, save_steps)
        self._step: Any = None
        self._next: int | None = None
        self._asked = False

    def begin(self) -> None:
        """Find the global step; raises RuntimeError when there is none."""
        self._step = step_or_error("ProfilerHook")

    def before_run(self, run_context: Any) -> SessionRunArgs:
        """Ask for a trace when it is time; the first step only shows where training begins."""
        self._asked = self._next is not None and self._timer.should_trigger_for_step(self._next)
        level = messages.RunOptions.FULL_TRACE
        options = messages.RunOptions(trace_level=level) if self._asked else None
        return SessionRunArgs(self._step, options=options)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Write the timeline."""
        step = step_after(run_context, run_values.results, self._step, self._timer)
        self._next = step + 1
        if not self._asked:
            return
        self._timer.update_last_triggered_step(step)
        self._dir.mkdir(parents=True, exist_ok=True)
        path = self._dir / f"timeline-{step}.json"
        tf_logging.info("Saving timeline for %d into '%s'.", step, path)
        drawing = timeline.Timeline(run_values.run_metadata.step_stats)
        path.write_text(drawing.generate_chrome_trace_format(**self._how))
        writer = FileWriterCache.get(self._dir)
        writer.add_run_metadata(run_values.run_metadata, f"step_{step}")


class StepCounterHook(SessionRunHook):
    """Logs how many steps are made in a second, and writes it as a summary."""

    def __init__(self, every_n_steps: int | None = 100, every_n_secs: float | None = None,
                 output_dir: str | None = None, summary_writer: Any = None) -> None:  # fmt: skip
        self._timer = SecondOrStepTimer(every_n_secs, None if every_n_secs else every_n_steps)
        self._dir = output_dir
        self._writer = summary_writer
        self._step: Any = None

    def begin(self) -> None:
        """Find the global step; raises RuntimeError when there is none."""
        if self._writer is None and self._dir:
            self._writer = FileWriterCache.get(self._dir)
        self._step = step_or_error("StepCounterHook")

    def before_run(self, run_context: Any) -> SessionRunArgs:
        """Ask for the global step."""
        return SessionRunArgs(self._step)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Report the rate when it is time."""
        step = step_after(run_context, run_values.results, self._step, self._timer)
        if not self._timer.should_trigger_for_step(step):
            return
        seconds, steps = self._timer.update_last_triggered_step(step)
        if seconds and steps:
            tf_logging.info("global_step/sec: %g", steps / seconds)
            if self._writer:
                summary = messages.Summary()
                summary.value.add(tag="global_step/sec", simple_value=steps / seconds)
                self._writer.add_summary(summary, step)
