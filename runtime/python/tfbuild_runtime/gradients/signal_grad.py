"""Gradients of Fourier transforms."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.gradients.registry import gradient_of
from tfbuild_runtime.ops import array_ops, complex_ops, math_ops, reduce_ops
from tfbuild_runtime.ops.emit import emit

_RANKS = {"": 1, "2D": 2, "3D": 3}


def _rank_of(op_type: str) -> int:
    return _RANKS[op_type.partition("FFT")[2]]


def _size(lengths: Any, dtype: Any) -> Any:
    return math_ops.cast(reduce_ops.reduce_prod(lengths), dtype)


@gradient_of("FFT", "FFT2D", "FFT3D")
def _fft(op: Any, grad: Any) -> Any:
    size = _size(array_ops.shape(grad)[-_rank_of(op.type) :], grad.dtype.base_dtype)
    return emit(f"I{op.type}", [grad]) * size


@gradient_of("IFFT", "IFFT2D", "IFFT3D")
def _ifft(op: Any, grad: Any) -> Any:
    size = _size(array_ops.shape(grad)[-_rank_of(op.type) :], grad.dtype.base_dtype)
    return emit(op.type[1:], [grad]) / size


def _as_input(grad: Any, value: Any, rank: int) -> Any:
    """Return the gradient with zeros where the transform has not read its input."""
    missing = array_ops.shape(value)[-rank:] - array_ops.shape(grad)[-rank:]
    ends = array_ops.pad(array_ops.expand_dims(missing, 1), [[0, 0], [1, 0]])
    lead = array_ops.rank(grad) - rank
    padded = array_ops.pad(grad, array_ops.pad(ends, [[lead, 0], [0, 0]]))
    padded.set_shape(value.get_shape())
    return padded


@gradient_of("RFFT", "RFFT2D", "RFFT3D")
def _rfft(op: Any, grad: Any) -> Any:
    """The real part of the inverse transform of the half of the spectrum that is there."""
    value, lengths = op.inputs
    missing = lengths[-1] - array_ops.shape(grad)[-1]
    lead = array_ops.rank(grad) - 1
    ends = array_ops.pad(array_ops.reshape(missing, [1, 1]), [[lead, 0], [1, 0]])
    whole = emit(op.type.replace("RFFT", "IFFT"), [array_ops.pad(grad, ends)])
    by_input = complex_ops.real(whole) * _size(lengths, value.dtype.base_dtype)
    return [_as_input(by_input, value, _rank_of(op.type)), None]


@gradient_of("IRFFT", "IRFFT2D", "IRFFT3D")
def _irfft(op: Any, grad: Any) -> Any:
    """Each number of the spectrum counts twice, but for those that are their own mirror image."""
    spectrum, lengths = op.inputs
    kind = spectrum.dtype.base_dtype
    half = emit(op.type[1:], [grad, lengths], Tcomplex=kind)
    width = array_ops.shape(half)[-1]
    numbers = emit("Range", [0, width, 1])
    alone = math_ops.logical_or(
        math_ops.equal(numbers, 0), math_ops.equal(2 * numbers, lengths[-1])
    )
    real = dtypes.float64 if kind == dtypes.complex128 else dtypes.float32
    weights = (2 - math_ops.cast(alone, real)) / _size(lengths, real)
    by_spectrum = half * math_ops.cast(weights, kind)
    return [_as_input(by_spectrum, spectrum, _rank_of(op.type)), None]
