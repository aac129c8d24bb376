"""Arithmetic, comparisons and functions that work element by element, with broadcasting."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.ops import complex_ops
from tfbuild_runtime.ops.emit import emit
from tfbuild_runtime.ops.sparse_values import of_values


def _same_type(x: Any, y: Any) -> tuple[Any, Any]:
    """Return both as tensors; the one that is a tensor already decides the type."""
    if framework.is_tensor_like(y) and not framework.is_tensor_like(x):
        y = framework.convert_to_tensor(y, name="y")
        return framework.convert_to_tensor(x, dtype=y.dtype.base_dtype, name="x"), y
    x = framework.convert_to_tensor(x, name="x")
    return x, framework.convert_to_tensor(y, dtype=x.dtype.base_dtype, name="y")


def add(x: Any, y: Any, name: str | None = None) -> Any:
    """Return x + y."""
    return emit("AddV2", [x, y], name or "Add")


def subtract(x: Any, y: Any, name: str | None = None) -> Any:
    """Return x - y."""
    return emit("Sub", [x, y], name)


def multiply(x: Any, y: Any, name: str | None = None) -> Any:
    """Return x * y."""
    return emit("Mul", [x, y], name)


def scalar_mul(scalar: Any, x: Any, name: str | None = None) -> Any:
    """Return x times a scalar."""
    x = framework.convert_to_tensor(x)
    scalar = framework.convert_to_tensor(scalar, dtype=x.dtype.base_dtype, name="scalar")
    return emit("Mul", [scalar, x], name)


_WIDER = {"uint8": "float32", "int8": "float32", "int16": "float32", "uint16": "float32",
          "int32": "float64", "int64": "float64", "uint32": "float64",
          "uint64": "float64"}  # fmt: skip


def truediv(x: Any, y: Any, name: str | None = None) -> Any:
    """Return x / y; integers are divided as floating point numbers."""
    with framework.name_scope(name, "truediv", [x, y]) as scope:
        x, y = _same_type(x, y)
        wider = _WIDER.get(x.dtype.base_dtype.name)
        if wider is not None:
            x, y = cast(x, wider), cast(y, wider)
        return emit("RealDiv", [x, y], scope)


def divide(x: Any, y: Any, name: str | None = None) -> Any:
    """Return x / y as Python's operator does."""
    return truediv(x, y, name)


def div(x: Any, y: Any, name: str | None = None) -> Any:
    """Return x / y; integers are divided with rounding down."""
    with framework.name_scope(name, "div", [x, y]) as scope:
        x, y = _same_type(x, y)
        whole = x.dtype.base_dtype.is_integer
        kind = "FloorDiv" if whole else "RealDiv"
        return emit(kind, [x, y], scope)


def div_no_nan(x: Any, y: Any, name: str | None = None) -> Any:
    """Return x / y, and zero where y is zero."""
    with framework.name_scope(name, "div_no_nan", [x, y]) as scope:
        x, y = _same_type(x, y)
        return emit("DivNoNan", [x, y], scope)


def floordiv(x: Any, y: Any, name: str | None = None) -> Any:
    """Return x / y rounded down."""
    return emit("FloorDiv", [x, y], name or "floordiv")


def floormod(x: Any, y: Any, name: str | None = None) -> Any:
    """Return what is left of x after division by y, with the sign of y."""
    return emit("FloorMod", [x, y], name)


def maximum(x: Any, y: Any, name: str | None = None) -> Any:
    """Return the larger of x and y."""
    return emit("Maximum", [x, y], name)


def minimum(x: Any, y: Any, name: str | None = None) -> Any:
    """Return the smaller of x and y."""
    return emit("Minimum", [x, y], name)


def squared_difference(x: Any, y: Any, name: str | None = None) -> Any:
    """Return (x - y) squared."""
    return emit("SquaredDifference", [x, y], name)


def pow(x: Any, y: Any, name: str | None = None) -> Any:
    """Return x to the power of y."""
    return emit("Pow", [x, y], name)


