"""Decorators of TensorFlow's own modules: what exports names, and looks into functions."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any


def tf_export(*_: str, **__: Any) -> Callable[[Any], Any]:
    """Return a decorator that leaves what it is given as it is."""
    return lambda thing: thing


getargspec = getfullargspec = inspect.getfullargspec
isfunction, isclass, ismethod = inspect.isfunction, inspect.isclass, inspect.ismethod
