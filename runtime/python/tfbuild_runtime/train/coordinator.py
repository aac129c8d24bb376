"""Threads that end together: Coordinator and LooperThread."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

from tfbuild_runtime.framework import errors


class Coordinator:
    """Lets any of several threads ask all to stop, and hands on what went wrong in one."""

    def __init__(self, clean_stop_exception_types: Any = None) -> None:
        self._clean = tuple(clean_stop_exception_types or (errors.OutOfRangeError,))
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._error: Any = None
        self._joined = False
        self._threads: set[Any] = set()

    @property
    def joined(self) -> bool:
        """Whether join has ended."""
        return self._joined

    def _filtered(self, error: Any) -> Any:
        if isinstance(error, tuple):
            return None if isinstance(error[1], self._clean) else error
        return None if isinstance(error, self._clean) else error

    def request_stop(self, ex: Any = None) -> None:
        """Ask all threads to stop; ex is an error, or sys.exc_info(), that join raises."""
        with self._lock:
            found = self._filtered(ex)
            if self._joined and found is not None:
                raise found if isinstance(found, BaseException) else found[1]
            if not self._stop.is_set():
                self._error = found
                self._stop.set()

    def clear_stop(self) -> None:
        """Forget that a stop was asked for."""
        with self._lock:
            self._joined = False
            self._error = None
            self._stop.clear()

    def should_stop(self) -> bool:
        """Whether a stop was asked for."""
        return self._stop.is_set()

    @contextlib.contextmanager
    def stop_on_exception(self) -> Iterator[None]:
        """Ask for a stop when the block raises."""
        try:
            yield
        except BaseException:  # noqa: BLE001 (join raises it)
            self.request_stop(ex=sys.exc_info())

    def wait_for_stop(self, timeout: float | None = None) -> bool:
        """Wait that many seconds for a stop; return whether one was asked for."""
        return self._stop.wait(timeout)

    def register_thread(self, thread: Any) -> None:
        """Let join wait for a thread."""
        with self._lock:
            self._threads.add(thread)

    def join(self, threads: Any = None, stop_grace_period_secs: float = 120,
             ignore_live_threads: bool = False) -> None:  # fmt: skip
        """Wait for all threads; raise what one of them raised, or RuntimeError when some go on."""
        waited = [
            *self._threads,
            *(thread for thread in threads or () if thread not in self._threads),
        ]
        while any(thread.is_alive() for thread in waited) and not self.wait_for_stop(1.0):
            pass
        deadline = time.monotonic() + stop_grace_period_secs
        for thread in waited:
            thread.join(max(0.0, deadline - time.monotonic()))
        alive = [thread.name for thread in waited if thread.is_alive()]
        with self._lock:
            self._joined = True
            self._threads = set()
            error, self._error = self._error, None
        if error is not None:
            raise error if isinstance(error, BaseException) else error[1]
        if alive and not ignore_live_threads:
            raise RuntimeError(f"Coordinator stopped with threads still running: {' '.join(alive)}")

    def raise_requested_exception(self) -> None:
        """Raise what was handed to request_stop, if anything."""
        with self._lock:
            error = self._error
        if error is not None:
            raise error if isinstance(error, BaseException) else error[1]


class LooperThread(threading.Thread):
    """Calls a function again and again until its coordinator stops."""

    def __init__(self, coord: Coordinator, timer_interval_secs: float | None, target: Any = None,
                 args: Any = None, kwargs: Any = None) -> None:  # fmt: skip
        super().__init__(daemon=True)
        if not isinstance(coord, Coordinator):
            raise TypeError(f"'coord' argument must be a Coordinator: {coord}")
        self._coord = coord
        self._interval = timer_interval_secs
        self._call = (target, tuple(args or ()), dict(kwargs or {}))
        coord.register_thread(self)

    @staticmethod
    def loop(coord: Coordinator, timer_interval_secs: float | None, target: Any, args: Any = None,
             kwargs: Any = None) -> LooperThread:  # fmt: skip
        """Start such a thread and return it."""
        looper = LooperThread(coord, timer_interval_secs, target, args, kwargs)
        looper.start()
        return looper

    def run(self) -> None:
        """Call the function until the coordinator stops."""
        with self._coord.stop_on_exception():
            self.start_loop()
            while not self._coord.should_stop():
                self.run_loop()
                if self._interval is not None:
                    self._coord.wait_for_stop(self._interval)
            self.stop_loop()

    def start_loop(self) -> None:
        """Do nothing; called before the first call."""

    def stop_loop(self) -> None:
        """Do nothing; called after the last call."""

    def run_loop(self) -> None:
        """Call the function."""
        target, args, kwargs = self._call
        if target is not None:
            target(*args, **kwargs)