def equal(x: Any, y: Any, name: str | None = None) -> Any:
    """Return whether x equals y."""
    return emit("Equal", [x, y], name)


def not_equal(x: Any, y: Any, name: str | None = None) -> Any:
    """Return whether x differs from y."""
    return emit("NotEqual", [x, y], name)


def less(x: Any, y: Any, name: str | None = None) -> Any:
    """Return whether x is less than y."""
    return emit("Less", [x, y], name)


def less_equal(x: Any, y: Any, name: str | None = None) -> Any:
    """Return whether x is at most y."""
    return emit("LessEqual", [x, y], name)


def greater(x: Any, y: Any, name: str | None = None) -> Any:
    """Return whether x is greater than y."""
    return emit("Greater", [x, y], name)


def greater_equal(x: Any, y: Any, name: str | None = None) -> Any:
    """Return whether x is at least y."""
    return emit("GreaterEqual", [x, y], name)


def logical_and(x: Any, y: Any, name: str | None = None) -> Any:
    """Return whether both are true."""
    return emit("LogicalAnd", [x, y], name)


def logical_or(x: Any, y: Any, name: str | None = None) -> Any:
    """Return whether one is true."""
    return emit("LogicalOr", [x, y], name)


def logical_not(x: Any, name: str | None = None) -> Any:
    """Return whether x is false."""
    return emit("LogicalNot", [x], name)


def logical_xor(x: Any, y: Any, name: str | None = "LogicalXor") -> Any:
    """Return whether just one is true."""
    either = logical_or(x, y)
    return logical_and(either, logical_not(logical_and(x, y)), name=name)


@of_values
def abs(x: Any, name: str | None = None) -> Any:
    """Return x without its sign, of complex numbers the absolute value."""
    x = framework.convert_to_tensor(x, name="x")
    return complex_ops.magnitude(x, name) if x.dtype.is_complex else emit("Abs", [x], name)


@of_values
def negative(x: Any, name: str | None = None) -> Any:
    """Return -x."""
    return emit("Neg", [x], name)


@of_values
def sign(x: Any, name: str | None = None) -> Any:
    """Return -1, 0 or 1 by the sign of x."""
    return emit("Sign", [x], name)


def reciprocal(x: Any, name: str | None = None) -> Any:
    """Return 1 / x."""
    return emit("Reciprocal", [x], name)


@of_values
def square(x: Any, name: str | None = None) -> Any:
    """Return x times x."""
    return emit("Square", [x], name)


@of_values
def sqrt(x: Any, name: str | None = None) -> Any:
    """Return the square root of x."""
    return emit("Sqrt", [x], name)


def rsqrt(x: Any, name: str | None = None) -> Any:
    """Return 1 / sqrt(x)."""
    return emit("Rsqrt", [x], name)


def exp(x: Any, name: str | None = None) -> Any:
    """Return e to the power of x."""
    return emit("Exp", [x], name)


def expm1(x: Any, name: str | None = None) -> Any:
    """Return e to the power of x, less 1, exact for small x."""
    return emit("Expm1", [x], name)


def log(x: Any, name: str | None = None) -> Any:
    """Return the natural logarithm of x."""
    return emit("Log", [x], name)


def log1p(x: Any, name: str | None = None) -> Any:
    """Return log(1 + x), exact for small x."""
    return emit("Log1p", [x], name)


def sin(x: Any, name: str | None = None) -> Any:
    """Return the sine of x."""
    return emit("Sin", [x], name)


def cos(x: Any, name: str | None = None) -> Any:
    """Return the cosine of x."""
    return emit("Cos", [x], name)


@of_values
def tanh(x: Any, name: str | None = None) -> Any:
    """Return the hyperbolic tangent of x."""
    return emit("Tanh", [x], name)


def sigmoid(x: Any, name: str | None = None) -> Any:
    """Return 1 / (1 + exp(-x))."""
    return emit("Sigmoid", [x], name)


