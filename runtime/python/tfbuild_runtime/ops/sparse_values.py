"""Functions of tensors that take sparse ones as well: of the elements, or of the sizes."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from tfbuild_runtime.framework.sparse_tensor import SparseTensor, SparseTensorValue


def as_sparse_or_none(value: Any) -> SparseTensor | None:
    """Return a sparse tensor, or the value of one, as a sparse tensor; None for all else."""
    if isinstance(value, (SparseTensor, SparseTensorValue)):
        return SparseTensor.from_value(value)
    return None


def of_values(function: Callable[..., Any]) -> Any:
    """Return the function, which of a sparse tensor as its first argument takes the elements."""

    @functools.wraps(function)
    def taking_sparse(x: Any, *args: Any, **kwargs: Any) -> Any:
        given = as_sparse_or_none(x)
        if given is None:
            return function(x, *args, **kwargs)
        return given.with_values(function(given.values, *args, **kwargs))

    return taking_sparse
