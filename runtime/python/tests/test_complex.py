"""Complex numbers against NumPy's, and their gradients."""

import numpy as np
import pytest
import tfbuild_runtime.compat.v1 as tf

TYPES = [np.complex64, np.complex128]


def numbers(*shape, dtype=np.complex128, seed=3):
    """Return random complex numbers."""
    random = np.random.default_rng(seed)
    parts = random.standard_normal((2, *shape))
    return (parts[0] + 1j * parts[1]).astype(dtype)


@pytest.mark.parametrize("dtype", TYPES)
def test_fed_and_fetched(run, dtype):
    value = numbers(2, 3, dtype=dtype)
    x = tf.placeholder(dtype, [2, 3])
    result = run(x, {x: value})
    assert result.dtype == dtype
    assert (result == value).all()
    assert run(tf.constant(value)).tolist() == value.tolist()
    assert run(tf.constant(2 + 1j)) == 2 + 1j
    with tf.Session() as session, pytest.raises(TypeError, match="fed for"):
        session.run(tf.placeholder(tf.float32) + 1, {"Placeholder_1:0": 1j})


def test_types_as_in_tensorflow():
    assert tf.constant(1j).dtype == tf.complex128
    assert (tf.complex64.real_dtype, tf.complex128.real_dtype) == (tf.float32, tf.float64)
    assert tf.complex64.is_complex
    assert not tf.complex64.is_floating
    assert tf.constant(1, tf.complex64).dtype == tf.complex64
    with pytest.raises(TypeError, match="float32"):
        tf.constant(1j, tf.float32)
    with pytest.raises(TypeError, match="don't match"):
        tf.complex(tf.constant(1.0), tf.constant(1.0, tf.float64))


@pytest.mark.parametrize("dtype", TYPES)
def test_parts(run, dtype):
    value = numbers(4, dtype=dtype)
    x = tf.constant(value)
    parts = run([tf.real(x), tf.imag(x), tf.abs(x), tf.angle(x), tf.conj(x)])
    for got, wanted in zip(parts, [value.real, value.imag, abs(value), np.angle(value),
                                   value.conj()]):  # fmt: skip
        assert got.dtype == wanted.dtype
        np.testing.assert_allclose(got, wanted, rtol=3e-7)
    again = tf.complex(tf.real(x), tf.imag(x))
    assert (run(again) == value).all()
    real = tf.constant([-1.0, 2.0])
    assert tf.real(real) is real
    assert tf.conj(real) is real
    assert run(tf.imag(real)).tolist() == [0, 0]
    np.testing.assert_allclose(run(tf.angle(real)), [np.pi, 0], rtol=1e-6)


BINARY = {
    "add": (tf.add, np.add),
    "subtract": (tf.subtract, np.subtract),
    "multiply": (tf.multiply, np.multiply),
    "divide": (tf.divide, np.divide),
    "div": (tf.div, np.divide),
    "matmul": (tf.matmul, np.matmul),
}


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", BINARY)
def test_two_operands(run, name, dtype):
    ours, numpys = BINARY[name]
    x, y = numbers(3, 3, dtype=dtype), numbers(3, 3, dtype=dtype, seed=4)
    result = run(ours(tf.constant(x), tf.constant(y)))
    assert result.dtype == dtype
    np.testing.assert_allclose(result, numpys(x, y), rtol=2e-6 if dtype == np.complex64 else 1e-14)


def test_one_operand_and_what_moves_elements(run):
    value = numbers(2, 3)
    x = tf.constant(value)
    pairs = [
        (-x, -value),
        (tf.square(x), value * value),
        (tf.reduce_sum(x, 1), value.sum(1)),
        (tf.reduce_mean(x), value.mean()),
        (tf.transpose(x), value.T),
        (tf.transpose(x, conjugate=True), value.conj().T),
        (tf.reshape(x, [6]), value.reshape(6)),
        (tf.concat([x, x], 1), np.concatenate([value, value], 1)),
        (tf.stack([x, x]), np.stack([value, value])),
        (tf.tile(x, [2, 1]), np.tile(value, [2, 1])),
        (tf.pad(x, [[1, 0], [0, 1]]), np.pad(value, [[1, 0], [0, 1]])),
        (tf.gather(x, [1, 0]), value[[1, 0]]),
        (x[::-1, 1:], value[::-1, 1:]),
        (tf.where(value.real > 0, x, -x), np.where(value.real > 0, value, -value)),
        (tf.zeros_like(x), np.zeros_like(value)),
        (tf.ones_like(x), np.ones_like(value)),
        (tf.add_n([x, x]), value + value),
        (tf.broadcast_to(x[:1], [2, 3]), np.broadcast_to(value[:1], [2, 3])),
        (tf.cast(x, tf.complex64), value.astype(np.complex64)),
        (tf.cast(tf.constant([1, 2]), tf.complex64), np.array([1, 2], np.complex64)),
        (tf.cast(x, tf.float64), value.real),
        (tf.equal(x, x), np.full((2, 3), True)),
    ]
    for tensor, wanted in pairs:
        result = run(tensor)
        assert result.dtype == wanted.dtype, tensor
        np.testing.assert_allclose(result, wanted, rtol=1e-14, err_msg=tensor.name)


