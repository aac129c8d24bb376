"""Values in nestings of lists, tuples and dicts, such as loop variables and results of branches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework import tensor_shape


def _is_nest(value: Any) -> bool:
    return isinstance(value, (list, tuple, Mapping)) and not hasattr(value, "_flow")


def _items(value: Any) -> list[Any]:
    if isinstance(value, Mapping):
        return [value[key] for key in sorted(value)]
    return list(value)


def flatten(value: Any, expand_composites: bool = False) -> list[Any]:
    """Return the values in a nesting, in their order; what is no nesting is one value.

    An array of tensors counts as its flow, the tensor by which uses of it wait for each other.
    With expand_composites sparse and ragged tensors are the tensors that they are made of.
    """
    if _is_nest(value):
        return [leaf for item in _items(value) for leaf in flatten(item, expand_composites)]
    if expand_composites and _is_composite(value):
        return list(value.parts())
    return [value.flow if hasattr(value, "_flow") else value]


def _is_composite(value: Any) -> bool:
    return hasattr(value, "with_parts")


def leaves(value: Any) -> list[Any]:
    """Return the values in a nesting, arrays of tensors as they are."""
    if _is_nest(value):
        return [leaf for item in _items(value) for leaf in leaves(item)]
    return [value]


def pack_leaves(structure: Any, flat: Any) -> Any:
    """Return the values of flat, as leaves gave them, in the nesting of structure."""
    return _pack_leaves(structure, iter(flat))


def _pack_leaves(structure: Any, values: Any) -> Any:
    if not _is_nest(structure):
        return next(values)
    if isinstance(structure, Mapping):
        packed = {key: _pack_leaves(structure[key], values) for key in sorted(structure)}
        return type(structure)((key, packed[key]) for key in structure)
    items = [_pack_leaves(item, values) for item in structure]
    return type(structure)(*items) if hasattr(structure, "_fields") else type(structure)(items)


def flatten_shapes(value: Any) -> list[Any]:
    """Return the shapes in a nesting; a list of numbers is one shape."""
    is_shape = (
        value is None
        or isinstance(value, tensor_shape.TensorShape)
        or (
            isinstance(value, (list, tuple))
            and all(size is None or isinstance(size, int) for size in value)
            and len(value) > 0
        )
    )
    if is_shape or not _is_nest(value):
        return [value]
    return [leaf for item in _items(value) for leaf in flatten_shapes(item)]


def tensors_in(value: Any) -> list[Any]:
    """Return the tensors among the values in a nesting, and those that they are made of."""
    return [leaf for leaf in flatten(value, True) if framework.is_tensor_like(leaf)]


def pack(structure: Any, flat: Any, expand_composites: bool = False) -> Any:
    """Return the values of flat, as flatten gave them, in the nesting of structure."""
    return _pack(structure, iter(flat), expand_composites)


def _pack(structure: Any, values: Any, expand: bool) -> Any:
    if not _is_nest(structure):
        if expand and _is_composite(structure):
            return structure.with_parts([next(values) for _ in structure.parts()])
        value = next(values)
        return structure.with_flow(value) if hasattr(structure, "_flow") else value
    if isinstance(structure, Mapping):
        packed = {key: _pack(structure[key], values, expand) for key in sorted(structure)}
        return type(structure)((key, packed[key]) for key in structure)
    items = [_pack(item, values, expand) for item in structure]
    if hasattr(structure, "_fields"):
        return type(structure)(*items)
    return type(structure)(items)


def assert_same_structure(a: Any, b: Any, name_a: str = "one", name_b: str = "the other") -> None:
    """Raise ValueError unless both are nestings of the same form."""
    if _is_nest(a) != _is_nest(b):
        raise ValueError(f"{name_a} and {name_b} do not have the same structure: {a!r}, {b!r}")
    if not _is_nest(a):
        if _is_composite(a) or _is_composite(b):
            _assert_same_class(a, b, name_a, name_b)
        return
    if isinstance(a, Mapping) and set(a) != set(b):
        raise ValueError(f"{name_a} and {name_b} do not have the same keys")
    items_a, items_b = _items(a), _items(b)
    if len(items_a) != len(items_b):
        raise ValueError(f"{name_a} has {len(items_a)} elements, {name_b} {len(items_b)}")
    for item_a, item_b in zip(items_a, items_b):
        assert_same_structure(item_a, item_b, name_a, name_b)


def _assert_same_class(a: Any, b: Any, name_a: str, name_b: str) -> None:
    if type(a) is not type(b) or len(a.parts()) != len(b.parts()):
        raise ValueError(f"{name_a} and {name_b} do not have the same structure: {a!r}, {b!r}")
