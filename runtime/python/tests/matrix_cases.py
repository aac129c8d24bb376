"""Gradients of matrices, special functions and sums of products, for test_gradients.py."""

import numpy as np
import tfbuild_runtime.compat.v1 as tf


def normal(*shape):
    return lambda random: random.standard_normal(shape)


def between(low, high, *shape):
    return lambda random: random.uniform(low, high, shape)


def positive_definite(*shape):
    def make(random):
        matrix = random.standard_normal(shape)
        return matrix @ np.swapaxes(matrix, -1, -2) + 3 * np.eye(shape[-1])

    return make


def weighted(tensors):
    """Return a sum in which each tensor has a weight of its own."""
    return tf.add_n([tf.reduce_sum(part) * weight for part, weight in zip(tensors, (1.3, -0.7, 2))])


def symmetric(matrix):
    return matrix + tf.matrix_transpose(matrix)


def number(value):
    return tf.constant(value, tf.float64)


INSIDE = between(-0.9, 0.9, 2, 3)
POSITIVE = between(0.5, 2, 2, 3)
SQUARE, RIGHT = normal(2, 3, 3), normal(2, 3, 2)
SIDES = [(lower, adjoint) for lower in (True, False) for adjoint in (True, False)]

# name: (function of the inputs, makers of the inputs)
CASES = {
    **{name: (getattr(tf, name), [INSIDE]) for name in (
        "tan", "asin", "acos", "atan", "sinh", "cosh", "asinh", "atanh", "erfc")},
    **{name: (getattr(tf, name), [POSITIVE]) for name in ("lgamma", "digamma", "lbeta")},
    **{name: (getattr(tf.math, name), [normal(2, 3), between(0.5, 2, 3)])
       for name in ("xlogy", "xlog1py", "xdivy")},
    "acosh": (lambda x: tf.acosh(x + 1), [POSITIVE]),
    "atan2": (tf.atan2, [normal(2, 3), normal(3)]),
    "igamma": (tf.igamma, [POSITIVE, between(0.5, 2, 3)]),
    "igammac": (tf.igammac, [POSITIVE, between(0.5, 2, 2, 1)]),
    "betainc": (lambda x: tf.betainc(number(1.3), number(0.7), x), [between(0.1, 0.9, 2, 3)]),
    "polygamma": (lambda x: tf.polygamma(number(2), x), [POSITIVE]),
    "zeta": (lambda x: tf.zeta(number(2.5), x), [POSITIVE]),
    "truncatemod": (tf.truncatemod, [lambda _: np.array([[1.2, 2.7, -3.4]]),
                                     lambda _: np.array([[1.0], [0.8]])]),
    "diag": (tf.diag, [normal(2, 3)]),
    "diag_part": (tf.diag_part, [normal(2, 3, 2, 3)]),
    "matrix_diag": (tf.matrix_diag, [normal(2, 3)]),
    "matrix_diag_part": (tf.matrix_diag_part, [normal(2, 3, 4)]),
    "matrix_set_diag": (tf.matrix_set_diag, [normal(2, 3, 4), normal(2, 3)]),
    "matrix_band_part": (lambda x: tf.matrix_band_part(x, 1, 0), [normal(2, 3, 4)]),
    "matrix_inverse": (tf.matrix_inverse, [SQUARE]),
    "matrix_inverse_adjoint": (lambda x: tf.matrix_inverse(x, adjoint=True), [SQUARE]),
    "matrix_solve": (tf.matrix_solve, [SQUARE, RIGHT]),
    "matrix_solve_adjoint": (lambda a, b: tf.matrix_solve(a, b, adjoint=True), [SQUARE, RIGHT]),
    "matrix_determinant": (tf.matrix_determinant, [SQUARE]),
    "slogdet": (lambda x: tf.linalg.slogdet(x)[1], [SQUARE]),
    "logdet": (lambda x: tf.linalg.logdet(symmetric(x)), [positive_definite(2, 3, 3)]),
    "cholesky": (lambda x: tf.cholesky(symmetric(x)), [positive_definite(2, 3, 3)]),
    **{f"triangular_solve_{'lower' if lower else 'upper'}{'_adjoint' if adjoint else ''}":
       (lambda a, b, lower=lower, adjoint=adjoint: tf.matrix_triangular_solve(
           a, b, lower=lower, adjoint=adjoint), [positive_definite(2, 3, 3), RIGHT])
       for lower, adjoint in SIDES},
    "eigenvalues": (tf.self_adjoint_eigvals, [positive_definite(2, 3, 3)]),
    "eigenvectors": (lambda x: tf.square(tf.self_adjoint_eig(x)[1]), [positive_definite(3, 3)]),
    "singular_values": (lambda x: tf.svd(x, compute_uv=False), [normal(2, 4, 3)]),
    "singular_vectors": (lambda x: weighted(map(tf.square, tf.svd(x))), [normal(3, 4)]),
    "norm": (lambda x: tf.norm(x, axis=1) + tf.norm(x, 1), [normal(2, 3)]),
}  # fmt: skip

# As above, and the rank must be known.
RANKED = {
    "tensordot": (lambda a, b: tf.tensordot(a, b, [[1], [0]]), [normal(2, 3), normal(3, 2, 2)]),
    "einsum": (lambda a, b: tf.einsum("bshd,bthd->bhst", a, b),
               [normal(2, 3, 2, 2), normal(2, 4, 2, 2)]),
    "einsum_without_sum": (lambda a, b: tf.einsum("i,j->ij", a, b), [normal(2), normal(3)]),
    "einsum_of_three": (lambda a, b, c: tf.einsum("ab,bc,cd->ad", a, b, c),
                        [normal(2, 3), normal(3, 2), normal(2, 4)]),
    "einsum_dots": (lambda a, b: tf.einsum("...ij,jk->...ik", a, b),
                    [normal(2, 2, 3), normal(3, 4)]),
    "matrix_solve_ls": (lambda a, b: tf.matrix_solve_ls(a, b, l2_regularizer=0.1),
                        [normal(4, 3), normal(4, 2)]),
}  # fmt: skip

# Whose sizes must be known.
SIZED = {
    "qr": (lambda x: weighted(map(tf.square, tf.qr(x))), [normal(2, 4, 3)]),
    "norm_of_a_matrix": (lambda x: tf.norm(x, 2, axis=[0, 1]), [normal(4, 3)]),
    "cross": (tf.cross, [normal(2, 3), normal(2, 3)]),
}
