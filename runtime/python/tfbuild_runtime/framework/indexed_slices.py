"""Some slices of a tensor along its first dimension: what the gradient of a gather is."""

from __future__ import annotations

from typing import Any, NamedTuple

from tfbuild_runtime.framework import dtypes, ops, tensor_shape
from tfbuild_runtime.framework.operation import Operation, Tensor


class IndexedSlicesValue(NamedTuple):
    """What a session gives for IndexedSlices: arrays."""

    values: Any
    indices: Any
    dense_shape: Any


class IndexedSlices:
    """values[i] stands at indices[i] of a tensor that is zero elsewhere; equal indices add up.

    Wherever a tensor is wanted, the whole tensor takes its place.
    """

    def __init__(self, values: Any, indices: Any, dense_shape: Any = None) -> None:
        self._values: Tensor = ops.convert_to_tensor(values, name="values")
        self._indices: Tensor = ops.convert_to_tensor(indices, name="indices")
        self._given_shape = dense_shape
        self._dense_shape: Tensor | None = (
            None if dense_shape is None else ops.convert_to_tensor(dense_shape, name="dense_shape")
        )

    @property
    def values(self) -> Tensor:
        """The slices."""
        return self._values

    @property
    def indices(self) -> Tensor:
        """Where each of them stands, a vector."""
        return self._indices

    @property
    def dense_shape(self) -> Any:
        """The shape of the whole tensor as it was given; None when nobody has said it."""
        return self._given_shape

    @property
    def shape(self) -> tensor_shape.TensorShape:
        """What is known of the shape of the whole tensor."""
        known = None if self._dense_shape is None else ops.constant_value(self._dense_shape)
        if known is not None:
            return tensor_shape.TensorShape(known.tolist())
        return tensor_shape.TensorShape([None]).concatenate(self._values.shape[1:])

    def get_shape(self) -> tensor_shape.TensorShape:
        """Return what is known of the shape of the whole tensor."""
        return self.shape

    @property
    def dtype(self) -> dtypes.DType:
        """The type of the elements."""
        return self._values.dtype

    @property
    def name(self) -> str:
        """The name of the values."""
        return self._values.name

    @property
    def op(self) -> Operation:
        """The operation that produces the values."""
        return self._values.op

    @property
    def device(self) -> str:
        """The device that was asked for the values."""
        return self._values.device

    @property
    def graph(self) -> Any:
        """The graph that they belong to."""
        return self._values.graph

    def consumers(self) -> list[Operation]:
        """Return the operations that read the values."""
        return self._values.consumers()

    def with_values(self, values: Any) -> IndexedSlices:
        """Return other slices at the same places."""
        return IndexedSlices(values, self._indices, self._given_shape)

    def parts(self) -> tuple[Tensor, ...]:
        """Return values, indices and, where it is there, dense_shape."""
        shape = () if self._dense_shape is None else (self._dense_shape,)
        return (self._values, self._indices, *shape)

    def _to_tensor(self, as_ref: bool = False) -> Tensor:
        if as_ref:
            raise TypeError(f"{self} cannot be changed: it is no variable")
        if self._dense_shape is None:
            raise ValueError(
                f"Tensor conversion requested for IndexedSlices without dense_shape: {self}"
            )
        with ops.name_scope("IndexedSlicesToTensor", values=[self._values]):
            count = ops.apply_op(
                "StridedSlice", [self._dense_shape, [0], [1], [1]], {"shrink_axis_mask": 1}
            ).outputs[0]
            inputs = [self._values, self._indices, count]
            return ops.apply_op("UnsortedSegmentSum", inputs).outputs[0]  # type: ignore[no-any-return]

    def _as_graph_element(self) -> Tensor:
        return self._values

    def __neg__(self) -> IndexedSlices:
        return self.with_values(-self._values)

    def __repr__(self) -> str:
        shape = "" if self._dense_shape is None else f", dense_shape={self._dense_shape}"
        return f"IndexedSlices(indices={self._indices}, values={self._values}{shape})"


def convert_to_tensor_or_indexed_slices(value: Any, dtype: Any = None, name: Any = None) -> Any:
    """Return value itself when it is IndexedSlices, else as a tensor.

    Raises ValueError when it is of another type than dtype.
    """
    if not isinstance(value, IndexedSlices):
        return ops.convert_to_tensor(value, dtype, name)
    if dtype is not None and not dtypes.as_dtype(dtype).is_compatible_with(value.dtype):
        raise ValueError(
            f"Tensor conversion requested dtype {dtypes.as_dtype(dtype).name} for IndexedSlices "
            f"with dtype {value.dtype.name}"
        )
    return value


def values_of(value: Any) -> Any:
    """Return the values of IndexedSlices, anything else as it is."""
    return value.values if isinstance(value, IndexedSlices) else value


def like_slices(original: Any, values: Any) -> Any:
    """Return values at the places of original where that is IndexedSlices, else values."""
    return original.with_values(values) if isinstance(original, IndexedSlices) else values


def dense(value: Any) -> Any:
    """Return the whole tensor that IndexedSlices stand for; anything else as it is."""
    return value._to_tensor() if isinstance(value, IndexedSlices) else value
