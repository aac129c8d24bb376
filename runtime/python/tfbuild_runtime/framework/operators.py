"""Python's operators on tensors, as operations with the names that TensorFlow gives them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfbuild_runtime.framework import dtypes, ops
from tfbuild_runtime.framework.operation import Tensor

_FLOATING_TWIN = {
    dtypes.int8: dtypes.float32,
    dtypes.uint8: dtypes.float32,
    dtypes.int16: dtypes.float32,
    dtypes.int32: dtypes.float64,
    dtypes.int64: dtypes.float64,
    dtypes.uint16: dtypes.float32,
    dtypes.uint32: dtypes.float64,
    dtypes.uint64: dtypes.float64,
}


def _apply(op_type: str, inputs: list[Any], name: str | None) -> Any:
    return ops.apply_op(op_type, inputs, None, name).outputs[0]


def _add(x: Any, y: Any, name: str) -> Any:
    kind = "Add" if x.dtype.base_dtype == dtypes.string else "AddV2"
    return _apply(kind, [x, y], name)


def _true_divide(x: Any, y: Any, name: str) -> Any:
    twin = _FLOATING_TWIN.get(x.dtype.base_dtype)
    if twin is not None:
        x, y = (ops.apply_op("Cast", [v], {"DstT": twin}).outputs[0] for v in (x, y))
    return _apply("RealDiv", [x, y], name)


def _power(x: Any, y: Any, name: str) -> Any:
    return _apply("Pow", [x, y], name)


def _matrix_product(x: Any, y: Any, name: str) -> Any:
    ranks = x.shape.rank, y.shape.rank
    if ranks == (2, 2) or None in ranks:
        return _apply("MatMul", [x, y], name)
    return _apply("BatchMatMulV2", [x, y], name)


def _logical(integer_op: str, bool_op: str) -> Callable[[Any, Any, str], Any]:
    def build(x: Any, y: Any, name: str) -> Any:
        return _apply(bool_op if x.dtype.is_bool else integer_op, [x, y], name)

    return build


def _exclusive_or(x: Any, y: Any, name: str) -> Any:
    either = _apply("LogicalOr", [x, y], None)
    both = _apply("LogicalNot", [_apply("LogicalAnd", [x, y], None)], None)
    return _apply("LogicalAnd", [either, both], name)


def _simple(op_type: str) -> Callable[[Any, Any, str], Any]:
    return lambda x, y, name: _apply(op_type, [x, y], name)


_BINARY: dict[str, tuple[str, Callable[[Any, Any, str], Any]]] = {
    "add": ("add", _add),
    "sub": ("sub", _simple("Sub")),
    "mul": ("mul", _simple("Mul")),
    "truediv": ("truediv", _true_divide),
    "floordiv": ("floordiv", _simple("FloorDiv")),
    "mod": ("mod", _simple("FloorMod")),
    "pow": ("pow", _power),
    "matmul": ("matmul", _matrix_product),
    "and": ("and", _logical("BitwiseAnd", "LogicalAnd")),
    "or": ("or", _logical("BitwiseOr", "LogicalOr")),
    "xor": ("xor", _exclusive_or),
}
_COMPARISONS = {"lt": "Less", "le": "LessEqual", "gt": "Greater", "ge": "GreaterEqual"}


def _as_operands(x: Any, y: Any) -> tuple[Any, Any]:
    x = ops.convert_to_tensor(x, name="x")
    # A NumPy array keeps its type, so that a wrong one is an error and not a silent cast.
    return x, ops.convert_to_tensor(y, dtype_hint=x.dtype.base_dtype, name="y")


def _binary(scope_name: str, build: Callable[[Any, Any, str], Any]) -> Callable[..., Any]:
    def operator(x: Any, y: Any) -> Any:
        if not _is_operand(y):
            return NotImplemented
        with ops.name_scope(None, scope_name, [x]) as name:
            return build(*_as_operands(x, y), name)

    return operator


def _reflected(scope_name: str, build: Callable[[Any, Any, str], Any]) -> Callable[..., Any]:
    def operator(y: Any, x: Any) -> Any:
        if not _is_operand(x):
            return NotImplemented
        with ops.name_scope(None, scope_name, [y]) as name:
            left = ops.convert_to_tensor(x, dtype=y.dtype.base_dtype, name="x")
            return build(left, ops.convert_to_tensor(y), name)

    return operator


def _is_operand(value: Any) -> bool:
    return value is not None and not isinstance(value, dict)


def _unary(op_type: str, name: str | None = None) -> Callable[[Any], Any]:
    return lambda x: _apply(op_type, [x], name)


def operators() -> dict[str, Callable[..., Any]]:
    """Return the operator methods by name, for tensors and for what stands for tensors."""
    methods: dict[str, Callable[..., Any]] = {}
    for name, (scope_name, build) in _BINARY.items():
        methods[f"__{name}__"] = _binary(scope_name, build)
        methods[f"__r{name}__"] = _reflected(scope_name, build)
    for name, op_type in _COMPARISONS.items():
        methods[f"__{name}__"] = _binary(op_type, _simple(op_type))
    methods["__neg__"] = _unary("Neg")
    methods["__abs__"] = _unary("Abs")
    methods["__invert__"] = _unary("LogicalNot")
    return methods


for _name, _method in operators().items():
    Tensor._override_operator(_name, _method)
