"""Speed of single kernels in float32, of the sizes that programs have.

Vectors have 1.6 million numbers, matrices 1024 x 1024, batches of images 8 x 56 x 56 x 64. Each is
one op (or the few that the word stands for) on variables, fetched as an op: nothing is folded, no
result is copied out. PyTorch has its images channels last, as the graph has; ONNX Runtime has them
channels first, since it knows nothing else.
"""

from functools import partial

import numpy as np
import probe_tools as probe
from kernel_calls import Kernel, normal, timings_of, torch_images

VECTOR, SIDE, IMAGE, CHANNELS = 1_600_000, 1024, 56, 64
CHAIN = 1000


# --- inputs ---------------------------------------------------------------------------------------


def vector():
    """One vector."""
    return [normal(VECTOR)]


def positive():
    """One vector of numbers from one half to two."""
    return [np.exp2(np.random.default_rng(0).uniform(-1, 1, VECTOR)).astype(np.float32)]


def two_vectors():
    """Two vectors."""
    return [normal(VECTOR), normal(VECTOR)]


def matrix():
    """One matrix."""
    return [normal(SIDE, SIDE)]


def matrix_and_row():
    """A matrix and a row."""
    return [normal(SIDE, SIDE), normal(SIDE)]


def images():
    """A batch of images."""
    return [normal(8, IMAGE, IMAGE, CHANNELS)]


def images_and_channels():
    """A batch of images and a number for each channel."""
    return [*images(), normal(CHANNELS)]


def rows_and_indices():
    """A matrix and as many indices of its rows."""
    return [normal(SIDE, SIDE), np.random.default_rng(0).integers(0, SIDE, SIDE)]


def two_matrices():
    """Two matrices."""
    return [normal(SIDE, SIDE), normal(SIDE, SIDE)]


# --- kernels --------------------------------------------------------------------------------------


def max_pool(tf, x):
    """2 x 2."""
    return tf.nn.max_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], "VALID")


def adam(tf, gradient, _):
    """One step on a vector."""
    target = tf.Variable(np.zeros(gradient.shape.as_list(), np.float32))
    return tf.train.AdamOptimizer().apply_gradients([(gradient, target)])


def chain(tf, x):
    """A thousand sums, one after the other."""
    for _ in range(CHAIN):
        x = tf.add(x, x)
    return x


def moments_norm(tf, x, scale):
    """Layer normalisation over the columns, as it is written with moments."""
    mean, variance = tf.nn.moments(x, [1], keep_dims=True)
    return (x - mean) * tf.rsqrt(variance + 1e-5) * scale


def gelu(tf, x):
    """By the error function."""
    return 0.5 * x * (1.0 + tf.erf(x * 0.7071067811865476))


def unary(name, torch=None, onnx=None, inputs=vector, numpy=None):
    """A function of one vector, under the same name in TensorFlow and NumPy unless said."""
    return Kernel(
        inputs,
        lambda tf, x: (getattr(tf.nn, name, None) or getattr(tf, name))(x),
        torch=lambda torch_, x: getattr(torch_, torch or name)(x),
        numpy=numpy or (lambda np_, x: getattr(np_, name)(x)),
        onnx=onnx,
    )


