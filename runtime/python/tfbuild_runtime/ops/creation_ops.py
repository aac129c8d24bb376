"""Making tensors: placeholders, constants, zeros and ones, ranges, one-hot vectors."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.framework import dtypes, tensor_shape
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework.ops import constant
from tfbuild_runtime.ops.array_ops import reshape, shape
from tfbuild_runtime.ops.emit import emit, known_rank

__all__ = [
    "constant", "fill", "one_hot", "ones", "ones_like", "placeholder", "placeholder_with_default",
    "range", "shape_of", "zeros", "zeros_like",
]  # fmt: skip

_SMALL = 1000  # elements up to which a filled tensor is a constant of the graph


def placeholder(dtype: Any, shape: Any = None, name: str | None = None) -> Any:
    """Return a tensor that has to be fed."""
    return emit("Placeholder", [], name, dtype=dtypes.as_dtype(dtype), shape=shape)


def placeholder_with_default(input: Any, shape: Any, name: str | None = None) -> Any:
    """Return a tensor that may be fed; input is its value when it is not."""
    return emit("PlaceholderWithDefault", [input], name, shape=shape)


def fill(dims: Any, value: Any, name: str | None = None, index_type: Any = None) -> Any:
    """Return a tensor of that shape that holds value everywhere."""
    return emit("Fill", [dims, value], name, index_type=index_type)


def _filled(shape: Any, value: Any, dtype: Any, name: str) -> Any:
    if not framework.is_tensor_like(shape):
        known = _constant_shape(shape)
        if known is not None:
            count = 1
            for number in known:
                count *= number
            if count < _SMALL:
                return _filled_constant(known, value, dtype, name)
            shape = constant(known, dtypes.int32, shape=[len(known)], name="shape_as_tensor")
        else:
            shape = framework.convert_to_tensor(shape, dtype=dtypes.int32)
    if known_rank(shape) == 0:
        shape = reshape(shape, [-1])
    return fill(shape, constant(value, dtype), name=name)


def _filled_constant(sizes: list[int], value: Any, dtype: Any, name: str) -> Any:
    import numpy as np

    return constant(np.full(sizes, value, dtype.as_numpy_dtype), dtype, name=name)


def _constant_shape(shape: Any) -> list[int] | None:
    try:
        known = tensor_shape.TensorShape(shape)
    except (TypeError, ValueError):
        return None
    if not known.is_fully_defined():
        return None
    return [number for number in known.as_list() if number is not None]


def _zero_of(dtype: Any) -> Any:
    return "" if dtype == dtypes.string else False if dtype == dtypes.bool else 0


def zeros(shape: Any, dtype: Any = dtypes.float32, name: str | None = None) -> Any:
    """Return a tensor of zeros."""
    dtype = dtypes.as_dtype(dtype).base_dtype
    with framework.name_scope(name, "zeros", _tensors_in(shape)) as scope:
        return _filled(shape, _zero_of(dtype), dtype, scope)


def ones(shape: Any, dtype: Any = dtypes.float32, name: str | None = None) -> Any:
    """Return a tensor of ones."""
    dtype = dtypes.as_dtype(dtype).base_dtype
    with framework.name_scope(name, "ones", _tensors_in(shape)) as scope:
        return _filled(shape, dtype == dtypes.bool or 1, dtype, scope)


def _tensors_in(shape: Any) -> list[Any]:
    items = shape if isinstance(shape, (list, tuple)) else [shape]
    return [item for item in items if framework.is_tensor_like(item)]


def zeros_like(tensor: Any, dtype: Any = None, name: str | None = None,
               optimize: bool = True) -> Any:  # fmt: skip
    """Return zeros in the shape of the tensor."""
    with framework.name_scope(name, "zeros_like", [tensor]) as scope:
        tensor = framework.convert_to_tensor(tensor, name="tensor")
        wanted = dtypes.as_dtype(dtype or tensor.dtype).base_dtype
        is_object = wanted is dtypes.variant  # only the value itself knows its zero
        if optimize and tensor.get_shape().is_fully_defined() and not is_object:
            return zeros(tensor.get_shape(), wanted, name=scope)
        if wanted != tensor.dtype.base_dtype:
            return zeros(shape_of(tensor, optimize), wanted, name=scope)
        return emit("ZerosLike", [tensor], scope)


def ones_like(tensor: Any, dtype: Any = None, name: str | None = None,
              optimize: bool = True) -> Any:  # fmt: skip
    """Return ones in the shape of the tensor."""
    with framework.name_scope(name, "ones_like", [tensor]) as scope:
        tensor = framework.convert_to_tensor(tensor, name="tensor")
        wanted = dtypes.as_dtype(dtype or tensor.dtype).base_dtype
        return ones(shape_of(tensor, optimize), wanted, name=scope)


def shape_of(tensor: Any, optimize: bool = True) -> Any:
    """Return the shape as a vector, computed while the graph runs unless optimize allows less."""
    return shape(tensor) if optimize else emit("Shape", [tensor])


def range(start: Any, limit: Any = None, delta: Any = 1, dtype: Any = None,
          name: str = "range") -> Any:  # fmt: skip
    """Return the numbers from start, by default 0, up to but without limit."""
    if limit is None:
        start, limit = 0, start
    with framework.name_scope(name, "Range", _tensors_in([start, limit, delta])) as scope:
        tensors = [v if framework.is_tensor_like(v) else framework.convert_to_tensor(v, dtype, n)
                   for n, v in (("start", start), ("limit", limit), ("delta", delta))]  # fmt: skip
        wanted = _widest(tensors) if dtype is None else dtypes.as_dtype(dtype)
        return emit("Range", [_as_type(t, wanted) for t in tensors], scope)


def _widest(tensors: list[Any]) -> Any:
    order = (dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64)
    found = [tensor.dtype.base_dtype for tensor in tensors]
    known = [dtype for dtype in order if dtype in found]
    return known[-1] if known else found[0]


def _as_type(tensor: Any, dtype: Any) -> Any:
    if tensor.dtype.base_dtype == dtype:
        return tensor
    return emit("Cast", [tensor], DstT=dtype)


def one_hot(indices: Any, depth: Any, on_value: Any = None, off_value: Any = None,
            axis: int | None = None, dtype: Any = None,
            name: str | None = None) -> Any:  # fmt: skip
    """Return vectors of length depth that hold on_value at the index and off_value elsewhere."""
    with framework.name_scope(name, "one_hot", _tensors_in([indices])) as scope:
        given = [v.dtype.base_dtype for v in (on_value, off_value) if framework.is_tensor_like(v)]
        if dtype is None:
            dtype = given[0] if given else _one_hot_type(on_value, off_value)
        wanted = dtypes.as_dtype(dtype)
        on = framework.convert_to_tensor(1 if on_value is None else on_value, wanted, "on_value")
        off = framework.convert_to_tensor(0 if off_value is None else off_value, wanted,
                                          "off_value")  # fmt: skip
        indices = framework.convert_to_tensor(indices, name="indices")
        return emit("OneHot", [indices, depth, on, off], scope, axis=-1 if axis is None else axis)


def _one_hot_type(on_value: Any, off_value: Any) -> Any:
    from tfbuild_runtime.framework.constant import make_array

    values = [value for value in (on_value, off_value) if value is not None]
    return dtypes.as_dtype(make_array(values[0]).dtype) if values else dtypes.float32
