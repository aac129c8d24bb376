"""Operations about order: groups, tuples and assertions that run before others."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework.indexed_slices import IndexedSlices, like_slices, values_of
from tfbuild_runtime.framework.ops import group
from tfbuild_runtime.ops.emit import emit

__all__ = ["group", "no_op", "tuple", "with_dependencies"]


def no_op(name: str | None = None) -> Any:
    """Return an operation that does nothing."""
    return framework.apply_op("NoOp", [], name=name)


def with_dependencies(dependencies: Any, output: Any, name: str | None = None) -> Any:
    """Return output, as a tensor (or slices) that is there only after the dependencies have run."""
    with (
        framework.name_scope(name, "control_dependency", [output]) as scope,
        framework.control_dependencies(dependencies),
    ):
        return like_slices(output, emit("Identity", [values_of(output)], scope))


def tuple(tensors: Any, name: str | None = None, control_inputs: Any = None) -> list[Any]:
    """Return the tensors, each of which is there only when all of them have been computed.

    Raises ValueError when there is none.
    """
    with framework.name_scope(name, "tuple", [t for t in tensors if t is not None]) as scope:
        elements = [
            t if t is None or isinstance(t, IndexedSlices) else framework.convert_to_tensor(t)
            for t in tensors
        ]
        ops = [*dict.fromkeys(t.op for t in elements if t is not None), *(control_inputs or ())]
        if not ops:
            raise ValueError("tuple needs at least one tensor")
        gate = group(*ops, name="group_deps")
        assert scope
        return [None if t is None else with_dependencies([gate], t) for t in elements]
