"""tf.nest and tf.contrib.framework.nest: values in nestings of lists, tuples and dicts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tfbuild_runtime.ops import nest

__all__ = [
    "assert_same_structure", "flatten", "is_nested", "is_sequence", "map_structure",
    "pack_sequence_as",
]  # fmt: skip


def is_nested(seq: Any) -> bool:
    """Whether that is a nesting, and not one value."""
    return isinstance(seq, (list, tuple, Mapping))


is_sequence = is_nested


def flatten(structure: Any, expand_composites: bool = False) -> list[Any]:
    """Return the values in a nesting, in their order; a sparse tensor is one of them.

    Raises NotImplementedError where such are to be taken apart.
    """
    _refuse_parts(expand_composites)
    return nest.leaves(structure)


def _refuse_parts(expand_composites: bool) -> None:
    if expand_composites:
        raise NotImplementedError("expand_composites is not there: sparse tensors stay whole")


def pack_sequence_as(structure: Any, flat_sequence: Any, expand_composites: bool = False) -> Any:
    """Return the values of a list in the nesting of structure; raises ValueError for others."""
    _refuse_parts(expand_composites)
    values = list(flat_sequence)
    wanted = len(nest.leaves(structure))
    if len(values) != wanted:
        raise ValueError(f"Could not pack sequence. Structure had {wanted} elements, but "
                         f"flat_sequence had {len(values)} elements.")  # fmt: skip
    return nest.pack_leaves(structure, values)


def map_structure(func: Callable[..., Any], *structure: Any, check_types: bool = True) -> Any:
    """Return the nesting of what func gives for the values of one or several nestings."""
    del check_types
    for other in structure[1:]:
        nest.assert_same_structure(structure[0], other)
    results = [func(*values) for values in zip(*map(nest.leaves, structure))]
    return nest.pack_leaves(structure[0], results)


def assert_same_structure(nest1: Any, nest2: Any, check_types: bool = True,
                          expand_composites: bool = False) -> None:  # fmt: skip
    """Raise ValueError unless both are nestings of the same form."""
    _refuse_parts(expand_composites)
    del check_types
    nest.assert_same_structure(nest1, nest2)
