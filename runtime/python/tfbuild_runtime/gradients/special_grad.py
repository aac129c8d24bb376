"""Gradients of trigonometric, gamma and beta functions; and what has none."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.gradients.math_grad import multiply
from tfbuild_runtime.gradients.registry import gradient_of, no_gradient
from tfbuild_runtime.gradients.shapes import sum_to
from tfbuild_runtime.ops import complex_ops, composed_ops, special_ops
from tfbuild_runtime.ops.emit import emit


def _number(value: float, like: Any) -> Any:
    return framework.constant(value, like.dtype.base_dtype)


def _unbroadcast(by_x: Any, by_y: Any, x: Any, y: Any) -> list[Any]:
    """Return both gradients summed over what broadcasting repeated."""
    return [sum_to(by_x, x, y), sum_to(by_y, y, x)]


def _one_plus_square(x: Any) -> Any:
    return emit("AddV2", [_number(1, x), emit("Square", [x])])


def _one_less_square(x: Any) -> Any:
    return emit("Sub", [_number(1, x), emit("Square", [x])])


def _inverse(x: Any) -> Any:
    if x.dtype.base_dtype.is_complex:  # which Reciprocal has no kernel for
        return emit("RealDiv", [_number(1, x), x])
    return emit("Reciprocal", [x])


_SLOPES = {
    "Tan": lambda x: _inverse(emit("Square", [emit("Cos", [x])])),
    "Asin": lambda x: emit("Rsqrt", [_one_less_square(x)]),
    "Acos": lambda x: emit("Neg", [emit("Rsqrt", [_one_less_square(x)])]),
    "Atan": lambda x: _inverse(_one_plus_square(x)),
    "Sinh": special_ops.cosh,
    "Cosh": special_ops.sinh,
    # Not of 1 + x * x, which overflows where the gradient is not yet 0.
    "Asinh": lambda x: _inverse(special_ops.cosh(special_ops.asinh(x))),
    "Acosh": lambda x: _inverse(special_ops.sinh(special_ops.acosh(x))),
    "Atanh": lambda x: _inverse(_one_less_square(x)),
    "Lgamma": special_ops.digamma,
    "Digamma": lambda x: special_ops.polygamma(_number(1, x), x),
    "Erfc": lambda x: multiply(_number(-1.1283791670955126, x),
                               emit("Exp", [emit("Neg", [emit("Square", [x])])])),
}  # fmt: skip


@gradient_of(*_SLOPES)
def _of_one(op: Any, grad: Any) -> Any:
    x = op.inputs[0]
    with framework.control_dependencies([grad]):
        if x.dtype.base_dtype.is_complex:
            x = complex_ops.conj(x)
        return multiply(grad, _SLOPES[op.type](x))


for _op_type in (
    "AllCandidateSampler", "AsString", "ComputeAccidentalHits", "DecodeBase64", "EncodeBase64",
    "FixedUnigramCandidateSampler", "IgammaGradA", "LearnedUnigramCandidateSampler",
    "LogUniformCandidateSampler", "LookupTableFindV2", "LookupTableSizeV2", "Multinomial",
    "ReduceJoin", "StringJoin", "StringSplit", "StringToHashBucket", "StringToHashBucketFast",
    "StringToHashBucketStrong", "StringToNumber", "ThreadUnsafeUnigramCandidateSampler",
    "TruncateDiv", "UniformCandidateSampler",
):  # fmt: skip
    no_gradient(_op_type)


@gradient_of("Atan2")
def _atan2(op: Any, grad: Any) -> Any:
    y, x = op.inputs
    share = emit("RealDiv", [grad, emit("AddV2", [emit("Square", [x]), emit("Square", [y])])])
    return _unbroadcast(multiply(x, share), emit("Neg", [multiply(y, share)]), y, x)


@gradient_of("MulNoNan")  # what `multiply_no_nan` hands on: product, x, y
def _mul_no_nan(op: Any, grad: Any, *_: Any) -> Any:
    _, x, y = op.inputs
    by_x = composed_ops.multiply_no_nan(grad, y)
    by_y = composed_ops.multiply_no_nan(x, grad)
    return [None, *_unbroadcast(by_x, by_y, x, y)]


def _where_factor(x: Any, value: Any) -> Any:
    """Return value, and zero where x is: there the product is zero whatever y is."""
    return multiply(emit("Cast", [emit("NotEqual", [x, _number(0, x)])], DstT=x.dtype), value)


@gradient_of("Xlogy")
def _xlogy(op: Any, grad: Any) -> Any:
    x, y = op.inputs
    there = _where_factor(x, _number(1, x))
    by_x = multiply(special_ops.xlogy(there, y), grad)
    return _unbroadcast(by_x, multiply(special_ops.xdivy(x, y), grad), x, y)


@gradient_of("Xlog1py")
def _xlog1py(op: Any, grad: Any) -> Any:
    x, y = op.inputs
    there = _where_factor(x, _number(1, x))
    by_y = special_ops.xdivy(x, emit("AddV2", [y, _number(1, y)]))
    by_x = multiply(special_ops.xlog1py(there, y), grad)
    return _unbroadcast(by_x, multiply(by_y, grad), x, y)


@gradient_of("Xdivy")
def _xdivy(op: Any, grad: Any) -> Any:
    x, y = op.inputs
    there = _where_factor(x, _number(1, x))
    by_y = special_ops.xdivy(emit("Neg", [x]), emit("Square", [y]))
    return _unbroadcast(multiply(special_ops.xdivy(there, y), grad), multiply(by_y, grad), x, y)


def _density(a: Any, x: Any) -> Any:
    """Return the derivative of igamma(a, x) by x."""
    power = special_ops.xlogy(emit("Sub", [a, _number(1, a)]), x)
    return emit("Exp", [emit("Sub", [emit("Sub", [power, x]), special_ops.lgamma(a)])])


@gradient_of("Igamma")
def _igamma(op: Any, grad: Any) -> Any:
    a, x = op.inputs
    by_a = emit("IgammaGradA", [a, x])
    return _unbroadcast(multiply(by_a, grad), multiply(_density(a, x), grad), a, x)


@gradient_of("Igammac")
def _igammac(op: Any, grad: Any) -> Any:
    return [emit("Neg", [part]) for part in _igamma(op, grad)]


@gradient_of("Betainc")
def _betainc(op: Any, grad: Any) -> Any:
    """Only by x: TensorFlow has no derivative by the parameters either."""
    a, b, x = op.inputs
    ends = emit("Sub", [emit("AddV2", [special_ops.lgamma(a), special_ops.lgamma(b)]),
                        special_ops.lgamma(emit("AddV2", [a, b]))])  # fmt: skip
    powers = emit("AddV2", [special_ops.xlog1py(emit("Sub", [b, _number(1, b)]), emit("Neg", [x])),
                            special_ops.xlogy(emit("Sub", [a, _number(1, a)]), x)])  # fmt: skip
    by_x = multiply(emit("Exp", [emit("Sub", [powers, ends])]), grad)
    return [None, None, sum_to(by_x, x, by_x)]


@gradient_of("Polygamma")
def _polygamma(op: Any, grad: Any) -> Any:
    n, x = op.inputs
    slope = special_ops.polygamma(emit("AddV2", [n, _number(1, n)]), x)
    return [None, sum_to(multiply(slope, grad), x, n)]


@gradient_of("Zeta")
def _zeta(op: Any, grad: Any) -> Any:
    x, q = op.inputs
    next_power = special_ops.zeta(emit("AddV2", [x, _number(1, x)]), q)
    slope = emit("Neg", [multiply(x, next_power)])
    return [None, sum_to(multiply(slope, grad), q, x)]


@gradient_of("TruncateMod")
def _truncatemod(op: Any, grad: Any) -> Any:
    x, y = op.inputs
    by_y = emit("Neg", [multiply(grad, special_ops.truncatediv(x, y))])
    return _unbroadcast(grad, by_y, x, y)


@gradient_of("RandomGamma")
def _random_gamma(op: Any, grad: Any) -> Any:
    """By alpha: where the sample is, the distribution function stays the same."""
    alpha, drawn = op.inputs[1], op.outputs[0]
    wide = emit("AddV2", [alpha, emit("ZerosLike", [drawn])])
    slope = emit("Neg", [emit("RealDiv", [emit("IgammaGradA", [wide, drawn]),
                                          _density(wide, drawn)])])  # fmt: skip
    by_alpha = multiply(grad, slope)
    outer = emit("Range", [0, emit("Size", [op.inputs[0]]), 1])
    return [None, emit("Sum", [by_alpha, outer])]
