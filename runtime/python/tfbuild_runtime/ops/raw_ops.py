"""Every registered op as a function of its named inputs and attributes: tf.raw_ops.Exp(x=x).

The functions are made from what the ops' definitions say, so a new op needs nothing here. Inputs
have the definition's names: reduction_indices, where a wrapper says axis.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Iterator
from typing import Any

from tfbuild_runtime.framework import op_defs
from tfbuild_runtime.framework import ops as framework


def _function_of(op_type: str) -> Callable[..., Any]:
    definition = op_defs.get(op_type)
    inputs = [arg.name for arg in definition.inputs]

    def raw(*, name: str | None = None, **arguments: Any) -> Any:
        missing = [argument for argument in inputs if argument not in arguments]
        unknown = sorted(set(arguments) - set(inputs) - set(definition.attrs))
        if missing or unknown:
            what = f"misses {missing}" if missing else f"knows no {unknown}"
            raise TypeError(f"{op_type} {what}; it takes {[*inputs, *definition.attrs]}")
        values = [arguments.pop(argument) for argument in inputs]
        operation = framework.apply_op(op_type, values, arguments, name or op_type)
        return _result(definition, operation)

    raw.__name__ = raw.__qualname__ = op_type
    raw.__doc__ = (
        f"Add the op {op_type}; return its output, a named tuple of several, or the operation."
    )
    return raw


def _result(definition: op_defs.OpDef, operation: Any) -> Any:
    """Return what an operation gives: outputs by name, of which a run of tensors is a list."""
    if not definition.outputs:
        return operation
    left = iter(operation.outputs)
    values = [_output(arg, operation, left) for arg in definition.outputs]
    if len(values) == 1:
        return values[0]
    fields = [arg.name for arg in definition.outputs]
    return namedtuple(definition.name, fields)(*values)  # noqa: PYI024 (named only now)


def _output(arg: op_defs.Arg, operation: Any, left: Iterator[Any]) -> Any:
    if arg.number_attr:
        return [next(left) for _ in range(operation.get_attr(arg.number_attr))]
    if arg.type_list_attr:
        return [next(left) for _ in operation.get_attr(arg.type_list_attr)]
    return next(left)


def __getattr__(name: str) -> Any:
    if name.startswith("__") or name not in op_defs.names():
        raise AttributeError(f"there is no op {name!r}")
    function = _function_of(name)
    globals()[name] = function
    return function


def __dir__() -> list[str]:
    return op_defs.names()
