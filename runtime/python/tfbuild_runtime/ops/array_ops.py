"""Changing the shape, the order and the extent of tensors."""

from __future__ import annotations

import builtins
from typing import Any

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework.ops import constant
from tfbuild_runtime.framework.resource_variables import ResourceVariable
from tfbuild_runtime.framework.shape_origin import why_unknown
from tfbuild_runtime.ops.emit import emit, known_rank, known_sizes, only_one
from tfbuild_runtime.ops.sparse_values import as_sparse_or_none


def identity(input: Any, name: str | None = None) -> Any:
    """Return a tensor with the value of input."""
    return emit("Identity", [input], name)


def identity_n(input: Any, name: str | None = None) -> Any:
    """Return tensors with the values of a list of inputs, all of one operation."""
    return framework.apply_op("IdentityN", [list(input)], name=name).outputs


def stop_gradient(input: Any, name: str | None = None) -> Any:
    """Return input, as a constant to automatic differentiation."""
    return emit("StopGradient", [input], name)


def guarantee_const(input: Any, name: str | None = None) -> Any:
    """Return input, which the caller promises not to change."""
    return identity(input, name=name)


def shape(input: Any, name: str | None = None, out_type: Any = None) -> Any:
    """Return the shape as a vector; a constant where it is known while the graph is built."""
    out_type = dtypes.int32 if out_type is None else out_type
    with framework.name_scope(name, "Shape", [input]) as scope:
        sparse = as_sparse_or_none(input)
        if sparse is not None:
            return _in_type(sparse.dense_shape, out_type)
        tensor = framework.convert_to_tensor(input)
        sizes = known_sizes(tensor)
        if sizes is not None:
            return constant(sizes, out_type, shape=[len(sizes)], name=scope)
        return emit("Shape", [tensor], scope, out_type=dtypes.as_dtype(out_type))


def _in_type(sizes: Any, dtype: Any) -> Any:
    wanted = dtypes.as_dtype(dtype)
    return sizes if sizes.dtype == wanted else emit("Cast", [sizes], DstT=wanted)


def shape_n(input: Any, out_type: Any = dtypes.int32, name: str | None = None) -> list[Any]:
    """Return the shapes of several tensors."""
    attrs = {"out_type": dtypes.as_dtype(out_type)}
    return list(framework.apply_op("ShapeN", [list(input)], attrs, name).outputs)


def size(input: Any, name: str | None = None, out_type: Any = None) -> Any:
    """Return the number of elements; a constant where it is known while the graph is built."""
    out_type = dtypes.int32 if out_type is None else out_type
    with framework.name_scope(name, "Size", [input]) as scope:
        sparse = as_sparse_or_none(input)
        if sparse is not None:
            return emit("Prod", [_in_type(sparse.dense_shape, out_type), 0], scope)
        tensor = framework.convert_to_tensor(input)
        count = tensor.get_shape().num_elements()
        if count is not None:
            return constant(count, out_type, name=scope)
        return emit("Size", [tensor], scope, out_type=dtypes.as_dtype(out_type))


def rank(input: Any, name: str | None = None) -> Any:
    """Return the number of dimensions; a constant where it is known while the graph is built."""
    with framework.name_scope(name, "Rank", [input]) as scope:
        sparse = as_sparse_or_none(input)
        if sparse is not None:
            return size(sparse.dense_shape, name=scope)
        tensor = framework.convert_to_tensor(input)
        known = known_rank(tensor)
        if known is not None:
            return constant(known, dtypes.int32, name=scope)
        return emit("Rank", [tensor], scope)


def reshape(tensor: Any, shape: Any, name: str | None = None) -> Any:
    """Return the elements in another shape; one size may be -1."""
    return emit("Reshape", [tensor, shape], name)


def expand_dims(input: Any, axis: Any = None, name: str | None = None, dim: Any = None) -> Any:
    """Return input with a dimension of size 1 inserted; raises ValueError without an axis."""
    axis = only_one(axis, dim, "axis", "dim")
    if axis is None:
        raise ValueError("expand_dims needs an axis")
    return emit("ExpandDims", [input, axis], name)


def squeeze(input: Any, axis: Any = None, name: str | None = None,
            squeeze_dims: Any = None) -> Any:  # fmt: skip
    """Return input without its dimensions of size 1, or without those in axis."""
    axis = only_one(axis, squeeze_dims, "axis", "squeeze_dims")
    if axis is None:
        axis = []
    elif hasattr(axis, "__index__"):
        axis = [axis]
    return emit("Squeeze", [input], name, squeeze_dims=list(axis))


