"""Queue runners: threads of the program that keep a queue full."""

from __future__ import annotations

import threading
import weakref
from typing import Any

from tfbuild_runtime.framework import defaults, errors
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework.graph_keys import GraphKeys
from tfbuild_runtime.framework.session import BaseSession
from tfbuild_runtime.io.queues import QueueBase
from tfbuild_runtime.platform import tf_logging as logging
from tfbuild_runtime.protos import messages


class QueueRunner:
    """A queue and the operations that put elements in; each is run again and again in a thread.

    The queue is closed when the last thread has met the end of what there is, and its pending
    operations are cancelled when the coordinator stops.
    """

    def __init__(
        self, queue: Any = None, enqueue_ops: Any = None, close_op: Any = None,
        cancel_op: Any = None, queue_closed_exception_types: Any = None,
        queue_runner_def: Any = None, import_scope: str | None = None,
    ) -> None:  # fmt: skip
        self._lock = threading.Lock()
        self._running: Any = weakref.WeakKeyDictionary()  # threads of each session
        self._exceptions: list[Exception] = []
        if queue_runner_def is not None:
            if queue or enqueue_ops:
                raise ValueError("queue_runner_def and queue are mutually exclusive.")
            self._read(queue_runner_def, f"{import_scope}/" if import_scope else "")
            return
        if not queue or not enqueue_ops:
            raise ValueError("Must provide queue and enqueue_ops.")
        self._queue = queue
        self._enqueue_ops = list(enqueue_ops)
        self._close_op = queue.close() if close_op is None else close_op
        # Not cancelling here would leave a thread that waits for room for ever.
        self._cancel_op = (
            queue.close(cancel_pending_enqueues=True) if cancel_op is None else cancel_op
        )
        self._ends = _checked(queue_closed_exception_types or (errors.OutOfRangeError,))

    def _read(self, message: Any, scope: str) -> None:
        graph = defaults.get_default_graph()

        def element(name: str) -> Any:
            return graph.as_graph_element(scope + name)

        queue = element(message.queue_name)
        tensor = queue if isinstance(queue, framework.Tensor) else queue.outputs[0]
        self._queue: Any = _Named(tensor)
        self._enqueue_ops = [element(name) for name in message.enqueue_op_name]
        self._close_op = element(message.close_op_name)
        self._cancel_op = element(message.cancel_op_name)
        codes = list(message.queue_closed_exception_types) or [errors.OUT_OF_RANGE]
        self._ends = tuple(errors.exception_type_from_error_code(code) for code in codes)

    @property
    def queue(self) -> QueueBase:
        """The queue."""
        return self._queue  # type: ignore[no-any-return]

    @property
    def enqueue_ops(self) -> list[Any]:
        """The operations that put elements in."""
        return self._enqueue_ops

    @property
    def close_op(self) -> Any:
        """The operation that closes the queue."""
        return self._close_op

    @property
    def cancel_op(self) -> Any:
        """The operation that closes the queue and cancels who waits to put something in."""
        return self._cancel_op

    @property
    def queue_closed_exception_types(self) -> tuple[type[Exception], ...]:
        """The errors that mean that there is no more to put in."""
        return self._ends

    @property
    def exceptions_raised(self) -> list[Exception]:
        """What threads without a coordinator have raised."""
        return self._exceptions

    @property
    def name(self) -> str:
        """The name of the queue."""
        return self._queue.name

    def create_threads(self, sess: Any, coord: Any = None, daemon: bool = False,
                       start: bool = False) -> list[threading.Thread]:  # fmt: skip
        """Return a thread for each operation and, with a coordinator, one that waits for its stop.

        There are none while those of an earlier call for this session run.
        """
        with self._lock:
            if self._running.get(sess, 0) > 0:
                return []
            self._running[sess] = len(self._enqueue_ops)
            self._exceptions = []
        threads = [
            threading.Thread(target=self._run, args=(sess, op, coord),
                             name=f"QueueRunnerThread-{self.name}-{op.name}")
            for op in self._enqueue_ops
        ]  # fmt: skip
        if coord is not None:
            threads.append(
                threading.Thread(target=self._cancel_on_stop, args=(sess, coord),
                                 name=f"QueueRunnerThread-{self.name}-close_on_stop")
            )  # fmt: skip
        for thread in threads:
            if coord is not None:
                coord.register_thread(thread)
            if daemon:
                thread.daemon = True
            if start:
                thread.start()
        return threads

    def _run(self, sess: Any, enqueue_op: Any, coord: Any) -> None:
        try:
            enqueue = sess.make_callable(enqueue_op)
            while coord is None or not coord.should_stop():
                enqueue()
        except self._ends:
            self._end(sess, close=True)
            return
        except Exception as error:  # noqa: BLE001 (join raises it)
            if isinstance(error, errors.CancelledError) and coord and coord.should_stop():
                pass  # it waited longer than those who stop, and the session was closed
            elif coord is not None:
                coord.request_stop(error)
            else:
                logging.error("Exception in QueueRunner: %s", str(error))
                with self._lock:
                    self._exceptions.append(error)
        self._end(sess, close=False)

    def _end(self, sess: Any, *, close: bool) -> None:
        with self._lock:
            self._running[sess] -= 1
            is_last = self._running[sess] == 0
        if close and is_last:
            _run_if_possible(sess, self._close_op)

    def _cancel_on_stop(self, sess: Any, coord: Any) -> None:
        coord.wait_for_stop()
        _run_if_possible(sess, self._cancel_op)

    def to_proto(self, export_scope: str | None = None) -> Any:
        """Return the QueueRunnerDef; None when the queue is not in the scope."""
        scope = f"{export_scope.rstrip('/')}/" if export_scope else ""
        if not self.name.startswith(scope):
            return None
        return messages.QueueRunnerDef(
            queue_name=self.name.removeprefix(scope),
            enqueue_op_name=[op.name.removeprefix(scope) for op in self._enqueue_ops],
            close_op_name=self._close_op.name.removeprefix(scope),
            cancel_op_name=self._cancel_op.name.removeprefix(scope),
            queue_closed_exception_types=[
                errors.error_code_from_exception_type(kind) for kind in self._ends
            ],
        )

    @staticmethod
    def from_proto(queue_runner_def: Any, import_scope: str | None = None) -> QueueRunner:
        """Return the runner of a QueueRunnerDef, with operations of the default graph.

        Raises KeyError when the graph lacks one of them.
        """
        return QueueRunner(queue_runner_def=queue_runner_def, import_scope=import_scope)


