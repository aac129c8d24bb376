"""Comparisons of arrays, with TensorFlow's tolerances; what differs in value has its own error."""

from __future__ import annotations

import collections.abc
from typing import Any

import numpy as np
import tfbuild_runtime.compat.v1 as tf

_TOLERANCES = {"float16": 1e-3, "bfloat16": 1e-2}


class WrongValue(AssertionError):
    """A number, a shape or a type is not what TensorFlow's test expects."""


def _is_text(value: Any) -> bool:
    return isinstance(value, (str, bytes))


class Comparisons:
    """The comparing methods of TensorFlow's test case."""

    def _array(self, value: Any) -> Any:
        if isinstance(value, np.ndarray):
            return value
        if hasattr(value, "graph") or hasattr(value, "_to_tensor"):
            value = self.evaluate(value)  # type: ignore[attr-defined]
        return np.array(value)

    _GetNdArray = _array

    def _differ(self, what: str, a: Any, b: Any, msg: Any = None) -> None:
        raise WrongValue(f"{what}: {_short(a)} and {_short(b)} {msg or ''}".rstrip())

    def _same_shape(self, a: Any, b: Any, msg: Any = None) -> None:
        if a.shape != b.shape:
            self._differ("shapes differ", a.shape, b.shape, msg)

    # ---- equality and closeness ---------------------------------------------------------------

    def assertAllEqual(self, a: Any, b: Any, msg: Any = None) -> None:
        left, right = self._array(a), self._array(b)
        self._same_shape(left, right, msg)
        same = left == right
        if left.dtype.kind in "fc" and right.dtype.kind in "fc":
            same = np.logical_or(same, np.logical_and(np.isnan(left), np.isnan(right)))
        if not np.all(same):
            self._differ("not equal", left, right, msg)

    def assertNotAllEqual(self, a: Any, b: Any, msg: Any = None) -> None:
        left, right = self._array(a), self._array(b)
        if left.shape == right.shape and np.all(left == right):
            self._differ("equal", left, right, msg)

    def assertAllClose(self, a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-6,
                       msg: Any = None) -> None:  # fmt: skip
        if hasattr(a, "_asdict") and hasattr(b, "_asdict"):
            a, b = a._asdict(), b._asdict()
        if isinstance(a, collections.abc.Mapping):
            if set(a) != set(b):
                self._differ("keys differ", sorted(a), sorted(b), msg)
            for key in a:
                self.assertAllClose(a[key], b[key], rtol, atol, msg)
            return
        if isinstance(a, (list, tuple)) and not _is_array_like(a, b):
            if len(a) != len(b):
                self._differ("lengths differ", len(a), len(b), msg)
            for one, other in zip(a, b):
                self.assertAllClose(one, other, rtol, atol, msg)
            return
        self._close(self._array(a), self._array(b), rtol, atol, msg)

    def _close(self, a: Any, b: Any, rtol: float, atol: float, msg: Any) -> None:
        self._same_shape(a, b, msg)
        if any(str(array.dtype) == "bfloat16" for array in (a, b)):
            rtol = atol = max(rtol, atol, 1e-2)
            a, b = a.astype(np.float32), b.astype(np.float32)
        if not np.allclose(a, b, rtol=rtol, atol=atol, equal_nan=True):
            with np.errstate(all="ignore"):
                worst = np.nanmax(np.abs(a - b), initial=0)
            self._differ(f"not close (largest difference {worst})", a, b, msg)

    def assertAllCloseAccordingToType(
        self, a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-6, float_rtol: float = 1e-6,
        float_atol: float = 1e-6, half_rtol: float = 1e-3, half_atol: float = 1e-3,
        bfloat16_rtol: float = 1e-2, bfloat16_atol: float = 1e-2, msg: Any = None,
    ) -> None:  # fmt: skip
        left, right = self._array(a), self._array(b)
        kinds = {str(left.dtype), str(right.dtype)}
        if kinds & {"float32", "complex64"}:
            rtol, atol = max(rtol, float_rtol), max(atol, float_atol)
        if "float16" in kinds:
            rtol, atol = max(rtol, half_rtol), max(atol, half_atol)
        if "bfloat16" in kinds:
            rtol, atol = max(rtol, bfloat16_rtol), max(atol, bfloat16_atol)
        self.assertAllClose(left, right, rtol, atol, msg)

    def assertNotAllClose(self, a: Any, b: Any, **kwargs: Any) -> None:
        try:
            self.assertAllClose(a, b, **kwargs)
        except AssertionError:
            return
        self._differ("close", a, b)

    def assertNear(self, f1: Any, f2: Any, err: float, msg: Any = None) -> None:
        if not (f1 == f2 or abs(f1 - f2) <= err):
            self._differ(f"further apart than {err}", f1, f2, msg)

    def assertArrayNear(self, farray1: Any, farray2: Any, err: float, msg: Any = None) -> None:
        if len(farray1) != len(farray2):
            self._differ("lengths differ", len(farray1), len(farray2), msg)
        for one, other in zip(farray1, farray2):
            self.assertNear(float(one), float(other), err, msg)

    def assertNDArrayNear(self, ndarray1: Any, ndarray2: Any, err: float, msg: Any = None) -> None:
        if np.linalg.norm(np.asarray(ndarray1) - np.asarray(ndarray2)) >= err:
            self._differ(f"further apart than {err}", ndarray1, ndarray2, msg)

    # ---- every element ------------------------------------------------------------------------

    def _all(self, holds: Any, what: str, a: Any, target: Any) -> None:
        array = self._array(a)
        if not np.all(holds(array)):
            self._differ(what, array, target)

    def assertAllGreater(self, a: Any, comparison_target: Any) -> None:
        self._all(lambda x: x > comparison_target, "not all greater", a, comparison_target)

    def assertAllLess(self, a: Any, comparison_target: Any) -> None:
        self._all(lambda x: x < comparison_target, "not all less", a, comparison_target)

    def assertAllGreaterEqual(self, a: Any, comparison_target: Any) -> None:
        self._all(lambda x: x >= comparison_target, "some less", a, comparison_target)

    def assertAllLessEqual(self, a: Any, comparison_target: Any) -> None:
        self._all(lambda x: x <= comparison_target, "some greater", a, comparison_target)

    def assertAllInRange(self, target: Any, lower_bound: Any, upper_bound: Any,
                         open_lower_bound: bool = False,
                         open_upper_bound: bool = False) -> None:  # fmt: skip
        def inside(x: Any) -> Any:
            over = x > lower_bound if open_lower_bound else x >= lower_bound
            return over & (x < upper_bound if open_upper_bound else x <= upper_bound)

        self._all(inside, "out of range", target, (lower_bound, upper_bound))

    def assertAllInSet(self, target: Any, expected_set: Any) -> None:
        self._all(lambda x: np.isin(x, list(expected_set)), "not in the set", target, expected_set)

    # ---- shapes and types ---------------------------------------------------------------------

    def assertDTypeEqual(self, target: Any, expected_dtype: Any) -> None:
        has = self._array(target).dtype
        if has != np.dtype(tf.as_dtype(expected_dtype).as_numpy_dtype):
            self._differ("types differ", has, expected_dtype)

    def assertShapeEqual(self, np_array: Any, tf_tensor: Any, msg: Any = None) -> None:
        self.assertAllEqual(np_array.shape, tf_tensor.get_shape().as_list(), msg)

    def assertAllEqualNested(self, a: Any, b: Any) -> None:
        self.assertAllClose(a, b)


