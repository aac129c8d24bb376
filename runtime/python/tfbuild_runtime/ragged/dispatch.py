"""Public functions that take ragged tensors as well, as TensorFlow's do.

Functions of single elements work on the flat values; of the others each has a function of its own.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from typing import Any

from tfbuild_runtime.framework.composite import CompositeTensor


@functools.cache
def taking_ragged(function: Callable[..., Any], other: str) -> Any:
    """Return a function that calls another one for ragged arguments, named as module:function.

    Without a name it is the function itself that is called, for the flat values.
    """

    @functools.wraps(function)
    def dispatched(*args: Any, **kwargs: Any) -> Any:
        if not _has_ragged(args) and not (kwargs and _has_ragged(kwargs.values())):
            return function(*args, **kwargs)
        if other:
            module, _, name = other.partition(":")
            return getattr(importlib.import_module(module), name)(*args, **kwargs)
        from tfbuild_runtime.ragged import functions

        return functions.elementwise(function, *args, **kwargs)

    return dispatched


def _has_ragged(values: Any) -> bool:
    for value in values:
        if isinstance(value, CompositeTensor):
            return True
        if isinstance(value, (list, tuple)) and _has_ragged(value):
            return True
    return False
