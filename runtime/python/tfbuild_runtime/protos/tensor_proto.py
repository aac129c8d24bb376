"""Arrays as TensorProto messages, and back."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tfbuild_runtime.framework import dtypes, tensor_shape
from tfbuild_runtime.protos import messages

# Where the elements of a type lie that are not given as bytes.
_FIELDS = {
    "float32": "float_val", "float64": "double_val", "int64": "int64_val", "bool": "bool_val",
    "uint32": "uint32_val", "uint64": "uint64_val", "complex64": "scomplex_val",
    "complex128": "dcomplex_val", "string": "string_val", "float16": "half_val",
    "bfloat16": "half_val",
}  # fmt: skip
_BY_ELEMENT = ("string", "bool", "complex64", "complex128")  # never as bytes


def make_tensor_proto(values: Any, dtype: Any = None, shape: Any = None,
                      verify_shape: bool = False,
                      allow_broadcast: bool = False) -> Any:  # fmt: skip
    """Return the TensorProto of an array, list or number.

    With a shape the values fill it; the last one is repeated where there are fewer, unless
    verify_shape is set. Raises ValueError for None, for too many values and for another shape.
    """
    del allow_broadcast
    if values is None:
        raise ValueError("None values not supported.")
    wanted = None if dtype is None else dtypes.as_dtype(dtype).base_dtype
    array = _array(values, wanted)
    kind = wanted or dtypes.as_dtype(array.dtype)
    sizes = list(array.shape) if shape is None else tensor_shape.as_shape(shape).as_list()
    if verify_shape and sizes != list(array.shape):
        raise ValueError(f"Expected Tensor's shape: {tuple(sizes)}, got {array.shape}.")
    if array.size > math.prod(sizes):
        raise ValueError(f"Too many elements provided. Needed at most {math.prod(sizes)}, but "
                         f"received {array.size}")  # fmt: skip
    made = messages.TensorProto(dtype=kind.as_datatype_enum)
    for size in sizes:
        made.tensor_shape.dim.add(size=size)
    made.tensor_shape.SetInParent()  # also of a number, which has no dimensions
    whole = array.size == math.prod(sizes) > 1
    if whole and kind.name not in _BY_ELEMENT:
        made.tensor_content = np.ascontiguousarray(array).tobytes()
        return made
    field = getattr(made, _FIELDS.get(kind.name, "int_val"))
    field.extend(_elements(array.ravel(), kind.name))
    return made


def _array(values: Any, wanted: Any) -> Any:
    is_words = wanted is not None and wanted.name == "string"
    given = np.asarray(values, None if wanted is None or is_words else wanted.as_numpy_dtype)
    if given.dtype.kind in "USO":
        return given.astype(object)
    if wanted is None and not hasattr(values, "dtype"):
        # Numbers of Python are narrow, as in a constant.
        narrow = {"float64": np.float32, "int64": np.int32}.get(given.dtype.name)
        return given if narrow is None else _narrowed(given, narrow)
    return given


def _narrowed(given: Any, narrow: Any) -> Any:
    fits = narrow is np.float32 or bool(np.all(given == given.astype(narrow)))
    return given.astype(narrow) if fits else given


def _elements(flat: Any, name: str) -> list[Any]:
    if name == "string":
        return [one.encode() if isinstance(one, str) else bytes(one) for one in flat.tolist()]
    if name in ("float16", "bfloat16"):
        return flat.view(np.uint16).tolist()  # type: ignore[no-any-return]
    if name.startswith("complex"):
        return [part for one in flat.tolist() for part in (one.real, one.imag)]
    return flat.tolist()  # type: ignore[no-any-return]


def make_ndarray(tensor: Any) -> Any:
    """Return the array of a TensorProto; raises TypeError for a type that arrays do not have."""
    kind = dtypes.as_dtype(tensor.dtype)
    sizes = [dim.size for dim in tensor.tensor_shape.dim]
    numpy_type = object if kind.name == "string" else kind.as_numpy_dtype
    if tensor.tensor_content:
        return np.frombuffer(tensor.tensor_content, numpy_type).copy().reshape(sizes)
    values: Any = list(getattr(tensor, _FIELDS.get(kind.name, "int_val")))
    if kind.name in ("float16", "bfloat16"):
        flat = np.array(values, np.uint16).view(numpy_type)
    elif kind.name.startswith("complex"):
        flat = np.array([complex(*pair) for pair in zip(values[::2], values[1::2])], numpy_type)
    else:
        flat = np.array(values, numpy_type)
    count = math.prod(sizes)
    if len(flat) == 0:
        return np.full(sizes, b"" if kind.name == "string" else 0, numpy_type)
    # The last value stands for those that are left out.
    rest = np.repeat(flat[-1:], max(0, count - len(flat)))
    return np.concatenate([flat, rest]).reshape(sizes)


MakeNdarray = make_ndarray  # its older name
