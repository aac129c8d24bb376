"""Nestings of tuples and dicts, of the values of a dataset's element and of what they are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tfbuild_runtime.data.specs import (
    DatasetSpec,
    RaggedTensorSpec,
    SparseTensorSpec,
    TensorSpec,
)
from tfbuild_runtime.framework import nesting
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework.operation import Tensor
from tfbuild_runtime.framework.sparse_tensor import SparseTensor, SparseTensorValue
from tfbuild_runtime.ragged.tensor import RaggedTensor
from tfbuild_runtime.ragged.value import RaggedTensorValue


def is_nest(value: Any) -> bool:
    """Whether value is a nesting: a tuple or a mapping; a list is one tensor."""
    return isinstance(value, Mapping) or _is_tuple(value)


def _is_tuple(value: Any) -> bool:
    return isinstance(value, tuple) and not isinstance(value, SparseTensorValue)


def _parts_of(value: Any) -> list[Any] | None:
    if isinstance(value, Mapping):
        return [value[key] for key in sorted(value)]
    return list(value) if _is_tuple(value) else None


def flatten(value: Any) -> list[Any]:
    """Return the leaves of a nesting, those of a mapping in the order of its sorted keys."""
    return list(nesting.leaves(value, _parts_of))


def flatten_up_to(structure: Any, value: Any) -> list[Any]:
    """Return the parts of value that stand where structure has its leaves.

    Raises ValueError where value has another form.
    """
    flatten(structure)  # refuses what holds itself
    return [part for _, part in nesting.leaves((structure, value), _parts_alike)]


def _parts_alike(pair: tuple[Any, Any]) -> list[tuple[Any, Any]] | None:
    structure, value = pair
    if isinstance(structure, Mapping):
        if not isinstance(value, Mapping) or set(value) != set(structure):
            raise ValueError("The two structures don't have the same keys: "
                             f"{nesting.text_of(structure)} and "
                             f"{nesting.text_of(value)}")  # fmt: skip
        return [(structure[key], value[key]) for key in sorted(structure)]
    if isinstance(structure, tuple):
        if not isinstance(value, (tuple, list)) or len(value) != len(structure):
            raise ValueError("The two structures don't have the same number of elements: "
                             f"{nesting.text_of(structure)} and "
                             f"{nesting.text_of(value)}")  # fmt: skip
        return list(zip(structure, value))
    return None


def pack(structure: Any, flat: Any) -> Any:
    """Return the values of flat in the nesting of structure."""
    values = iter(flat)
    return nesting.rebuild(structure, _parts_of, lambda _: next(values), _with_items)


def _with_items(structure: Any, items: list[Any]) -> Any:
    if isinstance(structure, Mapping):
        packed = dict(zip(sorted(structure), items))
        return type(structure)((key, packed[key]) for key in structure)
    return type(structure)(*items) if hasattr(structure, "_fields") else tuple(items)


def map_leaves(function: Callable[[Any], Any], value: Any) -> Any:
    """Return the nesting with function(leaf) in the place of each leaf."""
    return pack(value, [function(leaf) for leaf in flatten(value)])


def types_of(spec: Any) -> Any:
    """Return the types in a nesting of specs; for a dataset those of its elements."""
    return map_leaves(
        lambda s: types_of(s.element_spec) if isinstance(s, DatasetSpec) else s.dtype, spec
    )


def shapes_of(spec: Any) -> Any:
    """Return the shapes in a nesting of specs; for a dataset those of its elements."""
    return map_leaves(
        lambda s: shapes_of(s.element_spec) if isinstance(s, DatasetSpec) else s.shape, spec
    )


def classes_of(spec: Any) -> Any:
    """Return the classes of the values in a nesting of specs."""

    def class_of(leaf: Any) -> Any:
        if isinstance(leaf, DatasetSpec):
            return classes_of(leaf.element_spec)
        if isinstance(leaf, RaggedTensorSpec):
            return leaf  # as in TensorFlow: a class would not say how many dimensions are ragged
        return SparseTensor if isinstance(leaf, SparseTensorSpec) else Tensor

    return map_leaves(class_of, spec)


def is_plain(spec: Any) -> bool:
    """Whether a nesting of specs is one of tensors alone."""
    return all(isinstance(leaf, TensorSpec) for leaf in flatten(spec))


def flat_attrs(spec: Any, types: str = "output_types") -> dict[str, Any]:
    """Return the attributes by which an op states these elements."""
    leaves = flatten(spec)
    return {
        types: [leaf.encoded_type for leaf in leaves],
        "output_shapes": [leaf.encoded_shape for leaf in leaves],
    }


def to_tensors(value: Any) -> Any:
    """Return the nesting with a tensor, of any kind, or a dataset in the place of each leaf.

    Raises TypeError for what can be none of them.
    """

    def convert(leaf: Any) -> Any:
        if isinstance(leaf, SparseTensorValue):
            return SparseTensor.from_value(leaf)
        if isinstance(leaf, RaggedTensorValue):
            splits = [framework.convert_to_tensor(each) for each in leaf.nested_row_splits]
            return RaggedTensor.from_nested_row_splits(leaf.flat_values, splits, validate=False)
        if hasattr(leaf, "_variant_tensor") or isinstance(leaf, (SparseTensor, RaggedTensor)):
            return leaf
        if leaf is None:
            raise TypeError("None is no element of a dataset")
        return framework.convert_to_tensor(leaf)

    return map_leaves(convert, value)


def as_spec(types: Any, shapes: Any = None, classes: Any = None) -> Any:
    """Return the nesting of specs of nested types, shapes and classes.

    No shapes means unknown ones, no classes that all are tensors; a spec may stand for a class.
    """
    leaves = flatten(types)
    flat = [None] * len(leaves) if shapes is None else _shapes_up_to(types, shapes)
    kinds = [Tensor] * len(leaves) if classes is None else flatten_up_to(types, classes)
    specs = [
        kind if isinstance(kind, RaggedTensorSpec)
        else (SparseTensorSpec if kind is SparseTensor else TensorSpec)(shape, dtype)
        for dtype, shape, kind in zip(leaves, flat, kinds)
    ]  # fmt: skip
    return pack(types, specs)


def _shapes_up_to(types: Any, shapes: Any) -> list[Any]:
    """Return the shapes that stand where types has its leaves; a tuple of sizes is one shape."""
    if not is_nest(types):
        return [shapes]
    return flatten_up_to(types, shapes)