def test_functions(run):
    value = numbers(2, 3)
    x = tf.constant(value)
    one = {"exp": np.exp, "expm1": np.expm1, "log": np.log, "log1p": np.log1p, "sqrt": np.sqrt,
           "sin": np.sin, "cos": np.cos, "tanh": np.tanh}  # fmt: skip
    pairs = [(getattr(tf, name)(x), function(value)) for name, function in one.items()]
    pairs += [
        (tf.rsqrt(x), 1 / np.sqrt(value)),
        (tf.sigmoid(x), 1 / (1 + np.exp(-value))),
        (tf.pow(x, x[::-1]), value ** value[::-1]),
        (tf.reduce_prod(x, 1), value.prod(1)),
        (tf.exp(x) * tf.sqrt(x) + 1, np.exp(value) * np.sqrt(value) + 1),
    ]
    for tensor, wanted in pairs:
        np.testing.assert_allclose(run(tensor), wanted, rtol=1e-12, err_msg=tensor.name)


def test_adjoints(run):
    x, y = numbers(2, 3), numbers(2, 3, seed=5)
    products = [
        (tf.matmul(x, y, adjoint_b=True), x @ y.conj().T),
        (tf.matmul(x, y, transpose_b=True), x @ y.T),
        (tf.matmul(x, y, adjoint_a=True), x.conj().T @ y),
        (tf.matmul(x[None], y[None], adjoint_b=True), (x @ y.conj().T)[None]),
        (tf.matmul(x[None], y[None], transpose_b=True), (x @ y.T)[None]),
    ]
    for tensor, wanted in products:
        np.testing.assert_allclose(run(tensor), wanted, rtol=1e-13)


def test_variables_of_complex_numbers(run):
    for use_resource in (False, True):
        v = tf.Variable([1 + 1j, 2 - 1j], use_resource=use_resource)
        with tf.Session() as session:
            session.run(v.initializer)
            assert session.run(tf.assign_add(v, [1j, 1.0])).tolist() == [1 + 2j, 3 - 1j]


# ---- gradients ------------------------------------------------------------------------------

REAL_RESULTS = {
    "abs": tf.abs,
    "angle": tf.angle,
    "square": lambda z: tf.real(tf.square(z)) + 2 * tf.imag(tf.square(z)),
    "product": lambda z: tf.imag(z * tf.conj(z) * tf.constant(1 + 2j)),
    "quotient": lambda z: tf.real(tf.constant(1 - 2j) / z) + tf.imag(z / tf.constant(1 - 2j)),
    "matmul": lambda z: tf.abs(tf.matmul(z, z)),
    "matmul_ta": lambda z: tf.real(tf.matmul(z, tf.conj(z) * (1 + 2j), transpose_a=True)),
    "matmul_tb": lambda z: tf.abs(tf.matmul(z, z, transpose_b=True)),
    "adjoint": lambda z: tf.imag(tf.matmul(z[None], z[None] * (2 + 1j), adjoint_b=True)),
    "sum": lambda z: tf.abs(tf.reduce_sum(z, 0)),
    "mean": lambda z: tf.real(tf.square(tf.reduce_mean(z, 1))),
    "cast": lambda z: tf.cast(tf.square(tf.cast(z, tf.complex128)), tf.float64),
    **{
        f.__name__: (lambda z, f=f: tf.abs(f(z) - 0.3j))
        for f in (
            tf.exp,
            tf.expm1,
            tf.log,
            tf.log1p,
            tf.sqrt,
            tf.rsqrt,
            tf.sin,
            tf.cos,
            tf.tanh,
            tf.sigmoid,
        )
    },
    "power": lambda z: tf.abs(tf.pow(z, tf.conj(z)[:1])),
    "prod": lambda z: tf.abs(tf.reduce_prod(z, 1) - 0.3j),
    "parts": lambda z: tf.abs(tf.complex(tf.imag(z), 2 * tf.real(z)[:1])),
}


@pytest.mark.parametrize("name", REAL_RESULTS)
def test_gradients_go_along_the_slope(name):
    """By the real and by the imaginary part, against differences."""
    value = numbers(2, 2)
    z = tf.placeholder(tf.complex128, [2, 2])
    total = tf.reduce_sum(REAL_RESULTS[name](z))
    (grad,) = tf.gradients(total, z)
    with tf.Session() as session:
        exact = session.run(grad, {z: value})
        for place in np.ndindex(2, 2):
            for way in (1, 1j):
                step = np.zeros((2, 2), complex)
                step[place] = 1e-6 * way
                up, down = (session.run(total, {z: value + s}) for s in (step, -step))
                slope = (up - down) / 2e-6
                mine = exact[place].real if way == 1 else exact[place].imag
                # Differences have lost half of the places.
                np.testing.assert_allclose(mine, slope, rtol=1e-6, atol=1e-8)


def test_a_complex_result_needs_to_be_given_its_gradient(run):
    z = tf.constant(1 + 2j)
    with pytest.raises(TypeError, match="must set grad_ys"):
        tf.gradients(tf.square(z), z)
    assert run(tf.gradients(tf.square(z), z, grad_ys=tf.constant(1j)))[0] == 1j * 2 * (1 - 2j)
    assert run(tf.gradients(tf.abs(z * 0), z)) == [0]


@pytest.mark.parametrize("dtype", TYPES)
def test_slices_by_coordinates_and_stitched(run, dtype):
    value = numbers(3, 4, dtype=dtype)
    picked = run(tf.gather_nd(value, [[2, 1], [0, 3]]))
    assert picked.tolist() == [value[2, 1], value[0, 3]]
    rows = run(tf.dynamic_stitch([[0, 2], [1]], [value[[0, 2]], value[[1]]]))
    assert (rows == value).all()
    parts = run(tf.dynamic_partition(value, [1, 0, 1], 2))
    assert (parts[1] == value[[0, 2]]).all()
