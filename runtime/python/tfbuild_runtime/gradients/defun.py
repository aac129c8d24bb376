"""Functions with types and gradients of their own, written out wherever they are called."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.gradients.custom import custom_gradient
from tfbuild_runtime.ops import control_flow_ops


class _Call(NamedTuple):
    """What python_grad_func sees of the call whose gradient it gives."""

    inputs: list[Any]
    outputs: list[Any]


class Defun:
    """Decorates a function of tensors of these types; without any, it takes what it is given.

    grad_func(*inputs, *gradients) or python_grad_func(op, *gradients) gives its gradients.
    """

    def __init__(self, *input_types: Any, **kwargs: Any) -> None:
        self._types = [dtypes.as_dtype(dtype) for dtype in input_types]
        self._name = kwargs.get("func_name")
        self._grad_func = kwargs.get("grad_func")
        self._python_grad_func = kwargs.get("python_grad_func")
        if self._grad_func is not None and self._python_grad_func is not None:
            raise ValueError("Gradient defined twice for function "
                             f"{self._name or 'without a name'}")  # fmt: skip

    def __call__(self, func: Callable[..., Any]) -> Callable[..., Any]:
        """Return the function that adds to the graph what func does."""

        @functools.wraps(func)
        def call(*args: Any, name: str | None = None) -> Any:
            tensors = self._arguments(args)
            with framework.name_scope(name, self._name or func.__name__, tensors):
                outputs = self._outputs(func, tensors)
            if not outputs:
                return control_flow_ops.no_op()
            return outputs[0] if len(outputs) == 1 else outputs

        return call

    def _arguments(self, args: tuple[Any, ...]) -> list[Any]:
        if self._types and len(args) != len(self._types):
            raise ValueError(f"Expected number of arguments: {len(self._types)}, received: "
                             f"{len(args)}")  # fmt: skip
        wanted = self._types or [None] * len(args)
        return [framework.convert_to_tensor(a, dtype) for a, dtype in zip(args, wanted)]

    def _outputs(self, func: Callable[..., Any], tensors: list[Any]) -> list[Any]:
        if self._grad_func is None and self._python_grad_func is None:
            return _listed(func(*tensors))

        @custom_gradient
        def with_gradient(*inputs: Any) -> Any:
            outputs = _listed(func(*inputs))
            call = _Call(list(inputs), outputs)

            def gradient(*by_outputs: Any, variables: Any = ()) -> Any:
                if self._grad_func is not None:
                    found = self._grad_func(*inputs, *by_outputs)
                else:
                    found = self._python_grad_func(call, *by_outputs)
                found = _listed(found)
                return (found, [None] * len(variables)) if variables else found

            return outputs, gradient

        return _listed(with_gradient(*tensors))


def _listed(results: Any) -> list[Any]:
    """Return what a function gives as tensors: it may give none, one, or several."""
    if results is None or isinstance(results, framework.Operation):
        return []
    several = results if isinstance(results, (list, tuple)) else [results]
    return [None if r is None else framework.convert_to_tensor(r) for r in several]
