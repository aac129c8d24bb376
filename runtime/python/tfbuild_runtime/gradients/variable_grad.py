"""Gradients of what reads variables behind handles."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.gradients.array_grad import scattered, slices_of
from tfbuild_runtime.gradients.registry import gradient_of, no_gradient

for _op_type in ("VarHandleOp", "VarIsInitializedOp", "VariableShape"):
    no_gradient(_op_type)


@gradient_of("ReadVariableOp", takes_slices=True)
def _read(_: Any, grad: Any) -> Any:
    return grad


@gradient_of("ResourceGather")
def _gather_rows(op: Any, grad: Any) -> Any:
    rows = scattered if op.get_attr("batch_dims") else slices_of
    return [rows(op, grad), None]
