"""The operations that save and restore variables, by TensorFlow's names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework import variables
from tfbuild_runtime.framework.graph_keys import GraphKeys
from tfbuild_runtime.ops import creation_ops
from tfbuild_runtime.protos import messages


class Saved(NamedTuple):
    """One variable, or one slice of a partitioned one: under which name it is saved."""

    name: str
    variable: Any

    @property
    def spec(self) -> str:
        """The shape of the whole and the slice, or nothing for a whole variable."""
        info = _slice_info(self.variable)
        return "" if info is None else str(info.spec)

    def tensors(self) -> dict[str, Any]:
        """Return what is saved, by its name."""
        variable = self.variable
        by_ref = _is_ref(variable)
        return {self.name: variable._ref() if by_ref else framework.convert_to_tensor(variable)}

    def restore(self, values: list[Any], *, reshape: bool) -> Any:
        """Return the operation that sets the variable to what was saved."""
        value = values[0]
        if reshape:
            value = framework.apply_op("Reshape", [value, self.variable.shape.as_list()]).outputs[0]
        return _assign(self.variable, value)


class SavedTable(NamedTuple):
    """A table that steps fill: its keys and values are saved beside one another."""

    name: str
    variable: Any

    spec = ""

    def tensors(self) -> dict[str, Any]:
        """Return what is saved, by its name."""
        keys, values = self.variable.export()
        return {f"{self.name}-keys": keys, f"{self.name}-values": values}

    def restore(self, values: list[Any], *, reshape: bool) -> Any:
        """Return the operation that fills the table with what was saved."""
        del reshape
        return framework.apply_op("LookupTableImportV2", [self.variable.resource_handle, *values])


def _is_ref(variable: Any) -> bool:
    return hasattr(variable, "_ref") and not hasattr(variable, "handle")


def _slice_info(variable: Any) -> Any:
    get = getattr(variable, "_get_save_slice_info", None)
    return None if get is None else get()


def find_saved(var_list: Any) -> list[Any]:
    """Return what a Saver of these variables saves; of all of the graph for None.

    Raises ValueError where two variables have one name, TypeError for what is no variable.
    """
    if var_list is None:
        var_list = variables.global_variables()
        var_list += framework.get_collection(GraphKeys.SAVEABLE_OBJECTS)
    if isinstance(var_list, Mapping):
        pairs = [(name, part) for name, value in var_list.items() for part in _parts(value)]
    else:
        parts = [part for value in var_list for part in _parts(value)]
        pairs = [(_name_of(part), part) for part in parts]
    found: dict[tuple[str, str], Any] = {}
    for name, part in pairs:
        saved: Any = SavedTable(name, part) if hasattr(part, "export") else Saved(name, part)
        if found.setdefault((name, saved.spec), saved).variable is not part:
            raise ValueError(f"At least two variables have the same name: {name}")
    return [found[key] for key in sorted(found)]


def _parts(value: Any) -> list[Any]:
    """Return a variable, or the slices of a partitioned one."""
    if hasattr(value, "_get_variable_list"):
        return list(value._get_variable_list())
    if isinstance(value, (list, tuple)):
        return list(value)
    if not (hasattr(value, "op") or hasattr(value, "export")):
        raise TypeError(f"Variable to save is not a Variable: {value!r}")
    return [value]


def _name_of(variable: Any) -> str:
    if hasattr(variable, "export"):
        return str(variable.resource_handle.op.name)
    info = _slice_info(variable)
    return str(variable.op.name) if info is None else str(info.full_name)


def build(saved: list[Any], name: str | None, *, reshape: bool, filename: str) -> Any:
    """Add the operations to the graph; return the SaverDef that names them."""
    with framework.name_scope(name or "save"):
        default = creation_ops.placeholder_with_default(filename, shape=(), name="filename")
        path = creation_ops.placeholder_with_default(default, shape=(), name="Const")
        layout = _layout(saved)
        save_tensor = _add_save(path, layout)
        restore = _add_restore(path, saved, layout, reshape=reshape)
    return messages.SaverDef(
        filename_tensor_name=path.name, save_tensor_name=save_tensor.name,
        restore_op_name=restore.name, version=messages.SaverDef.V2,
    )  # fmt: skip


class _Layout(NamedTuple):
    """What SaveV2 and RestoreV2 are told: names, slices and types, item after item."""

    names: list[str]
    specs: list[str]
    tensors: list[Any]
    counts: list[int]  # of tensors, for each item


def _layout(saved: list[Any]) -> _Layout:
    layout = _Layout([], [], [], [])
    for item in saved:
        tensors = item.tensors()
        layout.names.extend(tensors)
        layout.specs.extend([item.spec] * len(tensors))
        layout.tensors.extend(tensors.values())
        layout.counts.append(len(tensors))
    return layout


def _add_save(path: Any, layout: _Layout) -> Any:
    attrs = {"dtypes": [tensor.dtype.base_dtype for tensor in layout.tensors]}
    inputs = [path, layout.names, layout.specs, layout.tensors]
    save = framework.apply_op("SaveV2", inputs, attrs)
    with framework.control_dependencies([save]):
        return framework.apply_op("Identity", [path], name="control_dependency").outputs[0]


def _add_restore(path: Any, saved: list[Any], layout: _Layout, *, reshape: bool) -> Any:
    attrs = {"dtypes": [tensor.dtype.base_dtype for tensor in layout.tensors]}
    restore = framework.apply_op("RestoreV2", [path, layout.names, layout.specs], attrs)
    outputs = iter(restore.outputs)
    assigned = [
        item.restore([next(outputs) for _ in range(count)], reshape=reshape)
        for item, count in zip(saved, layout.counts)
    ]
    return framework.group(*assigned, name="restore_all")


def _assign(variable: Any, value: Any) -> Any:
    if not _is_ref(variable):
        identity = framework.apply_op("Identity", [value]).outputs[0]
        return framework.apply_op("AssignVariableOp", [variable.handle, identity])
    attrs = {"validate_shape": variable.shape.is_fully_defined(), "_class": variable._location()}
    return framework.apply_op("Assign", [variable._ref(), value], attrs)
