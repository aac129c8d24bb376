"""Fourier transforms over the last dimensions, and what is shifted around for them."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.ops import array_ops, math_ops
from tfbuild_runtime.ops.emit import emit, known_rank

_SUFFIX = {1: "", 2: "2D", 3: "3D"}


def _complex(op_type: str, input: Any, name: str | None) -> Any:
    preferred = None if _is_complex(input) else dtypes.complex64
    return emit(op_type, [framework.convert_to_tensor(input, preferred_dtype=preferred)], name)


def _is_complex(value: Any) -> bool:
    """Return whether values of the program are complex already, and so have a type of their own."""
    if isinstance(value, (list, tuple)):
        return any(map(_is_complex, value))
    return isinstance(value, (complex, np.ndarray, np.generic)) and bool(np.iscomplexobj(value))


def fft(input: Any, name: str | None = None) -> Any:
    """Return the transform along the last dimension."""
    return _complex("FFT", input, name)


def fft2d(input: Any, name: str | None = None) -> Any:
    """Return the transform along the last two dimensions."""
    return _complex("FFT2D", input, name)


def fft3d(input: Any, name: str | None = None) -> Any:
    """Return the transform along the last three dimensions."""
    return _complex("FFT3D", input, name)


def ifft(input: Any, name: str | None = None) -> Any:
    """Return the inverse transform along the last dimension."""
    return _complex("IFFT", input, name)


def ifft2d(input: Any, name: str | None = None) -> Any:
    """Return the inverse transform along the last two dimensions."""
    return _complex("IFFT2D", input, name)


def ifft3d(input: Any, name: str | None = None) -> Any:
    """Return the inverse transform along the last three dimensions."""
    return _complex("IFFT3D", input, name)


def _lengths(sizes: list[Any], tensor: Any, rank: int, is_spectrum: bool) -> Any:
    """Return the lengths of a transform from the last sizes of its input."""
    last = sizes[-rank:]
    if all(size is not None for size in last):
        if is_spectrum:
            last[-1] = max(0, 2 * (last[-1] - 1))
        return framework.constant(last, dtypes.int32)
    found = array_ops.shape(tensor)[-rank:]
    if not is_spectrum:
        return found
    halved = math_ops.maximum(2 * (found[-1:] - 1), 0)
    return array_ops.concat([found[:-1], halved], 0)


def padded(tensor: Any, lengths: Any, rank: int, is_spectrum: bool) -> Any:
    """Return the input with zeros behind it where a transform is longer."""
    wanted = framework.constant_value(lengths)
    sizes = tensor.get_shape()
    if wanted is not None and sizes.ndims is not None:
        needed = [int(size) for size in wanted]
        if is_spectrum:
            needed[-1] = needed[-1] // 2 + 1 if needed[-1] > 0 else 0
        own = sizes.as_list()[-rank:]
        if all(size is not None for size in own):
            borders = [max(0, need - size) for need, size in zip(needed, own)]
            if not any(borders):
                return tensor
            before = [[0, 0]] * (sizes.ndims - rank)
            return array_ops.pad(tensor, before + [[0, more] for more in borders])
    needed_now = lengths
    if is_spectrum:
        last = array_ops.where_v2(lengths[-1:] > 0, lengths[-1:] // 2 + 1, 0)
        needed_now = array_ops.concat([lengths[:-1], last], 0)
    behind = math_ops.maximum(needed_now - array_ops.shape(tensor)[-rank:], 0)
    lead = array_ops.rank(tensor) - rank
    ends = array_ops.pad(array_ops.expand_dims(behind, 1), [[0, 0], [1, 0]])
    return array_ops.pad(tensor, array_ops.pad(ends, [[lead, 0], [0, 0]]))


def _real(input: Any, fft_length: Any, rank: int, name: str | None) -> Any:
    """Return the first half of the spectrum of real numbers."""
    kind = f"RFFT{_SUFFIX[rank]}"
    with framework.name_scope(name, kind.lower(), [input, fft_length]) as scope:
        given = framework.convert_to_tensor(input, preferred_dtype=dtypes.float32)
        double = given.dtype.base_dtype == dtypes.float64
        return emit(kind, _with_lengths(given, fft_length, rank, False), scope,
                    Tcomplex=dtypes.complex128 if double else dtypes.complex64)  # fmt: skip


def _from_spectrum(input: Any, fft_length: Any, rank: int, name: str | None) -> Any:
    """Return the real numbers of the first half of a spectrum."""
    kind = f"IRFFT{_SUFFIX[rank]}"
    with framework.name_scope(name, kind.lower(), [input, fft_length]) as scope:
        given = framework.convert_to_tensor(input, preferred_dtype=dtypes.complex64)
        double = given.dtype.base_dtype == dtypes.complex128
        return emit(kind, _with_lengths(given, fft_length, rank, True), scope,
                    Treal=dtypes.float64 if double else dtypes.float32)  # fmt: skip


def _with_lengths(given: Any, fft_length: Any, rank: int, is_spectrum: bool) -> list[Any]:
    """Return both inputs of a transform: the first with zeros behind it where that is longer."""
    given.get_shape().with_rank_at_least(rank)
    if fft_length is not None:
        lengths = framework.convert_to_tensor(fft_length, dtypes.int32)
        return [padded(given, lengths, rank, is_spectrum), lengths]
    sizes = given.get_shape().as_list() if known_rank(given) is not None else [None] * rank
    return [given, _lengths(sizes, given, rank, is_spectrum)]


def rfft(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Any:
    """Return the first half of the spectrum of real numbers along the last dimension."""
    return _real(input_tensor, fft_length, 1, name)


def rfft2d(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Any:
    """Return the first half of the spectrum of real numbers along the last two dimensions."""
    return _real(input_tensor, fft_length, 2, name)


def rfft3d(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Any:
    """Return the first half of the spectrum of real numbers along the last three dimensions."""
    return _real(input_tensor, fft_length, 3, name)


def irfft(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Any:
    """Return the real numbers of which that is the first half of the spectrum."""
    return _from_spectrum(input_tensor, fft_length, 1, name)


def irfft2d(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Any:
    """Return the real numbers of which that is the first half of the spectrum, in 2-D."""
    return _from_spectrum(input_tensor, fft_length, 2, name)


def irfft3d(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Any:
    """Return the real numbers of which that is the first half of the spectrum, in 3-D."""
    return _from_spectrum(input_tensor, fft_length, 3, name)


def _shifted(x: Any, axes: Any, name: str | None, default: str, back: bool) -> Any:
    with framework.name_scope(name, default, [x]):
        x = framework.convert_to_tensor(x)
        rank = known_rank(x)
        if axes is None:
            if rank is None:
                raise ValueError("the rank must be known, or axes given")
            axes = list(range(rank))
        for axis in [axes] if isinstance(axes, int) else list(axes):
            size = array_ops.shape(x)[axis]
            half = size // 2
            split = half if back else size - half
            place = axis if axis >= 0 or rank is None else axis + rank
            before = [slice(None)] * place
            x = array_ops.concat([x[(*before, slice(split, None))],
                                  x[(*before, slice(None, split))]], place)  # fmt: skip
        return x


def fftshift(x: Any, axes: Any = None, name: str | None = None) -> Any:
    """Return the spectrum with frequency 0 in the middle."""
    return _shifted(x, axes, name, "fftshift", False)


def ifftshift(x: Any, axes: Any = None, name: str | None = None) -> Any:
    """Return the spectrum with frequency 0 at the beginning again."""
    return _shifted(x, axes, name, "ifftshift", True)