KERNELS = {
    "add": Kernel(
        two_vectors,
        lambda tf, x, y: tf.add(x, y),
        lambda _, x, y: x + y,
        lambda _, x, y: x + y,
        "Add",
    ),
    "square": unary("square"),
    "relu": unary("relu", onnx="Relu", numpy=lambda np_, x: np_.maximum(x, 0)),
    "tanh": unary("tanh", onnx="Tanh"),
    "exp": unary("exp", onnx="Exp"),
    "expm1": unary("expm1"),
    "log": unary("log", onnx="Log", inputs=positive),
    "log1p": unary("log1p", inputs=positive),
    "sigmoid": unary("sigmoid", onnx="Sigmoid", numpy=lambda np_, x: 1 / (1 + np_.exp(-x))),
    "sin": unary("sin", onnx="Sin"),
    "floor": unary("floor", onnx="Floor"),
    "rsqrt": unary("rsqrt", inputs=positive, numpy=lambda np_, x: 1 / np_.sqrt(x)),
    "erf": Kernel(vector, lambda tf, x: tf.erf(x), lambda torch, x: torch.erf(x), onnx="Erf"),
    "softplus": Kernel(
        vector,
        lambda tf, x: tf.nn.softplus(x),
        lambda torch, x: torch.nn.functional.softplus(x),
        lambda np_, x: np_.logaddexp(x, 0),
        "Softplus",
    ),
    "gelu": Kernel(vector, gelu, lambda torch, x: torch.nn.functional.gelu(x)),
    "row_broadcast": Kernel(
        matrix_and_row,
        lambda tf, x, row: tf.add(x, row),
        lambda _, x, row: x + row,
        lambda _, x, row: x + row,
        "Add",
    ),
    "sum_of_rows": Kernel(
        matrix,
        lambda tf, x: tf.reduce_sum(x, axis=1),
        lambda torch, x: torch.sum(x, dim=1),
        lambda _, x: x.sum(axis=1),
    ),
    "sum_of_columns": Kernel(
        matrix,
        lambda tf, x: tf.reduce_sum(x, axis=0),
        lambda torch, x: torch.sum(x, dim=0),
        lambda _, x: x.sum(axis=0),
    ),
    "max_of_rows": Kernel(
        matrix,
        lambda tf, x: tf.reduce_max(x, axis=1),
        lambda torch, x: torch.amax(x, dim=1),
        lambda _, x: x.max(axis=1),
        ("ReduceMax", {"axes": (1,)}),
    ),
    "transpose": Kernel(
        matrix,
        lambda tf, x: tf.transpose(x),
        lambda _, x: x.t().contiguous(),
        lambda np_, x: np_.ascontiguousarray(x.T),
        ("Transpose", {"perm": (1, 0)}),
    ),
    "gather_rows": Kernel(
        rows_and_indices,
        lambda tf, x, rows: tf.gather(x, rows),
        lambda torch, x, rows: torch.index_select(x, 0, rows),
        lambda np_, x, rows: np_.take(x, rows, axis=0),
        ("Gather", {"axis": 0}),
    ),
    "concat": Kernel(
        two_matrices,
        lambda tf, x, y: tf.concat([x, y], axis=1),
        lambda torch, x, y: torch.cat([x, y], dim=1),
        lambda np_, x, y: np_.concatenate([x, y], axis=1),
        ("Concat", {"axis": 1}),
    ),
    "layer_norm": Kernel(
        matrix_and_row,
        moments_norm,
        lambda torch, x, s: torch.nn.functional.layer_norm(x, [SIDE], weight=s),
    ),
    "cross_entropy": Kernel(
        rows_and_indices,
        lambda tf, x, labels: tf.nn.sparse_softmax_cross_entropy_with_logits(
            labels=labels, logits=x
        ),
        lambda torch, x, labels: torch.nn.functional.cross_entropy(x, labels, reduction="none"),
    ),
    "bias_add": Kernel(
        images_and_channels,
        lambda tf, x, bias: tf.nn.bias_add(x, bias),
        lambda _, x, bias: x + bias,
        lambda _, x, bias: x + bias,
        "Add",
    ),
    "max_pool": Kernel(
        images, max_pool, lambda torch, x: torch.nn.functional.max_pool2d(torch_images(x), 2)
    ),
    "max_pool_gradient": Kernel(images, lambda tf, x: tf.gradients(max_pool(tf, x), x)[0]),
    "average_pool": Kernel(
        images,
        lambda tf, x: tf.nn.avg_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], "VALID"),
        lambda torch, x: torch.nn.functional.avg_pool2d(torch_images(x), 2),
    ),
    "adam": Kernel(two_vectors, adam),
    "chain_of_sums": Kernel(lambda: [np.float32(1)], chain),
}


if __name__ == "__main__":
    probe.serve(__doc__, partial(timings_of, KERNELS))