def transpose(a: Any, perm: Any = None, name: str = "transpose", conjugate: bool = False) -> Any:
    """Return a with its dimensions in the order perm, by default reversed."""
    with framework.name_scope(name, "transpose", [a]) as scope:
        a = framework.convert_to_tensor(a, name="a")
        if perm is None:
            perm = _reversed_axes(a)
        if conjugate and a.dtype.is_complex:
            a = emit("Conj", [a])
        return emit("Transpose", [a, perm], scope)


def _reversed_axes(tensor: Any) -> Any:
    known = known_rank(tensor)
    if known is not None:
        order = list(reversed(builtins.range(known)))
        return constant(order, dtypes.int32, shape=[known], name="perm")
    last = emit("Sub", [rank(tensor), 1], "sub")
    return emit("Range", [last, -1, -1], "Range")


def matrix_transpose(a: Any, name: str = "matrix_transpose", conjugate: bool = False) -> Any:
    """Return a with its last two dimensions exchanged; raises ValueError for a rank below 2."""
    with framework.name_scope(name, "matrix_transpose", [a]) as scope:
        a = framework.convert_to_tensor(a, name="a")
        known = known_rank(a)
        if known is None:
            number = rank(a)
            front = emit("Range", [0, emit("Sub", [number, 2]), 1])
            last = emit("Pack", [[emit("Sub", [number, 1]), emit("Sub", [number, 2])]])
            return transpose(a, concat([front, last], 0), scope, conjugate)
        if known < 2:
            raise ValueError(f"matrix_transpose needs at least 2 dimensions, not {known}")
        order = [*builtins.range(known - 2), known - 1, known - 2]
        return transpose(a, order, scope, conjugate)


def concat(values: Any, axis: Any, name: str = "concat") -> Any:
    """Return the tensors one after the other along an axis."""
    if not isinstance(values, (list, tuple)):
        values = [values]
    if len(values) == 1:
        with framework.name_scope(name) as scope:
            # Made although nothing is joined, so that swapped arguments are an error here too.
            axis = framework.convert_to_tensor(axis, name="concat_dim")
            axis.get_shape().assert_has_rank(0)
            return identity(values[0], name=scope)
    return emit("ConcatV2", [list(values), axis], name)


def stack(values: Any, axis: int = 0, name: str = "stack") -> Any:
    """Return tensors of one shape along a new dimension."""
    if not isinstance(values, (list, tuple)):
        values = unstack(values)
    plain = (int, float, bool, str, bytes)
    if axis == 0 and all(isinstance(value, plain) for value in values):
        return constant(list(values), name=name)
    return emit("Pack", [list(values)], name, axis=axis)


def unstack(value: Any, num: int | None = None, axis: int = 0, name: str = "unstack") -> list[Any]:
    """Return the slices along an axis; raises ValueError when their number is not known."""
    value = framework.convert_to_tensor(value)
    if num is None:
        known = value.get_shape()
        if known.ndims is not None and not -known.ndims <= axis < known.ndims:
            raise ValueError(f"axis {axis} is out of range for rank {known.ndims}")
        num = None if known.ndims is None else known.as_list()[axis]
        if num is None:
            raise ValueError(f"cannot say how many slices there are along axis {axis}; give num: "
                             f"{why_unknown(value)}")  # fmt: skip
    op = framework.apply_op("Unpack", [value], {"num": num, "axis": axis}, name)
    return list(op.outputs)


def split(value: Any, num_or_size_splits: Any, axis: Any = 0, num: int | None = None,
          name: str = "split") -> list[Any]:  # fmt: skip
    """Return the parts along an axis: that many equal ones, or of the given sizes."""
    if hasattr(num_or_size_splits, "__index__") and not framework.is_tensor_like(
        num_or_size_splits
    ):
        op = framework.apply_op("Split", [axis, value],
                                {"num_split": int(num_or_size_splits)}, name)  # fmt: skip
        return list(op.outputs)
    sizes = framework.convert_to_tensor(num_or_size_splits)
    if num is None:
        num = sizes.get_shape().as_list()[0] if known_rank(sizes) == 1 else None
    if num is None:
        raise ValueError("cannot say how many parts there are; give num")
    op = framework.apply_op("SplitV", [value, sizes, axis], {"num_split": num}, name)
    return list(op.outputs)


