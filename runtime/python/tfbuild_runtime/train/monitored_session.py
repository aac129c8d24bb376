"""Sessions that initialise or restore a model, call hooks, and end in order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfbuild_runtime.framework import errors, variables
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework.graph_keys import GraphKeys
from tfbuild_runtime.framework.session import Session
from tfbuild_runtime.platform import tf_logging
from tfbuild_runtime.protos import messages
from tfbuild_runtime.summary.summary_ops import merge_all
from tfbuild_runtime.train import basic_hooks, summary_hooks
from tfbuild_runtime.train.coordinator import Coordinator
from tfbuild_runtime.train.queue_runner import start_queue_runners
from tfbuild_runtime.train.saver import Saver, restore_newest
from tfbuild_runtime.train.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunValues,
)


class Scaffold:
    """What a training needs of its graph: operations that initialise, and a saver."""

    def __init__(
        self, init_op: Any = None, init_feed_dict: Any = None,
        init_fn: Callable[..., Any] | None = None, ready_op: Any = None,
        ready_for_local_init_op: Any = None, local_init_op: Any = None, summary_op: Any = None,
        saver: Any = None, copy_from_scaffold: Any = None, local_init_feed_dict: Any = None,
    ) -> None:  # fmt: skip
        given = copy_from_scaffold
        self.init_op = init_op if init_op is not None else getattr(given, "init_op", None)
        self.init_feed_dict = init_feed_dict or getattr(given, "init_feed_dict", None)
        self._init_fn = init_fn
        self.ready_op = ready_op
        self.ready_for_local_init_op = ready_for_local_init_op
        self.local_init_op = local_init_op
        self.local_init_feed_dict = local_init_feed_dict
        self.summary_op = summary_op
        self.saver = saver if saver is not None else getattr(given, "saver", None)

    @property
    def init_fn(self) -> Any:
        """The function that is called after init_op, with the session."""
        return (lambda sess: self._init_fn(self, sess)) if self._init_fn else None

    def finalize(self) -> Scaffold:
        """Make what was not given, and let the graph no longer be added to; return this object."""
        if self.init_op is None:
            self.init_op = _found_or_made(GraphKeys.INIT_OP, _init_op)
        if self.local_init_op is None:
            self.local_init_op = _found_or_made(GraphKeys.LOCAL_INIT_OP, _local_init_op)
        if self.summary_op is None:
            self.summary_op = _found_or_made(GraphKeys.SUMMARY_OP, merge_all)
        if self.saver is None and variables.global_variables():
            self.saver = _found_or_made(GraphKeys.SAVERS, Saver)
        framework.get_default_graph().finalize()
        return self


def _found_or_made(collection: str, make: Callable[[], Any]) -> Any:
    """Return the first of a collection, which gets one where it is empty."""
    found = framework.get_collection(collection)
    if not found:
        found = [make()]
        if found[0] is not None:
            framework.add_to_collection(collection, found[0])
    return found[0]


def _init_op() -> Any:
    return framework.group(variables.global_variables_initializer(), name="init")


def _local_init_op() -> Any:
    return framework.group(
        variables.local_variables_initializer(),
        *framework.get_collection(GraphKeys.TABLE_INITIALIZERS), name="local_init",
    )  # fmt: skip


class ChiefSessionCreator:
    """Makes sessions with a model that is restored, or initialised when there is no checkpoint."""

    def __init__(self, scaffold: Scaffold | None = None, master: str = "", config: Any = None,
                 checkpoint_dir: Any = None,
                 checkpoint_filename_with_path: str | None = None) -> None:  # fmt: skip
        self._scaffold = scaffold or Scaffold()
        self._master = master
        self._config = config
        self._dir = checkpoint_dir
        self._file = checkpoint_filename_with_path

    def create_session(self) -> Session:
        """Return a session whose variables have values."""
        scaffold = self._scaffold.finalize()
        session = Session(self._master, graph=framework.get_default_graph(), config=self._config)
        if not self._restored(session, scaffold.saver):
            session.run(scaffold.init_op, feed_dict=scaffold.init_feed_dict)
            if scaffold.init_fn is not None:
                scaffold.init_fn(session)
        session.run(scaffold.local_init_op, feed_dict=scaffold.local_init_feed_dict)
        return session

    def _restored(self, session: Session, saver: Any) -> bool:
        if saver is None:
            return False
        if self._file is not None:
            saver.restore(session, self._file)
            return True
        return bool(self._dir) and restore_newest(saver, session, self._dir)


class WorkerSessionCreator(ChiefSessionCreator):
    """As the chief's: there is one process."""

    def __init__(self, scaffold: Scaffold | None = None, master: str = "", config: Any = None,
                 max_wait_secs: int = 1800) -> None:  # fmt: skip
        super().__init__(scaffold, master, config)
        del max_wait_secs


