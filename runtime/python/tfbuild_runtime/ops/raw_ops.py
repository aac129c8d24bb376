"""Every registered op as a function of its named inputs and attributes: tf.raw_ops.Exp(x=x).

The functions are made from what the ops' definitions say, so a new op needs nothing here. Where
TensorFlow's function has another name for an input or attribute than the definition, so has this.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Iterator
from typing import Any as _Any  # Any is an op

from tfbuild_runtime.framework import op_defs
from tfbuild_runtime.framework import ops as framework

# op -> {name of the definition: name of TensorFlow's function}
_AXIS = {"reduction_indices": "axis"}
_RENAMED = {
    **dict.fromkeys(("All", "Any", "Max", "Mean", "Min", "Prod", "Sum"), _AXIS),
    "ExpandDims": {"dim": "axis"},
    "Select": {"t": "x", "e": "y"},
    "Split": {"split_dim": "axis"},
    "SplitV": {"split_dim": "axis"},
    "Squeeze": {"squeeze_dims": "axis"},
    "Where": {"input": "condition"},
}


def argument_names(op_type: str) -> tuple[list[str], dict[str, str]]:
    """Return the names of an op's inputs, and those of its attributes with the definition's."""
    definition, renamed = op_defs.get(op_type), _RENAMED.get(op_type, {})
    inputs = [renamed.get(arg.name, arg.name) for arg in definition.inputs]
    return inputs, {renamed.get(attr, attr): attr for attr in definition.attrs}


def _function_of(op_type: str) -> Callable[..., _Any]:
    definition = op_defs.get(op_type)
    inputs, attrs = argument_names(op_type)

    def raw(*, name: str | None = None, **arguments: _Any) -> _Any:
        missing = [argument for argument in inputs if argument not in arguments]
        unknown = sorted(set(arguments) - set(inputs) - set(attrs))
        if missing or unknown:
            what = f"misses {missing}" if missing else f"knows no {unknown}"
            raise TypeError(f"{op_type} {what}; it takes {[*inputs, *attrs]}")
        values = [arguments.pop(argument) for argument in inputs]
        given = {attrs[argument]: value for argument, value in arguments.items()}
        operation = framework.apply_op(op_type, values, given, name or op_type)
        return _result(definition, operation)

    raw.__name__ = raw.__qualname__ = op_type
    raw.__doc__ = (
        f"Add the op {op_type}; return its output, a named tuple of several, or the operation."
    )
    return raw


def _result(definition: op_defs.OpDef, operation: _Any) -> _Any:
    """Return what an operation gives: outputs by name, of which a run of tensors is a list."""
    if not definition.outputs:
        return operation
    left = iter(operation.outputs)
    values = [_output(arg, operation, left) for arg in definition.outputs]
    if len(values) == 1:
        return values[0]
    fields = [arg.name for arg in definition.outputs]
    return namedtuple(definition.name, fields)(*values)  # noqa: PYI024 (named only now)


def _output(arg: op_defs.Arg, operation: _Any, left: Iterator[_Any]) -> _Any:
    if arg.number_attr:
        return [next(left) for _ in range(operation.get_attr(arg.number_attr))]
    if arg.type_list_attr:
        return [next(left) for _ in operation.get_attr(arg.type_list_attr)]
    return next(left)


def __getattr__(name: str) -> _Any:
    if name.startswith("__") or name not in op_defs.names():
        raise AttributeError(f"there is no op {name!r}")
    function = _function_of(name)
    globals()[name] = function
    return function


def __dir__() -> list[str]:
    return op_defs.names()
