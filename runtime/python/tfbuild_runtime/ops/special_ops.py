"""Functions of one or two numbers that few programs need: trigonometry, gamma and beta."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.ops import math_ops, reduce_ops
from tfbuild_runtime.ops.emit import emit

_Function = Callable[..., Any]


def _of_one(op_type: str, says: str) -> _Function:
    def function(x: Any, name: str | None = None) -> Any:
        return emit(op_type, [x], name)

    function.__doc__ = says
    return function


def _of_two(op_type: str, says: str) -> _Function:
    def function(x: Any, y: Any, name: str | None = None) -> Any:
        return emit(op_type, [x, y], name)

    function.__doc__ = says
    return function


tan = _of_one("Tan", "Return the tangent of x.")
asin = _of_one("Asin", "Return the angle whose sine is x.")
acos = _of_one("Acos", "Return the angle whose cosine is x.")
atan = _of_one("Atan", "Return the angle whose tangent is x.")
sinh = _of_one("Sinh", "Return the hyperbolic sine of x.")
cosh = _of_one("Cosh", "Return the hyperbolic cosine of x.")
asinh = _of_one("Asinh", "Return the number whose hyperbolic sine is x.")
acosh = _of_one("Acosh", "Return the number whose hyperbolic cosine is x.")
atanh = _of_one("Atanh", "Return the number whose hyperbolic tangent is x.")
lgamma = _of_one("Lgamma", "Return the logarithm of the size of the gamma function at x.")
digamma = _of_one("Digamma", "Return the derivative of lgamma at x.")
erfc = _of_one("Erfc", "Return 1 - erf(x), exact for large x.")
xlogy = _of_two("Xlogy", "Return x * log(y), and 0 where x is 0.")
xlog1py = _of_two("Xlog1py", "Return x * log(1 + y), and 0 where x is 0.")
xdivy = _of_two("Xdivy", "Return x / y, and 0 where x is 0.")
truncatediv = _of_two("TruncateDiv", "Return x / y, rounded towards zero.")
truncatemod = _of_two("TruncateMod", "Return what truncatediv leaves of x.")


def atan2(y: Any, x: Any, name: str | None = None) -> Any:
    """Return the angle of the point with abscissa x and ordinate y."""
    return emit("Atan2", [y, x], name)


def igamma(a: Any, x: Any, name: str | None = None) -> Any:
    """Return the lower incomplete gamma function, as a share of the whole."""
    return emit("Igamma", [a, x], name)


def igammac(a: Any, x: Any, name: str | None = None) -> Any:
    """Return the upper incomplete gamma function, as a share of the whole."""
    return emit("Igammac", [a, x], name)


def zeta(x: Any, q: Any, name: str | None = None) -> Any:
    """Return the sum of (q + k) to the power of -x over all whole k >= 0."""
    return emit("Zeta", [x, q], name)


def polygamma(a: Any, x: Any, name: str | None = None) -> Any:
    """Return the a-th derivative of digamma at x."""
    return emit("Polygamma", [a, x], name)


def betainc(a: Any, b: Any, x: Any, name: str | None = None) -> Any:
    """Return the incomplete beta function, as a share of the whole."""
    return emit("Betainc", [a, b, x], name)


def lbeta(x: Any, name: str | None = None) -> Any:
    """Return the logarithm of the beta function of the numbers along the last axis."""
    with framework.name_scope(name, "lbeta", [x]):
        x = framework.convert_to_tensor(x, name="x")
        each = reduce_ops.reduce_sum(lgamma(x), [-1])
        return math_ops.subtract(each, lgamma(reduce_ops.reduce_sum(x, [-1])))
