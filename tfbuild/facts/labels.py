"""What axes are called in sentences, and which of them have words for values."""

WORDS = frozenset({"platform", "os", "cpu"})  # axes whose values are words, not versions
_LABELS = {
    "tensorflow": "TensorFlow", "runtime": "the bundled runtime", "python": "Python",
    "numpy": "NumPy", "cuda": "CUDA", "cudnn": "cuDNN", "nccl": "NCCL", "bazel": "Bazel",
    "gcc": "GCC", "clang": "Clang", "gpu": "compute capability", "tensorrt": "TensorRT",
    "xcode": "Xcode", "msvc": "Visual Studio", "keras": "Keras", "tensorboard": "TensorBoard",
    "tensorflow_text": "TensorFlow Text", "tensorflow_addons": "TensorFlow Addons",
    "absl": "absl-py", "scipy": "SciPy", "jetpack": "JetPack", "cpu": "the processor",
    "rocm": "ROCm", "macos": "macOS", "libstdcxx": "libstdc++", "java": "Java",
}  # fmt: skip


def label(axis: str) -> str:
    """The name of an axis in a sentence."""
    return _LABELS.get(axis, axis)
