"""Every registered op in snake case and by position: gen_array_ops.concat_v2(values, axis).

TensorFlow's build generated such functions in modules named gen_..._ops, and programs import them
although they are nobody's interface. All of those modules have all ops here.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from tfbuild_runtime.framework import op_defs
from tfbuild_runtime.ops import raw_ops


def _plain(name: str) -> str:
    return name.replace("_", "").lower()


@cache
def _ops() -> dict[str, str]:
    return {_plain(op_type): op_type for op_type in op_defs.names() if not op_type.startswith("_")}


def _inferred(definition: op_defs.OpDef) -> set[str]:
    """Return the attributes that follow from the inputs, which are not asked for."""
    return {
        attr
        for arg in definition.inputs
        for attr in (arg.type_attr, arg.number_attr, arg.type_list_attr)
    }


def _function_of(op_type: str) -> Callable[..., Any]:
    definition = op_defs.get(op_type)
    inputs, attrs = raw_ops.argument_names(op_type)
    asked = {name: own for name, own in attrs.items() if own not in _inferred(definition)}
    required = [name for name, own in asked.items() if not definition.attrs[own].has_default]
    optional = [name for name, own in asked.items() if definition.attrs[own].has_default]
    places = [*inputs, *required, *optional, "name"]
    function = getattr(raw_ops, op_type)

    def generated(*values: Any, **named: Any) -> Any:
        if len(values) > len(places):
            raise TypeError(f"{op_type} takes at most {len(places)} arguments ({places}), "
                            f"not {len(values)}")  # fmt: skip
        given = dict(zip(places, values))
        for name, value in named.items():
            if name in given:
                raise TypeError(f"{op_type} got several values for {name!r}")
            given[name] = value
        return function(**given)

    generated.__name__ = generated.__qualname__ = op_type
    generated.__doc__ = f"Add the op {op_type}, with {', '.join(places)}."
    return generated


def __getattr__(name: str) -> Any:
    op_type = None if name.startswith("_") else _ops().get(_plain(name))
    if op_type is None:
        raise AttributeError(f"there is no op {name!r}")
    function = _function_of(op_type)
    globals()[name] = function
    return function
