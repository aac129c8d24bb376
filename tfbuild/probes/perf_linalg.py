"""Speed of the factors of float32 matrices: one of 8, 64 and 400 rows, and a thousand of 4 x 4.

Where an op wants it the matrix is symmetric and positive definite. Singular values and eigenvalues
come with their vectors, Q with R.
"""

from functools import partial

import numpy as np
import probe_tools as probe
from kernel_calls import Kernel, normal, timings_of

SHAPES = {"8": (8, 8), "64": (64, 64), "400": (400, 400), "1000x4": (1000, 4, 4)}


def matrix(shape):
    """One matrix, or a batch."""
    return [normal(*shape)]


def positive(shape):
    """The same times its transpose, and a wide diagonal."""
    made = normal(*shape)
    size = shape[-1]
    return [made @ np.swapaxes(made, -1, -2) + size * np.eye(size, dtype=np.float32)]


def system(shape):
    """Such a matrix and the right sides of as many systems."""
    return [*positive(shape), normal(*shape)]


# what it is called, its inputs, the op of TensorFlow, the function of PyTorch
FACTORS = (
    ("cholesky", positive, "cholesky", "cholesky"),
    ("inverse", positive, "inv", "inv"),
    ("solve", system, "solve", "solve"),
    ("qr", matrix, "qr", "qr"),
    ("svd", matrix, "svd", "svd"),
    ("eigh", positive, "eigh", "eigh"),
    ("determinant", matrix, "det", "det"),
)


def tensorflow_call(name, tf, *inputs):
    """The op, by the first of its results."""
    made = getattr(tf.linalg, name)(*inputs)
    return made[0] if isinstance(made, (tuple, list)) else made


def torch_call(name, torch, *inputs):
    """The same by PyTorch, whose svd has all vectors by default."""
    settings = {"full_matrices": False} if name == "svd" else {}
    return getattr(torch.linalg, name)(*inputs, **settings)


KERNELS = {
    f"{called}_{size}": Kernel(
        partial(inputs, shape), partial(tensorflow_call, ours), partial(torch_call, theirs)
    )
    for called, inputs, ours, theirs in FACTORS
    for size, shape in SHAPES.items()
}


if __name__ == "__main__":
    probe.serve(__doc__, partial(timings_of, KERNELS))
