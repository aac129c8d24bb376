"""Public names of signals: which function of which module each of them is."""

TRANSFORMS = ("fft", "fft2d", "fft3d", "ifft", "ifft2d", "ifft3d")
SIGNAL = {
    "signal_ops": (
        *TRANSFORMS, "fftshift", "ifftshift", "irfft", "irfft2d", "irfft3d", "rfft", "rfft2d",
        "rfft3d",
    ),
    "frame_ops": (
        "dct", "frame", "hamming_window", "hann_window", "idct", "inverse_stft",
        "inverse_stft_window_fn", "linear_to_mel_weight_matrix", "mfccs_from_log_mel_spectrograms",
        "overlap_and_add", "stft",
    ),
}  # fmt: skip
