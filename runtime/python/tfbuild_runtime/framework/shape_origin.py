"""Why a size is not known while a graph is built: from which operation that comes."""

from __future__ import annotations

from typing import Any


def why_unknown(tensor: Any) -> str:
    """Return a sentence that names the tensor, its shape and the operation where that was lost."""
    from tfbuild_runtime.framework import ops

    tensor = ops.convert_to_tensor(tensor)
    op = _origin(tensor)
    where = f"{op.name!r} ({op.type}), made at {op.defined_at}"
    if op is tensor.op:
        return f"{tensor.name!r} has the shape {tensor.shape}, as it comes from {where}"
    return f"{tensor.name!r} has the shape {tensor.shape}; what is not known comes from {where}"


def _origin(tensor: Any) -> Any:
    """Return the first operation, going back, none of whose inputs lacks a size."""
    op, seen = tensor.op, set()
    while op not in seen:  # loops come back to where they began
        seen.add(op)
        unknown = [t for t in op.inputs if not t.shape.is_fully_defined()]
        if not unknown:
            break
        # A value whose rank is that of the result is more likely its source than an argument.
        rank = op.outputs[0].shape.rank
        op = min(unknown, key=lambda t: t.shape.rank != rank).op
    return op
