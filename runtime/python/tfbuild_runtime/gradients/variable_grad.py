"""Gradients of what reads variables behind handles."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.gradients.array_grad import scattered
from tfbuild_runtime.gradients.registry import gradient_of, no_gradient

for _op_type in ("VarHandleOp", "VarIsInitializedOp", "VariableShape"):
    no_gradient(_op_type)


@gradient_of("ReadVariableOp")
def _read(_: Any, grad: Any) -> Any:
    return grad


@gradient_of("ResourceGather")
def _gather_rows(op: Any, grad: Any) -> Any:
    """Dense: every row gets a gradient, zero where no index names it."""
    if op.get_attr("batch_dims"):
        raise NotImplementedError(f"{op.name!r}: gather with batch_dims has no gradient yet")
    return [scattered(grad, op.inputs[0], op.inputs[1]), None]
