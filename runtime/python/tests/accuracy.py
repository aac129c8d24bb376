"""How far kernels of floating-point numbers are from the truth, in units in the last place.

An elementwise kernel is measured over the whole range of its arguments: all bit patterns of a
16-bit type, patterns of float32 in even steps, and random ones of float64, so that numbers of every
size, denormal ones, infinities and NaN are among them. The truth is NumPy's function in a wider
type. A sum of products is measured in units in the last place of the sum of their magnitudes, which
is what rounding can lose: the result itself may be near zero.
"""

import math

import ml_dtypes
import numpy as np
import tfbuild_runtime.compat.v1 as tf
from tfbuild_runtime.framework import ops

STEP = 8191  # between the patterns of float32; odd, so that the last bits are all there
RANDOM = 200_000  # patterns of float64, and pairs of arguments
TYPES = {
    "bfloat16": np.dtype(ml_dtypes.bfloat16),
    "half": np.dtype(np.float16),
    "float": np.dtype(np.float32),
    "double": np.dtype(np.float64),
}
# Digits of the significand, and the least exponent of a normal number in [1/2, 1) times a power.
FORMATS = {"bfloat16": (8, -125), "half": (11, -13), "float": (24, -125), "double": (53, -1021)}
erf = np.vectorize(math.erf, otypes=[np.float64])

UNARY = {
    "Abs": np.abs, "Ceil": np.ceil, "Cos": np.cos, "Erf": erf, "Exp": np.exp, "Expm1": np.expm1,
    "Floor": np.floor, "Log": np.log, "Log1p": np.log1p, "Neg": np.negative,
    "Reciprocal": lambda x: 1 / x, "Relu": lambda x: np.where(x < 0, 0.0, x), "Rint": np.rint,
    "Round": np.rint, "Rsqrt": lambda x: 1 / np.sqrt(x),
    "Sigmoid": lambda x: np.where(x < 0, np.exp(x), 1) / (1 + np.exp(-np.abs(x))),
    "Sign": np.sign, "Sin": np.sin, "Softplus": lambda x: np.logaddexp(x.dtype.type(0), x),
    "Sqrt": np.sqrt, "Square": np.square, "Tanh": np.tanh,
}  # fmt: skip
BINARY = {
    "Add": np.add, "AddV2": np.add, "Div": np.divide, "RealDiv": np.divide, "Mul": np.multiply,
    "Maximum": np.maximum, "Minimum": np.minimum, "Pow": np.power, "Sub": np.subtract,
    "DivNoNan": lambda x, y: np.where(y == 0, 0 * y, x / np.where(y == 0, 1, y)),
    "SquaredDifference": lambda x, y: (x - y) ** 2,
    "ReciprocalGrad": lambda y, dy: -dy * y * y, "RsqrtGrad": lambda y, dy: -dy / 2 * y * y * y,
    "SigmoidGrad": lambda y, dy: dy * (y * (1 - y)), "SqrtGrad": lambda y, dy: dy / 2 / y,
    "TanhGrad": lambda y, dy: dy * ((1 - y) * (1 + y)),
    "SoftplusGrad": lambda g, x: g / (1 + np.exp(-x)),
    "ReluGrad": lambda g, x: np.where(x > 0, g, 0.0),
}  # fmt: skip
PLACE = "/CPU:0"  # whose kernels are measured
STRICT = tf.ConfigProto(allow_soft_placement=False)
SUMS = ("BatchMatMulV2", "BiasAddGrad", "Conv2D", "L2Loss", "MatMul", "Mean", "Sum")
ROWS = ("LogSoftmax", "Softmax", "SparseSoftmaxCrossEntropyWithLogits")


def run(op_type, *arrays, **attrs):
    """Return what the op makes of the arrays, as a list of arrays."""
    with tf.Graph().as_default(), tf.device(PLACE), tf.Session(config=STRICT) as session:
        fed = [tf.placeholder(array.dtype, array.shape) for array in arrays]
        outputs = ops.apply_op(op_type, fed, attrs).outputs
        return session.run(list(outputs), dict(zip(fed, arrays)))


def patterns(kind):
    """Return numbers of that type that cover its range, with those that are special."""
    dtype = TYPES[kind]
    if dtype.itemsize == 2:
        return np.arange(1 << 16, dtype=np.uint16).view(dtype)
    info = np.finfo(dtype)
    special = [0.0, 1.0, info.max, info.tiny, info.tiny * info.eps, math.inf, math.nan]
    both = np.array(special + [-x for x in special], dtype)
    if kind == "float":
        steps = np.arange(0, 1 << 32, STEP, dtype=np.uint64).astype(np.uint32)
        return np.concatenate([steps.view(dtype), both])
    random = np.random.default_rng(1).integers(0, 1 << 64, RANDOM, np.uint64)
    return np.concatenate([random.view(dtype), both])


def pairs(op_type, kind):
    """Return arguments of an op of two: any numbers of that type, and of usual sizes.

    A gradient's are such as its function has: results of tanh lie between -1 and 1. In double,
    whose products of three may be beyond its range, they are of the usual sizes.
    """
    random = np.random.default_rng(2)
    any_of = patterns(kind)
    x, y = random.choice(any_of, RANDOM), random.choice(any_of, RANDOM)
    usual = random.standard_normal((2, RANDOM)) * 2.0 ** random.integers(-8, 8, (2, RANDOM))
    x, y = (np.concatenate([a, b.astype(TYPES[kind])]) for a, b in zip((x, y), usual))
    if op_type.endswith("Grad") and kind == "double":
        x, y = x[RANDOM:], y[RANDOM:]
    if op_type in ("TanhGrad", "SigmoidGrad"):
        keep = np.abs(x.astype(np.float64)) <= 1
        x, y = x[keep], y[keep]
    if op_type == "SoftplusGrad":  # exp(-x) is a number
        keep = y.astype(np.float64) > -80
        x, y = x[keep], y[keep]
    return x, y


