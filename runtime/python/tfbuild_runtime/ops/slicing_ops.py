"""Parts of tensors: slice, strided_slice and the [] operator of tensors."""

from __future__ import annotations

import builtins
import operator
from dataclasses import dataclass, field
from typing import Any

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework.operation import Tensor
from tfbuild_runtime.ops.emit import emit

newaxis = None
_MASKS = ("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask")


def slice(input_: Any, begin: Any, size: Any, name: str | None = None) -> Any:
    """Return the part that starts at begin and has that size; a size of -1 reaches to the end."""
    return emit("Slice", [input_, begin, size], name)


def strided_slice(input_: Any, begin: Any, end: Any, strides: Any = None, begin_mask: int = 0,
                  end_mask: int = 0, ellipsis_mask: int = 0, new_axis_mask: int = 0,
                  shrink_axis_mask: int = 0, var: Any = None,
                  name: str | None = None) -> Any:  # fmt: skip
    """Return every strides-th element from begin up to but without end."""
    if strides is None:
        strides = emit("OnesLike", [framework.convert_to_tensor(begin, name="begin")])
    return emit("StridedSlice", [input_, begin, end, strides], name, begin_mask=begin_mask,
                end_mask=end_mask, ellipsis_mask=ellipsis_mask, new_axis_mask=new_axis_mask,
                shrink_axis_mask=shrink_axis_mask)  # fmt: skip


@dataclass
class _Spec:
    """What stands between the brackets, as the inputs and attributes of a StridedSlice."""

    begin: list[Any] = field(default_factory=list)
    end: list[Any] = field(default_factory=list)
    strides: list[Any] = field(default_factory=list)
    masks: dict[str, int] = field(default_factory=lambda: dict.fromkeys(_MASKS, 0))

    def add(self, begin: Any, end: Any, stride: Any, *masks: str) -> None:
        for mask in masks:
            self.masks[mask] |= 1 << len(self.begin)
        self.begin.append(begin)
        self.end.append(end)
        self.strides.append(stride)


def _add_slice(spec: _Spec, item: Any) -> None:
    masks = [name for name, part in (("begin_mask", item.start), ("end_mask", item.stop))
             if part is None]  # fmt: skip
    begin = 0 if item.start is None else item.start
    end = 0 if item.stop is None else item.stop
    spec.add(begin, end, 1 if item.step is None else item.step, *masks)


def _is_integer(item: Any) -> bool:
    if framework.is_tensor_like(item):
        return item.dtype.base_dtype in (dtypes.int16, dtypes.int32, dtypes.int64)
    return hasattr(item, "__index__") and not isinstance(item, bool)


def _add_item(spec: _Spec, item: Any) -> None:
    if isinstance(item, builtins.slice):
        _add_slice(spec, item)
    elif item is Ellipsis:
        spec.add(0, 0, 1, "ellipsis_mask")
    elif item is newaxis:
        spec.add(0, 0, 1, "new_axis_mask")
    elif _is_integer(item):
        # The end of a part of one element: -1 + 1 would be 0 and so empty, but a shrunk axis
        # reads begin only.
        after = emit("AddV2", [item, 1], "add") if framework.is_tensor_like(item) else item + 1
        spec.add(item, after, 1, "shrink_axis_mask")
    else:
        raise TypeError(
            f"cannot index a tensor with {item!r}; there are integers, slices, ..., tf.newaxis "
            "and scalar integer tensors (tf.gather and tf.boolean_mask take more)"
        )


def _slice_helper(tensor: Any, key: Any) -> Any:
    """Return tensor[key]; raises TypeError for what cannot be an index."""
    if framework.is_tensor_like(key) and key.dtype.base_dtype == dtypes.bool:
        from tfbuild_runtime.ops import array_ops

        return array_ops.boolean_mask(tensor, key)
    spec = _Spec()
    with framework.name_scope(None, "strided_slice", [tensor]) as scope:
        for item in key if isinstance(key, tuple) else (key,):
            _add_item(spec, item)
        if bin(spec.masks["ellipsis_mask"]).count("1") > 1:
            raise ValueError("an index can hold one ... at most")
        parts = [_vector(part, name) for part, name in (
            (spec.begin, "stack"), (spec.end, "stack_1"), (spec.strides, "stack_2"))]  # fmt: skip
        dtype = dtypes.int64 if any(p.dtype == dtypes.int64 for p in parts) else dtypes.int32
        parts = [p if p.dtype == dtype else emit("Cast", [p], DstT=dtype) for p in parts]
        return emit("StridedSlice", [tensor, *parts], scope, **spec.masks)


def _vector(items: list[Any], name: str) -> Any:
    if any(framework.is_tensor_like(item) for item in items):
        return emit("Pack", [items], name)
    import numpy as np

    numbers = [operator.index(item) for item in items]  # a Dimension may not meet a negative one
    return framework.constant(np.array(numbers, _index_type(numbers)), name=name)


def _index_type(numbers: list[int]) -> str:
    return "int32" if all(-(2**31) <= number < 2**31 for number in numbers) else "int64"


Tensor._override_operator("__getitem__", _slice_helper)
