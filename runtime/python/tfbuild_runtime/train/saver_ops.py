"""The operations that save and restore variables, by TensorFlow's names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework import variables
from tfbuild_runtime.framework.device import DeviceSpec
from tfbuild_runtime.framework.graph_keys import GraphKeys
from tfbuild_runtime.ops import creation_ops
from tfbuild_runtime.protos import messages
from tfbuild_runtime.train.checkpoint_state import PARTS


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
    def device(self) -> str:
        """The device that the variable was asked for, by its full name."""
        return str(self.variable.device or "")

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

    @property
    def device(self) -> str:
        """The device that the table was asked for, by its full name."""
        return str(self.variable.resource_handle.device or "")

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
        if (name, saved.spec) in found:
            raise ValueError(f"At least two variables have the same name: {name}")
        if any(other.variable is part for other in found.values()):
            raise ValueError(f"The same saveable will be restored with two names: {name}")
        found[name, saved.spec] = saved
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


def build(
    saved: list[Any], name: str | None, *, reshape: bool, filename: str, sharded: bool = False,
    version: int = 2,
) -> Any:  # fmt: skip
    """Add the operations to the graph; return the SaverDef that names them.

    With sharded there is a file for each device that has variables. Raises ValueError for another
    version of checkpoints than 1 and 2.
    """
    if version not in (messages.SaverDef.V1, messages.SaverDef.V2):
        raise ValueError(f"checkpoints of version {version} cannot be written")
    with framework.name_scope(name or "save"):
        default = creation_ops.placeholder_with_default(filename, shape=(), name="filename")
        path = creation_ops.placeholder_with_default(default, shape=(), name="Const")
        if sharded:
            shards = _by_device(saved)
            save_tensor = _add_sharded_save(path, shards, version)
            restored = [_add_restore(path, shard, "restore_shard", reshape) for shard in shards]
            restore = framework.group(*restored, name="restore_all")
        else:
            whole = _Shard("", saved, _layout(saved))
            save_tensor = _add_save(path, whole, version)
            restore = _add_restore(path, whole, "restore_all", reshape)
    return messages.SaverDef(
        filename_tensor_name=path.name, save_tensor_name=save_tensor.name,
        restore_op_name=restore.name, version=version,
    )  # fmt: skip


class _Layout(NamedTuple):
    """What SaveV2 and RestoreV2 are given: names, slices and types, item after item."""

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


class _Shard(NamedTuple):
    """What is saved into one file: on which device that is done, and what SaveV2 is given."""

    device: str
    saved: list[Any]
    layout: _Layout


def _by_device(saved: list[Any]) -> list[_Shard]:
    """Return a shard for each device that has variables, in the order of the devices' names."""
    found: dict[str, list[Any]] = {}
    for item in saved:
        found.setdefault(item.device, []).append(item)
    return [_Shard(_host_of(name), found[name], _layout(found[name])) for name in sorted(found)]


def _host_of(name: str) -> str:
    """Return the processor beside a device; any device for one that is not named."""
    spec = DeviceSpec.from_string(name)
    if spec.device_type is None:
        return name
    return spec.updated_by(DeviceSpec(device_type="CPU", device_index="0")).to_string()


def _add_save(path: Any, shard: _Shard, version: int) -> Any:
    layout = shard.layout
    kinds = [tensor.dtype.base_dtype for tensor in layout.tensors]
    inputs = [path, layout.names, layout.specs, layout.tensors]
    if version == messages.SaverDef.V1:
        save = framework.apply_op("SaveSlices", inputs, {"T": kinds}, name="save")
    else:
        save = framework.apply_op("SaveV2", inputs, {"dtypes": kinds})
    with framework.control_dependencies([save]):
        return framework.apply_op("Identity", [path], name="control_dependency").outputs[0]


def _add_sharded_save(path: Any, shards: list[_Shard], version: int) -> Any:
    """Save each shard; return the prefix, or for version 1 the pattern of the files' names."""
    is_old = version == messages.SaverDef.V1
    number = framework.constant(len(shards), name="num_shards")
    begin = path if is_old else framework.apply_op("StringJoin", [[path, PARTS]]).outputs[0]
    written = []
    for index, shard in enumerate(shards):
        with framework.device(shard.device):
            name = framework.apply_op("ShardedFilename", [begin, index, number]).outputs[0]
            written.append((name, _add_save(name, shard, version)))
    with framework.control_dependencies([saved.op for _, saved in written]):
        if is_old:
            return framework.apply_op("ShardedFilespec", [path, number]).outputs[0]
        with framework.device(shards[-1].device):
            merged = framework.apply_op("MergeV2Checkpoints", [[name for name, _ in written], path])
        with framework.control_dependencies([merged]):
            return framework.apply_op("Identity", [path]).outputs[0]


def _add_restore(path: Any, shard: _Shard, name: str, reshape: bool) -> Any:
    layout = shard.layout
    attrs = {"dtypes": [tensor.dtype.base_dtype for tensor in layout.tensors]}
    with framework.device(shard.device):
        restore = framework.apply_op("RestoreV2", [path, layout.names, layout.specs], attrs)
    outputs = iter(restore.outputs)
    assigned = [
        item.restore([next(outputs) for _ in range(count)], reshape=reshape)
        for item, count in zip(shard.saved, layout.counts)
    ]
    return framework.group(*assigned, name=name)


def _assign(variable: Any, value: Any) -> Any:
    if not _is_ref(variable):
        identity = framework.apply_op("Identity", [value]).outputs[0]
        return framework.apply_op("AssignVariableOp", [variable.handle, identity])
    attrs = {"validate_shape": variable.shape.is_fully_defined(), "_class": variable._location()}
    return framework.apply_op("Assign", [variable._ref(), value], attrs)
