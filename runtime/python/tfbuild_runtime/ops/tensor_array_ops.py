"""Arrays of tensors that loops write and read: TensorArray."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.framework import dtypes, tensor_shape
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework.operation import Tensor
from tfbuild_runtime.ops.emit import emit

__all__ = ["TensorArray"]


class TensorArray:
    """Tensors of one type by number, written once each while a step runs.

    Each writing method returns the array to go on with: its flow is what later uses wait for.
    """

    def __init__(
        self, dtype: Any, size: Any = None, dynamic_size: bool | None = None,
        clear_after_read: bool | None = None, tensor_array_name: str | None = None,
        handle: Any = None, flow: Any = None, infer_shape: bool = True,
        element_shape: Any = None, colocate_with_first_write_call: bool = True,
        name: str | None = None,
    ) -> None:  # fmt: skip
        """Make a new array of that size, or stand for the one behind handle and flow."""
        del colocate_with_first_write_call
        self._dtype = dtypes.as_dtype(dtype).base_dtype
        self._infer_shape = infer_shape
        self._element_shape = [tensor_shape.as_shape(element_shape)]
        self._dynamic_size = bool(dynamic_size)
        if handle is not None:
            if flow is None or size is not None:
                raise ValueError("a handle comes with a flow, and without a size")
            self._handle, self._flow = handle, framework.convert_to_tensor(flow, dtypes.float32)
            return
        if size is None:
            raise ValueError("Size must be provided if handle is not provided")
        with framework.name_scope(name, "TensorArray") as scope:
            attrs = {
                "dtype": self._dtype,
                "element_shape": self._element_shape[0],
                "dynamic_size": self._dynamic_size,
                "clear_after_read": True if clear_after_read is None else bool(clear_after_read),
                "identical_element_shapes": infer_shape,
                "tensor_array_name": tensor_array_name or "",
            }
            # The array lives as long as the step, whatever branch or loop it is made in.
            op = framework.apply_op("TensorArrayV3", [_int32(size, "size")], attrs, scope)
        self._handle, self._flow = op.outputs

    @property
    def dtype(self) -> dtypes.DType:
        """The type of the elements."""
        return self._dtype

    @property
    def handle(self) -> Tensor:
        """The array, as operations take it."""
        return self._handle  # type: ignore[no-any-return]

    @property
    def flow(self) -> Tensor:
        """What a use of the array waits for: all that has been written so far."""
        return self._flow  # type: ignore[no-any-return]

    @property
    def dynamic_size(self) -> bool:
        """Whether it grows."""
        return self._dynamic_size

    @property
    def element_shape(self) -> tensor_shape.TensorShape:
        """What is known of the shape of each element."""
        return self._element_shape[0]

    def with_flow(self, flow: Tensor) -> TensorArray:
        """Return the same array at another time."""
        array = TensorArray(self._dtype, handle=self._handle, flow=flow)
        array._infer_shape = self._infer_shape
        array._element_shape = self._element_shape  # what one learns, all know
        array._dynamic_size = self._dynamic_size
        return array

    def identity(self) -> TensorArray:
        """Return the same array, waiting for the control dependencies."""
        return self.with_flow(emit("Identity", [self._flow]))

    def write(self, index: Any, value: Any, name: str | None = None) -> TensorArray:
        """Return the array with value at index; raises ValueError for a shape that does not fit."""
        tensor = framework.convert_to_tensor(value, self._dtype, name="value")
        self._learn(tensor.get_shape())
        inputs = [self._handle, _int32(index, "index"), tensor, self._flow]
        return self.with_flow(emit("TensorArrayWriteV3", inputs, name))

    def read(self, index: Any, name: str | None = None) -> Tensor:
        """Return the element at index."""
        inputs = [self._handle, _int32(index, "index"), self._flow]
        value = emit("TensorArrayReadV3", inputs, name, dtype=self._dtype)
        if self.element_shape.rank is not None:
            value.set_shape(self.element_shape)
        return value  # type: ignore[no-any-return]

    def size(self, name: str | None = None) -> Tensor:
        """Return the number of elements."""
        return emit("TensorArraySizeV3", [self._handle, self._flow], name)  # type: ignore[no-any-return]

    def gather(self, indices: Any, name: str | None = None) -> Tensor:
        """Return the elements at indices as the rows of one tensor."""
        inputs = [self._handle, _int32(indices, "indices"), self._flow]
        attrs = {"dtype": self._dtype, "element_shape": self.element_shape}
        return emit("TensorArrayGatherV3", inputs, name, **attrs)  # type: ignore[no-any-return]

    def stack(self, name: str | None = None) -> Tensor:
        """Return all elements as the rows of one tensor."""
        numbers = emit("Range", [0, self.size(), 1])
        return self.gather(numbers, name)

    def scatter(self, indices: Any, value: Any, name: str | None = None) -> TensorArray:
        """Return the array with the rows of value at indices."""
        rows = framework.convert_to_tensor(value, self._dtype, name="value")
        if rows.get_shape().rank:
            self._learn(tensor_shape.TensorShape(rows.get_shape().as_list()[1:]))
        inputs = [self._handle, _int32(indices, "indices"), rows, self._flow]
        return self.with_flow(emit("TensorArrayScatterV3", inputs, name))

    def unstack(self, value: Any, name: str | None = None) -> TensorArray:
        """Return the array with the rows of value as its elements."""
        rows = framework.convert_to_tensor(value, self._dtype, name="value")
        count = rows.get_shape().as_list()[0] if rows.get_shape().rank else None
        if count is None:
            sizes = emit("Shape", [rows])
            count = emit("StridedSlice", [sizes, [0], [1], [1]], shrink_axis_mask=1)
        return self.scatter(emit("Range", [0, count, 1]), rows, name)

    def grad(self, source: str, flow: Any = None, name: str | None = None) -> TensorArray:
        """Return the array of the gradients by the elements."""
        inputs = [self._handle, self._flow if flow is None else flow]
        made = framework.apply_op("TensorArrayGradV3", inputs, {"source": source}, name)
        handle, flow_out = made.outputs
        array = TensorArray(self._dtype, handle=handle, flow=flow_out)
        array._element_shape = self._element_shape
        return array

    def close(self, name: str | None = None) -> Any:
        """Return an operation that frees the array before the step ends."""
        return framework.apply_op("TensorArrayCloseV3", [self._handle], name=name)

    def _learn(self, shape: tensor_shape.TensorShape) -> None:
        if self._infer_shape:
            self._element_shape[0] = self._element_shape[0].merge_with(shape)


def _int32(value: Any, name: str) -> Tensor:
    return framework.convert_to_tensor(value, dtypes.int32, name=name)
