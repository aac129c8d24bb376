"""Slices by their coordinates: taken, put into zeros, dealt out to several tensors and joined."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.ops import array_ops
from tfbuild_runtime.ops.emit import emit, known_rank


def gather_nd(
    params: Any, indices: Any, name: str | None = None, batch_dims: int = 0,
    bad_indices_policy: str = "",
) -> Any:  # fmt: skip
    """Return the slices of params with those coordinates.

    A step ends with InvalidArgumentError for coordinates outside; where bad_indices_policy is
    "IGNORE" their slices are zeros, or empty strings. Raises NotImplementedError for batches.
    """
    if batch_dims:
        raise NotImplementedError(
            "gather_nd with batch_dims is not there; put the numbers of the batches in front of "
            "the coordinates, or use gather with batch_dims"
        )
    return emit("GatherNd", [params, indices], name, bad_indices_policy=bad_indices_policy)


def scatter_nd(
    indices: Any, updates: Any, shape: Any, bad_indices_policy: str = "", name: str | None = None
) -> Any:
    """Return zeros of that shape with the updates added at those coordinates.

    A step ends with InvalidArgumentError for coordinates outside; where bad_indices_policy is
    "IGNORE" their updates are left out. That holds for the functions below as well.
    """
    inputs = [indices, updates, shape]
    return emit("ScatterNd", inputs, name, bad_indices_policy=bad_indices_policy)


def dynamic_partition(
    data: Any, partitions: Any, num_partitions: int, name: str | None = None
) -> list[Any]:
    """Return that many tensors; partitions says in which of them each slice of data goes."""
    attrs = {"num_partitions": num_partitions}
    return list(framework.apply_op("DynamicPartition", [data, partitions], attrs, name).outputs)


def dynamic_stitch(indices: Any, data: Any, name: str | None = None) -> Any:
    """Return the slices of all data where indices say, later ones over earlier ones."""
    return emit("DynamicStitch", [list(indices), list(data)], name)


def parallel_dynamic_stitch(indices: Any, data: Any, name: str | None = None) -> Any:
    """Return the slices of all data in the places that indices say."""
    return emit("ParallelDynamicStitch", [list(indices), list(data)], name)


def tensor_scatter_update(
    tensor: Any, indices: Any, updates: Any, name: str | None = None, bad_indices_policy: str = ""
) -> Any:
    """Return the tensor with the slices that the rows of indices name replaced."""
    inputs = [tensor, indices, updates]
    return emit("TensorScatterUpdate", inputs, name, bad_indices_policy=bad_indices_policy)


def tensor_scatter_add(
    tensor: Any, indices: Any, updates: Any, bad_indices_policy: str = "", name: str | None = None
) -> Any:
    """Return the tensor with updates added to the slices that the rows of indices name."""
    inputs = [tensor, indices, updates]
    return emit("TensorScatterAdd", inputs, name, bad_indices_policy=bad_indices_policy)


def tensor_scatter_sub(
    tensor: Any, indices: Any, updates: Any, bad_indices_policy: str = "", name: str | None = None
) -> Any:
    """Return the tensor with updates taken from the slices that the rows of indices name."""
    inputs = [tensor, indices, updates]
    return emit("TensorScatterSub", inputs, name, bad_indices_policy=bad_indices_policy)


def batch_gather(params: Any, indices: Any, name: str | None = None) -> Any:
    """Return the elements that indices name along their last axis, batch by batch."""
    with framework.name_scope(name, "BatchGather", [params, indices]):
        indices = framework.convert_to_tensor(indices, name="indices")
        params = framework.convert_to_tensor(params, name="params")
        rank = known_rank(indices)
        if rank is None:
            raise ValueError("batch_gather does not allow indices with unknown shape.")
        return array_ops.gather(params, indices, axis=rank - 1, batch_dims=rank - 1)
