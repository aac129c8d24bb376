"""Linear operators: every one against the matrix that it stands for, known and unknown shapes."""

import numpy as np
import pytest
import tfbuild_runtime.compat.v1 as tf

linalg = tf.linalg
RANDOM = np.random.RandomState(7)


def numbers(*shape, complex_=False):
    real = RANDOM.randn(*shape)
    return real + 1j * RANDOM.randn(*shape) if complex_ else real


def square(*shape, complex_=False):
    """Random matrices that are far from singular."""
    return numbers(*shape, complex_=complex_) + 4 * np.eye(shape[-1])


def block_diag(first, second):
    whole = np.zeros((*second.shape[:-2], *np.add(first.shape[-2:], second.shape[-2:])))
    whole[..., : first.shape[-2], : first.shape[-1]] = first
    whole[..., first.shape[-2] :, first.shape[-1] :] = second
    return whole


def circulant(column):
    return np.stack([np.roll(column, step) for step in range(len(column))], axis=1)


def toeplitz(column, row):
    size = len(column)
    return np.array([[column[i - j] if i >= j else row[j - i] for j in range(size)]
                     for i in range(size)])  # fmt: skip


A, B = square(3, 3), square(2, 2, 2)
C = square(2, 3, 3, complex_=True)
COLUMN, ROW = numbers(4) + np.array([9, 0, 0, 0]), numbers(4)
ROW[0] = COLUMN[0]
AXIS = numbers(2, 3)
UNIT = AXIS / np.linalg.norm(AXIS, axis=-1, keepdims=True)
U, V, D = numbers(3, 2), numbers(3, 2), np.array([1.5, -2.0])
WAVES = np.fft.fft2(numbers(2, 3) + np.array([[9, 0, 0], [0, 0, 0]]))


def circulant2(spectrum):
    """The matrix by what it does to each unit vector."""
    size = spectrum.size
    columns = [np.fft.ifft2(spectrum * np.fft.fft2(unit.reshape(spectrum.shape))).reshape(size)
               for unit in np.eye(size)]  # fmt: skip
    return np.stack(columns, axis=1)


def full(matrix):
    return linalg.LinearOperatorFullMatrix(matrix)


# What makes an operator of a function that puts its tensors into the graph, and its matrix.
OPERATORS = {
    "full": (lambda put: full(put(A)), A),
    "full, complex, batch": (lambda put: full(put(C)), C),
    "diagonal": (lambda put: linalg.LinearOperatorDiag(put(A[0])), np.diag(A[0])),
    "diagonal, complex": (lambda put: linalg.LinearOperatorDiag(put(C[0, 0])), np.diag(C[0, 0])),
    "lower": (lambda put: linalg.LinearOperatorLowerTriangular(put(B)), np.tril(B)),
    "identity": (
        lambda put: linalg.LinearOperatorIdentity(put(np.int32(3)), [2], tf.float64),
        np.broadcast_to(np.eye(3), (2, 3, 3)),
    ),
    "scaled": (
        lambda put: linalg.LinearOperatorScaledIdentity(3, put(np.array([2.0, -3.0]))),
        np.array([2.0, -3.0])[:, None, None] * np.eye(3),
    ),
    "composition": (
        lambda put: linalg.LinearOperatorComposition([full(put(A[:2, :2])), full(put(B))]),
        A[:2, :2] @ B,
    ),
    "block diagonal": (
        lambda put: linalg.LinearOperatorBlockDiag(
            [linalg.LinearOperatorFullMatrix(put(part), is_square=True) for part in (A, B)]
        ),
        block_diag(A, B),
    ),
    "kronecker": (
        lambda put: linalg.LinearOperatorKronecker([full(put(A)), full(put(B)), full(put(A))]),
        np.stack([np.kron(A, np.kron(b, A)) for b in B]),
    ),
    "householder": (
        lambda put: linalg.LinearOperatorHouseholder(put(AXIS)),
        np.eye(3) - 2 * UNIT[:, :, None] * UNIT[:, None, :],
    ),
    "low rank update": (
        lambda put: linalg.LinearOperatorLowRankUpdate(full(put(A)), put(U), put(D), put(V)),
        A + U @ np.diag(D) @ V.T,
    ),
    "circulant": (
        lambda put: linalg.LinearOperatorCirculant(put(np.fft.fft(COLUMN)), tf.float64),
        circulant(COLUMN),
    ),
    "block circulant": (
        lambda put: linalg.LinearOperatorCirculant2D(put(WAVES), tf.complex128),
        circulant2(WAVES),
    ),
    "toeplitz": (
        lambda put: linalg.LinearOperatorToeplitz(put(COLUMN), put(ROW)),
        toeplitz(COLUMN, ROW),
    ),
    "adjoint": (lambda put: linalg.LinearOperatorAdjoint(full(put(C))), C.conj().swapaxes(-1, -2)),
    "inverse": (lambda put: linalg.LinearOperatorInversion(full(put(B))), np.linalg.inv(B)),
}


