"""tf.train.Supervisor: an older way to initialise, save and stop a training."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from typing import Any

from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework import variables
from tfbuild_runtime.framework.session import Session
from tfbuild_runtime.summary.summary_ops import merge_all
from tfbuild_runtime.summary.writer import FileWriter
from tfbuild_runtime.train.coordinator import Coordinator, LooperThread
from tfbuild_runtime.train.global_step import get_global_step
from tfbuild_runtime.train.graph_io import write_graph
from tfbuild_runtime.train.queue_runner import start_queue_runners
from tfbuild_runtime.train.saver import Saver, restore_newest

_DEFAULT: Any = object()


class Supervisor:
    """Restores a model from logdir or initialises it, and saves it there while it is trained."""

    USE_DEFAULT = _DEFAULT

    def __init__(
        self, graph: Any = None, ready_op: Any = _DEFAULT, ready_for_local_init_op: Any = _DEFAULT,
        is_chief: bool = True, init_op: Any = _DEFAULT, init_feed_dict: Any = None,
        local_init_op: Any = _DEFAULT, logdir: Any = None, summary_op: Any = _DEFAULT,
        saver: Any = _DEFAULT, global_step: Any = _DEFAULT, save_summaries_secs: float = 120,
        save_model_secs: float = 600, recovery_wait_secs: float = 30, stop_grace_secs: float = 120,
        checkpoint_basename: str = "model.ckpt", session_manager: Any = None,
        summary_writer: Any = _DEFAULT, init_fn: Callable[[Any], Any] | None = None,
        local_init_run_options: Any = None,
    ) -> None:  # fmt: skip
        del recovery_wait_secs  # there is one process, which waits for no other
        for what, given in (
            ("ready_op", ready_op), ("ready_for_local_init_op", ready_for_local_init_op),
            ("session_manager", session_manager),
            ("local_init_run_options", local_init_run_options),
        ):  # fmt: skip
            if given is not _DEFAULT and given is not None:
                raise NotImplementedError(f"Supervisor({what}=...) is not there: use "
                                          "tf.train.MonitoredTrainingSession")  # fmt: skip
        self._graph = graph or framework.get_default_graph()
        self._is_chief = is_chief
        self._dir = logdir
        self._save_secs = save_model_secs
        self._grace = stop_grace_secs
        self._basename = checkpoint_basename
        self._init = (init_feed_dict, init_fn)
        self._coord = Coordinator()
        self._threads: list[Any] = []
        with self._graph.as_default():
            self._init_op = (variables.global_variables_initializer() if init_op is _DEFAULT
                             else init_op)  # fmt: skip
            self._local_init_op = (variables.local_variables_initializer()
                                   if local_init_op is _DEFAULT else local_init_op)  # fmt: skip
            self._saver = Saver() if saver is _DEFAULT and variables.global_variables() else saver
            self._saver = None if self._saver is _DEFAULT else self._saver
            self._step = get_global_step() if global_step is _DEFAULT else global_step
            self._summary_op = merge_all() if summary_op is _DEFAULT else summary_op
        self._summary_secs = save_summaries_secs
        self._writer = summary_writer
        if summary_writer is _DEFAULT:
            self._writer = FileWriter(logdir) if is_chief and logdir else None

    @property
    def coord(self) -> Coordinator:
        """The coordinator of its threads."""
        return self._coord

    @property
    def saver(self) -> Any:
        """What saves the model."""
        return self._saver

    @property
    def global_step(self) -> Any:
        """The global step."""
        return self._step

    @property
    def summary_op(self) -> Any:
        """What is written for TensorBoard from time to time, or None."""
        return self._summary_op

    @property
    def summary_writer(self) -> Any:
        """What writes for TensorBoard, or None."""
        return self._writer

    def summary_computed(self, sess: Session, summary: Any, global_step: Any = None) -> None:
        """Write a summary; raises RuntimeError without a writer."""
        if self._writer is None:
            raise RuntimeError("Writing a summary requires a summary writer.")
        if global_step is None and self._step is not None:
            global_step = sess.run(self._step)
        self._writer.add_summary(summary, global_step)

    @property
    def save_path(self) -> str | None:
        """The path of its checkpoints."""
        return None if self._dir is None else os.path.join(self._dir, self._basename)  # noqa: PTH118

    def should_stop(self) -> bool:
        """Whether the training is to end."""
        return self._coord.should_stop()

    def request_stop(self, ex: Any = None) -> None:
        """End the training."""
        self._coord.request_stop(ex)

    def prepare_or_wait_for_session(self, master: str = "", config: Any = None,
                                    wait_for_checkpoint: bool = False, max_wait_secs: int = 7200,
                                    start_standard_services: bool = True) -> Session:  # fmt: skip
        """Return a session whose variables have values, and start threads of queues and services.

        There is one process, which waits for no other.
        """
        del wait_for_checkpoint, max_wait_secs
        session = Session(master, graph=self._graph, config=config)
        restored = (self._dir is not None and self._saver is not None
                    and restore_newest(self._saver, session, self._dir))  # fmt: skip
        if not restored and self._init_op is not None:
            feed, function = self._init
            session.run(self._init_op, feed_dict=feed)
            if function is not None:
                function(session)
        if self._local_init_op is not None:
            session.run(self._local_init_op)
        if self._is_chief and self._dir:
            write_graph(self._graph, self._dir, "graph.pbtxt")
        if start_standard_services:
            self._start(session)
        return session

    def _start(self, session: Session) -> None:
        self._threads = start_queue_runners(sess=session, coord=self._coord)
        if self._is_chief and self._dir and self._saver is not None and self._save_secs:
            os.makedirs(self._dir, exist_ok=True)  # noqa: PTH103
            self._threads.append(
                LooperThread.loop(self._coord, self._save_secs, self._save, (session,))
            )

        if self._is_chief and None not in (self._writer, self._summary_op) and self._summary_secs:
            self._threads.append(
                LooperThread.loop(self._coord, self._summary_secs, self._summarize, (session,))
            )

    def _summarize(self, session: Session) -> None:
        self.summary_computed(session, session.run(self._summary_op))

    def _save(self, session: Session) -> None:
        self._saver.save(session, self.save_path, global_step=self._step)

    def loop(self, timer_interval_secs: float | None, target: Any, args: Any = None,
             kwargs: Any = None) -> LooperThread:  # fmt: skip
        """Call a function again and again in a thread until the training ends."""
        return LooperThread.loop(self._coord, timer_interval_secs, target, args, kwargs)

    def stop(self, threads: Any = None, close_summary_writer: bool = True,
             ignore_live_threads: bool = False) -> None:  # fmt: skip
        """End the training and wait for its threads."""
        self._coord.request_stop()
        self._coord.join([*self._threads, *(threads or ())], self._grace, ignore_live_threads)
        if close_summary_writer and self._writer is not None:
            self._writer.close()

    @contextlib.contextmanager
    def managed_session(self, master: str = "", config: Any = None,
                        start_standard_services: bool = True,
                        close_summary_writer: bool = True) -> Iterator[Session]:  # fmt: skip
        """Give a session whose variables have values; at the end the model is saved."""
        session = self.prepare_or_wait_for_session(
            master, config, start_standard_services=start_standard_services
        )
        try:
            with session.as_default(), self._coord.stop_on_exception():
                yield session
            if self._is_chief and self._dir and self._saver is not None:
                self._save(session)
            self.stop(close_summary_writer=close_summary_writer)
        finally:
            self._coord.request_stop()
            session.close()
