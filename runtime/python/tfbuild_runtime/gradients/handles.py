"""What gradients need of tensors that may be handles: type and shape of the variable behind one.

The gradient by a handle is that by the value of the variable.
"""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.framework import dtypes, tensor_shape
from tfbuild_runtime.ops import array_ops, creation_ops
from tfbuild_runtime.ops.emit import emit

_TRAINABLE = frozenset(
    ("float16", "bfloat16", "float32", "float64", "complex64", "complex128", "variant")
)
_HAND_ON = frozenset(("Identity", "Enter", "Exit", "Switch", "Merge", "NextIteration"))


def is_handle(tensor: Any) -> bool:
    """Whether tensor is the handle of something."""
    return tensor.dtype.base_dtype == dtypes.resource  # type: ignore[no-any-return]


def held_type(tensor: Any) -> Any:
    """Return the type of the elements of a tensor, or of the variable whose handle it is.

    A handle whose variable the graph does not show keeps its own type.
    """
    maker = _maker(tensor)
    return tensor.dtype.base_dtype if maker is None else dtypes.as_dtype(maker.get_attr("dtype"))


def held_shape(tensor: Any) -> Any:
    """Return what is known of the shape of a tensor, or of the variable whose handle it is."""
    if not is_handle(tensor):
        return tensor.get_shape()
    maker = _maker(tensor)
    if maker is None:
        return tensor_shape.unknown_shape()
    return tensor_shape.as_shape(maker.get_attr("shape"))


def is_trainable(tensor: Any) -> bool:
    """Whether there are derivatives by a tensor, or by the variable whose handle it is."""
    return held_type(tensor).name in _TRAINABLE


def zeros_for(tensor: Any) -> Any:
    """Return zeros of the type and shape of a tensor, or of the variable whose handle it is."""
    if not is_handle(tensor):
        return creation_ops.zeros_like(tensor)
    return creation_ops.zeros(shape_of(tensor), held_type(tensor))


def shape_of(tensor: Any) -> Any:
    """Return the shape of a tensor, or of the variable whose handle it is, as a tensor."""
    if not is_handle(tensor):
        return array_ops.shape(tensor)
    sizes = held_shape(tensor)
    if sizes.is_fully_defined():
        return creation_ops.constant(sizes.as_list(), dtypes.int32, shape=[sizes.rank])
    return emit("VariableShape", [tensor])


def _maker(tensor: Any) -> Any:
    """Return the VarHandleOp that a handle comes from; None for what is no handle of one."""
    if not is_handle(tensor):
        return None
    op = tensor.op
    while op.type in _HAND_ON:
        op = op.inputs[0].op
    return op if op.type == "VarHandleOp" else None
