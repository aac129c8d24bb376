"""Variables as bare operations, and changes of their rows, which indices name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework import tensor_shape
from tfbuild_runtime.framework.resource_variables import ResourceVariable
from tfbuild_runtime.ops.emit import emit

Scatter = Callable[..., Any]


def _scatter(kind: str, does: str, locked: bool = False) -> Scatter:
    def scatter(
        ref: Any, indices: Any, updates: Any, use_locking: bool = locked, name: str | None = None
    ) -> Any:
        if isinstance(ref, ResourceVariable):
            return ref.scatter(kind, indices, updates, name)
        inputs = [ref, indices, updates]
        attrs = {"use_locking": use_locking}
        return framework.apply_op(f"Scatter{kind}", inputs, attrs, name).outputs[0]

    scatter.__doc__ = f"""Return a variable as it is after its rows {does}.

    updates has a row for each of indices, or is a scalar for all of them. An index that comes twice
    counts twice.
    """
    return scatter


scatter_update = _scatter("Update", "were set to updates", locked=True)
scatter_add = _scatter("Add", "were added to")
scatter_sub = _scatter("Sub", "were subtracted from")
scatter_mul = _scatter("Mul", "were multiplied")
scatter_div = _scatter("Div", "were divided")
scatter_min = _scatter("Min", "were made no larger than updates")
scatter_max = _scatter("Max", "were made no smaller than updates")


def variable_op(shape: Any, dtype: Any, name: str = "Variable", set_shape: bool = True,
                container: str = "", shared_name: str = "") -> Any:  # fmt: skip
    """Return a reference to a new variable, which no collection knows.

    Without set_shape nothing is known of its shape while the graph is built.
    """
    known = tensor_shape.as_shape(shape) if set_shape else tensor_shape.unknown_shape()
    return emit("VariableV2", [], name, shape=known, dtype=dtype, container=container,
                shared_name=shared_name)  # fmt: skip