# What is raised where a machine or a server went away: the training begins again without it.
_LOSSES = (errors.AbortedError, errors.UnavailableError)


class MonitoredSession:
    """A session whose steps call hooks; at the end of its block an OutOfRangeError is no error.

    An AbortedError or UnavailableError of a step, a hook or a thread is none either: the session is
    made anew, from the newest checkpoint, and the step begins again.
    """

    _recovers = True

    def __init__(self, session_creator: Any = None, hooks: Any = None,
                 stop_grace_period_secs: float = 120) -> None:  # fmt: skip
        self._hooks = list(hooks or ())
        self._grace = stop_grace_period_secs
        self._graph = framework.get_default_graph()
        self._closed = False
        for hook in self._hooks:
            hook.begin()
        self._creator = session_creator or ChiefSessionCreator()
        self._session: Any = None
        self._lives = False  # whether the session is made with all that belongs to it, and not lost
        self._coord = Coordinator()
        self._threads: list[Any] = []
        self._recovering(lambda: None)  # makes the session

    @property
    def graph(self) -> Any:
        """The graph."""
        return self._graph

    def raw_session(self) -> Any:
        """Return the session beneath, whose steps call no hooks."""
        return self._session

    def should_stop(self) -> bool:
        """Whether the last step has been made."""
        if self._closed:
            return True
        loss = self._loss_in_a_thread()
        if loss is not None and self._recovers:
            self._leave_session(loss)
            self._recovering(lambda: None)
            return False
        return self._coord.should_stop()

    def run(self, fetches: Any, feed_dict: Any = None, options: Any = None,
            run_metadata: Any = None) -> Any:  # fmt: skip
        """Return the values of fetches of a step, around which hooks are called.

        Raises RuntimeError on a closed session.
        """
        return self._recovering(lambda: self._run(fetches, feed_dict, options, run_metadata))

    def run_step_fn(self, step_fn: Callable[..., Any]) -> Any:
        """Return step_fn(step_context), whose session calls no hooks but in run_with_hooks."""
        return self._recovering(lambda: step_fn(_StepContext(self)))

    def _recovering(self, step: Callable[[], Any]) -> Any:
        """Return step(), which is called with a new session after each loss."""
        if self._closed:
            raise RuntimeError("Run called even after should_stop requested.")
        while True:
            try:
                if not self._lives:
                    self._make_session()
                return step()
            except Exception as error:  # noqa: PERF203 (a step takes longer than the block)
                loss = error if isinstance(error, _LOSSES) else self._loss_in_a_thread()
                if loss is None:
                    raise
                if not self._recovers:
                    raise loss from None
                self._leave_session(loss)

    def _loss_in_a_thread(self) -> Exception | None:
        """Return what ended a thread when it was a loss: errors of steps may come of it."""
        try:
            self._coord.raise_requested_exception()
        except _LOSSES as loss:
            return loss
        except BaseException:  # noqa: BLE001 (join raises it)
            return None
        return None

    def _make_session(self) -> None:
        with self._graph.as_default():  # whichever is the default where a step was lost
            self._session = self._creator.create_session()
            self._coord = Coordinator()
            self._threads = start_queue_runners(sess=self._session, coord=self._coord)
            for hook in self._hooks:
                hook.after_create_session(self._session, self._coord)
        self._lives = True

    def _leave_session(self, loss: Exception) -> None:
        tf_logging.info("The session is closed and made anew after an error: %s", loss)
        self._lives = False
        self._close_session()

    def _close_session(self) -> None:
        """End the threads and the session; raises what ended a thread, but for a loss."""
        try:
            self._coord.request_stop()
            self._coord.join(self._threads, self._grace, ignore_live_threads=True)
        except _LOSSES as loss:
            if not self._recovers:
                raise
            tf_logging.error("An error occurred when the session was closed: %s", loss)
        finally:
            if self._session is not None:  # it is none where the first could not be made
                self._session.close()

    def _run(self, fetches: Any, feed_dict: Any = None, options: Any = None,
             run_metadata: Any = None) -> Any:  # fmt: skip
        context = SessionRunContext(SessionRunArgs(fetches, feed_dict, options), self._session)
        feeds, asked = dict(feed_dict or {}), {}
        for hook in self._hooks:
            request = hook.before_run(context)
            if request is None:
                continue
            if request.fetches is not None:
                asked[hook] = request.fetches
            options = _more_traced(options, request.options)
            for key, value in (request.feed_dict or {}).items():
                if key in feeds:
                    raise RuntimeError("Same tensor is fed by a SessionRunHook and user.")
                feeds[key] = value
        if options is not None and run_metadata is None:
            run_metadata = messages.RunMetadata()
        everything = {"caller": fetches, "hooks": list(asked.values())}
        results = self._session.run(everything, feeds or None, options, run_metadata)
        found = dict(zip(asked, results["hooks"]))
        for hook in self._hooks:
            values = SessionRunValues(found.get(hook), options, run_metadata)
            hook.after_run(context, values)
        if context.stop_requested:
            self._coord.request_stop()
        self._coord.raise_requested_exception()
        return results["caller"]

    def __enter__(self) -> MonitoredSession:  # noqa: PYI034 (typing.Self is newer)
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> bool:
        if isinstance(error, (errors.OutOfRangeError, StopIteration)):
            kind = None
        self._end(failed=kind is not None)
        return kind is None

    def close(self) -> None:
        """End the hooks and the session."""
        self._end(failed=False)

    def _end(self, failed: bool) -> None:
        if self._closed:
            return
        self._closed = True
        try:
            if not failed:
                for hook in self._hooks:
                    hook.end(self._session)
        finally:
            self._close_session()