def _short(value: Any) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) <= 300 else f"{text[:300]}..."


def _is_array_like(a: Any, b: Any) -> bool:
    """Whether both are one array, not a list of arrays of several shapes."""
    try:
        return bool(np.array(a).dtype.kind != "O" and np.array(b).dtype.kind != "O"
                    and not any(map(_holds_tensor, (a, b))))  # fmt: skip
    except (TypeError, ValueError):
        return False


def _holds_tensor(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and any(hasattr(item, "graph") for item in value)


def _as_wrong_value(name: str) -> Any:
    """Return unittest's method, failing with WrongValue where not texts are compared."""

    def check(self: Any, *arguments: Any, **named: Any) -> None:
        try:
            getattr(super(Comparisons, self), name)(*arguments, **named)
        except WrongValue:
            raise
        except AssertionError as error:
            if any(map(_is_text, arguments[:2])):
                raise
            raise WrongValue(str(error)) from None

    check.__name__ = name
    return check


def _check_truth(name: str) -> Any:
    """Return unittest's method; a truth that NumPy has computed is a value."""

    def check(self: Any, expr: Any, *rest: Any, **named: Any) -> None:
        try:
            getattr(super(Comparisons, self), name)(expr, *rest, **named)
        except AssertionError as error:
            if isinstance(expr, np.bool_):
                raise WrongValue(str(error)) from None
            raise

    check.__name__ = name
    return check


for _name in ("assertEqual", "assertNotEqual", "assertAlmostEqual", "assertLess", "assertGreater",
              "assertLessEqual", "assertGreaterEqual", "assertListEqual", "assertTupleEqual",
              "assertSequenceEqual", "assertDictEqual", "assertSetEqual", "assertCountEqual",
              "assertLen", "assertSequenceAlmostEqual"):  # fmt: skip
    setattr(Comparisons, _name, _as_wrong_value(_name))
for _name in ("assertTrue", "assertFalse"):
    setattr(Comparisons, _name, _check_truth(_name))
# What Python 3.12 has no more.
for _old, _new in {"assertEquals": "assertEqual", "assertNotEquals": "assertNotEqual",
                   "assertItemsEqual": "assertCountEqual",
                   "assertAlmostEquals": "assertAlmostEqual"}.items():  # fmt: skip
    setattr(Comparisons, _old, getattr(Comparisons, _new))
