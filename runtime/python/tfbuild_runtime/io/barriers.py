"""Barriers: tuples of tensors whose parts come one by one, by key, and go out when whole."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework import tensor_shape
from tfbuild_runtime.framework.operation import Operation
from tfbuild_runtime.io.queues import shape_list, type_list


class Barrier:
    """Elements by key, in the order in which their first parts came.

    Raises ValueError for shapes without elements.
    """

    def __init__(self, types: Any, shapes: Any = None, shared_name: str | None = None,
                 name: str = "barrier") -> None:  # fmt: skip
        self._types = type_list(types)
        self._shapes = [tensor_shape.TensorShape(None)] * len(self._types)
        if shapes is not None:
            self._shapes = shape_list(shapes, len(self._types))
        for i, shape in enumerate(self._shapes):
            if shape.num_elements() == 0:
                raise ValueError("Empty tensors are not supported, but received shape "
                                 f"'{shape}' at index {i}")  # fmt: skip
        attrs = {"component_types": self._types, "shapes": self._shapes, "shared_name": shared_name}
        self._barrier_ref = framework.apply_op("Barrier", [], attrs, name).outputs[0]

    @property
    def barrier_ref(self) -> Any:
        """The tensor that refers to it."""
        return self._barrier_ref

    @property
    def name(self) -> str:
        """The name of the operation that makes it."""
        return str(self._barrier_ref.op.name)

    def insert_many(self, component_index: int, keys: Any, values: Any,
                    name: str | None = None) -> Operation:  # fmt: skip
        """Return an operation that sets one component of the elements with these keys."""
        attrs = {"component_index": component_index}
        return self._apply("BarrierInsertMany", [keys, values], attrs, name)

    def take_many(self, num_elements: Any, allow_small_batch: bool = False,
                  timeout: int | None = None, name: str | None = None) -> Any:  # fmt: skip
        """Return indices, keys and a list with the values of so many whole elements."""
        attrs = {"component_types": self._types, "allow_small_batch": allow_small_batch,
                 "timeout_ms": -1 if timeout is None else timeout}  # fmt: skip
        op = self._apply("BarrierTakeMany", [num_elements], attrs, name)
        count = None if allow_small_batch else framework.constant_value(op.inputs[1])
        rows = tensor_shape.TensorShape([None if count is None else int(count)])
        indices, keys, *values = op.outputs
        for output, shape in zip(op.outputs, [[], [], *self._shapes]):
            output.set_shape(rows.concatenate(shape))
        return indices, keys, values

    def close(self, cancel_pending_enqueues: bool = False, name: str | None = None) -> Operation:
        """Return an operation after which no new keys can be inserted."""
        attrs = {"cancel_pending_enqueues": cancel_pending_enqueues}
        return self._apply("BarrierClose", [], attrs, name)

    def ready_size(self, name: str | None = None) -> Any:
        """Return how many whole elements there are."""
        return self._apply("BarrierReadySize", [], {}, name).outputs[0]

    def incomplete_size(self, name: str | None = None) -> Any:
        """Return how many elements are not whole yet."""
        return self._apply("BarrierIncompleteSize", [], {}, name).outputs[0]

    def _apply(self, kind: str, inputs: list[Any], attrs: Any, name: str | None) -> Operation:
        name = name or f"{self.name.rpartition('/')[2]}_{kind}"
        return framework.apply_op(kind, [self._barrier_ref, *inputs], attrs, name)
