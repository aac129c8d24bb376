"""Gradients of what writes and reads TensorArrays: the other one, on the array of gradients."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.gradients.registry import gradient_of, no_gradient
from tfbuild_runtime.ops.tensor_array_ops import TensorArray

for _op_type in ("TensorArrayV3", "TensorArraySizeV3", "TensorArrayGradV3", "TensorArrayCloseV3"):
    no_gradient(_op_type)


def _gradients_of(op: Any, dtype: Any, flow: Any, grad: Any) -> TensorArray:
    array = TensorArray(dtype, handle=op.inputs[0], flow=flow)
    return array.grad(_source(grad), flow=flow)


def _source(grad: Any) -> str:
    """Return the name of the call of tf.gradients: each has arrays of its own."""
    for part in reversed(grad.op.name.split("/")):
        if part.startswith("gradients"):
            return str(part)
    return "gradients"


@gradient_of("TensorArrayReadV3", "TensorArrayGatherV3")
def _read(op: Any, grad: Any) -> list[Any]:
    _, numbers, flow = op.inputs
    array = _gradients_of(op, op.get_attr("dtype"), flow, grad)
    write = array.write if op.type == "TensorArrayReadV3" else array.scatter
    return [None, None, write(numbers, grad).flow]


@gradient_of("TensorArrayWriteV3", "TensorArrayScatterV3")
def _write(op: Any, flow_grad: Any) -> list[Any]:
    _, numbers, value, _ = op.inputs
    array = _gradients_of(op, op.get_attr("T"), flow_grad, flow_grad)
    if value.dtype.base_dtype.name not in ("float16", "bfloat16", "float32", "float64"):
        return [None, None, None, flow_grad]
    read = array.read if op.type == "TensorArrayWriteV3" else array.gather
    return [None, None, read(numbers), flow_grad]
