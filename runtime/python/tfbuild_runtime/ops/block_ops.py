"""Blocks of space moved into the batch or into channels, and back."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.ops import array_ops, math_ops
from tfbuild_runtime.ops.emit import emit, only_one


def space_to_batch_nd(input: Any, block_shape: Any, paddings: Any, name: str | None = None) -> Any:
    """Return the tensor with each place within blocks of space as elements of the batch."""
    return emit("SpaceToBatchND", [input, block_shape, paddings], name)


def batch_to_space_nd(input: Any, block_shape: Any, crops: Any, name: str | None = None) -> Any:
    """Return the tensor with elements of the batch put together as blocks of space."""
    return emit("BatchToSpaceND", [input, block_shape, crops], name)


def _of_images(function: Any, input: Any, size: Any, borders: Any, name: str | None) -> Any:
    """Return what function makes of blocks of that size; where it is a number, of square ones."""
    if not isinstance(size, int):
        return function(input, size, borders, name)
    result = function(input, framework.constant([size, size], dtypes.int64), borders, name)
    result.set_shape(result.get_shape().with_rank(4))
    return result


def space_to_batch(input: Any, paddings: Any, block_size: Any = None, name: str | None = None,
                   block_shape: Any = None) -> Any:  # fmt: skip
    """Return images with each place within square blocks as elements of the batch."""
    size = only_one(block_size, block_shape, "block_size", "block_shape")
    return _of_images(space_to_batch_nd, input, size, paddings, name)


def batch_to_space(input: Any, crops: Any, block_size: Any = None, name: str | None = None,
                   block_shape: Any = None) -> Any:  # fmt: skip
    """Return images put together of square blocks from the batch."""
    size = only_one(block_size, block_shape, "block_size", "block_shape")
    return _of_images(batch_to_space_nd, input, size, crops, name)


def space_to_depth(input: Any, block_size: int, name: str | None = None,
                   data_format: str = "NHWC") -> Any:  # fmt: skip
    """Return images with the pixels of each square block as channels."""
    return emit("SpaceToDepth", [input], name, block_size=block_size, data_format=data_format)


def depth_to_space(input: Any, block_size: int, name: str | None = None,
                   data_format: str = "NHWC") -> Any:  # fmt: skip
    """Return images with channels as the pixels of square blocks."""
    return emit("DepthToSpace", [input], name, block_size=block_size, data_format=data_format)


def required_space_to_batch_paddings(input_shape: Any, block_shape: Any, base_paddings: Any = None,
                                     name: str | None = None) -> tuple[Any, Any]:  # fmt: skip
    """Return paddings that make sizes divisible by blocks, and the crops that undo them."""
    with framework.name_scope(name, "required_space_to_batch_paddings",
                              [input_shape, block_shape]):  # fmt: skip
        sizes = framework.convert_to_tensor(input_shape, dtype=dtypes.int32, name="input_shape")
        block = framework.convert_to_tensor(block_shape, dtype=dtypes.int32, name="block_shape")
        block.get_shape().assert_is_fully_defined()
        block.get_shape().assert_has_rank(1)
        count = block.get_shape().as_list()[0]
        if count == 0:
            none = framework.constant([], dtypes.int32, shape=[0, 2])
            return none, none
        sizes.get_shape().assert_is_compatible_with([count])
        if base_paddings is None:
            base = framework.constant([[0, 0]] * count, dtypes.int32)
        else:
            base = framework.convert_to_tensor(base_paddings, dtypes.int32, name="base_paddings")
            base.get_shape().assert_is_compatible_with([count, 2])
        return _paddings_and_crops(sizes, block, base, count)


def _paddings_and_crops(sizes: Any, block: Any, base: Any, count: int) -> tuple[Any, Any]:
    known = [framework.constant_value(value) for value in (sizes, block, base)]
    if all(value is not None for value in known):
        shape, blocks, pads = known
        extra = (blocks - (shape + pads[:, 0] + pads[:, 1]) % blocks) % blocks
        paddings = [[int(pads[k, 0]), int(pads[k, 1] + extra[k])] for k in range(count)]
        crops = [[0, int(extra[k])] for k in range(count)]
        return (framework.constant(paddings, dtypes.int32, name="paddings"),
                framework.constant(crops, dtypes.int32, name="crops"))  # fmt: skip
    before, behind = base[:, 0], base[:, 1]
    whole = sizes + before + behind
    more = math_ops.floormod(block - math_ops.floormod(whole, block), block)
    zeros = framework.constant([0] * count, dtypes.int32)
    return (array_ops.stack([before, behind + more], axis=1, name="paddings"),
            array_ops.stack([zeros, more], axis=1, name="crops"))  # fmt: skip
