"""Gradients of what writes and reads lists of tensors: lists of the gradients of the elements."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework.operation import Tensor
from tfbuild_runtime.gradients.registry import gradient_of, no_gradient
from tfbuild_runtime.ops import creation_ops
from tfbuild_runtime.ops.emit import emit

for _op_type in ("EmptyTensorList", "TensorListReserve", "TensorListLength",
                 "TensorListElementShape"):  # fmt: skip
    no_gradient(_op_type)

_FLOATS = ("float16", "bfloat16", "float32", "float64", "variant")


def _has_gradient(tensor: Tensor) -> bool:
    return tensor.dtype.base_dtype.name in _FLOATS


def _shape_of(tensor: Tensor) -> Tensor:
    return emit("Shape", [tensor])


def _any_shape() -> Tensor:
    return creation_ops.constant(-1, dtypes.int32)


def _element_shape(handle: Tensor) -> Tensor:
    return emit("TensorListElementShape", [handle], shape_type=dtypes.int32)


def _reserve_like(handle: Tensor, dtype: Any) -> Tensor:
    """Return a list as long as that behind handle, of elements that are zero."""
    length = emit("TensorListLength", [handle])
    shape = _element_shape(handle)
    return emit("TensorListReserve", [shape, length], element_dtype=dtype, shape_type=dtypes.int32)


@gradient_of("TensorListPushBack")
def _push_back(op: Any, grad: Any) -> list[Any]:
    value = op.inputs[1]
    rest, element = _two("TensorListPopBack", [grad, _shape_of(value)], op)
    return [rest, element if _has_gradient(value) else None]


@gradient_of("TensorListPopBack", takes_none=True)
def _pop_back(op: Any, list_grad: Any, element_grad: Any) -> list[Any]:
    dtype = op.get_attr("element_dtype")
    if element_grad is None:
        element_grad = creation_ops.zeros_like(op.outputs[1])
    if list_grad is None:
        list_grad = creation_ops.zeros_like(op.outputs[0])
    pushed = emit("TensorListPushBack", [list_grad, element_grad], element_dtype=dtype)
    return [pushed, None]


@gradient_of("TensorListStack", "TensorListGather")
def _stack(op: Any, grad: Any) -> list[Any]:
    handle, *others = op.inputs
    rows = grad
    if op.type == "TensorListGather":  # an element may be taken twice
        length = emit("TensorListLength", [handle])
        rows = emit("UnsortedSegmentSum", [grad, others[0], length])
    made = emit("TensorListFromTensor", [rows, _element_shape(handle)],
                element_dtype=op.get_attr("element_dtype"), shape_type=dtypes.int32)  # fmt: skip
    return [made, *(None for _ in others)]


@gradient_of("TensorListFromTensor")
def _from_tensor(op: Any, grad: Any) -> list[Any]:
    dtype = op.get_attr("element_dtype")
    if not _has_gradient(op.inputs[0]):
        return [None, None]
    rows = _shape_of(op.inputs[0])
    element = emit("StridedSlice", [rows, [1], [0], [1]], end_mask=1)
    return [emit("TensorListStack", [grad, element], element_dtype=dtype), None]


@gradient_of("TensorListGetItem")
def _get_item(op: Any, grad: Any) -> list[Any]:
    handle, index, _ = op.inputs
    dtype = op.get_attr("element_dtype")
    zeros = _reserve_like(handle, dtype)
    made = emit("TensorListSetItem", [zeros, index, grad], element_dtype=dtype)
    return [made, None, None]


@gradient_of("TensorListSetItem")
def _set_item(op: Any, grad: Any) -> list[Any]:
    _, index, item = op.inputs
    dtype = op.get_attr("element_dtype")
    if not _has_gradient(item):
        return [grad, None, None]
    nothing = creation_ops.zeros_like(item)
    others = emit("TensorListSetItem", [grad, index, nothing], element_dtype=dtype)
    element = emit("TensorListGetItem", [grad, index, _shape_of(item)], element_dtype=dtype)
    return [others, None, element]


@gradient_of("TensorListScatterV2", "TensorListScatterIntoExistingList")
def _scatter(op: Any, grad: Any) -> list[Any]:
    into = op.type == "TensorListScatterIntoExistingList"
    value, indices = op.inputs[1:3] if into else op.inputs[:2]
    dtype = op.get_attr("element_dtype")
    if not _has_gradient(value):
        return [grad, None, None] if into else [None] * 4
    inputs = [grad, indices, _any_shape()]
    rows = emit("TensorListGather", inputs, element_dtype=dtype)
    if not into:
        return [rows, None, None, None]
    nothing = creation_ops.zeros_like(value)
    rest = [grad, nothing, indices]
    others = emit("TensorListScatterIntoExistingList", rest, element_dtype=dtype)
    return [others, rows, None]


@gradient_of("TensorListResize")
def _resize(op: Any, grad: Any) -> list[Any]:
    return [emit("TensorListResize", [grad, emit("TensorListLength", [op.inputs[0]])]), None]


@gradient_of("TensorListConcatV2")
def _concat(op: Any, grad: Any, _: Any) -> list[Any]:
    dtype = op.get_attr("element_dtype")
    inputs = [grad, _element_shape(op.inputs[0]), op.outputs[1]]
    made = emit("TensorListSplit", inputs, element_dtype=dtype, shape_type=dtypes.int32)
    return [made, None, None]


@gradient_of("TensorListSplit")
def _split(op: Any, grad: Any) -> list[Any]:
    inputs = [grad, op.inputs[1], op.inputs[2]]
    whole = _two("TensorListConcatV2", inputs, op, shape_type=op.get_attr("shape_type"))[0]
    return [whole, None, None]


@gradient_of("OptionalFromValue")
def _from_value(op: Any, grad: Any) -> list[Any]:
    types = [tensor.dtype for tensor in op.inputs]
    shapes = [tensor.get_shape() for tensor in op.inputs]
    attrs = {"output_types": types, "output_shapes": shapes}
    parts = framework.apply_op("OptionalGetValue", [grad], attrs).outputs
    return [part if _has_gradient(part) else None for part in parts]


@gradient_of("OptionalGetValue")
def _get_value(op: Any, *grads: Any) -> list[Any]:
    values = [
        creation_ops.zeros_like(output) if grad is None else grad
        for output, grad in zip(op.outputs, grads)
    ]
    return [emit("OptionalFromValue", [values])]


for _op_type in ("OptionalNone", "OptionalHasValue"):
    no_gradient(_op_type)


def _two(op_type: str, inputs: list[Any], op: Any, **attrs: Any) -> list[Tensor]:
    attrs["element_dtype"] = op.get_attr("element_dtype")
    return list(framework.apply_op(op_type, inputs, attrs).outputs)
