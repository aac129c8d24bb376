"""How the op of a dataset is added to a graph."""

from __future__ import annotations

import os
from typing import Any

from tfbuild_runtime.data import specs, structure
from tfbuild_runtime.framework import constant, dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework.operation import Tensor


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
    leaves = structure.flatten(spec)
    return structure.pack(spec, [leaf.decode(tensor) for tensor, leaf in zip(outputs, leaves)])


def flat_tensors(value: Any) -> list[Tensor]:
    """Return the tensors that stand for the values of a nesting."""
    return [specs.spec_of(leaf).encode(leaf) for leaf in structure.flatten(value)]


def rows_of(value: Any, spec: Any) -> Any:
    """Return the nesting with a tensor for each value: what stands for its rows.

    Raises ValueError for scalars.
    """

    def rows(leaf: Any, leaf_spec: Any) -> Any:
        if leaf_spec.shape.rank == 0:
            raise ValueError("Unbatching a tensor is only supported for rank >= 1")
        return leaf_spec.encode_rows(leaf)

    leaves = zip(structure.flatten(value), structure.flatten(spec))
    return structure.pack(spec, [rows(*pair) for pair in leaves])


def row_spec(spec: Any) -> Any:
    """Return the specs without their first dimension."""
    return structure.map_leaves(lambda leaf: leaf.row(), spec)


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
    return structure.map_leaves(lambda leaf: leaf.batched(size), spec)


def order(deterministic: bool | None) -> str:
    """Return the value of the attribute `deterministic`."""
    return "default" if deterministic is None else "true" if deterministic else "false"


def processors() -> int:
    """Return the number of processors."""
    return os.cpu_count() or 1
