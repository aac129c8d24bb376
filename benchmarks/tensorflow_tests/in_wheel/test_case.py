"""The test case that TensorFlow's tests stand on: sessions, comparisons and expected errors."""

from __future__ import annotations

import contextlib
import os
import random
import re
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import tfbuild_runtime.compat.v1 as tf
from absl.testing import absltest
from comparisons import Comparisons
from expected_errors import ExpectedErrors

SEED = 87654321


class TestCase(Comparisons, ExpectedErrors, absltest.TestCase):
    """A test that begins with an empty default graph and the same random numbers."""

    def __init__(self, methodName: str = "runTest") -> None:
        super().__init__(methodName)
        self._cached: Any = None
        self._cached_graph: Any = None
        self._threads: list[Any] = []
        self._folder: str | None = None

    def setUp(self) -> None:
        super().setUp()
        self._ClearCachedSession()
        random.seed(SEED)
        np.random.seed(SEED)
        tf.reset_default_graph()
        tf.get_default_graph().seed = SEED

    def tearDown(self) -> None:
        for thread in self._threads:
            thread.join()
        self._ClearCachedSession()
        super().tearDown()

    def _ClearCachedSession(self) -> None:
        if self._cached is not None:
            self._cached.close()
        self._cached = None

    def get_temp_dir(self) -> str:
        """Return a folder of this test's own."""
        if self._folder is None:
            self._folder = tempfile.mkdtemp(dir=os.environ["TEST_TMPDIR"])
        return self._folder

    @contextlib.contextmanager
    def session(self, graph: Any = None, config: Any = None, use_gpu: bool = False,
                force_gpu: bool = False) -> Iterator[Any]:  # fmt: skip
        """Give a new session that is the default one."""
        wanted = _config(config, force_gpu)
        with tf.Session(graph=graph, config=wanted) as session, _place(session, use_gpu):
            yield session

    @contextlib.contextmanager
    def cached_session(self, graph: Any = None, config: Any = None, use_gpu: bool = False,
                       force_gpu: bool = False) -> Iterator[Any]:  # fmt: skip
        """Give the one session of this test, the default one in the block."""
        wanted = graph if graph is not None else tf.get_default_graph()
        if self._cached is None or self._cached_graph is not wanted:
            self._ClearCachedSession()
            self._cached = tf.Session(graph=wanted, config=_config(config, force_gpu))
            self._cached_graph = wanted
        session = self._cached
        with session.graph.as_default(), session.as_default(), _place(session, use_gpu):
            yield session

    def test_session(self, graph: Any = None, config: Any = None, use_gpu: bool = False,
                     force_gpu: bool = False) -> Any:  # fmt: skip
        """Give the shared session, or a new one when a graph is given."""
        if graph is None:
            return self.cached_session(graph, config, use_gpu, force_gpu)
        return self.session(graph, config, use_gpu, force_gpu)

    def evaluate(self, tensors: Any) -> Any:
        """Return the values of tensors in the default session."""
        session = tf.get_default_session()
        if session is not None:
            return session.run(tensors)
        with self.cached_session() as session:
            return session.run(tensors)

    def checkedThread(self, target: Any, args: Any = None, kwargs: Any = None) -> Any:
        """Return a thread whose error fails the test when it is joined."""
        thread = _CheckedThread(self, target, args or (), kwargs or {})
        self._threads.append(thread)
        return thread

    @contextlib.contextmanager
    def captureWritesToStream(self, stream: Any) -> Iterator[Any]:
        """Give an object whose contents() are what was written to the stream in the block."""
        kept = os.dup(stream.fileno())
        with tempfile.NamedTemporaryFile() as file:
            stream.flush()
            os.dup2(file.fileno(), stream.fileno())
            try:
                yield _Written(file.name)
            finally:
                stream.flush()
                os.dup2(kept, stream.fileno())
                os.close(kept)

    def assertProtoEquals(self, expected: Any, message: Any, msg: Any = None) -> None:
        """Check a message against another one, or against its text format."""
        from google.protobuf import text_format

        if isinstance(expected, (str, bytes)):
            expected = text_format.Parse(expected, type(message)())
        self.assertEqual(str(expected), str(message), msg)

    def assertProtoEqualsVersion(self, expected: Any, actual: Any, *_: Any, **__: Any) -> None:
        """Check a graph without its versions, which are the runtime's own."""
        from google.protobuf import text_format

        wanted = type(actual)()
        text_format.Parse(expected, wanted)
        for message in (wanted, actual):
            message.ClearField("versions")
        self.assertProtoEquals(wanted, actual)

    def assertStartsWith(self, actual: str, expected_start: str, msg: str | None = None) -> None:
        """Check how a text begins."""
        if not actual.startswith(expected_start):
            self.fail(f"{actual!r} does not start with {expected_start!r} {msg or ''}")

    def assertDeviceEqual(self, device1: Any, device2: Any, msg: Any = None) -> None:
        """Check that two devices are the same, however they are written."""
        self.assertEqual(_device(device1), _device(device2), msg)


def _config(config: Any, force_gpu: bool) -> Any:
    """Return how a session runs that was asked for nothing: where devices lack, on others."""
    return tf.ConfigProto(allow_soft_placement=not force_gpu) if config is None else config


def _place(session: Any, use_gpu: bool) -> Any:
    return contextlib.nullcontext() if use_gpu else session.graph.device("/device:CPU:0")


def _device(text: Any) -> str:
    written = text if isinstance(text, str) else text.to_string() if text else ""
    return re.sub(r"/(cpu|gpu):", lambda found: f"/device:{found[1].upper()}:", written.lower())


class _Written:
    def __init__(self, path: str) -> None:
        self._path = path

    def contents(self) -> str:
        return Path(self._path).read_text()


class _CheckedThread:
    def __init__(self, case: Any, target: Any, args: Any, kwargs: Any) -> None:
        self._case = case
        self._call = (target, args, kwargs)
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)

    def _run(self) -> None:
        target, args, kwargs = self._call
        try:
            target(*args, **kwargs)
        except BaseException as error:  # handed over to the thread that joins
            self._error = error

    def start(self) -> None:
        self._thread.start()

    def is_alive(self) -> bool:
        return self._thread.is_alive()

    def check_termination(self) -> None:
        self.join()

    def join(self) -> None:
        if self in self._case._threads:
            self._case._threads.remove(self)
        self._thread.join()
        if self._error is not None:
            raise self._error