@pytest.fixture(params=["known", "unknown"])
def graph(request):
    """What puts arrays into the graph, as constants or of unknown shape, and their feeds."""
    feeds = {}

    def put(array):
        if request.param == "known":
            return tf.constant(array)
        tensor = tf.placeholder(array.dtype)
        feeds[tensor] = array
        return tensor

    return put, feeds


@pytest.mark.parametrize("name", OPERATORS)
def test_an_operator_does_what_its_matrix_does(name, graph, run):
    put, feeds = graph
    make, matrix = OPERATORS[name]
    operator = make(put)
    kind = matrix.dtype
    x = numbers(*matrix.shape[:-2], matrix.shape[-1], 2).astype(kind)
    vector = numbers(matrix.shape[-1]).astype(kind)
    flipped = matrix.conj().swapaxes(-1, -2)
    expected = {
        "to_dense": matrix,
        "shape": matrix.shape,
        "matmul": matrix @ x,
        "matmul adjoint": flipped @ x,
        "matmul of adjoint": matrix @ x,
        "matvec": matrix @ vector,
        "solve": np.linalg.solve(matrix, x),
        "solve adjoint": np.linalg.solve(flipped, x),
        "determinant": np.linalg.det(matrix),
        "log": np.log(np.abs(np.linalg.det(matrix))),
        "trace": np.trace(matrix, axis1=-2, axis2=-1),
        "diag": np.diagonal(matrix, axis1=-2, axis2=-1),
        "sum": matrix + matrix,
        "adjoint": flipped,
        "inverse": np.linalg.inv(matrix),
    }
    found = run(
        {
            "to_dense": operator.to_dense(),
            "shape": operator.shape_tensor(),
            "matmul": operator.matmul(x),
            "matmul adjoint": operator.matmul(x, adjoint=True),
            "matmul of adjoint": operator.matmul(linalg.adjoint(x), adjoint_arg=True),
            "matvec": operator.matvec(vector),
            "solve": operator.solve(x),
            "solve adjoint": operator.solve(x, adjoint=True),
            "determinant": operator.determinant(),
            "log": operator.log_abs_determinant(),
            "trace": operator.trace(),
            "diag": operator.diag_part(),
            "sum": operator.add_to_tensor(matrix),
            "adjoint": operator.adjoint().to_dense(),
            "inverse": operator.inverse().to_dense(),
        },
        feeds,
    )
    for what, value in expected.items():
        np.testing.assert_allclose(found[what], value, rtol=1e-9, atol=1e-9, err_msg=what)


@pytest.mark.parametrize("scale", [1e-300, 1e-200, 1e200, 1e300])
def test_decompositions_of_numbers_of_any_size(scale):
    """Squares of such numbers overflow, or vanish."""
    rng = np.random.RandomState(3)
    matrix = rng.rand(5, 4)
    square = matrix.T @ matrix + np.eye(4)
    with tf.Session() as session:
        values, left, right = session.run(tf.svd(matrix * scale))
        own, vectors = session.run(tf.self_adjoint_eig(square * scale))
    np.testing.assert_allclose(values / scale, np.linalg.svd(matrix)[1], rtol=1e-12)
    np.testing.assert_allclose((left * (values / scale)) @ right.T, matrix, rtol=1e-10)
    np.testing.assert_allclose(own / scale, np.linalg.eigvalsh(square), rtol=1e-12)
    np.testing.assert_allclose(square @ vectors, vectors * (own / scale), rtol=1e-10)
