"""Gradients of what writes and reads TensorArrays: the other one, on the array of gradients."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.gradients.handles import is_trainable
from tfbuild_runtime.gradients.registry import gradient_of, no_gradient
from tfbuild_runtime.ops.tensor_array_ops import TensorArray

for _op_type in ("TensorArrayV3", "TensorArraySizeV3", "TensorArrayCloseV3"):
    no_gradient(_op_type)


@gradient_of("TensorArrayGradV3")
def _grad(op: Any, *grads: Any) -> list[Any]:
    # The path would end here, between the gradients' array and the array of the elements.
    raise NotImplementedError(f"Second-order gradients through TensorArrays are not supported: "
                              f"{op.name} is itself part of a gradient")  # fmt: skip


def _gradients_of(op: Any, dtype: Any, flow: Any) -> TensorArray:
    """Return the array of the gradients, of which each call of tf.gradients has its own."""
    array = TensorArray(dtype, handle=op.inputs[0], flow=flow)
    return array.grad(op.graph._scratch["gradients_call"], flow=flow)


@gradient_of("TensorArrayReadV3", "TensorArrayGatherV3")
def _read(op: Any, grad: Any) -> list[Any]:
    _, numbers, flow = op.inputs
    array = _gradients_of(op, op.get_attr("dtype"), flow)
    write = array.write if op.type == "TensorArrayReadV3" else array.scatter
    return [None, None, write(numbers, grad).flow]


@gradient_of("TensorArrayWriteV3", "TensorArrayScatterV3")
def _write(op: Any, flow_grad: Any) -> list[Any]:
    _, numbers, value, _ = op.inputs
    array = _gradients_of(op, op.get_attr("T"), flow_grad)
    if not is_trainable(value):
        return [None, None, None, flow_grad]
    read = array.read if op.type == "TensorArrayWriteV3" else array.gather
    return [None, None, read(numbers), flow_grad]
