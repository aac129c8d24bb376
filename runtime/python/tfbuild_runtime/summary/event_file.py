"""Event files: a queue of events, a thread that writes them, and what fork and exit do to both."""

from __future__ import annotations

import contextlib
import os
import queue
import socket
import threading
import time
import weakref
from typing import Any

from tfbuild_runtime.framework import errors, native
from tfbuild_runtime.protos import messages

VERSION = "brain.Event:2"

_open_files: weakref.WeakSet[EventFile] = weakref.WeakSet()


class EventFile:
    """One file of a folder, with the events that are waiting for it.

    Any thread may add events. In the child of a fork, what was waiting stays with the parent, and
    the first event opens a file of the child's own.
    """

    def __init__(self, folder: str, max_queue: int, flush_secs: float, suffix: str) -> None:
        self._folder = folder
        self._max_queue = max_queue
        self._flush_secs = flush_secs
        self._suffix = suffix
        self._forget()
        self._open()
        _open_files.add(self)

    def add(self, event: Any) -> None:
        """Let an event be written; waits while the queue is full. Raises why writing has failed."""
        with self._lock:
            if self._writer is None:
                self._open()
        while True:
            self._raise_failure()
            with contextlib.suppress(queue.Full):
                self._queue.put(event.SerializeToString(), timeout=1)
                return

    def flush(self) -> None:
        """Wait until all events are in the file."""
        with self._lock:
            if self._writer is not None:
                self._queue.put(_FLUSH)
                self._queue.join()
        self._raise_failure()

    def close(self) -> None:
        """Write all events and close the file; does nothing for a closed one."""
        with self._lock:
            if self._writer is None:
                return
            self._queue.put(_STOP)
            self._thread.join()
            writer, self._writer = self._writer, None
            writer.close()
        self._raise_failure()

    def _open(self) -> None:
        # Not before it is needed by add, so that neither thread nor file is made for nothing.
        self._writer = _new_file(self._folder, self._suffix)
        self._thread = threading.Thread(target=self._write_events, name="events", daemon=True)
        self._thread.start()

    def _forget(self) -> None:
        """Be as new: in the child of a fork locks may be held by threads that are not there."""
        self._lock = threading.Lock()  # of who opens, flushes or closes
        self._queue: Any = queue.Queue(max(self._max_queue, 1))
        self._writer: Any = None
        self._failure: Exception | None = None

    def _raise_failure(self) -> None:
        failure, self._failure = self._failure, None
        if failure is not None:
            raise failure

    def _write_events(self) -> None:
        flush_at = time.monotonic()
        while True:
            event = self._next(flush_at)
            try:
                if isinstance(event, bytes):
                    self._writer.write(event)
                if event is not _STOP and (event is _FLUSH or time.monotonic() >= flush_at):
                    self._writer.flush()
                    flush_at = time.monotonic() + self._flush_secs
            except Exception as error:  # noqa: BLE001 (raised for who adds the next event)
                self._failure = error
            if event is not None:
                self._queue.task_done()
            if event is _STOP:
                return

    def _next(self, flush_at: float) -> Any:
        """Return what is next in the queue; None when it is time to flush."""
        wait = None if flush_at == float("inf") else max(flush_at - time.monotonic(), 0.01)
        with contextlib.suppress(queue.Empty):
            return self._queue.get(timeout=wait)
        return None


_FLUSH = object()
_STOP = object()


def _new_file(folder: str, suffix: str) -> Any:
    """Open a file that is not there yet, named by second and host as TensorFlow's; begin it."""
    second = int(time.time())
    while True:
        name = f"events.out.tfevents.{second:010d}.{socket.gethostname()}{suffix}"
        try:
            path = os.fsencode(os.path.join(folder, name))  # noqa: PTH118
            writer = native.RecordWriter(path, True, "", 0)
            break
        except errors.AlreadyExistsError:
            second += 1
    version = messages.Event(wall_time=time.time(), file_version=VERSION)
    writer.write(version.SerializeToString())
    writer.flush()
    return writer


def _forget_in_child() -> None:
    for file in list(_open_files):
        file._forget()


os.register_at_fork(after_in_child=_forget_in_child)
