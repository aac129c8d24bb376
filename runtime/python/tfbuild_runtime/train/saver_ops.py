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

    @property
    def tensor(self) -> Any:
        """What is saved."""
        variable = self.variable
        return variable._ref() if _is_ref(variable) else framework.convert_to_tensor(variable)


def _is_ref(variable: Any) -> bool:
    return hasattr(variable, "_ref") and not hasattr(variable, "handle")


def _slice_info(variable: Any) -> Any:
    get = getattr(variable, "_get_save_slice_info", None)
    return None if get is None else get()


def find_saved(var_list: Any) -> list[Saved]:
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
    found: dict[tuple[str, str], Saved] = {}
    for name, part in pairs:
        saved = Saved(name, part)
        if found.setdefault((name, saved.spec), saved).variable is not part:
            raise ValueError(f"At least two variables have the same name: {name}")
    return [found[key] for key in sorted(found)]


def _parts(value: Any) -> list[Any]:
    """Return a variable, or the slices of a partitioned one."""
    if hasattr(value, "_get_variable_list"):
        return list(value._get_variable_list())
    if isinstance(value, (list, tuple)):
        return list(value)
    if not hasattr(value, "op"):
        raise TypeError(f"Variable to save is not a Variable: {value!r}")
    return [value]


def _name_of(variable: Any) -> str:
    info = _slice_info(variable)
    return str(variable.op.name) if info is None else str(info.full_name)


def build(saved: list[Saved], name: str | None, *, reshape: bool, filename: str) -> Any:
    """Add the operations to the graph; return the SaverDef that names them."""
    with framework.name_scope(name or "save"):
        default = creation_ops.placeholder_with_default(filename, shape=(), name="filename")
        path = creation_ops.placeholder_with_default(default, shape=(), name="Const")
        save_tensor = _add_save(path, saved)
        restore = _add_restore(path, saved, reshape=reshape)
    return messages.SaverDef(
        filename_tensor_name=path.name, save_tensor_name=save_tensor.name,
        restore_op_name=restore.name, version=messages.SaverDef.V2,
    )  # fmt: skip


def _keys(saved: list[Saved]) -> list[Any]:
    return [[item.name for item in saved], [item.spec for item in saved]]


def _add_save(path: Any, saved: list[Saved]) -> Any:
    tensors = [item.tensor for item in saved]
    attrs = {"dtypes": [tensor.dtype.base_dtype for tensor in tensors]}
    save = framework.apply_op("SaveV2", [path, *_keys(saved), tensors], attrs)
    with framework.control_dependencies([save]):
        return framework.apply_op("Identity", [path], name="control_dependency").outputs[0]


def _add_restore(path: Any, saved: list[Saved], *, reshape: bool) -> Any:
    attrs = {"dtypes": [item.variable.dtype.base_dtype for item in saved]}
    restore = framework.apply_op("RestoreV2", [path, *_keys(saved)], attrs)
    assigned = []
    for item, output in zip(saved, restore.outputs):
        sizes = item.variable.shape.as_list() if reshape else None
        fitting = [output, sizes]
        value = framework.apply_op("Reshape", fitting).outputs[0] if reshape else output
        assigned.append(_assign(item.variable, value))
    return framework.group(*assigned, name="restore_all")


def _assign(variable: Any, value: Any) -> Any:
    if not _is_ref(variable):
        identity = framework.apply_op("Identity", [value]).outputs[0]
        return framework.apply_op("AssignVariableOp", [variable.handle, identity])
    attrs = {"validate_shape": variable.shape.is_fully_defined(), "_class": variable._location()}
    return framework.apply_op("Assign", [variable._ref(), value], attrs)
