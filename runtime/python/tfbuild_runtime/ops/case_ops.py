"""A branch among several: the first function whose predicate is true."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.ops import array_ops, host_ops, math_ops, reduce_ops
from tfbuild_runtime.ops.control_flow_ops import cond


def case(
    pred_fn_pairs: Any, default: Any = None, exclusive: bool = False, strict: bool = False,
    name: str = "case",
) -> Any:  # fmt: skip
    """Return what the function beside the first true predicate gives, else what default() gives.

    Without default the last function stands for it. A step in which no predicate is true then, or
    with exclusive more than one is, ends with InvalidArgumentError. Raises TypeError for pairs that
    are none, ValueError when there is no pair.
    """
    pairs = list(pred_fn_pairs.items() if isinstance(pred_fn_pairs, dict) else pred_fn_pairs)
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2 or not callable(pair[1]):
            raise TypeError("Each entry in pred_fn_pairs must be a tuple (pred, callable).")
    if not pairs:
        raise ValueError("pred_fn_pairs must not be empty")
    with framework.name_scope(name, "case", [pred for pred, _ in pairs]):
        chosen = default or _last_of(*pairs.pop())
        for pred, function in reversed(pairs):
            chosen = _choice(pred, function, chosen, strict)
        if not exclusive or not pairs:
            return chosen()
        preds = array_ops.stack([framework.convert_to_tensor(pred) for pred, _ in pairs])
        true = reduce_ops.reduce_sum(math_ops.cast(preds, dtypes.int32))
        said = ["Input error: exclusive=True: more than 1 conditions evaluated as True:", preds]
        with framework.control_dependencies([host_ops.Assert(math_ops.less(true, 2), said)]):
            return chosen()


def _last_of(pred: Any, function: Any) -> Callable[[], Any]:
    """Return a function for where no predicate before was true, so that this one must be."""

    def last() -> Any:
        said = ["Input error: None of conditions evaluated as True:", pred]
        with framework.control_dependencies([host_ops.Assert(pred, said)]):
            return function()

    return last


def _choice(pred: Any, function: Any, otherwise: Any, strict: bool) -> Callable[[], Any]:
    return lambda: cond(pred, function, otherwise, strict=strict, name="cond")
