"""Complex numbers and their parts."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.ops import creation_ops
from tfbuild_runtime.ops.emit import emit

_WHOLE = {"float32": dtypes.complex64, "float64": dtypes.complex128}


def complex(real: Any, imag: Any, name: str | None = None) -> Any:
    """Return the complex numbers with these parts, float32 or float64; raises TypeError else."""
    real = framework.convert_to_tensor(real, name="real")
    imag = framework.convert_to_tensor(imag, name="imag")
    kinds = real.dtype.base_dtype.name, imag.dtype.base_dtype.name
    if kinds[0] != kinds[1] or kinds[0] not in _WHOLE:
        raise TypeError(f"Types of real and imag don't match: {kinds[0]} {kinds[1]}")
    return emit("Complex", [real, imag], name, Tout=_WHOLE[kinds[0]])


def real(input: Any, name: str | None = None) -> Any:
    """Return the real part, which of real numbers is what they are."""
    tensor = framework.convert_to_tensor(input, name="input")
    return _part("Real", tensor, name) if tensor.dtype.is_complex else tensor


def imag(input: Any, name: str | None = None) -> Any:
    """Return the imaginary part, which of real numbers is zero."""
    tensor = framework.convert_to_tensor(input, name="input")
    if tensor.dtype.is_complex:
        return _part("Imag", tensor, name)
    return creation_ops.zeros_like(tensor)


def conj(x: Any, name: str | None = None) -> Any:
    """Return the numbers with the other sign of the imaginary part; real ones as they are."""
    tensor = framework.convert_to_tensor(x, name="x")
    if tensor.dtype.is_complex:
        return emit("Conj", [tensor], name)
    if tensor.dtype.is_floating or tensor.dtype.is_integer:
        return tensor
    raise TypeError(f"Expected numeric or variant tensor, got dtype {tensor.dtype!r}")


def angle(input: Any, name: str | None = None) -> Any:
    """Return the argument of complex numbers; of real ones pi where they are negative, else 0."""
    tensor = framework.convert_to_tensor(input, name="input")
    if tensor.dtype.is_complex:
        return _part("Angle", tensor, name)
    zeros = creation_ops.zeros_like(tensor)
    half_turn = framework.constant(np.pi, tensor.dtype.base_dtype)
    return emit("SelectV2", [emit("Less", [tensor, zeros]), half_turn, zeros], name)


def magnitude(x: Any, name: str | None = None) -> Any:
    """Return the absolute value of complex numbers."""
    return emit("ComplexAbs", [x], name or "Abs", Tout=x.dtype.real_dtype)


def _part(op_type: str, tensor: Any, name: str | None) -> Any:
    return emit(op_type, [tensor], name, Tout=tensor.dtype.real_dtype)
