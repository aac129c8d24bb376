"""Looking into checkpoints without a graph, and taking first values from them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from tfbuild_runtime.framework import dtypes, errors, native, tensor_shape, variables
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.platform import gfile
from tfbuild_runtime.protos import messages
from tfbuild_runtime.train import checkpoint_state


class CheckpointReader:
    """What a checkpoint holds, by name."""

    def __init__(self, filepattern: Any) -> None:
        self._prefix = os.fsdecode(filepattern)
        self._file = native.open_checkpoint(os.fsencode(self._prefix))
        self._tensors = {
            name.decode(errors="surrogateescape"): kind
            for name, kind in self._file.tensors().items()
        }

    def has_tensor(self, tensor_str: str) -> bool:
        """Whether there is a tensor of that name."""
        return tensor_str in self._tensors

    def get_tensor(self, tensor_str: str) -> Any:
        """Return a tensor as an array; raises NotFoundError, or DataLossError for damaged bytes."""
        value = self._file.read(tensor_str.encode(errors="surrogateescape"))
        return value.item() if value.dtype == object and value.ndim == 0 else value

    def get_variable_to_shape_map(self) -> dict[str, list[int]]:
        """Return the shape of each tensor."""
        return {name: list(shape) for name, (_, shape) in self._tensors.items()}

    def get_variable_to_dtype_map(self) -> dict[str, Any]:
        """Return the type of each tensor; raises TypeError for one that the runtime lacks."""
        return {name: dtypes.as_dtype(number) for name, (number, _) in self._tensors.items()}

    def debug_string(self) -> bytes:
        """Return a line for each tensor: name, type, shape."""
        kinds = messages.TensorProto.DESCRIPTOR.fields_by_name["dtype"].enum_type.values_by_number
        lines = []
        for name, (number, shape) in sorted(self._tensors.items()):
            kind = kinds[number].name if number in kinds else f"type {number}"
            lines.append(f"{name} ({kind}) [{','.join(map(str, shape))}]\n")
        return "".join(lines).encode(errors="surrogateescape")


NewCheckpointReader = CheckpointReader


def load_checkpoint(ckpt_dir_or_file: Any) -> CheckpointReader:
    """Return a reader of a checkpoint, or of the latest of a folder; ValueError without one."""
    prefix = os.fsdecode(ckpt_dir_or_file)
    if gfile.is_directory(prefix):
        latest = checkpoint_state.latest_checkpoint(prefix)
        if latest is None:
            raise ValueError(
                f"Couldn't find 'checkpoint' file or checkpoints in given directory {prefix}"
            )
        prefix = latest
    return CheckpointReader(prefix)


def list_variables(ckpt_dir_or_file: Any) -> list[tuple[str, list[int]]]:
    """Return name and shape of all tensors of a checkpoint, sorted by name."""
    return sorted(load_checkpoint(ckpt_dir_or_file).get_variable_to_shape_map().items())


def load_variable(ckpt_dir_or_file: Any, name: str) -> Any:
    """Return one tensor of a checkpoint as an array."""
    return load_checkpoint(ckpt_dir_or_file).get_tensor(name.removesuffix(":0"))


def init_from_checkpoint(ckpt_dir_or_file: Any, assignment_map: Any) -> None:
    """Let the initializers of variables take their values from a checkpoint.

    assignment_map says which tensor goes to which variable, or which scope of names ("old/") to
    which scope of variables ("new/", "/" being all). Raises ValueError for names or shapes that do
    not fit.
    """
    reader = load_checkpoint(ckpt_dir_or_file)
    pairs = assignment_map.items() if isinstance(assignment_map, Mapping) else assignment_map
    for saved, current in pairs:
        if isinstance(current, str) and saved.endswith("/"):
            _init_scope(reader, saved, current)
        else:
            for variable in parts_of(_variable_of(current)):
                _init_variable(reader, saved, variable)


def parts_of(variable: Any) -> list[Any]:
    """Return the parts of a partitioned variable or a list, else the variable alone."""
    if hasattr(variable, "_get_variable_list"):
        return list(variable._get_variable_list())
    return list(variable) if isinstance(variable, (list, tuple)) else [variable]


def _slice_of(variable: Any) -> Any:
    get = getattr(variable, "_get_save_slice_info", None)
    return None if get is None else get()


def saved_name(variable: Any) -> str:
    """Return the name under which a variable, or the whole that it is a part of, is saved."""
    part = _slice_of(variable)
    return str(variable.op.name if part is None else part.full_name)


def _variable_of(current: Any) -> Any:
    if not isinstance(current, str):
        return current
    found = [v for v in variables.global_variables() if current in (v.op.name, saved_name(v))]
    if not found:
        raise ValueError(f"Variable {current} is not in the graph")
    return found


def _init_scope(reader: CheckpointReader, saved: str, current: str) -> None:
    """Set all variables of a scope whose names a checkpoint has in another."""
    if not current.endswith("/"):
        raise ValueError(f"Assignment map with scope only name {saved} should map to scope only "
                         f"{current}. Should be 'scope/': 'other_scope/'.")  # fmt: skip
    old = "" if saved == "/" else saved
    new = "" if current == "/" else current
    chosen = [v for v in variables.global_variables() if v.op.name.startswith(new)]
    for variable in chosen:
        name = old + saved_name(variable)[len(new) :]
        if not reader.has_tensor(name):
            raise ValueError(f"Tensor {name} ({variable.op.name} in the graph) is not found in "
                             f"{reader._prefix} checkpoint")  # fmt: skip
        _init_variable(reader, name, variable)


def _init_variable(reader: CheckpointReader, name: str, variable: Any) -> None:
    """Give a variable an initializer that reads the tensor of that name."""
    if not reader.has_tensor(name):
        raise ValueError(f"Tensor {name} is not found in {reader._prefix} checkpoint")
    shape = reader.get_variable_to_shape_map()[name]
    part = _slice_of(variable)
    wanted = variable.shape if part is None else tensor_shape.as_shape(part.full_shape)
    if not wanted.is_compatible_with(shape):
        raise ValueError(
            f"Shape of variable {variable.op.name} ({wanted}) doesn't match with shape of "
            f"tensor {name} ({shape}) from checkpoint reader."
        )
    with framework.name_scope("checkpoint_initializer"), framework.control_dependencies(None):
        attrs = {"dtypes": [variable.dtype.base_dtype]}
        inputs = [reader._prefix, [name], ["" if part is None else str(part.spec)]]
        value = framework.apply_op("RestoreV2", inputs, attrs).outputs[0]
        value.set_shape(variable.shape)
        variable._initializer = variable._assign_op(value)
        variable._initial_value = value


def raise_for_restore(error: errors.OpError, what: str) -> None:
    """Raise an error of restoring again, with what it most likely means."""
    raise type(error)(
        error.node_def, error.op,
        f"Restoring from checkpoint failed. This is most likely due to {what} Please ensure that "
        f"you have not altered the graph expected based on the checkpoint. Original error:\n\n"
        f"{error.message}",
    ) from None  # fmt: skip
