"""Variables as TensorFlow's VariableDef messages, which name the operations of one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from tfbuild_runtime.framework import tensor_shape
from tfbuild_runtime.framework.messages import Field, Message


class SaveSliceInfoDef(Message):
    """Which part of a larger variable a variable is."""

    _fields: ClassVar[Mapping[str, Field]] = {
        "full_name": Field(1, "string"),
        "full_shape": Field(2, "int", repeated=True),
        "var_offset": Field(3, "int", repeated=True),
        "var_shape": Field(4, "int", repeated=True),
    }


class VariableDef(Message):
    """The names of the operations of a variable."""

    _fields: ClassVar[Mapping[str, Field]] = {
        "variable_name": Field(1, "string"),
        "initializer_name": Field(2, "string"),
        "snapshot_name": Field(3, "string"),
        "save_slice_info_def": Field(4, SaveSliceInfoDef),
        "is_resource": Field(5, "bool"),
        "initial_value_name": Field(6, "string"),
        "trainable": Field(7, "bool"),
    }


def definition_of(variable: Any, export_scope: str | None) -> VariableDef | None:
    """Return the names of a variable without the scope; None where it is not in that scope."""
    prefix = f"{export_scope}/" if export_scope else ""
    if not variable.name.startswith(prefix):
        return None

    def named(element: Any) -> str:
        return str(element.name).removeprefix(prefix)

    return VariableDef(
        variable_name=named(variable),
        initializer_name=named(variable.initializer),
        snapshot_name=named(variable._snapshot),
        is_resource=hasattr(variable, "handle"),
        initial_value_name=named(variable.initial_value),
        trainable=variable.trainable,
    )


def restore(variable: Any, definition: VariableDef, import_scope: str | None) -> None:
    """Let a new variable be the one of the default graph whose names are given.

    Raises KeyError where the graph has no such operations.
    """
    prefix = f"{import_scope}/" if import_scope else ""
    graph = variable._graph
    variable._op = graph.get_tensor_by_name(prefix + definition.variable_name).op
    variable._initializer = graph.get_operation_by_name(prefix + definition.initializer_name)
    variable._snapshot = graph.get_tensor_by_name(prefix + definition.snapshot_name)
    variable._initial_value = (
        graph.get_tensor_by_name(prefix + definition.initial_value_name)
        if definition.initial_value_name
        else variable._initializer.inputs[1]
    )
    variable.trainable = definition.trainable
    if definition.is_resource:
        variable._dtype = variable._op.get_attr("dtype")
        variable._shape = tensor_shape.as_shape(variable._op.get_attr("shape"))
