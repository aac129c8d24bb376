"""Accumulators: gradients that steps add up until another one takes their sum or mean."""

from __future__ import annotations

from typing import Any, NamedTuple

from tfbuild_runtime.framework import dtypes, tensor_shape
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework.indexed_slices import IndexedSlices
from tfbuild_runtime.framework.operation import Operation


class ConditionalAccumulatorBase:
    """What accumulators of both kinds have: a count of gradients, and the step they are for."""

    _op_type = ""

    def __init__(self, dtype: Any, shape: Any = None, shared_name: str | None = None,
                 name: str = "", reduction_type: str = "MEAN") -> None:  # fmt: skip
        self._dtype = dtypes.as_dtype(dtype)
        self._shape = tensor_shape.as_shape(shape)
        attrs = {"dtype": self._dtype, "shape": self._shape, "shared_name": shared_name,
                 "reduction_type": reduction_type}  # fmt: skip
        self._accumulator_ref = framework.apply_op(self._op_type, [], attrs, name).outputs[0]

    @property
    def accumulator_ref(self) -> Any:
        """The tensor that refers to it."""
        return self._accumulator_ref

    @property
    def name(self) -> str:
        """The name of the operation that makes it."""
        return str(self._accumulator_ref.op.name)

    @property
    def dtype(self) -> Any:
        """The type of the gradients."""
        return self._dtype

    def num_accumulated(self, name: str | None = None) -> Any:
        """Return how many gradients there are now."""
        name = name or f"{self.name}_AccumulatorNumAccumulated"
        return self._apply("AccumulatorNumAccumulated", [], {}, name).outputs[0]

    def set_global_step(self, new_global_step: Any, name: str | None = None) -> Operation:
        """Return an operation that says which step it is; older gradients are then dropped."""
        step = framework.convert_to_tensor(new_global_step, dtype=dtypes.int64)
        return self._apply("AccumulatorSetGlobalStep", [step], {}, name)

    def _apply(self, op_type: str, inputs: list[Any], attrs: dict[str, Any],
               name: str | None) -> Operation:  # fmt: skip
        op: Operation = framework.apply_op(
            op_type, [self._accumulator_ref, *inputs], attrs, name or op_type
        )
        return op


class ConditionalAccumulator(ConditionalAccumulatorBase):
    """An accumulator of dense gradients."""

    _op_type = "ConditionalAccumulator"

    def __init__(self, dtype: Any, shape: Any = None, shared_name: str | None = None,
                 name: str = "conditional_accumulator",
                 reduction_type: str = "MEAN") -> None:  # fmt: skip
        super().__init__(dtype, shape, shared_name, name, reduction_type)

    def apply_grad(self, grad: Any, local_step: Any = 0, name: str | None = None) -> Operation:
        """Return an operation that adds a gradient, unless local_step is over."""
        grad = framework.convert_to_tensor(grad, dtype=self._dtype)
        grad.get_shape().assert_is_compatible_with(self._shape)
        step = framework.convert_to_tensor(local_step, dtype=dtypes.int64)
        return self._apply("AccumulatorApplyGradient", [step, grad], {}, name)

    def take_grad(self, num_required: Any, name: str | None = None) -> Any:
        """Return the sum or mean of the gradients, which waits for so many of them."""
        op = self._apply("AccumulatorTakeGradient", [num_required], {"dtype": self._dtype}, name)
        op.outputs[0].set_shape(self._shape)
        return op.outputs[0]


class RowGradient(NamedTuple):
    """Numbers of rows, the rows, and the shape of what they are rows of."""

    indices: Any
    values: Any
    shape: Any


class SparseConditionalAccumulator(ConditionalAccumulatorBase):
    """An accumulator of gradients of some rows of a tensor."""

    _op_type = "SparseConditionalAccumulator"

    def __init__(self, dtype: Any, shape: Any = None, shared_name: str | None = None,
                 name: str = "sparse_conditional_accumulator",
                 reduction_type: str = "MEAN") -> None:  # fmt: skip
        super().__init__(dtype, shape, shared_name, name, reduction_type)

    def apply_indexed_slices_grad(self, grad: IndexedSlices, local_step: Any = 0,
                                  name: str | None = None) -> Operation:  # fmt: skip
        """Return an operation that adds slices, unless local_step is over."""
        return self.apply_grad(grad.indices, grad.values, grad.dense_shape, local_step, name)

    def apply_grad(self, grad_indices: Any, grad_values: Any, grad_shape: Any = None,
                   local_step: Any = 0, name: str | None = None) -> Operation:  # fmt: skip
        """Return an operation that adds rows by their numbers, unless local_step is over."""
        step, indices, shape = (
            framework.convert_to_tensor(value, dtype=dtypes.int64)
            if not isinstance(value, framework.Tensor) else _as_int64(value)
            for value in (local_step, grad_indices, [] if grad_shape is None else grad_shape)
        )  # fmt: skip
        values = framework.convert_to_tensor(grad_values, dtype=self._dtype)
        attrs = {"has_known_shape": grad_shape is not None}
        return self._apply("SparseAccumulatorApplyGradient", [step, indices, values, shape], attrs,
                           name)  # fmt: skip

    def take_grad(self, num_required: Any, name: str | None = None) -> RowGradient:
        """Return the sum or mean of the gradients as rows, which waits for so many of them."""
        op = self._apply("SparseAccumulatorTakeGradient", [num_required], {"dtype": self._dtype},
                         name)  # fmt: skip
        return RowGradient(*op.outputs)

    def take_indexed_slices_grad(self, num_required: Any, name: str | None = None) -> IndexedSlices:
        """Return the sum or mean of the gradients as slices, which waits for so many of them."""
        indices, values, shape = self.take_grad(num_required, name)
        return IndexedSlices(values, indices, shape)


def _as_int64(tensor: Any) -> Any:
    from tfbuild_runtime.ops import math_ops

    return math_ops.cast(tensor, dtypes.int64)
