"""Gradients that programs give their own functions, and second derivatives."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any

from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework.graph_keys import GraphKeys
from tfbuild_runtime.gradients.engine import gradients
from tfbuild_runtime.gradients.registry import RegisterGradient
from tfbuild_runtime.ops import array_ops, control_flow_ops, nest
from tfbuild_runtime.ops.emit import emit
from tfbuild_runtime.ops.tensor_array_ops import TensorArray


def custom_gradient(f: Callable[..., Any] | None = None) -> Callable[..., Any]:
    """Return f with a gradient of its own: f gives its results and a function of their gradients.

    That function returns the gradients by f's arguments. Where f reads variables it must take
    `variables`, and return as well a list of the gradients by them; else a TypeError is raised.
    """
    if f is None:
        return custom_gradient

    @functools.wraps(f)
    def with_gradient(*args: Any, **kwargs: Any) -> Any:
        given = [array_ops.identity(leaf) for leaf in nest.flatten(list(args))]
        results, grad_fn = f(*nest.pack(list(args), given), **kwargs)
        flat = [framework.convert_to_tensor(result) for result in nest.flatten(results)]
        read = _variables_between(flat, given)
        _check_takes_variables(grad_fn, read)
        graph = framework.get_default_graph()
        name = f"CustomGradient-{graph.version}-{id(graph)}"
        RegisterGradient(name)(_gradient_op(grad_fn, results, len(flat), read))
        with graph.gradient_override_map({"IdentityN": name}):
            tensors = framework.apply_op("IdentityN", [[*flat, *given, *read]]).outputs
        return nest.pack(results, tensors[: len(flat)])

    return with_gradient


def _gradient_op(
    grad_fn: Callable[..., Any], results: Any, count: int, variables: list[Any]
) -> Callable[..., list[Any]]:
    """Return the gradient of the operation that hands on results, arguments and variables."""

    def gradient(_: Any, *arrived: Any) -> list[Any]:
        by_results = nest.flatten(nest.pack(results, list(arrived[:count])))
        if not variables:
            return [None] * count + _listed(grad_fn(*by_results))
        by_arguments, by_variables = grad_fn(*by_results, variables=variables)
        if len(by_variables) != len(variables):
            raise ValueError(f"a custom gradient gave {len(by_variables)} gradients for "
                             f"{len(variables)} variables")  # fmt: skip
        return [None] * count + _listed(by_arguments) + list(by_variables)

    return gradient


def _listed(found: Any) -> list[Any]:
    return nest.flatten(list(found) if isinstance(found, (list, tuple)) else [found])


def _check_takes_variables(grad_fn: Callable[..., Any], read: list[Any]) -> None:
    if not callable(grad_fn):
        raise TypeError("a function under tf.custom_gradient returns its results and a function "
                        f"of their gradients, not {grad_fn!r}")  # fmt: skip
    names = inspect.signature(grad_fn).parameters
    takes = "variables" in names or any(p.kind is p.VAR_KEYWORD for p in names.values())
    if read and not takes:
        raise TypeError(
            "a function under tf.custom_gradient reads variables "
            f"({', '.join(v.name for v in read)}): its gradient must take `variables`, and "
            "return the gradients by them as well"
        )


def _variables_between(results: Iterable[Any], arguments: Iterable[Any]) -> list[Any]:
    """Return the trainable variables that the results read, not looking behind the arguments."""
    every = framework.get_collection(GraphKeys.TRAINABLE_VARIABLES)
    by_op = {variable.op: variable for variable in every}
    ends = {tensor.op for tensor in arguments}
    found: dict[Any, None] = {}
    seen: set[Any] = set()
    stack = [tensor.op for tensor in results]
    while stack:
        op = stack.pop()
        if op in seen or op in ends:
            continue
        seen.add(op)
        if op in by_op:
            found[by_op[op]] = None
        stack += [tensor.op for tensor in op.inputs]
    return [variable for variable in every if variable in found]


def hessians(
    ys: Any, xs: Any, name: str = "hessians", colocate_gradients_with_ops: bool = False,
    gate_gradients: bool = False, aggregation_method: int | None = None,
) -> list[Any]:  # fmt: skip
    """Return, for each x, the second derivatives of the sum of ys: of the shape of x, twice.

    Raises ValueError when ys do not depend on an x.
    """
    inputs = [framework.convert_to_tensor(x, as_ref=True) for x in _listed(xs)]
    how = {"colocate_gradients_with_ops": colocate_gradients_with_ops,
           "gate_gradients": gate_gradients, "aggregation_method": aggregation_method}  # fmt: skip
    with framework.name_scope(name):
        firsts = gradients(ys, inputs, **how)  # type: ignore[arg-type]
        found = []
        for x, first in zip(inputs, firsts):
            if first is None:
                raise ValueError(f"ys do not depend on {x.name!r}")
            found.append(_rows(framework.convert_to_tensor(first), x, how))
    return found


def _rows(first: Any, x: Any, how: dict[str, Any]) -> Any:
    """Return the derivatives of each element of a gradient by x."""
    sizes = array_ops.shape(x)
    flat = emit("Reshape", [first, [-1]])
    known = x.get_shape()
    count = known.num_elements() if known.is_fully_defined() else array_ops.size(x)

    def row(number: Any, rows: Any) -> Any:
        one = emit("OneHot", [number, array_ops.size(x), _one(x, 1), _one(x, 0)])
        by_x = gradients(flat, x, grad_ys=one, unconnected_gradients="zero", **how)[0]
        return number + 1, rows.write(number, by_x)

    rows = TensorArray(x.dtype.base_dtype, size=count)
    _, rows = control_flow_ops.while_loop(
        lambda number, _: emit("Less", [number, count]), row, [framework.constant(0), rows]
    )
    return emit("Reshape", [rows.stack(), emit("ConcatV2", [[sizes, sizes], 0])])


def _one(x: Any, value: int) -> Any:
    return framework.constant(value, dtype=x.dtype.base_dtype)
