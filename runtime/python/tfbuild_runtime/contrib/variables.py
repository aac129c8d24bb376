"""Variables of models: contrib.framework and slim's functions about them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from tfbuild_runtime.contrib.arg_scope import add_arg_scope
from tfbuild_runtime.framework import dtypes, variables
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework.graph_keys import GraphKeys
from tfbuild_runtime.ops.variable_scope import get_variable


@add_arg_scope
def variable(name: str, shape: Any = None, dtype: Any = None, initializer: Any = None,
             regularizer: Any = None, trainable: bool | None = True, collections: Any = None,
             caching_device: Any = None, device: Any = None, partitioner: Any = None,
             custom_getter: Callable[..., Any] | None = None, use_resource: Any = None,
             synchronization: Any = None, aggregation: Any = None) -> Any:  # fmt: skip
    """Return the variable of that name, made or shared."""
    del caching_device, synchronization, aggregation  # those are for several devices
    how = {"partitioner": partitioner, "use_resource": use_resource}
    names = list(collections if collections is not None else [GraphKeys.GLOBAL_VARIABLES])
    unique = list(dict.fromkeys(names))
    make = custom_getter or get_variable
    with framework.device(device or ""):
        return make(name, shape=shape, dtype=dtype, initializer=initializer,
                    regularizer=regularizer, trainable=trainable, collections=unique,
                    **{key: value for key, value in how.items() if value is not None})  # fmt: skip


@add_arg_scope
def model_variable(name: str, shape: Any = None, dtype: Any = dtypes.float32,
                   initializer: Any = None, regularizer: Any = None, trainable: bool | None = True,
                   collections: Any = None, caching_device: Any = None, device: Any = None,
                   partitioner: Any = None, custom_getter: Callable[..., Any] | None = None,
                   use_resource: Any = None, **others: Any) -> Any:  # fmt: skip
    """Return the variable of that name, which belongs to the model as well."""
    names = [*(collections or []), GraphKeys.GLOBAL_VARIABLES, GraphKeys.MODEL_VARIABLES]
    return variable(name, shape, dtype, initializer, regularizer, trainable, names, caching_device,
                    device, partitioner, custom_getter, use_resource, **others)  # fmt: skip


def local_variable(initial_value: Any, validate_shape: bool = True, name: str | None = None,
                   use_resource: Any = None) -> Any:  # fmt: skip
    """Return a variable that is neither trained nor saved."""
    del use_resource
    return variables.Variable(initial_value, trainable=False, validate_shape=validate_shape,
                              collections=[GraphKeys.LOCAL_VARIABLES], name=name)  # fmt: skip


def get_variables(scope: Any = None, suffix: str | None = None,
                  collection: str = GraphKeys.GLOBAL_VARIABLES) -> list[Any]:  # fmt: skip
    """Return the variables of a scope whose names end in suffix."""
    prefix = getattr(scope, "name", scope)
    pattern = (prefix or "") + (f".*{suffix}$" if suffix is not None else "")
    found = framework.get_collection(collection)
    return [v for v in found if re.match(pattern, v.op.name)]


def get_model_variables(scope: Any = None, suffix: str | None = None) -> list[Any]:
    """Return the variables of models."""
    return get_variables(scope, suffix, GraphKeys.MODEL_VARIABLES)


def get_trainable_variables(scope: Any = None, suffix: str | None = None) -> list[Any]:
    """Return the variables that are trained."""
    return get_variables(scope, suffix, GraphKeys.TRAINABLE_VARIABLES)


def get_local_variables(scope: Any = None, suffix: str | None = None) -> list[Any]:
    """Return the local variables."""
    return get_variables(scope, suffix, GraphKeys.LOCAL_VARIABLES)


def get_variables_by_name(given_name: str, scope: Any = None) -> list[Any]:
    """Return the variables whose last part of the name that is."""
    return get_variables(scope=scope, suffix=f"/{given_name}|^{given_name}")


def get_variables_by_suffix(suffix: str, scope: Any = None) -> list[Any]:
    """Return the variables whose names end so."""
    return get_variables(scope=scope, suffix=suffix)


def get_unique_variable(var_op_name: str) -> Any:
    """Return the variable of that name; raises ValueError unless there is exactly one."""
    found = [v for v in get_variables(var_op_name) if v.op.name == var_op_name]
    if len(found) != 1:
        raise ValueError(f"Variable {var_op_name} does not uniquely identify a variable")
    return found[0]


def get_variables_to_restore(include: Any = None, exclude: Any = None) -> list[Any]:
    """Return the variables of the scopes of include (all without) that are not in exclude's."""
    chosen = get_variables() if include is None else [v for s in include for v in get_variables(s)]
    left_out = {id(v) for scope in exclude or () for v in get_variables(scope)}
    return [v for v in chosen if id(v) not in left_out]


get_variables_to_save = get_variables_to_restore


def add_model_variable(var: Any) -> None:
    """Let a variable belong to the model."""
    if var not in framework.get_collection(GraphKeys.MODEL_VARIABLES):
        framework.add_to_collection(GraphKeys.MODEL_VARIABLES, var)


def assert_same_float_dtype(tensors: Any = None, dtype: Any = None) -> Any:
    """Return the one floating type of all tensors; raises ValueError when there is none."""
    kinds = {t.dtype.base_dtype for t in tensors or ()}
    kinds |= {dtypes.as_dtype(dtype).base_dtype} if dtype else set()
    found = kinds.pop() if len(kinds) == 1 else dtypes.float32 if not kinds else None
    if found is None or not found.is_floating:
        raise ValueError("the tensors do not share one floating type")
    return found
