"""Ops that reach out of the graph: functions of Python, printing, assertions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfbuild_runtime.framework import dtypes, host_functions
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework.tensor_shape import TensorShape


def py_func(func: Callable[..., Any], inp: Any, Tout: Any, stateful: bool = True,  # noqa: N803
            name: str | None = None) -> Any:  # fmt: skip
    """Return what func makes of the values of inp, which it gets as arrays.

    Tout is one type, or a list of types for a list of tensors. Without stateful a step may call it
    more or less often than the graph says. The graph cannot be run by another process.
    """
    is_list = isinstance(Tout, (list, tuple))
    types = [dtypes.as_dtype(kind) for kind in (Tout if is_list else [Tout])]
    graph = framework.graph_of(list(inp))
    with graph.as_default(), framework.name_scope(name or "PyFunc") as scope:
        tensors = [framework.convert_to_tensor(value) for value in inp]
        token = host_functions.register(func, types, graph)
        attrs = {"token": token, "Tin": [t.dtype.base_dtype for t in tensors], "Tout": types}
        kind = "PyFunc" if stateful else "PyFuncStateless"
        op = framework.apply_op(kind, [tensors], attrs, scope)
    if not types:
        return op if stateful else []
    return list(op.outputs) if is_list else op.outputs[0]


def numpy_function(func: Callable[..., Any], inp: Any, Tout: Any,  # noqa: N803
                   stateful: bool = True, name: str | None = None) -> Any:  # fmt: skip
    """Return py_func(...)."""
    return py_func(func, inp, Tout, stateful, name)


def native_function(kernel: Any, inp: Any, Tout: Any, shapes: Any,  # noqa: N803
                    gradient: str | None = None, name: str | None = None) -> Any:  # fmt: skip
    """Return what a kernel in machine code makes of the values of inp, without Python at run time.

    kernel is what numba's cfunc gives, or a function of ctypes:

        int kernel(const void* const* inputs, const int64_t* const* input_dims,
                   void* const* outputs, const int64_t* const* output_dims)

    It returns 0, or another number, which ends the step with an InternalError. Several threads may
    call it at once. Tout is one type, or a list of types for a list of tensors; shapes has for each
    output a shape, or the number of the input whose shape it has; gradient is the name of one that
    RegisterGradient knows. No other process can run the graph.
    """
    is_list = isinstance(Tout, (list, tuple))
    types = [dtypes.as_dtype(kind) for kind in (Tout if is_list else [Tout])]
    asked = list(shapes) if is_list else [shapes]
    same = [shape if isinstance(shape, int) else -1 for shape in asked]
    fixed = [TensorShape(None if number >= 0 else shape) for number, shape in zip(same, asked)]
    graph = framework.graph_of(list(inp))
    with graph.as_default(), framework.name_scope(name or "NativeFunction") as scope:
        tensors = [framework.convert_to_tensor(value) for value in inp]
        token = host_functions.register_kernel(kernel, graph)
        attrs = {"token": token, "Tin": [t.dtype.base_dtype for t in tensors], "Tout": types,
                 "shape_of": same, "output_shapes": fixed,
                 "_gradient_op_type": gradient}  # fmt: skip
        op = framework.apply_op("NativeFunction", [tensors], attrs, scope)
    return list(op.outputs) if is_list else op.outputs[0]


def Print(input_: Any, data: Any, message: str | None = None, first_n: int | None = None,
          summarize: int | None = None, name: str | None = None) -> Any:  # fmt: skip
    """Return input_, and write the values of data to the standard error output when it is read."""
    tensors = [framework.convert_to_tensor(value) for value in data]
    attrs = {"U": [tensor.dtype.base_dtype for tensor in tensors], "message": message,
             "first_n": first_n, "summarize": summarize}  # fmt: skip
    return framework.apply_op("Print", [input_, tensors], attrs, name or "Print").outputs[0]


def Assert(condition: Any, data: Any, summarize: int | None = None,
           name: str | None = None) -> Any:  # fmt: skip
    """Return an operation that ends a step with the values of data unless the condition holds."""
    with framework.name_scope(name, "Assert", [condition, *data]):
        tensors = [framework.convert_to_tensor(value) for value in data]
        types = [tensor.dtype.base_dtype for tensor in tensors]
        # Within a condition, so that the data is computed only for an assertion that fails.
        if all(kind in (dtypes.string, dtypes.int32) for kind in types):
            return _assertion(condition, tensors, types, summarize)
        from tfbuild_runtime.ops import control_flow_ops, control_ops

        condition = framework.convert_to_tensor(condition, dtypes.bool, name="condition")

        def fail() -> Any:
            return _assertion(condition, tensors, types, summarize)

        guarded = control_flow_ops.cond(condition, control_ops.no_op, fail, name="AssertGuard")
        return guarded if isinstance(guarded, framework.Operation) else guarded.op


def _assertion(condition: Any, tensors: Any, types: Any, summarize: int | None) -> Any:
    attrs = {"T": types, "summarize": summarize}
    return framework.apply_op("Assert", [condition, tensors], attrs, "Assert")
