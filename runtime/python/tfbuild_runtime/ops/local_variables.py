"""Variables of a program's own: neither trained nor saved."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.framework.graph_keys import GraphKeys
from tfbuild_runtime.ops.variable_scope import get_variable


def get_local_variable(
    name: str,
    shape: Any = None,
    dtype: Any = None,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool = False,
    collections: Any = None,
    caching_device: Any = None,
    partitioner: Any = None,
    validate_shape: bool = True,
    use_resource: Any = None,
    custom_getter: Any = None,
    constraint: Any = None,
    synchronization: Any = None,
    aggregation: Any = None,
) -> Any:
    """Return the variable of that name, which is among LOCAL_VARIABLES and is never trained.

    The arguments are those of `get_variable`, in its order, as programs pass them on; what
    `collections` names has it, too. Raises ValueError as `get_variable` does.
    """
    del trainable
    return get_variable(
        name, shape, dtype, initializer, regularizer, False,
        [*(collections or ()), GraphKeys.LOCAL_VARIABLES], caching_device, partitioner,
        validate_shape, use_resource, custom_getter, constraint, synchronization, aggregation,
    )  # fmt: skip
