"""The names of the axes, in the two orders that matter; what an axis means is in `facts`."""

# A build of TensorFlow may have them, and nothing needs them: they count where they are named.
BESIDE = (
    "tensorrt", "xcode", "msvc", "keras", "h5py", "ml_dtypes", "wheel", "pip", "typing_extensions",
    "gast", "wrapt", "flatbuffers", "tensorboard", "tensorflow_text", "tensorflow_addons", "absl",
    "scipy", "jetpack", "cpu", "rocm", "macos", "libstdcxx", "setuptools", "tf_keras", "java",
)  # fmt: skip
# As requests, reports and lists of settings name them.
AXES = (
    "tensorflow", "runtime", "python", "numpy", "protobuf", "cuda", "cudnn", "nccl", "gpu", "bazel",
    "gcc", "clang", "driver", "glibc", "os", "platform", *BESIDE,
)  # fmt: skip
LONGEST_SPEC = 1000  # letters of what is asked of an axis: a version, a range, a list of products
# As the solver meets them, and the facts are summed up: what decides before what follows from it.
SOLVING_ORDER = (
    "platform", "tensorflow", "runtime", "gpu", "cuda", "cudnn", "python", "numpy", "protobuf",
    "bazel", "clang", "gcc", "nccl", "os", "glibc", "driver", *BESIDE,
)  # fmt: skip