class _StepContext:
    """What run_step_fn gives its function."""

    def __init__(self, owner: MonitoredSession) -> None:
        self._owner = owner
        self.session = owner.raw_session()
        self.run_with_hooks = owner._run  # a loss begins the function again

    def request_stop(self) -> None:
        """End the step function and the training."""
        self._owner._coord.request_stop()
        raise StopIteration("step_fn has requested the iterations to stop.")


class SingularMonitoredSession(MonitoredSession):
    """A monitored session that is made at once and can be used as a plain one."""

    _recovers = False

    def __init__(self, hooks: Any = None, scaffold: Scaffold | None = None, master: str = "",
                 config: Any = None, checkpoint_dir: Any = None,
                 stop_grace_period_secs: float = 120,
                 checkpoint_filename_with_path: str | None = None) -> None:  # fmt: skip
        creator = ChiefSessionCreator(scaffold, master, config, checkpoint_dir,
                                      checkpoint_filename_with_path)  # fmt: skip
        super().__init__(creator, hooks, stop_grace_period_secs)


_UNSET = object()


def _more_traced(options: Any, others: Any) -> Any:
    """Return the options, of the caller or of a hook, that trace more."""
    if options is None or others is None:
        return others if options is None else options
    return max(options, others, key=lambda one: int(one.trace_level))


def _every(secs: Any, steps: Any, otherwise: tuple[Any, Any]) -> tuple[Any, Any]:
    """Return every how many seconds or steps, None for never; otherwise where nothing is said."""
    if secs is _UNSET and steps is _UNSET:
        return otherwise
    chosen = [None if value is _UNSET or not value or value < 0 else value
              for value in (secs, steps)]  # fmt: skip
    return (None, chosen[1]) if chosen[1] else (chosen[0], None)


def MonitoredTrainingSession(
    master: str = "", is_chief: bool = True, checkpoint_dir: Any = None,
    scaffold: Scaffold | None = None, hooks: Any = None, chief_only_hooks: Any = None,
    save_checkpoint_secs: Any = _UNSET, save_summaries_steps: Any = _UNSET,
    save_summaries_secs: Any = _UNSET, config: Any = None, stop_grace_period_secs: float = 120,
    log_step_count_steps: int | None = 100, max_wait_secs: int = 7200,
    save_checkpoint_steps: Any = _UNSET, summary_dir: Any = None, save_graph_def: bool = True,
) -> MonitoredSession:  # fmt: skip
    """Return a session that restores from checkpoint_dir, saves there every 10 minutes, or as it is
    asked, and calls hooks. Raises RuntimeError without a global step where it saves.
    """
    del max_wait_secs
    scaffold = scaffold or Scaffold()
    summaries = _every(save_summaries_secs, save_summaries_steps, (None, 100))
    summary_dir = summary_dir or checkpoint_dir
    secs, steps = _every(save_checkpoint_secs, save_checkpoint_steps, (600, None))
    chosen = list(hooks or ())
    if is_chief:
        chosen += list(chief_only_hooks or ())
        if summary_dir:
            if log_step_count_steps and log_step_count_steps > 0:
                chosen.append(summary_hooks.StepCounterHook(log_step_count_steps,
                                                            output_dir=summary_dir))  # fmt: skip
            if any(summaries):
                chosen.append(summary_hooks.SummarySaverHook(
                    summaries[1], summaries[0], summary_dir, scaffold=scaffold
                ))  # fmt: skip
        if checkpoint_dir and (secs or steps):
            chosen.append(basic_hooks.CheckpointSaverHook(
                checkpoint_dir, secs if not steps else None, steps, scaffold=scaffold,
                save_graph_def=save_graph_def,
            ))  # fmt: skip
    creator = ChiefSessionCreator(scaffold, master, config, checkpoint_dir)
    return MonitoredSession(creator, chosen, stop_grace_period_secs)
