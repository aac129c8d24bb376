"""The first values of variables that are asked for by name: made by initializers, or given."""

from __future__ import annotations

import inspect
from typing import Any

from tfbuild_runtime.framework import dtypes, tensor_shape
from tfbuild_runtime.framework.shape_origin import why_unknown
from tfbuild_runtime.ops import init_ops


def is_maker(initializer: Any) -> bool:
    """Whether it makes a value, as all but values do; None stands for the usual one."""
    return initializer is None or callable(initializer)


def _why(shape: Any) -> str:
    """Return, behind a colon, where the first size that is not known was lost."""
    for size in shape if isinstance(shape, (list, tuple, tensor_shape.TensorShape)) else ():
        tensor = getattr(size, "_of", None)
        if tensor is not None and size.value is None:
            return f": {why_unknown(tensor)}"
    return ""


def first_value(name: str, shape: Any, dtype: dtypes.DType, initializer: Any) -> Any:
    """Return the value, or a function of no arguments that adds it to the graph.

    Raises ValueError where the shape is not wholly known, or given beside a value.
    """
    if not is_maker(initializer):
        if shape is not None:
            raise ValueError("If initializer is a constant, do not specify shape.")
        return initializer
    sizes = tensor_shape.as_shape(shape)
    if shape is None and initializer is not None and _takes_nothing(initializer):
        return initializer
    if not sizes.is_fully_defined():
        raise ValueError(f"Shape of a new variable ({name}) must be fully defined, but instead "
                         f"was {sizes}{_why(shape)}.")  # fmt: skip
    maker = _default_initializer(name, dtype) if initializer is None else initializer
    maker = maker() if isinstance(maker, type) else maker
    return lambda: maker(sizes.as_list(), dtype=dtype)


def _takes_nothing(initializer: Any) -> bool:
    """Whether a function makes a value by itself, whose shape need not be said."""
    if isinstance(initializer, (type, init_ops.Initializer)):
        return False
    parameters = inspect.signature(initializer).parameters.values()
    return all(one.default is not one.empty for one in parameters)


def _default_initializer(name: str, dtype: dtypes.DType) -> Any:
    if dtype.is_floating:
        return init_ops.glorot_uniform_initializer()
    if dtype.is_integer or dtype.is_bool or dtype == dtypes.string:
        return init_ops.zeros_initializer()
    raise ValueError(f"An initializer for variable {name} of {dtype.name} is required")
