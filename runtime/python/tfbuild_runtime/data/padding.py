"""Batches of elements of several sizes."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbuild_runtime.data import building, specs, structure
from tfbuild_runtime.framework import constant, dtypes, tensor_shape
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.ragged.tensor import RaggedTensor


def common_shape(a: Any, b: Any) -> tensor_shape.TensorShape:
    """Return what holds for both shapes."""
    if a.rank is None or b.rank is None or a.rank != b.rank:
        return tensor_shape.TensorShape(None)
    pairs = zip(a.as_list(), b.as_list())
    return tensor_shape.TensorShape([x if x == y else None for x, y in pairs])


def to_ragged(dataset: Any, row_splits_dtype: Any) -> Any:
    """Return the dataset with ragged tensors in the place of tensors of unknown sizes.

    All dimensions up to the last unknown one but the first are ragged; batches have that one, too.
    """
    spec = dataset.element_spec

    def ragged(leaf: Any) -> Any:
        is_tensor = isinstance(leaf, specs.TensorSpec)
        if not is_tensor or leaf.shape.rank is None or leaf.shape.is_fully_defined():
            return leaf
        last = max(axis for axis, size in enumerate(leaf.shape.as_list()) if size is None)
        return specs.RaggedTensorSpec(leaf.shape, leaf.dtype, last, row_splits_dtype)

    wanted = structure.map_leaves(ragged, spec)

    def encoded(*element: Any) -> Any:
        unpacked = isinstance(spec, tuple) and not hasattr(spec, "_fields")
        given = structure.flatten(element if unpacked else element[0])
        leaves = zip(given, structure.flatten(spec), structure.flatten(wanted))
        return structure.pack(spec, [_encoded(*each) for each in leaves])

    from tfbuild_runtime.data.dataset import VariantDataset

    return VariantDataset(dataset.map(encoded)._variant_tensor, wanted)


def _encoded(value: Any, given: Any, wanted: Any) -> Any:
    if given is wanted:
        return value
    if wanted.ragged_rank > 0:
        value = RaggedTensor.from_tensor(
            value, ragged_rank=wanted.ragged_rank, row_splits_dtype=wanted.row_splits_dtype
        )
    return wanted.encode(value)


def padded_batch(
    dataset: Any, batch_size: Any, padded_shapes: Any, padding_values: Any, drop_remainder: Any,
    name: str | None,
) -> Any:  # fmt: skip
    """Return batches of the dataset's elements, padded to one shape.

    Raises ValueError for shapes and values that do not fit the elements, TypeError for sparse and
    ragged ones.
    """
    spec = dataset.element_spec
    if not structure.is_plain(spec):
        raise TypeError("Batching of padded sparse tensors is not currently supported, nor that of "
                        "ragged ones: batch() takes those of different shapes")  # fmt: skip
    leaves = structure.flatten(spec)
    if padded_shapes is None:
        if any(leaf.shape.rank is None for leaf in leaves):
            raise ValueError("You must provide `padded_shapes` argument because component shapes "
                             "are unknown or of unknown rank.")  # fmt: skip
        padded_shapes = structure.shapes_of(spec)
    shapes = structure.flatten_up_to(spec, padded_shapes)
    tensors = [_shape_tensor(shape, leaf) for shape, leaf in zip(shapes, leaves)]
    values = _values(spec, leaves, padding_values)
    rows = building.batch_rows(batch_size, drop_remainder)
    padded = [_padded_spec(rows, tensor, leaf) for tensor, leaf in zip(tensors, leaves)]
    inputs = [dataset._variant_tensor, building.int64(batch_size, "batch_size"), tensors, values,
              building.truth(drop_remainder, "drop_remainder")]  # fmt: skip
    return building.derived("PaddedBatchDatasetV2", inputs, structure.pack(spec, padded), name,
                            {"N": len(leaves)}, types="Toutput_types")  # fmt: skip


def _shape_tensor(shape: Any, leaf: Any) -> Any:
    if framework.is_tensor_like(shape):
        return building.int64(shape, "padded_shape")
    sizes = tensor_shape.as_shape(shape).as_list()
    if leaf.shape.rank is not None and leaf.shape.rank != len(sizes):
        raise ValueError(f"The padded shape {tuple(sizes)} is not compatible with the shape "
                         f"{leaf.shape} of the corresponding input component.")  # fmt: skip
    for wanted, known in zip(sizes, leaf.shape.as_list() if leaf.shape.rank is not None else []):
        if wanted is not None and known is not None and wanted < known:
            raise ValueError(f"The padded shape {tuple(sizes)} is not compatible with the shape "
                             f"{leaf.shape} of the corresponding input component.")  # fmt: skip
    numbers = [-1 if size is None else size for size in sizes]
    return constant.constant(np.array(numbers, np.int64), dtypes.int64, shape=[len(numbers)])


def _values(spec: Any, leaves: list[Any], given: Any) -> list[Any]:
    if given is None:
        flat = [None] * len(leaves)
    elif structure.is_nest(given):
        flat = structure.flatten_up_to(spec, given)
    else:
        flat = [given] * len(leaves)
    tensors = []
    for value, leaf in zip(flat, leaves):
        if value is None:
            tensors.append(_zero(leaf.dtype))
            continue
        if framework.is_tensor_like(value) and value.dtype.base_dtype != leaf.dtype:
            raise TypeError(f"The padding value should be of type {leaf.dtype!r}, but is "
                            f"{value.dtype!r}.")  # fmt: skip
        tensors.append(framework.convert_to_tensor(value, leaf.dtype, name="padding_value"))
    return tensors


def _zero(dtype: Any) -> Any:
    value: Any = "" if dtype == dtypes.string else dtype != dtypes.bool and 0
    return framework.convert_to_tensor(value, dtype, name="padding_value")


def _padded_spec(rows: int | None, sizes: Any, leaf: Any) -> Any:
    known = framework.constant_value(sizes)
    if known is None:
        rank = sizes.shape.as_list()[0] if sizes.shape.rank == 1 else None
        inner = tensor_shape.TensorShape(None if rank is None else [None] * rank)
    else:
        inner = tensor_shape.TensorShape([None if size < 0 else int(size) for size in known])
    return specs.TensorSpec(tensor_shape.TensorShape([rows]).concatenate(inner), leaf.dtype)