def pad(tensor: Any, paddings: Any, mode: str = "CONSTANT", name: str | None = None,
        constant_values: Any = 0) -> Any:  # fmt: skip
    """Return the tensor with elements added around it; raises ValueError for an unknown mode."""
    mode = mode.upper()
    if mode not in ("CONSTANT", "REFLECT", "SYMMETRIC"):
        raise ValueError(f"Unknown padding mode: {mode}; there are CONSTANT, REFLECT and SYMMETRIC")
    if mode != "CONSTANT":
        return emit("MirrorPad", [tensor, paddings], name, mode=mode)
    if framework.is_tensor_like(constant_values) or constant_values != 0:
        return emit("PadV2", [tensor, paddings, constant_values], name)
    padded = emit("Pad", [tensor, paddings], name)
    _set_padded_sizes(padded, paddings)
    return padded


def _set_padded_sizes(padded: Any, paddings: Any) -> None:
    """Set the sizes that follow from the numbers in paddings, where others of it are tensors."""
    if framework.is_tensor_like(paddings) or not framework.holds_tensors(paddings):
        return
    sizes = padded.op.inputs[0].get_shape()
    borders = [[framework.constant_value(framework.convert_to_tensor(side)) for side in pair]
               for pair in paddings]  # fmt: skip
    if sizes.ndims != len(borders):
        return
    padded.set_shape([
        None if whole is None or any(side is None for side in pair) else whole + sum(map(int, pair))
        for whole, pair in zip(sizes.as_list(), borders)
    ])  # fmt: skip


def tile(input: Any, multiples: Any, name: str | None = None) -> Any:
    """Return input repeated along each dimension."""
    return emit("Tile", [input, multiples], name)


def broadcast_to(input: Any, shape: Any, name: str | None = None) -> Any:
    """Return input repeated so that it has that shape."""
    return emit("BroadcastTo", [input, shape], name)


def where(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Any:
    """Return x where condition holds and y elsewhere; without both, the places where it holds.

    Raises ValueError when only one of x and y is given.
    """
    if (x is None) != (y is None):
        raise ValueError("where needs both x and y, or neither")
    if x is None:
        return emit("Where", [condition], name)
    return emit("Select", [condition, x, y], name)


def where_v2(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Any:
    """Return x where condition holds and y elsewhere, all three broadcast to one shape.

    Raises ValueError when only one of x and y is given.
    """
    if (x is None) != (y is None):
        raise ValueError("where needs both x and y, or neither")
    if x is None:
        return emit("Where", [condition], name)
    return emit("SelectV2", [condition, x, y], name)


def gather(params: Any, indices: Any, validate_indices: Any = None, name: str | None = None,
           axis: Any = None, batch_dims: int = 0) -> Any:  # fmt: skip
    """Return the slices of params with those indices along an axis."""
    if axis is None:
        axis = batch_dims
    if isinstance(params, ResourceVariable) and axis == 0 and batch_dims == 0:
        return params.sparse_read(indices, name)
    return emit("GatherV2", [params, indices, axis], name, batch_dims=batch_dims)


def boolean_mask(tensor: Any, mask: Any, name: str = "boolean_mask",
                 axis: int | None = None) -> Any:  # fmt: skip
    """Return the slices along an axis, by default the first, for which a vector of bools holds."""
    with framework.name_scope(name, values=[tensor, mask]):
        mask = framework.convert_to_tensor(mask, dtype=dtypes.bool, name="mask")
        indices = squeeze(where(reshape(mask, [-1])), axis=[1])
        count = known_rank(mask)
        if count is None:
            raise ValueError("boolean_mask needs a mask of known rank")
        tensor = framework.convert_to_tensor(tensor, name="tensor")
        covered = tensor.get_shape()[axis or 0 : (axis or 0) + count]
        covered.assert_is_compatible_with(mask.get_shape())
        if count > 1:
            if axis:
                raise ValueError("a mask of several dimensions applies to the first ones: axis=0")
            rest = emit("StridedSlice", [shape(tensor), [count], [0], [1]], end_mask=1)
            tensor = reshape(tensor, concat([[-1], rest], 0))
        return gather(tensor, indices, axis=axis or 0)


def invert_permutation(x: Any, name: str | None = None) -> Any:
    """Return the permutation that undoes x."""
    return emit("InvertPermutation", [x], name)
