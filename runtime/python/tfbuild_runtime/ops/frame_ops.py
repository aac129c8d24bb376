"""Signals cut into frames and put together again, windows, cosine transforms and mel spectra."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.ops import (
    array_ops,
    complex_ops,
    creation_ops,
    math_ops,
    reduce_ops,
    signal_ops,
)
from tfbuild_runtime.ops.emit import known_rank
from tfbuild_runtime.ops.order_ops import reverse

_Window = Callable[..., Any]


# ---- frames -------------------------------------------------------------------------------------


def frame(signal: Any, frame_length: Any, frame_step: Any, pad_end: bool = False,
          pad_value: Any = 0, axis: Any = -1, name: str | None = None) -> Any:  # fmt: skip
    """Return the windows of frame_length elements along an axis, frame_step apart.

    pad_end lets the last ones reach behind the end. Raises ValueError for an unknown rank.
    """
    with framework.name_scope(name, "frame", [signal, frame_length, frame_step, pad_value]):
        signal = framework.convert_to_tensor(signal, name="signal")
        signal.get_shape().with_rank_at_least(1)
        rank, place = known_rank(signal), framework.constant_value(
            framework.convert_to_tensor(axis, name="axis"))  # fmt: skip
        if rank is None or place is None:
            raise ValueError("frame needs a signal of known rank and an axis that is a constant")
        place = int(place) % rank
        outside = signal.get_shape().as_list()
        size = array_ops.shape(signal)[place] if outside[place] is None else outside[place]
        frame_length, frame_step = _as_number(frame_length), _as_number(frame_step)
        if pad_end:
            count = -(-size // frame_step)
            behind = _at_least_0(frame_length + frame_step * (count - 1) - size)
            borders = [[0, behind if k == place else 0] for k in range(rank)]
            other = framework.convert_to_tensor(pad_value, dtype=signal.dtype.base_dtype)
            signal = array_ops.pad(signal, borders, constant_values=other)
        else:
            count = _at_least_0(1 + (size - frame_length) // frame_step)
        starts = array_ops.expand_dims(creation_ops.range(count) * frame_step, 1)
        within = array_ops.expand_dims(creation_ops.range(frame_length), 0)
        frames = array_ops.gather(signal, starts + within, axis=place)
        known = [size if isinstance(size, int) else None for size in (count, frame_length)]
        frames.set_shape([*outside[:place], *known, *outside[place + 1 :]])
        return frames


def _as_number(value: Any) -> Any:
    """Return a constant as a Python int, with which sizes are known while the graph is built."""
    if isinstance(value, int):
        return value
    known = framework.constant_value(framework.convert_to_tensor(value))
    return value if known is None else int(known)


def _at_least_0(value: Any) -> Any:
    return max(value, 0) if isinstance(value, int) else math_ops.maximum(value, 0)


def overlap_and_add(signal: Any, frame_step: Any, name: str | None = None) -> Any:
    """Return the sum of frames [..., frames, length], each frame_step behind the one before."""
    with framework.name_scope(name, "overlap_and_add", [signal, frame_step]):
        signal = framework.convert_to_tensor(signal, name="signal")
        signal.get_shape().with_rank_at_least(2)
        step = framework.convert_to_tensor(frame_step, name="frame_step")
        step.get_shape().assert_has_rank(0)
        if not step.dtype.is_integer:
            raise ValueError(f"frame_step must be an integer. Got {step.dtype}")
        sizes = array_ops.shape(signal)
        count, length = sizes[-2], sizes[-1]
        total = length + step * (count - 1)
        starts = array_ops.expand_dims(creation_ops.range(count) * step, 1)
        places = starts + array_ops.expand_dims(creation_ops.range(length), 0)
        rows = array_ops.transpose(array_ops.reshape(signal, [-1, count * length]))
        sums = reduce_ops.unsorted_segment_sum(rows, array_ops.reshape(places, [-1]), total)
        result = array_ops.reshape(array_ops.transpose(sums),
                                   array_ops.concat([sizes[:-2], [total]], 0))  # fmt: skip
        if known_rank(signal) is not None:
            result.set_shape([*signal.get_shape().as_list()[:-2], framework.constant_value(total)])
        return result


# ---- windows ------------------------------------------------------------------------------------


def _raised_cosine(length: Any, periodic: Any, dtype: Any, shape: tuple[float, float],
                   scope: tuple[str | None, str]) -> Any:  # fmt: skip
    kind = dtypes.as_dtype(dtype)
    if not kind.is_floating:
        raise ValueError(f"dtype must be a floating point type. Found {kind}")
    with framework.name_scope(*scope):
        length = framework.convert_to_tensor(length, dtypes.int32, name="window_length")
        length.get_shape().assert_has_rank(0)
        even = math_ops.cast(framework.convert_to_tensor(periodic, dtypes.bool), dtypes.int32)
        even = even * (1 - math_ops.floormod(length, 2))
        span = math_ops.cast(math_ops.maximum(length + even - 1, 1), kind)
        turns = math_ops.cast(creation_ops.range(length), kind) * (2 * math.pi) / span
        window = shape[0] - shape[1] * math_ops.cos(turns)
        return array_ops.where_v2(math_ops.equal(length, 1), creation_ops.ones_like(window), window)


def hann_window(window_length: Any, periodic: Any = True, dtype: Any = dtypes.float32,
                name: str | None = None) -> Any:  # fmt: skip
    """Return a raised cosine that ends at 0."""
    return _raised_cosine(window_length, periodic, dtype, (0.5, 0.5), (name, "hann_window"))


def hamming_window(window_length: Any, periodic: Any = True, dtype: Any = dtypes.float32,
                   name: str | None = None) -> Any:  # fmt: skip
    """Return a raised cosine that ends at 0.08."""
    return _raised_cosine(window_length, periodic, dtype, (0.54, 0.46), (name, "hamming_window"))


# ---- short-time spectra -------------------------------------------------------------------------


def _fft_length(frame_length: Any) -> Any:
    """Return the smallest power of two that is not below it."""
    known = framework.constant_value(framework.convert_to_tensor(frame_length))
    if known is not None:
        return 1 << max(0, int(known) - 1).bit_length()
    wide = math_ops.cast(frame_length, dtypes.float32)
    return math_ops.cast(2.0 ** math_ops.ceil(math_ops.log(wide) / math.log(2.0)), dtypes.int32)


def stft(signals: Any, frame_length: Any, frame_step: Any, fft_length: Any = None,
         window_fn: _Window | None = hann_window, pad_end: bool = False,
         name: str | None = None) -> Any:  # fmt: skip
    """Return the spectra of the frames of signals along their last dimension."""
    with framework.name_scope(name, "stft", [signals, frame_length, frame_step]):
        signals = framework.convert_to_tensor(signals, name="signals")
        frames = frame(signals, frame_length, frame_step, pad_end=pad_end)
        if window_fn is not None:
            frames = frames * window_fn(frame_length, dtype=frames.dtype.base_dtype)
        length = _fft_length(frame_length) if fft_length is None else fft_length
        return signal_ops.rfft(frames, [length])


def inverse_stft_window_fn(frame_step: Any,
                           forward_window_fn: _Window = hann_window,
                           name: str | None = None) -> _Window:  # fmt: skip
    """Return the window by which inverse_stft gives back what stft took with the other window."""

    def window_fn(frame_length: Any, dtype: Any) -> Any:
        with framework.name_scope(name, "inverse_stft_window_fn", [forward_window_fn]):
            window = forward_window_fn(frame_length, dtype=dtype)
            overlaps = -(-frame_length // frame_step)
            behind = overlaps * frame_step - frame_length
            squares = array_ops.pad(math_ops.square(window), [[0, behind]])
            sums = reduce_ops.reduce_sum(array_ops.reshape(squares, [overlaps, frame_step]), 0)
            return window / array_ops.tile(sums, [overlaps])[:frame_length]

    return window_fn


def inverse_stft(stfts: Any, frame_length: Any, frame_step: Any, fft_length: Any = None,
                 window_fn: _Window | None = hann_window,
                 name: str | None = None) -> Any:  # fmt: skip
    """Return the signals of which these are the spectra of the frames."""
    with framework.name_scope(name, "inverse_stft", [stfts]):
        stfts = framework.convert_to_tensor(stfts, name="stfts")
        length = _fft_length(frame_length) if fft_length is None else fft_length
        frames = signal_ops.irfft(stfts, [length])[..., :frame_length]
        missing = math_ops.maximum(frame_length - array_ops.shape(frames)[-1], 0)
        lead = array_ops.rank(frames) - 1
        ends = array_ops.pad(array_ops.reshape(missing, [1, 1]), [[lead, 0], [1, 0]])
        known = framework.constant_value(framework.convert_to_tensor(length))
        wanted = framework.constant_value(framework.convert_to_tensor(frame_length))
        if known is None or wanted is None or known < wanted:
            frames = array_ops.pad(frames, ends)
        if window_fn is not None:
            frames = frames * window_fn(frame_length, dtype=frames.dtype.base_dtype)
        return overlap_and_add(frames, frame_step)


# ---- cosine transforms --------------------------------------------------------------------------


def _check_cosine(kind: int, n: Any, axis: int, norm: Any, size: Any) -> None:
    if axis != -1:
        raise NotImplementedError(f"axis must be -1. Got: {axis}")
    if n is not None and n < 1:
        raise ValueError("n should be a positive integer or None")
    if kind not in (1, 2, 3):
        raise ValueError("Only Types I, II and III (I)DCT are supported.")
    if kind == 1 and norm == "ortho":
        raise ValueError("Normalization is not supported for the Type-I DCT.")
    if kind == 1 and size is not None and size < 2:
        raise ValueError("Type-I DCT requires the dimension to be greater than one.")
    if norm not in (None, "ortho"):
        raise ValueError(f"Unknown normalization. Expected None or 'ortho', got: {norm}")


def dct(input: Any, type: int = 2, n: int | None = None, axis: int = -1, norm: Any = None,
        name: str | None = None) -> Any:  # fmt: skip
    """Return the cosine transform of that type, of the first n elements, as SciPy has it."""
    with framework.name_scope(name, "dct", [input]):
        x = framework.convert_to_tensor(input, preferred_dtype=dtypes.float32)
        own = x.get_shape().as_list()[-1] if known_rank(x) is not None else None
        _check_cosine(type, n, axis, norm, own if n is None else n)
        if n is not None:
            x = signal_ops.padded(x, framework.constant([n], dtypes.int32), 1, False)[..., :n]
        size = array_ops.shape(x)[-1]
        if type == 1:
            mirrored = array_ops.concat([x, reverse(x[..., 1:-1], [-1])], -1)
            return complex_ops.real(signal_ops.rfft(mirrored))
        real = x.dtype.base_dtype
        count = math_ops.cast(size, real)
        turns = math_ops.cast(creation_ops.range(size), real) * (0.5 * math.pi) / count
        first = math_ops.equal(creation_ops.range(size), 0)
        if type == 2:
            half = signal_ops.rfft(x, array_ops.stack([2 * size]))[..., :size]
            turned = half * complex_ops.complex(math_ops.cos(turns), -math_ops.sin(turns))
            sums = 2.0 * complex_ops.real(turned)
            if norm is None:
                return sums
            scale = math_ops.rsqrt(2.0 * count)
            return sums * array_ops.where_v2(first, 0.5 * math.sqrt(2.0) * scale, scale)
        if norm is not None:
            root = math_ops.rsqrt(2.0 * count)
            x = x * array_ops.where_v2(first, math.sqrt(2.0) * root, root)
        wide = 2.0 * count * x
        spectrum = complex_ops.complex(wide * math_ops.cos(turns), wide * math_ops.sin(turns))
        return signal_ops.irfft(spectrum, array_ops.stack([2 * size]))[..., :size]


def idct(input: Any, type: int = 2, n: int | None = None, axis: int = -1, norm: Any = None,
         name: str | None = None) -> Any:  # fmt: skip
    """Return the inverse of the cosine transform of that type, but for a factor without norm."""
    known = framework.convert_to_tensor(input).get_shape()
    _check_cosine(type, n, axis, norm, known.as_list()[-1] if known.ndims else None)
    return dct(input, {1: 1, 2: 3, 3: 2}[type], n, axis, norm, name or "idct")


# ---- mel spectra --------------------------------------------------------------------------------


def linear_to_mel_weight_matrix(num_mel_bins: int = 20, num_spectrogram_bins: Any = 129,
                                sample_rate: Any = 8000, lower_edge_hertz: float = 125.0,
                                upper_edge_hertz: float = 3800.0, dtype: Any = dtypes.float32,
                                name: str | None = None) -> Any:  # fmt: skip
    """Return the matrix [spectrogram bins, mel bins] of triangles that overlap by half.

    Raises ValueError for edges and counts that make no triangles.
    """
    kind = dtypes.as_dtype(dtype)
    if num_mel_bins <= 0:
        raise ValueError(f"num_mel_bins must be positive. Got: {num_mel_bins}")
    if lower_edge_hertz < 0:
        raise ValueError(f"lower_edge_hertz must be non-negative. Got: {lower_edge_hertz}")
    if lower_edge_hertz >= upper_edge_hertz:
        raise ValueError(f"lower_edge_hertz {lower_edge_hertz} >= upper_edge_hertz "
                         f"{upper_edge_hertz}")  # fmt: skip
    rate = framework.constant_value(framework.convert_to_tensor(sample_rate))
    if rate is None or rate <= 0:
        raise ValueError(f"sample_rate must be positive and a constant. Got: {sample_rate}")
    if upper_edge_hertz > rate / 2:
        raise ValueError("upper_edge_hertz must not be larger than the Nyquist frequency "
                         f"(sample_rate / 2). Got {upper_edge_hertz} for {rate}")  # fmt: skip
    if not kind.is_floating:
        raise ValueError(f"dtype must be a floating point type. Got: {kind}")

    def mel(hertz: float) -> float:
        return 1127.0 * math.log1p(hertz / 700.0)

    with framework.name_scope(name, "linear_to_mel_weight_matrix"):
        low, high = mel(lower_edge_hertz), mel(upper_edge_hertz)
        gap = (high - low) / (num_mel_bins + 1)
        edges = framework.constant([low + gap * k for k in range(num_mel_bins + 2)], kind)
        bins = math_ops.cast(creation_ops.range(num_spectrogram_bins), kind)
        nyquist = float(rate) / 2
        hertz = bins * nyquist / math_ops.cast(num_spectrogram_bins - 1, kind)
        mels = array_ops.expand_dims(1127.0 * math_ops.log(1.0 + hertz / 700.0), 1)
        left, center, right = edges[:-2], edges[1:-1], edges[2:]
        rising = (mels - left) / (center - left)
        falling = (right - mels) / (right - center)
        weights = math_ops.maximum(math_ops.minimum(rising, falling), 0)
        above = array_ops.expand_dims(math_ops.cast(bins > 0, kind), 1)
        return weights * above


def mfccs_from_log_mel_spectrograms(log_mel_spectrograms: Any, name: str | None = None) -> Any:
    """Return the cosine transform of logarithmic mel spectra, as HTK scales it."""
    with framework.name_scope(name, "mfccs_from_log_mel_spectrograms", [log_mel_spectrograms]):
        spectra = framework.convert_to_tensor(log_mel_spectrograms, name="log_mel_spectrograms")
        known = spectra.get_shape().as_list()[-1] if known_rank(spectra) is not None else None
        if known == 0:
            raise ValueError(f"num_mel_bins must be positive. Got: {spectra.get_shape()}")
        count = math_ops.cast(array_ops.shape(spectra)[-1], spectra.dtype.base_dtype)
        return dct(spectra, 2) * math_ops.rsqrt(count * 2.0)
