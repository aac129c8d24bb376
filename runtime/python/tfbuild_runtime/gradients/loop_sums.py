"""Sums, over the iterations of a loop, of the gradients by what came into it from outside.

Of a table of which the body only looks rows up the sum is those rows, one behind the other, as
TensorFlow has it: a norm of them is another one than that of the whole table.
"""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.framework import dtypes, tensor_shape
from tfbuild_runtime.framework.indexed_slices import IndexedSlices, dense
from tfbuild_runtime.framework.operation import Operation, Tensor
from tfbuild_runtime.gradients.handles import held_shape, held_type, shape_of, zeros_for
from tfbuild_runtime.gradients.shapes import constant_list
from tfbuild_runtime.ops import array_ops, creation_ops
from tfbuild_runtime.ops.emit import emit

_HAND_ON = frozenset(("Identity", "Enter", "ReadVariableOp"))
_WITHOUT_GRADIENT = frozenset(("Shape", "ShapeN", "Size", "Rank", "VariableShape"))


def sum_for(outside: Any, inside: Any) -> WholeSum | RowSum:
    """Return how the gradients by a value add up that is `inside` in the body of a loop."""
    return RowSum(outside) if _is_table(inside) else WholeSum(outside)


class WholeSum:
    """A tensor of the value's shape."""

    def __init__(self, outside: Any) -> None:
        self.starts = [zeros_for(outside)]
        self.shapes = [self.starts[0].get_shape()]

    def add(self, totals: Any, part: Any) -> list[Any]:
        """Return the loop variables after an iteration; part is None where it has no gradient."""
        return list(totals) if part is None else [emit("AddN", [[*totals, dense(part)]])]

    def result(self, totals: Any) -> Any:
        """Return the gradient, given the loop variables at the end."""
        return totals[0]


class RowSum:
    """Rows and where they stand; its methods are those of WholeSum.

    TensorFlow begins with a row of zeros at place 0, by which optimizers with momentum move on.
    """

    def __init__(self, outside: Any) -> None:
        self._sizes = shape_of(outside)
        row = emit("StridedSlice", [self._sizes, [1], [0], [1]], end_mask=1)
        first = creation_ops.zeros(array_ops.concat([[1], row], 0), held_type(outside))
        self.starts = [first, creation_ops.zeros([1], dtypes.int64)]
        known = held_shape(outside)
        rows = tensor_shape.unknown_shape()
        if known.rank is not None:
            rows = tensor_shape.TensorShape([None, *known.as_list()[1:]])
        self.shapes = [rows, tensor_shape.TensorShape([None])]

    def add(self, totals: Any, part: Any) -> list[Any]:
        """Put the rows of an iteration behind those that are there."""
        if part is None:
            return list(totals)
        rows = all_slices(part)
        places = emit("Cast", [rows.indices], DstT=dtypes.int64)
        return [
            emit("ConcatV2", [[whole, more], 0])
            for whole, more in zip(totals, (rows.values, places))
        ]

    def result(self, totals: Any) -> Any:
        """Return all rows as slices of the value."""
        return IndexedSlices(totals[0], totals[1], self._sizes)


def all_slices(grad: Any) -> IndexedSlices:
    """Return a tensor as all of its slices; they are there where it is."""
    if isinstance(grad, IndexedSlices):
        return grad
    count = emit("StridedSlice", [emit("Shape", [grad]), [0], [1], [1]], shrink_axis_mask=1)
    return IndexedSlices(grad, emit("Range", [0, count, 1]))


def _is_table(tensor: Tensor) -> bool:
    """Whether rows of a tensor are looked up, and nothing else is done that has a gradient."""
    found = False
    left = [tensor]
    while left:
        value = left.pop()
        for op in value.consumers():
            if op.type in _HAND_ON:
                left += op.outputs
            elif _looks_up(op, value):
                found = True
            elif op.type not in _WITHOUT_GRADIENT:
                return False
    return found


def _looks_up(op: Operation, table: Tensor) -> bool:
    if op.type not in ("Gather", "GatherV2", "ResourceGather") or op.inputs[0] is not table:
        return False
    if op.type != "Gather" and op.get_attr("batch_dims") != 0:
        return False
    return op.type != "GatherV2" or constant_list(op.inputs[2]) == [0]
