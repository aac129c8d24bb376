"""Values in nestings of lists, tuples and dicts, such as loop variables and results of branches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tfbuild_runtime.framework import nesting, tensor_shape
from tfbuild_runtime.framework import ops as framework


def _is_nest(value: Any) -> bool:
    return isinstance(value, (list, tuple, Mapping)) and not hasattr(value, "_flow")


def _items(value: Any) -> list[Any]:
    if isinstance(value, Mapping):
        return [value[key] for key in sorted(value)]
    return list(value)


def _parts_of(value: Any) -> list[Any] | None:
    return _items(value) if _is_nest(value) else None


def _with_items(structure: Any, items: list[Any]) -> Any:
    """Return a list, tuple or mapping like structure of these items."""
    kind = type(structure)
    if isinstance(structure, Mapping):
        packed = dict(zip(sorted(structure), items))
        return kind((key, packed[key]) for key in structure)
    return kind(*items) if hasattr(structure, "_fields") else kind(items)


def flatten(value: Any, expand_composites: bool = False) -> list[Any]:
    """Return the values in a nesting, in their order; what is no nesting is one value.

    An array of tensors counts as its flow, the tensor by which uses of it wait for each other.
    With expand_composites sparse and ragged tensors are the tensors that they are made of.
    """
    flat: list[Any] = []
    for leaf in nesting.leaves(value, _parts_of):
        if expand_composites and _is_composite(leaf):
            flat.extend(leaf.parts())
        else:
            flat.append(leaf.flow if hasattr(leaf, "_flow") else leaf)
    return flat


def _is_composite(value: Any) -> bool:
    return hasattr(value, "with_parts")


def leaves(value: Any) -> list[Any]:
    """Return the values in a nesting, arrays of tensors as they are."""
    return list(nesting.leaves(value, _parts_of))


def pack_leaves(structure: Any, flat: Any) -> Any:
    """Return the values of flat, as leaves gave them, in the nesting of structure."""
    values = iter(flat)
    return nesting.rebuild(structure, _parts_of, lambda _: next(values), _with_items)


def flatten_shapes(value: Any) -> list[Any]:
    """Return the shapes in a nesting; a list of numbers is one shape."""
    return list(nesting.leaves(value, lambda v: None if _is_shape(v) else _parts_of(v)))


def _is_shape(value: Any) -> bool:
    return (
        value is None
        or isinstance(value, tensor_shape.TensorShape)
        or (
            isinstance(value, (list, tuple))
            and all(size is None or isinstance(size, int) for size in value)
            and len(value) > 0
        )
    )


def tensors_in(value: Any) -> list[Any]:
    """Return the tensors among the values in a nesting, and those that they are made of."""
    return [leaf for leaf in flatten(value, True) if framework.is_tensor_like(leaf)]


def pack(structure: Any, flat: Any, expand_composites: bool = False) -> Any:
    """Return the values of flat, as flatten gave them, in the nesting of structure."""
    values = iter(flat)

    def packed(leaf: Any) -> Any:
        if expand_composites and _is_composite(leaf):
            return leaf.with_parts([next(values) for _ in leaf.parts()])
        value = next(values)
        return leaf.with_flow(value) if hasattr(leaf, "_flow") else value

    return nesting.rebuild(structure, _parts_of, packed, _with_items)


def assert_same_structure(a: Any, b: Any, name_a: str = "one", name_b: str = "the other") -> None:
    """Raise ValueError unless both are nestings of the same form."""
    leaves(a)  # refuses what holds itself
    waiting = [(a, b)]
    while waiting:
        part_a, part_b = waiting.pop()
        parts = _parts_alike(part_a, part_b, name_a, name_b)
        waiting.extend(reversed(parts))


def _parts_alike(a: Any, b: Any, name_a: str, name_b: str) -> list[tuple[Any, Any]]:
    """Return what two values of the same form hold, side by side; raises ValueError for others."""
    if not _is_nest(a) and not _is_nest(b):
        alike = not (_is_composite(a) or _is_composite(b)) or _are_of_one_class(a, b)
    else:
        alike = _is_nest(a) and _is_nest(b)
    if not alike:
        raise ValueError(f"{name_a} and {name_b} do not have the same structure: "
                         f"{nesting.text_of(a)}, {nesting.text_of(b)}")  # fmt: skip
    if not _is_nest(a):
        return []
    if isinstance(a, Mapping) and not (isinstance(b, Mapping) and set(a) == set(b)):
        raise ValueError(f"{name_a} and {name_b} do not have the same keys")
    items_a, items_b = _items(a), _items(b)
    if len(items_a) != len(items_b):
        raise ValueError(f"{name_a} has {len(items_a)} elements, {name_b} {len(items_b)}")
    return list(zip(items_a, items_b))


def _are_of_one_class(a: Any, b: Any) -> bool:
    return type(a) is type(b) and len(a.parts()) == len(b.parts())
