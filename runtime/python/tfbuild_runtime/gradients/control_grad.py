"""Gradients of what divides and joins branches."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.gradients.handles import zeros_for
from tfbuild_runtime.gradients.registry import gradient_of, no_gradient
from tfbuild_runtime.ops import imported_contexts
from tfbuild_runtime.ops.control_contexts import CondContext, chain
from tfbuild_runtime.ops.control_flow_ops import merge, switch

no_gradient("LoopCond")


@gradient_of("Switch", takes_none=True)
def _switch(op: Any, if_false: Any, if_true: Any) -> list[Any]:
    """Where the other branch was taken, the gradient is zero."""
    data, pred = op.inputs
    if if_false is not None and if_true is not None:
        return [merge([if_false, if_true]), None]
    branch = 0 if if_true is None else 1
    arrived = if_true if branch else if_false
    zeros = switch(zeros_for(data), pred)[1 - branch]
    return [merge([arrived, zeros] if branch == 0 else [zeros, arrived]), None]


@gradient_of("Merge", takes_none=True)
def _merge(op: Any, grad: Any, _: Any) -> list[Any]:
    """Each branch gets the gradient where it was taken."""
    context = _branch_of(op)
    if context is None:
        raise LookupError(f"{op.name!r} joins what no cond has divided; it has no gradient")
    on_false, on_true = switch(grad, context.pred)
    return [on_false, on_true]


def _branch_of(op: Any) -> Any:
    """Return the branch that one of the inputs of a Merge comes from, just inside of the Merge."""
    joined = imported_contexts.joined_by(op)
    if joined is not None:
        return joined
    for tensor in op.inputs:
        for context in chain(tensor.op._context):
            if isinstance(context, CondContext) and context.outer is op._context:
                return context
    return None
