"""Variables as messages, so that a graph that was read has them again."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.framework import defaults, variables
from tfbuild_runtime.ops.partitioned_variables import SaveSliceInfo
from tfbuild_runtime.protos import messages


def to_variable_def(variable: Any, scope: str = "") -> Any:
    """Return the VariableDef of a variable, its names without the scope; None outside of it."""
    if not variable.name.startswith(scope):
        return None
    is_resource = hasattr(variable, "handle")

    def inside(name: str) -> str:
        return name.removeprefix(scope)

    made = messages.VariableDef(
        variable_name=inside(variable.name), initializer_name=inside(variable.initializer.name),
        snapshot_name=inside(variable._snapshot.name), trainable=bool(variable.trainable),
        is_resource=is_resource,
    )  # fmt: skip
    if variable._initial_value is not None:
        made.initial_value_name = inside(variable._initial_value.name)
    info = variable._get_save_slice_info()
    if info is not None:
        made.save_slice_info_def.full_name = info.full_name
        made.save_slice_info_def.full_shape.extend(info.full_shape)
        made.save_slice_info_def.var_offset.extend(info.var_offset)
        made.save_slice_info_def.var_shape.extend(info.var_shape)
    return made


def from_variable_def(variable_def: Any, scope: str = "") -> Any:
    """Return the variable that a VariableDef is of, from the default graph.

    Raises KeyError when the graph lacks one of its operations, ValueError where an operation is
    named in the place of a tensor.
    """
    graph = defaults.get_default_graph()

    def element(name: str) -> Any:
        return graph.as_graph_element(scope + name, allow_operation=False)

    kind = variables.Variable
    if variable_def.is_resource:
        from tfbuild_runtime.framework.resource_variables import ResourceVariable

        kind = ResourceVariable
    variable = object.__new__(kind)
    op = element(variable_def.variable_name).op
    first = variable_def.initial_value_name
    info = variable_def.save_slice_info_def
    parts = (info.full_name, info.full_shape, info.var_offset, info.var_shape)
    variable.__dict__.update(
        _graph=graph, _op=op, constraint=None, trainable=variable_def.trainable,
        _validate_shape=True,
        _initializer=graph.as_graph_element(scope + variable_def.initializer_name),
        _snapshot=element(variable_def.snapshot_name),
        _initial_value=element(first) if first else None,
        _save_slice_info=SaveSliceInfo(*parts) if info.full_name else None,
    )  # fmt: skip
    if variable_def.is_resource:
        variable.__dict__.update(_dtype=op.get_attr("dtype"), _shape=variable._snapshot.shape)
    return variable
