"""Slices by their coordinates: taken, put into zeros, dealt out to several tensors and joined."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.ops.emit import emit


def gather_nd(params: Any, indices: Any, name: str | None = None, batch_dims: int = 0) -> Any:
    """Return the slices of params with those coordinates.

    Raises NotImplementedError for batches.
    """
    if batch_dims:
        raise NotImplementedError(
            "gather_nd with batch_dims is not there; put the numbers of the batches in front of "
            "the coordinates, or use gather with batch_dims"
        )
    return emit("GatherNd", [params, indices], name)


def scatter_nd(indices: Any, updates: Any, shape: Any, name: str | None = None) -> Any:
    """Return zeros of that shape with the updates added at those coordinates."""
    return emit("ScatterNd", [indices, updates, shape], name)


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
