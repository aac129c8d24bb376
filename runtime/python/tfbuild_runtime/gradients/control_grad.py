"""Gradients of what divides and joins branches."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework.indexed_slices import IndexedSlices
from tfbuild_runtime.gradients.handles import zeros_for
from tfbuild_runtime.gradients.loop_sums import all_slices
from tfbuild_runtime.gradients.registry import gradient_of, no_gradient
from tfbuild_runtime.ops import imported_contexts
from tfbuild_runtime.ops.control_contexts import CondContext, chain, context_of
from tfbuild_runtime.ops.control_flow_ops import merged, switch
from tfbuild_runtime.ops.emit import emit

no_gradient("LoopCond")
no_gradient("ToBool")


@gradient_of("Switch", takes_none=True, takes_slices=True)
def _switch(op: Any, if_false: Any, if_true: Any) -> list[Any]:
    """Where the other branch was taken, the gradient is zero."""
    data, pred = op.inputs
    grads = [if_false, if_true]
    for side, grad in enumerate(grads):
        if grad is None:
            grads[side] = switch(zeros_for(data), pred)[side]
        elif context_of(op.outputs[side]) is op._context:
            # No branch keeps the gradient from being there when the other side was taken.
            grads[side] = _only_where(grad, pred, side)
    joined = _merged(*grads)
    context = op.graph._context
    seen = context.bring_in(pred) if context else pred
    parts = [joined.values, joined.indices] if isinstance(joined, IndexedSlices) else [joined]
    for part in parts:
        imported_contexts.note_joined(part.op, seen)
    return [joined, None]


def _only_where(grad: Any, pred: Any, side: int) -> Any:
    if not isinstance(grad, IndexedSlices):
        return switch(grad, pred)[side]
    values, indices = (switch(part, pred)[side] for part in (grad.values, grad.indices))
    return IndexedSlices(values, indices, grad.dense_shape)


def _merged(*grads: Any) -> Any:
    """Return the gradient that is there; slices as slices."""
    if not any(isinstance(grad, IndexedSlices) for grad in grads):
        return merged(list(grads))
    slices = [all_slices(grad) for grad in grads]
    types = {part.indices.dtype for part in slices}
    indices = [
        emit("Cast", [part.indices], DstT=dtypes.int64) if len(types) > 1 else part.indices
        for part in slices
    ]
    whole = next(g.dense_shape for g in grads if isinstance(g, IndexedSlices))
    return IndexedSlices(merged([part.values for part in slices]), merged(indices), whole)


@gradient_of("Merge", takes_none=True)
def _merge(op: Any, grad: Any, _: Any) -> list[Any]:
    """Each branch gets the gradient where it was taken."""
    pred = _predicate_of(op)
    if pred is None:
        raise LookupError(f"{op.name!r} joins what no cond has divided; it has no gradient")
    on_false, on_true = switch(grad, pred)
    return [on_false, on_true]


def _predicate_of(op: Any) -> Any:
    """Return what decides which input of a Merge is there."""
    joined = imported_contexts.joined_by(op)
    if joined is not None:
        return joined
    for tensor in op.inputs:
        for context in chain(tensor.op._context):
            if isinstance(context, CondContext) and context.outer is op._context:
                return context.pred
    return None
