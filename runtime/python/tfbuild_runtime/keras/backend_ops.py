"""Functions of tf by the names that Keras' backend gives their arguments."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.keras import losses
from tfbuild_runtime.ops import (
    array_ops,
    creation_ops,
    functional_ops,
    math_ops,
    nn_ops,
    reduce_ops,
)


def softmax(x: Any, axis: int = -1) -> Any:
    """Return the softmax along an axis."""
    return nn_ops.softmax(x, axis)


def all(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return whether all elements along the axes are true, or not zero."""
    return reduce_ops.reduce_all(math_ops.cast(x, dtypes.bool), axis, keepdims)


def any(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return whether any element along the axes is true, or not zero."""
    return reduce_ops.reduce_any(math_ops.cast(x, dtypes.bool), axis, keepdims)


def logsumexp(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the logarithm of the sum of exponentials along the axes."""
    return reduce_ops.reduce_logsumexp(x, axis, keepdims)


def max(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the largest element along the axes."""
    return reduce_ops.reduce_max(x, axis, keepdims)


def mean(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the mean along the axes; of booleans, the share that is true."""
    from tfbuild_runtime.keras.backend import floatx

    x = framework.convert_to_tensor(x)
    if x.dtype.base_dtype == dtypes.bool:
        x = math_ops.cast(x, floatx())
    return reduce_ops.reduce_mean(x, axis, keepdims)


def min(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the smallest element along the axes."""
    return reduce_ops.reduce_min(x, axis, keepdims)


def prod(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the product along the axes."""
    return reduce_ops.reduce_prod(x, axis, keepdims)


def sum(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the sum along the axes."""
    return reduce_ops.reduce_sum(x, axis, keepdims)


def bias_add(x: Any, bias: Any, data_format: str | None = None) -> Any:
    """Return x with a bias for each channel, or one of the shape that each example has.

    Raises ValueError for another shape of the bias or another data_format.
    """
    layout = data_format or "channels_last"
    if layout not in ("channels_first", "channels_last"):
        raise ValueError(f"Unknown data_format: {data_format}")
    sizes, rank = bias.get_shape().as_list(), x.get_shape().ndims
    if len(sizes) not in (1, rank - 1):
        raise ValueError(f"a bias has 1 dimension or {rank - 1}, not {len(sizes)}")
    if len(sizes) == 1:
        return nn_ops.bias_add(x, bias, "NCHW" if layout == "channels_first" else "NHWC")
    wide = [sizes[-1], *sizes[:-1]] if layout == "channels_first" else sizes
    return x + array_ops.reshape(bias, [1, *wide])


def categorical_crossentropy(target: Any, output: Any, from_logits: bool = False,
                             axis: int = -1) -> Any:  # fmt: skip
    """Return the cross entropy of one distribution for each row."""
    return losses.categorical_crossentropy(target, output, from_logits, axis=axis)


def sparse_categorical_crossentropy(target: Any, output: Any, from_logits: bool = False,
                                    axis: int = -1, ignore_class: Any = None) -> Any:  # fmt: skip
    """Return the cross entropy of one class for each row; see keras.losses."""
    return losses.sparse_categorical_crossentropy(target, output, from_logits, axis, ignore_class)


def foldl(fn: Any, elems: Any, initializer: Any = None, name: str | None = None) -> Any:
    """Return fn(fn(first, second), third) and so on; see tf.foldl."""
    return functional_ops.foldl(fn, elems, initializer=initializer, name=name)


def foldr(fn: Any, elems: Any, initializer: Any = None, name: str | None = None) -> Any:
    """Return as foldl, from the last element to the first."""
    return functional_ops.foldr(fn, elems, initializer=initializer, name=name)


def map_fn(fn: Any, elems: Any, name: str | None = None, dtype: Any = None) -> Any:
    """Return fn of each element; see tf.map_fn."""
    return functional_ops.map_fn(fn, elems, name=name, dtype=dtype)


def gather(reference: Any, indices: Any) -> Any:
    """Return the rows with those numbers."""
    return array_ops.gather(reference, indices)


def ones_like(x: Any, dtype: Any = None, name: str | None = None) -> Any:
    """Return ones of the shape of x."""
    return creation_ops.ones_like(x, dtype, name)


def zeros_like(x: Any, dtype: Any = None, name: str | None = None) -> Any:
    """Return zeros of the shape of x."""
    return creation_ops.zeros_like(x, dtype, name)


def pow(x: Any, a: Any) -> Any:
    """Return x to the power of a."""
    return math_ops.pow(x, a)


def reshape(x: Any, shape: Any) -> Any:
    """Return the elements of x in another shape."""
    return array_ops.reshape(x, shape)


def shape(x: Any) -> Any:
    """Return the shape as a vector."""
    return array_ops.shape(x)


def squeeze(x: Any, axis: Any) -> Any:
    """Return x without a dimension of size 1."""
    return array_ops.squeeze(x, [axis] if isinstance(axis, int) else axis)


def stack(x: Any, axis: int = 0) -> Any:
    """Return tensors of one shape as one, along a new axis."""
    return array_ops.stack(x, axis)


def stop_gradient(variables: Any) -> Any:
    """Return one tensor, or each of several, as a constant to differentiation."""
    if isinstance(variables, (list, tuple)):
        return [array_ops.stop_gradient(one) for one in variables]
    return array_ops.stop_gradient(variables)


def tile(x: Any, n: Any) -> Any:
    """Return x repeated so many times along each axis."""
    return array_ops.tile(x, [n] if isinstance(n, int) else n)


def transpose(x: Any) -> Any:
    """Return x with its dimensions in the opposite order."""
    return array_ops.transpose(x)
