"""Values that a program feeds, as the arrays that the native runtime can read in place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from tfbuild_runtime.framework import constant, dtypes, native, nesting
from tfbuild_runtime.framework.composite import CompositeTensor
from tfbuild_runtime.framework.indexed_slices import IndexedSlices
from tfbuild_runtime.framework.operation import Tensor
from tfbuild_runtime.framework.sparse_tensor import SparseTensor

_COMPOSITE = (IndexedSlices, SparseTensor, CompositeTensor)
_SEVERAL = (tuple, *_COMPOSITE)


def has_several(keys: Any) -> bool:
    """Whether any of the fed elements consists of several tensors."""
    return any(isinstance(key, _SEVERAL) for key in keys)


def tensors_of(keys: Any) -> list[Any]:
    """Return all that is fed for these elements; ValueError for what stands there twice."""
    elements = list(nesting.leaves(list(keys), _items))
    for key, count in Counter(elements).items():
        if count > 1:
            raise ValueError(f"Cannot flatten dict because this key is not unique: {key}")
    return [
        part
        for element in elements
        for part in (element.parts() if isinstance(element, _COMPOSITE) else (element,))
    ]


def by_tensor(feed_dict: Any) -> dict[Any, Any]:
    """Return the feeds with each element of several tensors as these and their values.

    Raises ValueError for a value that has not one part for each of its tensors.
    """
    if not hasattr(feed_dict, "items"):
        raise TypeError("feed_dict must be a dictionary mapping graph elements to values.")
    flat: dict[Any, Any] = {}
    for key, value in feed_dict.items():
        for element, part in _elements(key, value):
            if isinstance(element, _COMPOSITE):
                flat.update(zip(element.parts(), _parts_of(element, part)))
            else:
                flat[element] = part
    return flat


def _elements(key: Any, value: Any) -> Iterable[tuple[Any, Any]]:
    """Return what a nested key feeds beside the values, which need not be nested like it."""
    if not isinstance(key, tuple):
        return ((key, value),)
    keys, values = (list(nesting.leaves(nest, _items)) for nest in (key, value))
    if len(keys) != len(values):
        raise ValueError(
            f"Could not flatten dictionary. Key had {len(keys)} elements, but value had "
            f"{len(values)} elements. Key: {keys}, value: {values}."
        )
    return zip(keys, values)


def _items(value: Any) -> list[Any] | None:
    if isinstance(value, Mapping):
        return [value[key] for key in sorted(value)]
    return list(value) if isinstance(value, (list, tuple)) else None


def _parts_of(key: Any, value: Any) -> tuple[Any, ...]:
    count = len(key.parts())
    if isinstance(key, CompositeTensor):
        return key.arrays_of(value)
    parts = tuple(value)[:count] if isinstance(value, (list, tuple)) else ()
    if len(parts) != count:
        raise ValueError(f"The value fed for {key} must be a tuple of {count} arrays, not "
                         f"{value!r}")  # fmt: skip
    return parts


def as_feed(value: Any, number: int, sizes: Any, name: str) -> np.ndarray[Any, Any]:
    """Return value as a dense array of that type for the tensor called name.

    Raises TypeError for a value that is none of that type, ValueError for one of another shape.
    """
    dtype = dtypes.as_dtype(number)
    if isinstance(value, Tensor):
        raise TypeError(
            f"The value of a feed cannot be a tf.Tensor object; feed the array that "
            f"session.run({value.name!r}) gives for {name}"
        )
    array = _string_array(value) if dtype == dtypes.string else _number_array(value, dtype, name)
    if not _fits(array.shape, sizes):
        shape = "<unknown>" if sizes is None else _shape_text(sizes)
        raise ValueError(
            f"Cannot feed value of shape {array.shape} for Tensor {name}, which has shape {shape}"
        )
    return array


def _string_array(value: Any) -> np.ndarray[Any, Any]:
    return constant.make_array(value, dtypes.string)


def _number_array(value: Any, dtype: dtypes.DType, name: str) -> np.ndarray[Any, Any]:
    wanted = dtype.as_numpy_dtype
    if isinstance(value, int) and dtype.is_integer and not dtype.min <= value <= dtype.max:
        raise TypeError(
            f"The value {value} fed for {name} does not fit into {dtype.name}; make it an int64"
        )
    try:
        array = np.asarray(value, wanted, order="C")
    except (TypeError, ValueError, OverflowError) as error:
        kind = ValueError if isinstance(error, UnicodeError) else type(error)
        raise kind(f"{error} (in the value fed for {name}, a {dtype.name} tensor)") from None
    if not array.flags.aligned or not array.flags.c_contiguous or array.dtype.byteorder == ">":
        array = array.astype(wanted, order="C", copy=True)
    return array


def _fits(shape: tuple[int, ...], sizes: Any) -> bool:
    if sizes is None:
        return True
    pairs = zip(shape, sizes)
    return len(shape) == len(sizes) and all(known in (-1, size) for size, known in pairs)


def _shape_text(sizes: tuple[int, ...]) -> str:
    inner = ", ".join("?" if size == -1 else str(size) for size in sizes)
    return f"({inner},)" if len(sizes) == 1 else f"({inner})"


native.set_feed_converter(as_feed)
