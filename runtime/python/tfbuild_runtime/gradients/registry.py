"""Which function makes the gradient of which op."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

Function = Callable[..., Any]


@dataclass(frozen=True)
class Entry:
    """The gradient of one op; no function means that it has none, which is no error."""

    function: Function | None
    takes_none: bool = False  # whether it wants None, not zeros, for outputs that do not matter
    takes_slices: bool = False  # whether it wants IndexedSlices as they are, not whole tensors


_entries: dict[str, Entry] = {}


class RegisterGradient:
    """Decorator: makes a function of (op, gradient of each output) the gradient of an op type.

    The function returns the gradient by each input (one tensor, or a list of tensors and None).
    """

    def __init__(self, op_type: str) -> None:
        if not isinstance(op_type, str):
            raise TypeError(f"op_type must be a string, not {op_type!r}")
        self._op_type = op_type

    def __call__(self, function: Function) -> Function:
        """Register the function and return it; raises KeyError when there is one already."""
        _register(self._op_type, Entry(function=function, takes_slices=True))
        return function


def gradient_of(
    *op_types: str, takes_none: bool = False, takes_slices: bool = False
) -> Callable[[Function], Function]:
    """Return a decorator that registers one function for several ops."""

    def register(function: Function) -> Function:
        for op_type in op_types:
            _register(op_type, Entry(function, takes_none, takes_slices))
        return function

    return register


def no_gradient(op_type: str) -> None:
    """Say that an op passes no gradient on; raises KeyError when it has one already."""
    _register(op_type, Entry(function=None))


NoGradient = NotDifferentiable = no_gradient


def _register(op_type: str, entry: Entry) -> None:
    if op_type in _entries:
        raise KeyError(f"a gradient of {op_type!r} is registered already")
    _entries[op_type] = entry


@cache
def _load_families() -> None:
    """Each family registers its gradients when it is imported."""
    from tfbuild_runtime.gradients import (  # noqa: F401
        activation_grad,
        array_grad,
        complex_grad,
        control_grad,
        image_grad,
        layer_grad,
        math_grad,
        matrix_grad,
        nn_grad,
        placement_grad,
        ragged_grad,
        reduce_grad,
        segment_grad,
        signal_grad,
        sparse_grad,
        special_grad,
        tensor_array_grad,
        tensor_list_grad,
        variable_grad,
        volume_grad,
    )


def find(op_type: str) -> Entry:
    """Return the gradient of an op; raises LookupError when nobody has registered one."""
    _load_families()
    if op_type not in _entries:
        raise LookupError(f"gradient registry has no entry for: {op_type}")
    return _entries[op_type]


def registered() -> dict[str, bool]:
    """Return the ops that are known, with whether they pass a gradient on."""
    _load_families()
    return {op_type: entry.function is not None for op_type, entry in sorted(_entries.items())}