def wide(array):
    """Return the array in a type that is exact enough to judge it by."""
    return array.astype(np.longdouble if array.dtype == np.float64 else np.float64)


def unit(expected, kind):
    """Return the distance of neighbours near each of the expected numbers."""
    digits, lowest = FORMATS[kind]
    _, exponent = np.frexp(expected)
    return np.ldexp(np.ones_like(expected), np.maximum(exponent, lowest) - digits)


def ulps(found, truth, kind):
    """Return the largest distance; infinite where one is NaN and the other is not."""
    got, want = wide(found), truth
    if (np.isnan(got) != np.isnan(want)).any():
        return math.inf
    # Infinity is where the next number after the largest would be; the truth may lie beyond.
    end = want.dtype.type(2) ** (3 - FORMATS[kind][1])
    got, want = (np.clip(np.where(np.isnan(a), 0, a), -end, end) for a in (got, want))
    far = got != want
    apart = np.abs(got[far] - want[far]) / unit(want[far], kind)
    return float(apart.max()) if far.any() else 0.0


def assert_within(found, truth, units, slack=0.0, reason=""):
    """Fail unless each number is at most that many units in the last place from the truth.

    The truth is in a wider type. An absolute slack besides needs its reason.
    """
    assert (slack > 0) == bool(reason), "a slack and its reason belong together"
    kind = next(name for name, dtype in TYPES.items() if dtype == np.asarray(found).dtype)
    got, want = np.asarray(wide(np.asarray(found))), np.asarray(truth)
    want = want.astype(np.promote_types(want.dtype, np.float64))
    assert got.shape == want.shape
    same = (got == want) | (np.isnan(got) & np.isnan(want))
    with np.errstate(invalid="ignore"):
        far = ~same & ~(np.abs(got - want) <= units * unit(want, kind) + slack)
    assert not far.any(), (got[far][:3], want[far][:3])


def measure_elementwise(op_type, kind):
    """Return the largest distance over the whole range; None for ops that are not elementwise."""
    with np.errstate(all="ignore"):
        if op_type in UNARY:
            if (op_type, kind) == ("Erf", "double"):
                return None  # NumPy has nothing wider
            x = patterns(kind)
            (found,) = run(op_type, x)
            return ulps(found, wide(UNARY[op_type](wide(x))), kind)
        if op_type in BINARY:
            x, y = pairs(op_type, kind)
            (found,) = run(op_type, x, y)
            return ulps(found, BINARY[op_type](wide(x), wide(y)), kind)
    return None


def sum_case(op_type, kind):
    """Return the arguments of a sum of 5,000 terms with both signs, and a function of them."""
    random = np.random.default_rng(3)

    def draw(*shape):
        return random.standard_normal(shape).astype(TYPES[kind])

    if op_type in ("Sum", "Mean"):
        share = 5000 if op_type == "Mean" else 1
        return (draw(64, 5000), np.int32(1)), {}, lambda x, _: x.sum(1) / share
    if op_type == "MatMul":
        return (draw(64, 5000), draw(5000, 64)), {}, np.matmul
    if op_type == "BatchMatMulV2":
        return (draw(2, 32, 5000), draw(5000, 32)), {}, np.matmul
    if op_type == "L2Loss":
        return (draw(5000),), {}, lambda x: (x * x).sum() / 2
    if op_type == "BiasAddGrad":
        return (draw(5000, 64),), {}, lambda x: x.sum(0)
    attrs = {"strides": [1, 1, 1, 1], "padding": "VALID"}  # Conv2D, as one product for each image
    return (
        (draw(16, 5, 5, 200), draw(5, 5, 200, 16)),
        attrs,
        lambda x, w: np.tensordot(x, w, 3)[:, None, None, :],
    )


def measure_sum(op_type, kind):
    """Return the largest distance, in units of the sum of the terms' magnitudes."""
    arrays, attrs, function = sum_case(op_type, kind)
    (found,) = run(op_type, *map(np.asarray, arrays), **attrs)
    floats = [wide(a) if getattr(a, "ndim", 0) else a for a in arrays]
    truth, size = function(*floats), function(*(np.abs(a) for a in floats))
    return float(np.max(np.abs(wide(found) - truth) / unit(size, kind)))


def measure_rows(op_type, kind):
    """Return the largest distance for rows of 1,000 logits."""
    random = np.random.default_rng(4)
    logits = (random.standard_normal((200, 1000)) * 5).astype(TYPES[kind])
    x = wide(logits)
    x = x - x.max(1, keepdims=True)
    logs = x - np.log(np.exp(x).sum(1, keepdims=True))
    if op_type == "Softmax":
        return ulps(run(op_type, logits)[0], np.exp(logs), kind)
    if op_type == "LogSoftmax":
        return ulps(run(op_type, logits)[0], logs, kind)
    labels = random.integers(0, 1000, 200)
    return ulps(run(op_type, logits, labels)[0], -logs[np.arange(200), labels], kind)


def measure(op_type, kind):
    """Return the largest distance of a kernel from the truth; None for one that is not measured."""
    if op_type in SUMS:
        return measure_sum(op_type, kind)
    if op_type in ROWS:
        return measure_rows(op_type, kind)
    return measure_elementwise(op_type, kind)
