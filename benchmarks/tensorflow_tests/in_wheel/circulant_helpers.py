"""TensorFlow's linear_operator_circulant, of which tests call what is its own."""

from tfbuild_runtime.linalg.circulant import as_complex as _to_complex  # noqa: F401
