"""Choices that are made while the graph is built where that is possible: smart_cond."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.ops.control_flow_ops import cond


def smart_constant_value(pred: Any) -> bool | None:
    """Return what a condition is known to be, else None; raises TypeError for what is none."""
    if isinstance(pred, bool):
        return pred
    if pred in {0, 1} if isinstance(pred, int) else False:
        return bool(pred)
    if framework.is_tensor_like(pred):
        known = framework.constant_value(framework.convert_to_tensor(pred))
        return None if known is None else bool(known)
    if hasattr(pred, "dtype"):
        return bool(pred)
    raise TypeError(f"`pred` must be a Tensor, or a Python bool, or 1 or 0. Found instead: {pred}")


def smart_cond(pred: Any, true_fn: Callable[[], Any] | None = None,
               false_fn: Callable[[], Any] | None = None, name: str | None = None,
               fn1: Any = None, fn2: Any = None) -> Any:  # fmt: skip
    """Return cond(pred, true_fn, false_fn), with one branch alone where pred is known."""
    true_fn, false_fn = true_fn or fn1, false_fn or fn2
    if not callable(true_fn) or not callable(false_fn):
        raise TypeError("`true_fn` and `false_fn` must be callable.")
    known = smart_constant_value(pred)
    if known is None:
        return cond(pred, true_fn, false_fn, name=name)
    return true_fn() if known else false_fn()


constant_value = smart_constant_value
