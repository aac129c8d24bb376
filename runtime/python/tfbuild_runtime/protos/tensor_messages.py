"""Arrays as the message TensorProto, and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbuild_runtime.framework import constant, dtypes
from tfbuild_runtime.protos import messages

_COMPLEX = {"scomplex_val", "dcomplex_val"}
_FIELDS = {
    "float32": "float_val", "float64": "double_val", "int64": "int64_val", "uint32": "uint32_val",
    "uint64": "uint64_val", "bool": "bool_val",
    "float16": "half_val", "bfloat16": "half_val", "complex64": "scomplex_val",
    "complex128": "dcomplex_val", "string": "string_val",
    **dict.fromkeys(("int32", "int16", "int8", "uint16", "uint8"), "int_val"),
}  # fmt: skip


def make_tensor_proto(values: Any, dtype: Any = None, shape: Any = None, verify_shape: bool = False,
                      allow_broadcast: bool = False) -> Any:  # fmt: skip
    """Return the TensorProto of values; the last one stands for those that a shape has more.

    Raises TypeError for values of no type or another shape than verify_shape asks for, ValueError
    for None and for more values than the shape has.
    """
    del allow_broadcast
    array = constant.make_array(values, dtype)
    kind = dtypes.as_dtype("string" if array.dtype == object else array.dtype)
    sizes = list(array.shape if shape is None else shape)
    if verify_shape and list(array.shape) != sizes:
        raise TypeError(f"Expected Tensor's shape: {tuple(sizes)}, but got {array.shape}.")
    count = int(np.prod(sizes, dtype=np.int64))
    if array.size > count:
        raise ValueError(f"Too many elements provided. Takes at most {count}, but got "
                         f"{array.size}")  # fmt: skip
    made = messages.TensorProto(dtype=kind.as_datatype_enum)
    made.tensor_shape.SetInParent()
    for size in sizes:
        made.tensor_shape.dim.add(size=size)
    field = _FIELDS[kind.name]
    if field == "string_val":
        made.string_val.extend(array.ravel().tolist())
    elif array.size == count > 1 and kind != dtypes.bool:
        made.tensor_content = np.ascontiguousarray(array).tobytes()
    else:
        getattr(made, field).extend(_numbers(array.ravel(), field))
    return made


def _numbers(flat: Any, field: str) -> list[Any]:
    if field == "half_val":
        return flat.view(np.uint16).tolist()  # type: ignore[no-any-return]
    if field in _COMPLEX:
        return [part for value in flat.tolist() for part in (value.real, value.imag)]
    return flat.tolist()  # type: ignore[no-any-return]


def make_ndarray(tensor: Any) -> Any:
    """Return the array of a TensorProto; raises TypeError for a type that has none.

    A message with fewer values than elements repeats the last one.
    """
    kind = dtypes.as_dtype(tensor.dtype)
    sizes = [dim.size for dim in tensor.tensor_shape.dim]
    field = _FIELDS.get(kind.name)
    if field is None:
        raise TypeError(f"Unsupported tensor type: {tensor.dtype}.")
    numpy_kind = object if kind == dtypes.string else kind.as_numpy_dtype
    if tensor.tensor_content:
        return np.frombuffer(tensor.tensor_content, numpy_kind).copy().reshape(sizes)
    given = list(getattr(tensor, field))
    if field in _COMPLEX:
        flat: Any = np.array([complex(*given[at : at + 2]) for at in range(0, len(given), 2)])
    elif field == "half_val":
        flat = np.array(given, np.uint16).view(numpy_kind)
    else:
        flat = np.array(given, numpy_kind)
    count = int(np.prod(sizes, dtype=np.int64))
    if 0 < len(flat) < count:
        flat = np.concatenate([flat, np.repeat(flat[-1:], count - len(flat))])
    elif len(flat) == 0 and count:
        flat = np.zeros(count, numpy_kind) if numpy_kind is not object else np.full(count, b"")
    return flat.astype(numpy_kind).reshape(sizes)
