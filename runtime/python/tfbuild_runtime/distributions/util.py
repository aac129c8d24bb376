"""What distributions of several dimensions are made with: vectors as triangles of matrices."""

from __future__ import annotations

import math
from typing import Any

from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.ops import array_ops, math_ops, matrix_ops
from tfbuild_runtime.ops.order_ops import reverse


def fill_triangular(x: Any, upper: bool = False, name: str | None = None) -> Any:
    """Return matrices with the elements of vectors below, or above, and on the diagonal.

    A vector of n (n + 1) / 2 elements becomes n rows; the order is TensorFlow's, a spiral from the
    last row, or the first. Raises ValueError for another number of elements.
    """
    with framework.name_scope(name, "fill_triangular", [x]):
        x = framework.convert_to_tensor(x, name="x")
        known = _last_size(x)
        if known is None:
            count = array_ops.shape(x)[-1]
            root = math_ops.sqrt(0.25 + 2.0 * math_ops.cast(count, "float32"))
            size: Any = math_ops.cast(root - 0.5 + 1e-3, "int32")
            fixed = None
        else:
            size = fixed = (math.isqrt(1 + 8 * known) - 1) // 2
            if size * (size + 1) // 2 != known:
                raise ValueError(f"Input right-most shape ({known}) does not correspond to a "
                                 "triangular matrix.")  # fmt: skip
        # A square has as many elements as the vector and all of it but n, which face each other.
        turned = reverse(x[..., size:] if upper else x, [-1])
        both = array_ops.concat([x, turned] if upper else [x[..., size:], turned], -1)
        square = array_ops.concat([array_ops.shape(x)[:-1], [size, size]], 0)
        filled = array_ops.reshape(both, square)
        filled = matrix_ops.matrix_band_part(filled, *((0, -1) if upper else (-1, 0)))
        if x.get_shape().ndims is not None:
            filled.set_shape(x.get_shape()[:-1].concatenate([fixed, fixed]))
        return filled


def fill_triangular_inverse(x: Any, upper: bool = False, name: str | None = None) -> Any:
    """Return the vectors of which `fill_triangular` would make these matrices."""
    with framework.name_scope(name, "fill_triangular_inverse", [x]):
        x = framework.convert_to_tensor(x, name="x")
        x.get_shape().with_rank_at_least(2)
        fixed = _last_size(x)
        size: Any = array_ops.shape(x)[-1] if fixed is None else fixed
        first = x[..., 0, :] if upper else reverse(x[..., -1, :], [-1])
        rest = x[..., 1:, :] if upper else x[..., :-1, :]
        folded = rest + reverse(rest, [-1, -2])
        outside = array_ops.shape(x)[:-2]
        flat = array_ops.reshape(folded, array_ops.concat([outside, [size * (size - 1)]], 0))
        vector = array_ops.concat([first, flat[..., : size * (size - 1) // 2]], -1)
        if x.get_shape().ndims is not None:
            length = None if fixed is None else fixed * (fixed + 1) // 2
            vector.set_shape(x.get_shape()[:-2].concatenate([length]))
        return vector


def _last_size(x: Any) -> int | None:
    """Return the size of the last dimension; None where it is not known."""
    shape = x.get_shape()
    return None if shape.ndims is None else shape.as_list()[-1]
