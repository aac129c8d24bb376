"""Printing what a checkpoint holds, as TensorFlow's tool does."""

from __future__ import annotations

from tfbuild_runtime.train.checkpoint_reader import NewCheckpointReader


def print_tensors_in_checkpoint_file(
    file_name: str, tensor_name: str | None = None, all_tensors: bool = False,
    all_tensor_names: bool = False, count_exclude_pattern: str = "",
) -> None:  # fmt: skip
    """Print one tensor of a checkpoint, all of them, or their names with types and shapes."""
    del count_exclude_pattern
    reader = NewCheckpointReader(file_name)
    shapes, types = reader.get_variable_to_shape_map(), reader.get_variable_to_dtype_map()
    if tensor_name and not (all_tensors or all_tensor_names):
        print("tensor_name: ", tensor_name)
        print(reader.get_tensor(tensor_name))
    for name in sorted(shapes) if all_tensors or all_tensor_names or not tensor_name else ():
        print(f"tensor: {name} ({types[name].name}) {shapes[name]}")
        if all_tensors:
            print(reader.get_tensor(name))