def log_sigmoid(x: Any, name: str | None = None) -> Any:
    """Return the logarithm of sigmoid(x)."""
    with framework.name_scope(name, "LogSigmoid", [x]) as scope:
        x = framework.convert_to_tensor(x, name="x")
        return emit("Neg", [emit("Softplus", [emit("Neg", [x])])], scope)


@of_values
def erf(x: Any, name: str | None = None) -> Any:
    """Return the error function of x."""
    return emit("Erf", [x], name)


def floor(x: Any, name: str | None = None) -> Any:
    """Return x rounded down."""
    return emit("Floor", [x], name)


def ceil(x: Any, name: str | None = None) -> Any:
    """Return x rounded up."""
    return emit("Ceil", [x], name)


def round(x: Any, name: str | None = None) -> Any:
    """Return x rounded to the nearest whole number, halves to the even one."""
    x = framework.convert_to_tensor(x, name="x")
    return x if x.dtype.base_dtype.is_integer else emit("Round", [x], name)


def is_nan(x: Any, name: str | None = None) -> Any:
    """Return whether x is not a number."""
    return emit("IsNan", [x], name)


def is_inf(x: Any, name: str | None = None) -> Any:
    """Return whether x is infinite."""
    return emit("IsInf", [x], name)


def is_finite(x: Any, name: str | None = None) -> Any:
    """Return whether x is a finite number."""
    return emit("IsFinite", [x], name)


@of_values
def cast(x: Any, dtype: Any, name: str | None = None) -> Any:
    """Return x with another element type; x itself when it has that type already."""
    wanted = dtypes.as_dtype(dtype).base_dtype
    if framework.is_tensor_like(x) and x.dtype == wanted:
        return x
    with framework.name_scope(name, "Cast", [x]) as scope:
        x = framework.convert_to_tensor(x, name="x")
        if x.dtype.base_dtype == wanted:
            return x
        return emit("Cast", [x], scope, DstT=wanted)


def saturate_cast(value: Any, dtype: Any, name: str | None = None) -> Any:
    """Return value with another element type, limited to what that type can hold."""
    with framework.name_scope(name, "saturate_cast", [value]) as scope:
        value = framework.convert_to_tensor(value, name="value")
        wanted, given = dtypes.as_dtype(dtype).base_dtype, value.dtype.base_dtype
        (least, most), (lowest, highest) = _limits(wanted), _limits(given)
        # Infinities, too, become numbers, whatever the other type can hold.
        if given.is_floating or lowest < least:
            limit = _within(max(lowest, least), given)
            value = maximum(value, framework.constant(limit, given))
        if given.is_floating or highest > most:
            limit = _within(min(highest, most), given)
            value = minimum(value, framework.constant(limit, given))
        return cast(value, wanted, name=scope)


def _limits(dtype: Any) -> tuple[Any, Any]:
    """Return the least and the largest number of a type, as numbers of Python."""
    kind = float if dtype.is_floating else int
    return kind(dtype.min), kind(dtype.max)


def _within(limit: Any, dtype: Any) -> Any:
    """Return the number of that type that is nearest to limit, and not farther from 0."""
    import numpy as np

    number = np.asarray(limit, dtype.as_numpy_dtype)
    beyond = dtype.is_floating and max(int(number), -int(number)) > max(limit, -limit)
    return np.nextafter(number, np.asarray(0, number.dtype)) if beyond else number


def to_float(x: Any, name: str = "ToFloat") -> Any:
    """Return x as float32."""
    return cast(x, dtypes.float32, name=name)


def to_double(x: Any, name: str = "ToDouble") -> Any:
    """Return x as float64."""
    return cast(x, dtypes.float64, name=name)


def to_int32(x: Any, name: str = "ToInt32") -> Any:
    """Return x as int32."""
    return cast(x, dtypes.int32, name=name)


def to_int64(x: Any, name: str = "ToInt64") -> Any:
    """Return x as int64."""
    return cast(x, dtypes.int64, name=name)
