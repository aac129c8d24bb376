"""Names that NumPy and Python had when TensorFlow 1's tests were written."""

from __future__ import annotations

import collections
import collections.abc
import inspect
import sys
import unittest.mock

import numpy as np

_TYPES = {"bool": bool, "int": int, "float": float, "complex": complex, "object": object,
          "str": str, "unicode": str, "long": int, "float_": np.float64, "complex_": np.complex128,
          "string_": np.bytes_, "unicode_": np.str_}  # fmt: skip
_VALUES = {"Inf": np.inf, "infty": np.inf, "NaN": np.nan, "PINF": np.inf, "NINF": -np.inf,
           "product": np.prod, "cumproduct": np.cumprod, "alltrue": np.all, "sometrue": np.any,
           "asscalar": lambda array: array.item(), "in1d": lambda a, b: np.isin(a, b).reshape(-1),
           "row_stack": np.vstack}  # fmt: skip


def restore() -> None:
    """Put back what is gone; what is still there stays as it is."""
    for name, value in {**_TYPES, **_VALUES}.items():
        if name not in dir(np):
            setattr(np, name, value)
    for name in collections.abc.__all__:
        if not hasattr(collections, name):
            setattr(collections, name, getattr(collections.abc, name))
    if not hasattr(inspect, "getargspec"):
        inspect.getargspec = lambda function: inspect.getfullargspec(function)[:4]  # type: ignore[attr-defined]
    sys.modules.setdefault("mock", unittest.mock)
