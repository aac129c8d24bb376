"""What Keras names by words: activations, initializers and regularizers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.ops import init_ops, math_ops, nn_ops, reduce_ops
from tfbuild_runtime.ops.emit import emit

_SELU = (1.0507009873554805, 1.6732632423543772)  # its scale and alpha


def linear(x: Any) -> Any:
    """Return x."""
    return x


def relu(x: Any, alpha: float = 0.0, max_value: Any = None, threshold: float = 0.0) -> Any:
    """Return x where it is above the threshold, else alpha * (x - threshold), at most max_value."""
    if alpha and max_value is None and not threshold:
        return nn_ops.leaky_relu(x, alpha)
    if threshold:
        above = emit("Cast", [emit("Greater", [x, _like(threshold, x)])], DstT=x.dtype.base_dtype)
        negative = nn_ops.relu(_like(threshold, x) - x) * _like(alpha, x) if alpha else None
        found = x * above
    else:
        negative = nn_ops.relu(-x) * _like(alpha, x) if alpha else None
        found = nn_ops.relu6(x) if max_value == 6 and not alpha else nn_ops.relu(x)
    if max_value is not None and not (max_value == 6 and not alpha and not threshold):
        found = emit("Minimum", [found, _like(max_value, x)])
    return found if negative is None else found - negative


def _like(value: float, x: Any) -> Any:
    return framework.constant(value, x.dtype.base_dtype)


def elu(x: Any, alpha: float = 1.0) -> Any:
    """Return x where it is positive, else alpha * (exp(x) - 1)."""
    found = nn_ops.elu(x)
    if alpha == 1:
        return found
    return emit("SelectV2", [emit("Greater", [x, _like(0.0, x)]), found, _like(alpha, x) * found])


def sigmoid(x: Any) -> Any:
    """Return 1 / (1 + exp(-x))."""
    return emit("Sigmoid", [x])


def tanh(x: Any) -> Any:
    """Return the hyperbolic tangent."""
    return emit("Tanh", [x])


def hard_sigmoid(x: Any) -> Any:
    """Return 0.2 x + 0.5, at least 0 and at most 1."""
    line = x * _like(0.2, x) + _like(0.5, x)
    return emit("Minimum", [emit("Maximum", [line, _like(0.0, x)]), _like(1.0, x)])


def selu(x: Any) -> Any:
    """Return the scaled exponential linear unit."""
    scale, alpha = _SELU
    positive = emit("Greater", [x, _like(0.0, x)])
    return _like(scale, x) * emit("SelectV2", [positive, x, _like(alpha, x) * nn_ops.elu(x)])


def exponential(x: Any) -> Any:
    """Return the exponential."""
    return emit("Exp", [x])


def softmax(x: Any, axis: Any = -1) -> Any:
    """Return the softmax along an axis, or over several; raises ValueError for vectors."""
    x = framework.convert_to_tensor(x)
    if x.get_shape().ndims in (0, 1):
        raise ValueError(f"Cannot apply softmax to a tensor that is 1D. Received input: {x}")
    if not isinstance(axis, (list, tuple)):
        return nn_ops.softmax(x, axis=axis)
    grown = emit("Exp", [x - reduce_ops.reduce_max(x, axis, keepdims=True)])
    return grown / reduce_ops.reduce_sum(grown, axis, keepdims=True)


def softplus(x: Any) -> Any:
    """Return log(exp(x) + 1)."""
    return nn_ops.softplus(x)


def softsign(x: Any) -> Any:
    """Return x / (abs(x) + 1)."""
    return nn_ops.softsign(x)


ACTIVATIONS: dict[str, Callable[..., Any]] = {
    "elu": elu, "exponential": exponential, "hard_sigmoid": hard_sigmoid, "linear": linear,
    "relu": relu, "relu6": nn_ops.relu6, "selu": selu, "sigmoid": sigmoid,
    "softmax": softmax, "softplus": softplus, "softsign": softsign,
    "swish": nn_ops.swish, "tanh": tanh, "leaky_relu": nn_ops.leaky_relu,
}  # fmt: skip


def activation_of(identifier: Any) -> Any:
    """Return the function that a word, a function or nothing asks for; raises ValueError."""
    if identifier is None or callable(identifier):
        return linear if identifier is None else identifier
    return _of("activation", ACTIVATIONS, identifier)


class Orthogonal(init_ops.Initializer):
    """Makes rows, or columns, that are orthogonal: the Q of a random matrix, times gain."""

    def __init__(
        self, gain: float = 1.0, seed: int | None = None, dtype: Any = dtypes.float32
    ) -> None:
        self.gain = gain
        self.seed = seed
        self.dtype = dtypes.as_dtype(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        """Return a tensor of that shape; raises ValueError below two dimensions."""
        from tfbuild_runtime.ops import random_ops

        sizes = [int(size) for size in shape]
        if len(sizes) < 2:
            raise ValueError("The tensor to initialize must be at least two-dimensional")
        rows, columns = 1, sizes[-1]
        for size in sizes[:-1]:
            rows *= size
        drawn = random_ops.random_normal([max(rows, columns), min(rows, columns)],
                                         dtype=self._type(dtype), seed=self.seed)  # fmt: skip
        both = framework.apply_op("Qr", [drawn], {"full_matrices": False}).outputs
        signs = emit("Sign", [emit("MatrixDiagPart", [both[1]])])
        found = both[0] * signs
        if rows < columns:
            found = emit("Transpose", [found, [1, 0]])
        return emit("Reshape", [found, sizes]) * _like(self.gain, found)


INITIALIZERS: dict[str, Any] = {
    "constant": init_ops.Constant, "glorot_normal": init_ops.GlorotNormal,
    "glorot_uniform": init_ops.GlorotUniform, "he_normal": init_ops.HeNormal,
    "he_uniform": init_ops.HeUniform, "identity": init_ops.Identity,
    "lecun_normal": init_ops.LecunNormal, "lecun_uniform": init_ops.LecunUniform,
    "ones": init_ops.Ones, "orthogonal": Orthogonal, "zeros": init_ops.Zeros,
}  # fmt: skip


class RandomNormal(init_ops.RandomNormal):
    """Draws from a normal distribution, by Keras narrow."""

    def __init__(self, mean: float = 0.0, stddev: float = 0.05, seed: int | None = None,
                 dtype: Any = dtypes.float32) -> None:  # fmt: skip
        super().__init__(mean, stddev, seed, dtype)


class RandomUniform(init_ops.RandomUniform):
    """Draws evenly, by Keras from a narrow range."""

    def __init__(self, minval: float = -0.05, maxval: float = 0.05, seed: int | None = None,
                 dtype: Any = dtypes.float32) -> None:  # fmt: skip
        super().__init__(minval, maxval, seed, dtype)


class TruncatedNormal(init_ops.TruncatedNormal):
    """Draws from a normal distribution without its ends, by Keras narrow."""

    def __init__(self, mean: float = 0.0, stddev: float = 0.05, seed: int | None = None,
                 dtype: Any = dtypes.float32) -> None:  # fmt: skip
        super().__init__(mean, stddev, seed, dtype)


for _names, _maker in (
    (("random_normal", "normal"), RandomNormal),
    (("random_uniform", "uniform"), RandomUniform),
    (("truncated_normal",), TruncatedNormal),
):
    INITIALIZERS.update(dict.fromkeys(_names, _maker))


def initializer_of(identifier: Any) -> Any:
    """Return the initializer that a word, an initializer or nothing asks for; raises ValueError."""
    if identifier is None:
        return None
    if isinstance(identifier, type):
        return identifier()
    return identifier if callable(identifier) else _of("initializer", INITIALIZERS, identifier)()


class L1L2:
    """A regularizer: l1 times the sum of magnitudes and l2 times that of squares."""

    def __init__(self, l1: float = 0.0, l2: float = 0.0) -> None:
        self.l1 = l1
        self.l2 = l2

    def __call__(self, x: Any) -> Any:
        """Return the loss that x makes."""
        if not self.l1 and not self.l2:
            return framework.constant(0.0)
        total = None
        if self.l1:
            total = _like(self.l1, x) * reduce_ops.reduce_sum(math_ops.abs(x))
        if self.l2:
            squares = _like(self.l2, x) * reduce_ops.reduce_sum(math_ops.square(x))
            total = squares if total is None else total + squares
        return total

    def get_config(self) -> dict[str, float]:
        """Return the arguments that make the same regularizer."""
        return {"l1": self.l1, "l2": self.l2}


def l1(l1: float = 0.01, l: float | None = None) -> L1L2:  # noqa: E741 (its name in TensorFlow 1)
    """Return a regularizer by magnitudes."""
    return L1L2(l1=l1 if l is None else l)


def l2(l2: float = 0.01, l: float | None = None) -> L1L2:  # noqa: E741
    """Return a regularizer by squares."""
    return L1L2(l2=l2 if l is None else l)


def l1_l2(l1: float = 0.01, l2: float = 0.01) -> L1L2:
    """Return a regularizer by both."""
    return L1L2(l1, l2)


_REGULARIZERS = {"l1": l1, "l2": l2, "l1_l2": l1_l2}


def regularizer_of(identifier: Any) -> Any:
    """Return the regularizer that a word, a function or nothing asks for; raises ValueError."""
    if identifier is None or callable(identifier):
        return identifier
    return _of("regularizer", _REGULARIZERS, identifier)()


def _of(kind: str, known: Any, identifier: Any) -> Any:
    name = identifier.lower() if isinstance(identifier, str) else identifier
    if name not in known:
        raise ValueError(f"Unknown {kind}: {identifier!r}; there are {', '.join(sorted(known))}")
    return known[name]
