"""tf.test: a test case with sessions and comparisons of arrays."""

from __future__ import annotations

import contextlib
import os
import tempfile
import unittest
from collections.abc import Iterator
from typing import Any

import numpy as np

from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework import tensor_shape
from tfbuild_runtime.framework.session import Session
from tfbuild_runtime.protos import messages


def get_temp_dir() -> str:
    """Return a folder for files of tests, the same in all of this process."""
    global _folder
    if _folder is None:
        given = os.environ.get("TEST_TMPDIR")
        _folder = given or tempfile.mkdtemp(prefix="tfbuild-test-")
        os.makedirs(_folder, exist_ok=True)
    return _folder


_folder: str | None = None


def main(argv: Any = None) -> None:
    """Run the tests of the program."""
    unittest.main(argv=argv)


class TestCase(unittest.TestCase):
    """A test that begins with an empty default graph."""

    def setUp(self) -> None:
        """Empty the default graph and begin with the same random numbers."""
        self._cached: Any = None
        np.random.seed(87654321)
        framework.reset_default_graph()
        framework.get_default_graph().seed = 87654321

    def tearDown(self) -> None:
        """Close the session that the test shares."""
        if self._cached is not None:
            self._cached.close()

    def get_temp_dir(self) -> str:
        """Return a folder of this test's own."""
        return tempfile.mkdtemp(prefix=f"{type(self).__name__}-", dir=get_temp_dir())

    @contextlib.contextmanager
    def session(self, graph: Any = None, config: Any = None, use_gpu: bool = True,
                force_gpu: bool = False) -> Iterator[Any]:  # fmt: skip
        """Give a new session that is the default one."""
        del force_gpu
        if config is None and not use_gpu:
            config = messages.ConfigProto(device_count={"GPU": 0})
        with Session(graph=graph, config=config) as session:
            yield session

    test_session = session

    @contextlib.contextmanager
    def cached_session(self, graph: Any = None, config: Any = None, use_gpu: bool = True,
                       force_gpu: bool = False) -> Iterator[Any]:  # fmt: skip
        """Give the one session of this test, the default one in the block."""
        del use_gpu, force_gpu
        if self._cached is None:
            self._cached = Session(graph=graph, config=config)
        with self._cached.as_default():
            yield self._cached

    def evaluate(self, tensors: Any) -> Any:
        """Return the values of tensors in the default session."""
        session = framework.get_default_session()
        if session is None:
            with self.session() as session:
                return session.run(tensors)
        return session.run(tensors)

    def _array(self, value: Any) -> Any:
        if framework.is_tensor_like(value):
            value = self.evaluate(value)
        return np.asarray(value)

    def assertAllEqual(self, a: Any, b: Any, msg: str | None = None) -> None:
        """Check that two arrays have the same shape and elements."""
        np.testing.assert_array_equal(self._array(a), self._array(b), err_msg=msg or "")

    def assertAllClose(self, a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-6,
                       msg: str | None = None) -> None:  # fmt: skip
        """Check that two arrays, or nestings of them, have nearly the same elements."""
        if isinstance(a, dict):
            self.assertEqual(set(a), set(b), msg)
            for key in a:
                self.assertAllClose(a[key], b[key], rtol, atol, msg)
            return
        left, right = self._array(a), self._array(b)
        self.assertEqual(left.shape, right.shape, msg)
        np.testing.assert_allclose(left, right, rtol=rtol, atol=atol, err_msg=msg or "")

    def assertNear(self, f1: float, f2: float, err: float, msg: str | None = None) -> None:
        """Check that two numbers are at most err apart."""
        self.assertTrue(
            f1 == f2 or abs(f1 - f2) <= err, f"{f1!r} != {f2!r} +/- {err!r} {msg or ''}"
        )

    def assertArrayNear(self, farray1: Any, farray2: Any, err: float,
                        msg: str | None = None) -> None:  # fmt: skip
        """Check that the numbers of two sequences are at most err apart."""
        self.assertEqual(len(farray1), len(farray2), msg)
        for one, other in zip(farray1, farray2):
            self.assertNear(float(one), float(other), err, msg)

    def assertShapeEqual(self, input_a: Any, input_b: Any, msg: str | None = None) -> None:
        """Check that two arrays or tensors have the same shape."""
        left, right = (tensor_shape.as_shape(one.shape).as_list() for one in (input_a, input_b))
        self.assertEqual(left, right, msg)

    def assertRaisesOpError(self, expected_err_re_or_predicate: str) -> Any:
        """Check that the block ends with an error of an operation that fits the pattern."""
        from tfbuild_runtime.framework import errors

        return self.assertRaisesRegex(errors.OpError, expected_err_re_or_predicate)

    def assertStartsWith(self, actual: str, expected_start: str,
                         msg: str | None = None) -> None:  # fmt: skip
        """Check how a text begins."""
        self.assertTrue(actual.startswith(expected_start), msg or f"{actual!r}")
