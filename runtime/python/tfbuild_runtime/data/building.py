"""How the op of a dataset is added to a graph."""

from __future__ import annotations

import os
from typing import Any

from tfbuild_runtime.data import structure
from tfbuild_runtime.framework import constant, dtypes, tensor_shape
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework.operation import Tensor
from tfbuild_runtime.framework.sparse_tensor import SparseTensor
from tfbuild_runtime.ops import sparse_row_ops


def int64(value: Any, name: str) -> Tensor:
    """Return a number, or a tensor of one, as a tensor of int64."""
    if framework.is_tensor_like(value):
        tensor = framework.convert_to_tensor(value)
        if tensor.dtype == dtypes.int64:
            return tensor
        attrs = {"DstT": dtypes.int64}
        return framework.apply_op("Cast", [tensor], attrs).outputs[0]
    return constant.constant(value, dtypes.int64, name=name)


def truth(value: Any, name: str) -> Tensor:
    """Return a truth value, or a tensor of one, as a tensor of bool."""
    return framework.convert_to_tensor(value, dtypes.bool, name)


def derived(
    op: str, inputs: list[Any], spec: Any, name: str | None = None,
    attrs: dict[str, Any] | None = None, types: str = "output_types",
) -> Any:  # fmt: skip
    """Return the dataset of an op, whose elements are stated by attributes."""
    from tfbuild_runtime.data.dataset import VariantDataset

    stated = {**structure.flat_attrs(spec, types), **(attrs or {})}
    return VariantDataset(framework.apply_op(op, inputs, stated, name).outputs[0], spec)


def elements_of(spec: Any, outputs: Any) -> Any:
    """Return the values of an element in its nesting, out of the tensors that stand for them."""
    from tfbuild_runtime.data.dataset import VariantDataset

    def value(tensor: Tensor, leaf: Any) -> Any:
        if isinstance(leaf, structure.DatasetSpec):
            return VariantDataset(tensor, leaf.element_spec)
        if not isinstance(leaf, structure.SparseTensorSpec):
            return tensor
        sparse = sparse_row_ops.deserialize_sparse(tensor, leaf.dtype)
        sparse.set_shape(leaf.shape)
        if not leaf.shape.is_fully_defined():
            return sparse
        sizes = constant.constant(leaf.shape.as_list(), dtypes.int64)
        return SparseTensor(sparse.indices, sparse.values, sizes)

    leaves = structure.flatten(spec)
    return structure.pack(spec, [value(*pair) for pair in zip(outputs, leaves)])


def flat_tensors(value: Any) -> list[Tensor]:
    """Return the tensors that stand for the values of a nesting."""

    def tensor(leaf: Any) -> Any:
        if isinstance(leaf, SparseTensor):
            return sparse_row_ops.serialize_sparse(leaf, out_type=dtypes.variant)
        return getattr(leaf, "_variant_tensor", leaf)

    return [tensor(leaf) for leaf in structure.flatten(value)]


def rows_of(value: Any) -> Any:
    """Return the nesting with sparse tensors as rows, one for each place of their first dimension.

    Raises ValueError for scalars.
    """

    def rows(leaf: Any) -> Any:
        if leaf.shape.rank == 0:
            raise ValueError("Unbatching a tensor is only supported for rank >= 1")
        if not isinstance(leaf, SparseTensor):
            return leaf
        return sparse_row_ops.serialize_many_sparse(leaf, out_type=dtypes.variant)

    return structure.map_leaves(rows, value)


def row_spec(spec: Any) -> Any:
    """Return the specs without their first dimension."""

    def row(leaf: Any) -> Any:
        return type(leaf)(leaf.shape if leaf.shape.rank is None else leaf.shape[1:], leaf.dtype)

    return structure.map_leaves(row, spec)


def from_components(op: str, value: Any, spec: Any, name: str | None) -> Any:
    """Return the dataset of an op whose inputs are the tensors of a nesting."""
    return derived(op, [flat_tensors(value)], spec, name, types="Toutput_types")


def check_same_length(tensors: list[Tensor]) -> None:
    """Raise ValueError where tensors are known to have different numbers of rows."""
    known = [t.shape.as_list()[0] for t in tensors if t.shape.rank is not None]
    sizes = {size for size in known if size is not None}
    if len(sizes) > 1:
        first, second = sorted(sizes)[:2]
        raise ValueError(f"Dimensions {first} and {second} are not compatible")


def batch_rows(batch_size: Any, drop_remainder: Any) -> int | None:
    """Return the rows of each batch, where all have as many."""
    size = (
        framework.constant_value(batch_size) if framework.is_tensor_like(batch_size) else batch_size
    )
    drop = (
        framework.constant_value(drop_remainder)
        if framework.is_tensor_like(drop_remainder)
        else drop_remainder
    )
    return int(size) if drop and size is not None else None


def with_first_dimension(spec: Any, size: int | None) -> Any:
    """Return the specs with one dimension more, before the others."""

    def batched(leaf: Any) -> Any:
        if isinstance(leaf, structure.DatasetSpec):
            raise TypeError("a dataset of datasets cannot be batched: flatten it first, as with "
                            "flat_map(lambda window: window.batch(size))")  # fmt: skip
        shape = tensor_shape.TensorShape([size]).concatenate(leaf.shape)
        return type(leaf)(shape, leaf.dtype)

    return structure.map_leaves(batched, spec)


def order(deterministic: bool | None) -> str:
    """Return the value of the attribute `deterministic`."""
    return "default" if deterministic is None else "true" if deterministic else "false"


def processors() -> int:
    """Return the number of processors."""
    return os.cpu_count() or 1
