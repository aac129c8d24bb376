"""Fourier transforms and stateless random numbers against NumPy and TensorFlow's numbers."""

import numpy as np
import pytest
import tfbuild_runtime.compat.v1 as tf
from test_segments import gradient_error


def numbers(*shape, seed=3):
    """Return random complex numbers."""
    parts = np.random.default_rng(seed).standard_normal((2, *shape))
    return parts[0] + 1j * parts[1]


COMPLEX = {"fft": (np.fft.fft, 1), "fft2d": (np.fft.fft2, 2), "fft3d": (np.fft.fftn, 3),
           "ifft": (np.fft.ifft, 1), "ifft2d": (np.fft.ifft2, 2),
           "ifft3d": (np.fft.ifftn, 3)}  # fmt: skip


@pytest.mark.parametrize("name", COMPLEX)
def test_complex_transforms(run, name):
    function, rank = COMPLEX[name]
    x = numbers(*[2, 3, 4][:rank])
    assert getattr(tf, name) is getattr(tf.signal, name) is getattr(tf.spectral, name)
    np.testing.assert_allclose(run(getattr(tf, name)(tf.constant(x))), function(x), atol=1e-13)
    single = run(getattr(tf, name)(tf.constant(x.astype(np.complex64))))
    np.testing.assert_allclose(single, function(x), atol=1e-5)
    assert gradient_error(getattr(tf, name), x) < 1e-8


@pytest.mark.parametrize("length", [None, 4, 9])
def test_real_transforms_of_some_length(run, length):
    x = numbers(2, 6).real
    lengths = None if length is None else [length]
    half = tf.signal.rfft(tf.constant(x), lengths)
    np.testing.assert_allclose(run(half), np.fft.rfft(x, length), atol=1e-13)
    assert half.shape.as_list() == [2, (length or 6) // 2 + 1]
    back = tf.signal.irfft(half, [length or 6])
    np.testing.assert_allclose(
        run(back), np.fft.irfft(np.fft.rfft(x, length), length or 6), atol=1e-13
    )
    assert gradient_error(lambda t: tf.signal.rfft(t, lengths), x) < 1e-8
    assert gradient_error(lambda t: tf.signal.irfft(t, lengths), numbers(2, 4)) < 1e-8
    unknown = tf.placeholder(tf.float64, [None, None])
    found = run(tf.signal.rfft(unknown, lengths), {unknown: x})
    np.testing.assert_allclose(found, np.fft.rfft(x, length), atol=1e-13)


@pytest.mark.parametrize(("name", "rank"), [("rfft2d", 2), ("rfft3d", 3)])
def test_real_transforms_in_several_directions(run, name, rank):
    x = numbers(2, 3, 4).real
    axes = list(range(3 - rank, 3))
    half = run(getattr(tf.signal, name)(tf.constant(x)))
    np.testing.assert_allclose(half, np.fft.rfftn(x, axes=axes), atol=1e-13)
    back = run(getattr(tf.signal, f"i{name}")(tf.constant(half)))
    np.testing.assert_allclose(back, x, atol=1e-13)
    assert gradient_error(getattr(tf.signal, name), x) < 1e-8
    assert gradient_error(getattr(tf.signal, f"i{name}"), numbers(2, 3, 3)) < 1e-8


def test_frequency_zero_in_the_middle(run):
    x = np.arange(12.0).reshape(3, 4)
    for axes in (None, 1, [0]):
        np.testing.assert_array_equal(run(tf.signal.fftshift(x, axes)), np.fft.fftshift(x, axes))
        np.testing.assert_array_equal(run(tf.signal.ifftshift(x, axes)), np.fft.ifftshift(x, axes))


# What TensorFlow 2.21 gives for the seed [5, -7].
SEED = np.array([5, -7])
UNIFORM = [0.5455765724182129, 0.19691693782806396, 0.2314612865447998]
NORMAL = [1.040164828300476, 0.36039069294929504, 0.5961830615997314]
WHOLE = [56, 1, 48, 35]
FULL = [-263858828, -283560813]
DRAWN = [[0, 1, 1, 1, 0, 1]]


def test_stateless_numbers_are_tensorflows(run):
    uniform = run(tf.random.stateless_uniform([3], SEED, minval=2, maxval=4))
    np.testing.assert_array_equal(uniform, np.float32(UNIFORM) * 2 + 2)
    np.testing.assert_allclose(run(tf.random.stateless_normal([3], SEED)), NORMAL, rtol=1e-6)
    whole = run(tf.random.stateless_uniform([4], SEED, -4, 90, tf.int32))
    assert whole.tolist() == WHOLE
    assert run(tf.random.stateless_uniform([2], SEED, None, None, tf.int32)).tolist() == FULL
    truncated = run(tf.random.stateless_truncated_normal([500], SEED, mean=3.0, stddev=2.0))
    assert abs(truncated - 3).max() <= 4
    drawn = run(tf.random.stateless_categorical(np.log([[0.4, 0.6]]), 6, SEED))
    assert drawn.tolist() == DRAWN


def test_the_seed_alone_decides(run):
    seed = tf.placeholder(tf.int64, [2])
    numbers = tf.random.stateless_normal([4], seed)
    first, second, other = (run(numbers, {seed: s}) for s in ([1, 2], [1, 2], [1, 3]))
    assert (first == second).all()
    assert not (first == other).any()
    with pytest.raises(ValueError, match="maxval"):
        tf.random.stateless_uniform([2], [1, 2], dtype=tf.int32)


# ---- frames, windows and cosine transforms -------------------------------------------------------


def test_frames_and_their_sums(run):
    x = numbers(2, 11).real
    frames = run(tf.signal.frame(x, 4, 3))
    np.testing.assert_array_equal(frames, [[row[i : i + 4] for i in (0, 3, 6)] for row in x])
    padded = run(tf.signal.frame(x, 4, 3, pad_end=True, pad_value=7))
    assert padded.shape == (2, 4, 4)
    assert (padded[:, 3, 2:] == 7).all()
    unknown = tf.placeholder(tf.float64, [None, None])
    np.testing.assert_array_equal(run(tf.signal.frame(unknown, 4, 3), {unknown: x}), frames)
    np.testing.assert_array_equal(run(tf.signal.frame(x, 1, 1, axis=0))[:, 0], x)
    expected = np.zeros((2, 10))
    for k in range(3):
        expected[:, 3 * k : 3 * k + 4] += frames[:, k]
    np.testing.assert_allclose(run(tf.signal.overlap_and_add(frames, 3)), expected)
    assert gradient_error(lambda t: tf.signal.frame(t, 4, 3, True), x) < 1e-8
    assert gradient_error(lambda t: tf.signal.overlap_and_add(t, 3), frames) < 1e-8
    with pytest.raises(ValueError, match="integer"):
        tf.signal.overlap_and_add(frames, 1.5)


@pytest.mark.parametrize("length", [1, 2, 7, 8])
def test_windows(run, length):
    for function, a in ((tf.signal.hann_window, 0.5), (tf.signal.hamming_window, 0.54)):
        span = length if length % 2 == 0 else max(length - 1, 1)
        expected = a - (1 - a) * np.cos(2 * np.pi * np.arange(length) / span)
        window = run(function(length, dtype=tf.float64))
        np.testing.assert_allclose(window, expected if length > 1 else [1], atol=1e-12)
    with pytest.raises(ValueError, match="floating point"):
        tf.signal.hann_window(length, dtype=tf.int32)


@pytest.mark.parametrize("fft_length", [None, 8, 16])
def test_spectra_of_frames_and_back(run, fft_length):
    x = tf.constant(numbers(2, 32).real)
    spectra = tf.signal.stft(x, 8, 2, fft_length)
    window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(8) / 8)
    first = np.fft.rfft(run(x)[:, :8] * window, fft_length or 8)
    np.testing.assert_allclose(run(spectra)[:, 0], first, atol=1e-12)
    back = tf.signal.inverse_stft(
        spectra, 8, 2, fft_length, window_fn=tf.signal.inverse_stft_window_fn(2)
    )
    np.testing.assert_allclose(run(back)[:, 6:-6], run(x)[:, 6:-6], atol=1e-12)


