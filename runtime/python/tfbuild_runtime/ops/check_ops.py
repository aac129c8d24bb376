"""Assertions about tensors: refused while the graph is built where it knows, else when it runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework.errors import InvalidArgumentError
from tfbuild_runtime.ops import array_ops, control_ops, math_ops, reduce_ops
from tfbuild_runtime.ops.emit import emit, known_rank, only_one
from tfbuild_runtime.ops.host_ops import Assert

_Compare = Callable[[Any, Any], Any]


def _held(condition: Any, data: list[Any], message: str | None, summarize: Any) -> Any:
    """Return an operation that fails where the condition does not hold, or fail at once."""
    known = framework.constant_value(condition)
    values = [framework.constant_value(value) if framework.is_tensor_like(value) else value
              for value in data]  # fmt: skip
    said = [] if message is None else [message]
    if known is not None:
        if not np.all(known):
            text = "\n".join(str(value) for value in [*said, *values])
            raise InvalidArgumentError(None, None, f"Assertion failed: {text}")
        return control_ops.no_op("static_checks_determined_all_ok")
    return Assert(condition, [*said, *data], summarize=summarize)


def _pairwise(name: str, sign: str, compare: _Compare, static: _Compare) -> Callable[..., Any]:
    def check(x: Any, y: Any, data: Any = None, summarize: Any = None, message: str | None = None,
              name: str | None = name) -> Any:  # fmt: skip
        with framework.name_scope(name, sign, [x, y]):
            x = framework.convert_to_tensor(x, name="x")
            y = framework.convert_to_tensor(y, dtype=x.dtype.base_dtype, name="y")
            said = data
            if said is None:
                said = [f"Condition x {sign} y did not hold element-wise:",
                        f"x ({x.name}) = ", x, f"y ({y.name}) = ", y]  # fmt: skip
            first, second = framework.constant_value(x), framework.constant_value(y)
            if first is not None and second is not None:
                holds: Any = framework.constant(bool(np.all(static(first, second))))
            else:
                holds = reduce_ops.reduce_all(compare(x, y))
            return _held(holds, list(said), message, summarize)

    check.__doc__ = f"Return an operation that fails unless x {sign} y for all elements."
    return check


assert_equal = _pairwise("assert_equal", "==", math_ops.equal, np.equal)
assert_none_equal = _pairwise("assert_none_equal", "!=", math_ops.not_equal, np.not_equal)
assert_less = _pairwise("assert_less", "<", math_ops.less, np.less)
assert_less_equal = _pairwise("assert_less_equal", "<=", math_ops.less_equal, np.less_equal)
assert_greater = _pairwise("assert_greater", ">", math_ops.greater, np.greater)
assert_greater_equal = _pairwise("assert_greater_equal", ">=", math_ops.greater_equal,
                                 np.greater_equal)  # fmt: skip


def _with_zero(name: str, says: str, check: Callable[..., Any]) -> Callable[..., Any]:
    def against_zero(x: Any, data: Any = None, summarize: Any = None, message: str | None = None,
                     name: str | None = name) -> Any:  # fmt: skip
        x = framework.convert_to_tensor(x, name="x")
        zero = framework.constant(0, x.dtype.base_dtype)
        return check(x, zero, data, summarize, message, name)

    against_zero.__doc__ = f"Return an operation that fails unless all elements are {says}."
    return against_zero


assert_positive = _with_zero("assert_positive", "positive", assert_greater)
assert_non_negative = _with_zero("assert_non_negative", "at least 0", assert_greater_equal)
assert_negative = _with_zero("assert_negative", "negative", assert_less)
assert_non_positive = _with_zero("assert_non_positive", "at most 0", assert_less_equal)


def assert_near(x: Any, y: Any, rtol: Any = None, atol: Any = None, data: Any = None,
                summarize: Any = None, message: str | None = None,
                name: str | None = None) -> Any:  # fmt: skip
    """Return an operation that fails unless x and y differ by at most atol + rtol * |y|."""
    with framework.name_scope(name, "assert_near", [x, y]):
        x = framework.convert_to_tensor(x, name="x")
        y = framework.convert_to_tensor(y, dtype=x.dtype.base_dtype, name="y")
        unit = 10 * float(np.finfo(x.dtype.as_numpy_dtype).eps)
        slack = (unit if atol is None else atol) + (unit if rtol is None else rtol) * math_ops.abs(
            y
        )
        near = reduce_ops.reduce_all(math_ops.less(math_ops.abs(x - y), slack))
        said = data or [f"x and y not equal to tolerance: x ({x.name}) = ", x, f"y ({y.name}) = ",
                        y]  # fmt: skip
        return _held(near, list(said), message, summarize)


def _rank_check(name: str, wanted: str, holds: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    def check(x: Any, rank: Any, data: Any = None, summarize: Any = None,
              message: str | None = None, name: str | None = name) -> Any:  # fmt: skip
        with framework.name_scope(name, "rank", [x]):
            x = framework.convert_to_tensor(x, name="x")
            limit = framework.constant_value(framework.convert_to_tensor(rank))
            known = known_rank(x)
            if known is not None and limit is not None:
                if not holds(known, int(limit)):
                    raise ValueError(f"{message or ''} Tensor {x.name} must have rank {wanted} "
                                     f"{int(limit)}.  Received rank {known}, shape "
                                     f"{x.get_shape()}".strip())  # fmt: skip
                return control_ops.no_op("static_checks_determined_all_ok")
            said = data or [f"Tensor {x.name} must have rank {wanted}", rank, "Received shape: ",
                            array_ops.shape(x)]  # fmt: skip
            return _held(holds(array_ops.rank(x), rank), list(said), message, summarize)

    check.__doc__ = f"Return an operation that fails unless the rank of x is {wanted} rank."
    return check


assert_rank_at_least = _rank_check("assert_rank_at_least", "at least", lambda x, y: x >= y)


def _same_rank(x: Any, y: Any) -> Any:
    return x == y if isinstance(x, int) and isinstance(y, int) else math_ops.equal(x, y)


assert_rank = _rank_check("assert_rank", "equal to", _same_rank)


def assert_rank_in(x: Any, ranks: Any, data: Any = None, summarize: Any = None,
                   message: str | None = None, name: str | None = None) -> Any:  # fmt: skip
    """Return an operation that fails unless the rank of x is among the ranks."""
    with framework.name_scope(name, "assert_rank_in", [x]):
        x = framework.convert_to_tensor(x, name="x")
        known = known_rank(x)
        if known is not None and all(isinstance(rank, int) for rank in ranks):
            if known not in ranks:
                raise ValueError(f"{message or ''} Tensor {x.name} must have rank in {tuple(ranks)}"
                                 f".  Received rank {known}".strip())  # fmt: skip
            return control_ops.no_op("static_checks_determined_all_ok")
        found = reduce_ops.reduce_any(math_ops.equal(array_ops.rank(x), list(ranks)))
        said = data or [f"Tensor {x.name} has shape", array_ops.shape(x)]
        return _held(found, list(said), message, summarize)


def assert_scalar(tensor: Any, name: str | None = None, message: str | None = None) -> Any:
    """Return the tensor; raises ValueError where the graph knows that it is no scalar."""
    with framework.name_scope(name, "assert_scalar", [tensor]):
        tensor = framework.convert_to_tensor(tensor)
        if known_rank(tensor) not in (0, None):
            raise ValueError(f"{message or ''}Expected scalar shape for {tensor.name}, saw shape: "
                             f"{tensor.get_shape()}.")  # fmt: skip
        return tensor


def assert_type(tensor: Any, tf_type: Any, message: str | None = None,
                name: str | None = None) -> Any:  # fmt: skip
    """Return an operation; raises TypeError where the tensor has another type."""
    with framework.name_scope(name, "assert_type", [tensor]):
        tensor = framework.convert_to_tensor(tensor)
        wanted = dtypes.as_dtype(tf_type)
        if tensor.dtype.base_dtype != wanted:
            raise TypeError(f"{message or ''}{tensor.name} must be of type {wanted}, but is "
                            f"{tensor.dtype}")  # fmt: skip
        return control_ops.no_op("statically_determined_correct_type")


def assert_integer(x: Any, message: str | None = None, name: str | None = None) -> Any:
    """Return an operation; raises TypeError where the tensor has no integers."""
    with framework.name_scope(name, "assert_integer", [x]):
        x = framework.convert_to_tensor(x, name="x")
        if not x.dtype.is_integer:
            raise TypeError(f'{message or ""}Expected "x" to be integer type.  Found: {x.dtype}')
        return control_ops.no_op("statically_determined_was_integer")


def is_numeric_tensor(tensor: Any) -> bool:
    """Return whether it is a tensor of numbers."""
    if not framework.is_tensor_like(tensor):
        return False
    kind = tensor.dtype.base_dtype
    return bool(kind.is_floating or kind.is_integer or kind.is_complex)


def is_non_decreasing(x: Any, name: str | None = None) -> Any:
    """Return whether no element is less than the one before it."""
    return _ordered(x, math_ops.less_equal, "is_non_decreasing", name)


def is_strictly_increasing(x: Any, name: str | None = None) -> Any:
    """Return whether each element is larger than the one before it."""
    return _ordered(x, math_ops.less, "is_strictly_increasing", name)


def _ordered(x: Any, compare: _Compare, default: str, name: str | None) -> Any:
    with framework.name_scope(name, default, [x]):
        flat = array_ops.reshape(x, [-1])
        return reduce_ops.reduce_all(compare(flat[:-1], flat[1:]))


def ensure_shape(x: Any, shape: Any, name: str | None = None) -> Any:
    """Return x, of which the graph now knows that shape; running it fails for another one."""
    from tfbuild_runtime.framework.tensor_shape import TensorShape

    with framework.name_scope(name, "EnsureShape", [x]) as scope:
        x = framework.convert_to_tensor(x, name="tensor")
        wanted = TensorShape(shape)
        if not x.get_shape().is_compatible_with(wanted):
            raise ValueError(f"the shape of {x.name} is {x.get_shape()}, not {wanted}")
        if wanted.ndims is None:
            return array_ops.identity(x, name=scope)
        sizes = [-1 if size is None else size for size in wanted.as_list()]
        actual = array_ops.shape(x)
        rank = emit("Equal", [array_ops.rank(x), len(sizes)])
        checks = [Assert(rank, ["the shape should be", str(wanted), "and is", actual])]
        with framework.control_dependencies(checks):
            fits = math_ops.logical_or(math_ops.equal(actual, sizes), math_ops.less(sizes, 0))
        fit = Assert(reduce_ops.reduce_all(fits),
                     ["the shape should be", str(wanted), "and is", actual])  # fmt: skip
        with framework.control_dependencies([*checks, fit]):
            result = array_ops.identity(x, name=scope)
        result.set_shape(wanted)
        return result


def check_numerics(tensor: Any, message: str, name: str | None = None) -> Any:
    """Return the tensor; a step fails with the message where it is not finite."""
    return emit("CheckNumerics", [tensor], name, message=message)


def verify_tensor_all_finite(t: Any = None, msg: str | None = None, name: str | None = None,
                             x: Any = None, message: str | None = None) -> Any:  # fmt: skip
    """Return the tensor; a step fails with the message where it is not finite."""
    x, message = only_one(t, x, "t", "x"), only_one(msg, message, "msg", "message")
    with framework.name_scope(name, "VerifyFinite", [x]):
        x = framework.convert_to_tensor(x, name="x")
        checked = check_numerics(x, message or "")
        with framework.control_dependencies([checked]):
            return emit("Identity", [x])


def add_check_numerics_ops() -> Any:
    """Return an operation that checks every floating point tensor that the graph has now."""
    from tfbuild_runtime.ops.control_ops import group

    checks = []
    for op in framework.get_default_graph().get_operations():
        for output in op.outputs:
            if output.dtype in (dtypes.float16, dtypes.float32, dtypes.float64):
                with framework.control_dependencies(checks[-1:]):
                    checks.append(check_numerics(output, f"{op.name}:{output.value_index}"))
    return group(*checks)
