"""Lists of tensors in one variant, by the names and defaults of TensorFlow's module list_ops."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.framework import dtypes, tensor_shape
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.ops import control_flow_ops
from tfbuild_runtime.ops.emit import emit


def _element_shape(shape: Any) -> Any:
    """Return the shape of elements as an input of kernels: -1 is a size, or a rank, not known."""
    if framework.is_tensor_like(shape):
        return shape
    if shape is None or isinstance(shape, int):
        return framework.constant(-1 if shape is None else shape, dtypes.int32)
    if isinstance(shape, tensor_shape.TensorShape):
        if shape.ndims is None:
            return framework.constant(-1, dtypes.int32)
        shape = shape.as_list()
    sizes = [-1 if size is None else size for size in shape]
    return framework.convert_to_tensor(sizes, dtypes.int32)


def empty_tensor_list(element_shape: Any, element_dtype: Any, max_num_elements: Any = None,
                      name: str | None = None) -> Any:  # fmt: skip
    """Return a list without elements, which may have at most max_num_elements."""
    most = -1 if max_num_elements is None else max_num_elements
    return emit("EmptyTensorList", [_element_shape(element_shape), most], name,
                element_dtype=element_dtype)  # fmt: skip


def tensor_list_reserve(element_shape: Any, num_elements: Any, element_dtype: Any,
                        name: str | None = None) -> Any:  # fmt: skip
    """Return a list of that many elements that are not set yet."""
    return emit("TensorListReserve", [_element_shape(element_shape), num_elements], name,
                element_dtype=element_dtype)  # fmt: skip


def tensor_list_from_tensor(tensor: Any, element_shape: Any, name: str | None = None) -> Any:
    """Return the rows of a tensor as a list."""
    return emit("TensorListFromTensor", [tensor, _element_shape(element_shape)], name)


def tensor_list_get_item(input_handle: Any, index: Any, element_dtype: Any,
                         element_shape: Any = None, name: str | None = None) -> Any:  # fmt: skip
    """Return one element; zeros of element_shape where it was never set."""
    return emit("TensorListGetItem", [input_handle, index, _element_shape(element_shape)], name,
                element_dtype=element_dtype)  # fmt: skip


def tensor_list_set_item(input_handle: Any, index: Any, item: Any,
                         resize_if_index_out_of_bounds: bool = False,
                         name: str | None = None) -> Any:  # fmt: skip
    """Return the list with another element; it may grow up to the index."""
    if resize_if_index_out_of_bounds:
        given, length = input_handle, emit("TensorListLength", [input_handle])
        input_handle = control_flow_ops.cond(
            emit("GreaterEqual", [index, length]),
            lambda: emit("TensorListResize", [given, emit("AddV2", [index, 1])]),
            lambda: given,
        )
    return emit("TensorListSetItem", [input_handle, index, item], name)


def tensor_list_pop_back(input_handle: Any, element_dtype: Any,
                         name: str | None = None) -> Any:  # fmt: skip
    """Return the list without its last element, and that element."""
    inputs, attrs = [input_handle, _element_shape(None)], {"element_dtype": element_dtype}
    return framework.apply_op("TensorListPopBack", inputs, attrs, name).outputs


def tensor_list_gather(input_handle: Any, indices: Any, element_dtype: Any,
                       element_shape: Any = None, name: str | None = None) -> Any:  # fmt: skip
    """Return some elements as the rows of a tensor."""
    return emit("TensorListGather", [input_handle, indices, _element_shape(element_shape)], name,
                element_dtype=element_dtype)  # fmt: skip


def tensor_list_scatter(tensor: Any, indices: Any, element_shape: Any = None,
                        input_handle: Any = None, name: str | None = None) -> Any:  # fmt: skip
    """Return a new list, or input_handle, with the rows of the tensor at those indices."""
    if input_handle is not None:
        inputs = [input_handle, tensor, indices]
        return emit("TensorListScatterIntoExistingList", inputs, name)
    inputs = [tensor, indices, _element_shape(element_shape), -1]
    return emit("TensorListScatterV2", inputs, name)


def tensor_list_stack(input_handle: Any, element_dtype: Any, num_elements: int = -1,
                      element_shape: Any = None, name: str | None = None) -> Any:  # fmt: skip
    """Return all elements as the rows of a tensor; there must be num_elements unless it is -1."""
    return emit("TensorListStack", [input_handle, _element_shape(element_shape)], name,
                element_dtype=element_dtype, num_elements=num_elements)  # fmt: skip


def tensor_list_concat(input_handle: Any, element_dtype: Any, element_shape: Any = None,
                       name: str | None = None) -> Any:  # fmt: skip
    """Return the elements one behind the other along their first axis."""
    none = framework.constant([], dtypes.int64)
    inputs = [input_handle, _element_shape(element_shape), none]
    return emit("TensorListConcatV2", inputs, name, element_dtype=element_dtype)


def tensor_list_split(tensor: Any, element_shape: Any, lengths: Any,
                      name: str | None = None) -> Any:  # fmt: skip
    """Return a list of parts of those lengths along the first axis."""
    return emit("TensorListSplit", [tensor, _element_shape(element_shape), lengths], name)