@pytest.mark.parametrize("norm", [None, "ortho"])
@pytest.mark.parametrize("size", [None, 4, 9])
def test_cosine_transforms(run, norm, size):
    x = numbers(2, 6).real
    used = np.pad(x, [[0, 0], [0, max(0, (size or 6) - 6)]])[:, :size]
    count = used.shape[1]
    n, k = np.arange(count), np.arange(count)[:, None]
    cosines = 2 * np.cos(np.pi * k * (2 * n + 1) / (2 * count))
    if norm:
        cosines *= np.where(k == 0, np.sqrt(1 / (4 * count)), np.sqrt(1 / (2 * count)))
    second = run(tf.signal.dct(tf.constant(x), 2, size, norm=norm))
    np.testing.assert_allclose(second, used @ cosines.T, atol=1e-12)
    factor = 1 if norm else 2 * count
    back = run(tf.signal.idct(tf.constant(second), norm=norm)) / factor
    np.testing.assert_allclose(back, used, atol=1e-12)
    if norm is None:
        first = run(tf.signal.dct(tf.constant(x), 1, size))
        twice = run(tf.signal.idct(tf.constant(first), 1)) / (2 * (count - 1))
        np.testing.assert_allclose(twice, used, atol=1e-12)
    assert gradient_error(lambda t: tf.signal.dct(t, 2, size, norm=norm), x) < 1e-8
    with pytest.raises(ValueError, match="Normalization"):
        tf.signal.dct(x, 1, norm="ortho")


def test_mel_spectra(run):
    weights = run(tf.signal.linear_to_mel_weight_matrix(4, 9, 8000, 100.0, 3000.0, tf.float64))
    mel = 1127 * np.log1p(np.arange(9) * 500 / 700)
    edges = np.linspace(*(1127 * np.log1p(np.array([100, 3000]) / 700)), 6)
    expected = np.stack([np.interp(mel, edges[k : k + 3], [0, 1, 0]) for k in range(4)], 1)
    np.testing.assert_allclose(weights, expected, atol=1e-12)
    spectra = numbers(3, 8).real
    found = run(tf.signal.mfccs_from_log_mel_spectrograms(tf.constant(spectra)))
    cosines = np.cos(np.pi * np.arange(8)[:, None] * (2 * np.arange(8) + 1) / 16)
    np.testing.assert_allclose(found, spectra @ cosines.T * 2 / np.sqrt(16), atol=1e-12)
    with pytest.raises(ValueError, match="Nyquist"):
        tf.signal.linear_to_mel_weight_matrix(4, 9, 8000, 100.0, 5000.0)
