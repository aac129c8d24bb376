"""The normal distribution's functions, exact in both tails."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.ops import array_ops, creation_ops, math_ops, special_ops

# Below the first the series is exact enough, above the second a probability is nearly 1.
LOGNDTR_FLOAT32_LOWER, LOGNDTR_FLOAT32_UPPER = np.float32(-10), np.float32(5)
LOGNDTR_FLOAT64_LOWER, LOGNDTR_FLOAT64_UPPER = np.float64(-20), np.float64(8)
_LIMITS = {
    dtypes.float32: (LOGNDTR_FLOAT32_LOWER, LOGNDTR_FLOAT32_UPPER),
    dtypes.float64: (LOGNDTR_FLOAT64_LOWER, LOGNDTR_FLOAT64_UPPER),
}
_HALF_LOG_TAU = 0.5 * math.log(2 * math.pi)

# A rational function near the middle and one of the tails, by P. J. Acklam: relative error 1e-9.
_MIDDLE = (
    (-3.969683028665376e01, 2.209460984245205e02, -2.759285104469687e02, 1.383577518672690e02,
     -3.066479806614716e01, 2.506628277459239e00),
    (-5.447609879822406e01, 1.615858368580409e02, -1.556989798598866e02, 6.680131188771972e01,
     -1.328068155288572e01, 1.0),
)  # fmt: skip
_TAIL = (
    (-7.784894002430293e-03, -3.223964580411365e-01, -2.400758277161838e00, -2.549732539343734e00,
     4.374664141464968e00, 2.938163982698783e00),
    (7.784695709041462e-03, 3.224671290700398e-01, 2.445134137142996e00, 3.754408661907416e00, 1.0),
)  # fmt: skip
_TAIL_BEGINS = 0.02425


def _as_float(x: Any, name: str) -> Any:
    """Return x as a tensor; raises TypeError unless it is of float32 or float64."""
    x = framework.convert_to_tensor(x, name=name)
    if x.dtype.base_dtype not in _LIMITS:
        raise TypeError(f"{name}.dtype={x.dtype} is not handled: only float32 and float64 are.")
    return x


def ndtr(x: Any, name: str = "ndtr") -> Any:
    """Return the probability that a normal variable is below x; raises TypeError unless floats."""
    with framework.name_scope(name, values=[x]):
        return 0.5 * special_ops.erfc(-_as_float(x, "x") * math.sqrt(0.5))


def log_ndtr(x: Any, series_order: int = 3, name: str = "log_ndtr") -> Any:
    """Return the logarithm of ndtr, far in the lower tail by a series of so many terms.

    Raises TypeError unless x is of float32 or float64 and series_order an integer, and ValueError
    for one outside 0 to 30.
    """
    if not isinstance(series_order, int):
        raise TypeError("series_order must be a Python integer.")
    if not 0 <= series_order <= 30:
        raise ValueError("series_order must be non-negative and at most 30.")
    with framework.name_scope(name, values=[x]):
        x = _as_float(x, "x")
        lower, upper = _LIMITS[x.dtype.base_dtype]
        # Each formula gets numbers that it is right for, so that no gradient is infinite times 0.
        middle = math_ops.log(ndtr(math_ops.maximum(math_ops.minimum(x, upper), lower)))
        far = math_ops.minimum(x, lower)
        series = (-0.5 * math_ops.square(far) - math_ops.log(-far) - _HALF_LOG_TAU
                  + math_ops.log(_series(far, series_order)))  # fmt: skip
        near_one = -ndtr(-math_ops.maximum(x, upper))
        return array_ops.where_v2(
            math_ops.greater(x, upper), near_one,
            array_ops.where_v2(math_ops.greater(x, lower), middle, series),
        )  # fmt: skip


def _series(x: Any, order: int) -> Any:
    """Return 1 - 1 / x^2 + 3 / x^4 - 15 / x^6 + ..., by Horner's rule."""
    total = creation_ops.ones_like(x)
    inverse = 1.0 / math_ops.square(x)
    for term in range(order, 0, -1):
        total = 1.0 - (2 * term - 1) * inverse * total
    return total


def _ratio(x: Any, both: Any) -> Any:
    """Return the quotient of two polynomials, the highest powers first."""
    sums = []
    for coefficients in both:
        total = creation_ops.ones_like(x) * coefficients[0]
        for coefficient in coefficients[1:]:
            total = total * x + coefficient
        sums.append(total)
    return sums[0] / sums[1]


def ndtri(p: Any, name: str = "ndtri") -> Any:
    """Return the x for which ndtr is p; raises TypeError unless p is of floats."""
    with framework.name_scope(name, values=[p]):
        p = _as_float(p, "p")
        upper = math_ops.greater(p, 0.5)
        below = array_ops.where_v2(upper, 1.0 - p, p)  # the smaller tail, in which all is exact
        in_tail = math_ops.less(below, _TAIL_BEGINS)
        safe = math_ops.maximum(below, 1e-37)
        centred = math_ops.maximum(safe, _TAIL_BEGINS) - 0.5
        middle = centred * _ratio(math_ops.square(centred), _MIDDLE)
        root = math_ops.sqrt(-2.0 * math_ops.log(math_ops.minimum(safe, _TAIL_BEGINS)))
        guess = array_ops.stop_gradient(array_ops.where_v2(in_tail, _ratio(root, _TAIL), middle))
        # One step of Halley's makes it as exact as the type, and has the gradient.
        error = (ndtr(guess) - safe) * math_ops.exp(0.5 * math_ops.square(guess) + _HALF_LOG_TAU)
        found = guess - error / (1.0 + 0.5 * guess * error)
        infinite, nan = (framework.constant(float(x), p.dtype.base_dtype) for x in ("-inf", "nan"))
        found = array_ops.where_v2(math_ops.equal(below, 0.0), infinite, found)
        found = array_ops.where_v2(math_ops.greater_equal(below, 0.0), found, nan)
        return array_ops.where_v2(upper, -found, found)


def erfinv(x: Any, name: str = "erfinv") -> Any:
    """Return the number whose erf is x; raises TypeError unless x is of floats."""
    with framework.name_scope(name, values=[x]):
        return ndtri(0.5 * (_as_float(x, "x") + 1.0)) * math.sqrt(0.5)


def log_cdf_laplace(x: Any, name: str = "log_cdf_laplace") -> Any:
    """Return the logarithm of the probability that a Laplace variable is below x."""
    with framework.name_scope(name, values=[x]):
        x = framework.convert_to_tensor(x, name="x")
        lower = math_ops.minimum(x, 0.0) - math.log(2.0)
        upper = math_ops.log1p(-0.5 * math_ops.exp(-math_ops.abs(x)))
        return array_ops.where_v2(math_ops.less(x, 0.0), lower, upper)