class _Named(QueueBase):
    """A queue of which only the handle is known."""

    def __init__(self, queue_ref: Any) -> None:
        super().__init__([], None, None, queue_ref)


def _checked(kinds: Any) -> tuple[type[Exception], ...]:
    if not isinstance(kinds, tuple) or not all(
        isinstance(kind, type) and issubclass(kind, errors.OpError) for kind in kinds
    ):
        raise TypeError("queue_closed_exception_types should be a tuple of subclasses of "
                        f"tf.errors.OpError. Got: {kinds}")  # fmt: skip
    return kinds


def _run_if_possible(sess: Any, op: Any) -> None:
    try:
        sess.run(op)
    except Exception as error:  # noqa: BLE001 (it, or its session, is closed already)
        logging.debug("Ignored exception: %s", str(error))


def add_queue_runner(qr: QueueRunner, collection: str = GraphKeys.QUEUE_RUNNERS) -> None:
    """Let start_queue_runners start the runner's threads."""
    framework.add_to_collection(collection, qr)


def start_queue_runners(sess: Any = None, coord: Any = None, daemon: bool = True,
                        start: bool = True,
                        collection: str = GraphKeys.QUEUE_RUNNERS) -> list[Any]:  # fmt: skip
    """Start the threads that fill the graph's queues; return them.

    A MonitoredSession has started them already. Raises ValueError without a session.
    """
    sess = defaults.get_default_session() if sess is None else sess
    if sess is None:
        raise ValueError("Cannot start queue runners: No default session is registered. Use `with "
                         "sess.as_default()` or pass an explicit session to "
                         "tf.start_queue_runners(sess=sess)")  # fmt: skip
    if not isinstance(sess, BaseSession):
        if hasattr(sess, "raw_session"):
            return []
        raise TypeError(f"sess must be a `tf.Session` object. Given class: {sess.__class__}")
    threads: list[Any] = []
    with sess.graph.as_default():
        for runner in framework.get_collection(collection):
            threads += runner.create_threads(sess, coord=coord, daemon=daemon, start=start)
    return threads
