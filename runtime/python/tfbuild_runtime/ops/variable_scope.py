"""Variables by name: get_variable and the scopes that name, share and configure variables."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Any

from tfbuild_runtime.framework import dtypes, tensor_shape
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework.graph_keys import GraphKeys
from tfbuild_runtime.framework.variables import Variable
from tfbuild_runtime.ops.first_values import first_value, is_maker


class _AutoReuse:
    """The value of tf.AUTO_REUSE: share what exists, make what does not."""

    def __repr__(self) -> str:
        return "tf.AUTO_REUSE"


AUTO_REUSE = _AutoReuse()
_INHERITED = (
    "initializer", "regularizer", "custom_getter", "dtype", "constraint", "use_resource",
    "partitioner",
)  # fmt: skip


class _Store(threading.local):
    """The variables of a graph by name; of each thread, its scope and how often it opened names."""

    def __init__(self, variables: dict[str, Variable]) -> None:
        self.variables = variables  # every thread is given the same ones
        self.opened: dict[str, int] = {}
        self.scope = VariableScope()

    def unique(self, parent: str, name: str) -> str:
        full = f"{parent}/{name}" if parent else name
        if full not in self.opened:
            return full
        number = 1
        while f"{full}_{number}" in self.opened:
            number += 1
        return f"{full}_{number}"


def _store() -> _Store:
    scratch = framework.get_default_graph()._scratch
    if "variable_store" not in scratch:
        scratch["variable_store"] = _Store({})
    return scratch["variable_store"]  # type: ignore[no-any-return]


class VariableScope:
    """What variables made in a scope inherit: a prefix, whether to share, and defaults."""

    def __init__(
        self, reuse: Any = None, name: str = "", original_name_scope: str = "", **inherited: Any
    ) -> None:
        self.name = name
        self.reuse = reuse
        self.original_name_scope = original_name_scope
        self.initializer: Any = None
        self.regularizer: Any = None
        self.custom_getter: Any = None
        self.constraint: Any = None
        self.dtype: Any = dtypes.float32
        self.use_resource: Any = None
        self.partitioner: Any = None
        for key, value in inherited.items():
            setattr(self, key, value)

    def _inner(self, name: str, reuse: Any, scope: str, given: dict[str, Any]) -> VariableScope:
        inherited = {
            key: getattr(self, key) if given.get(key) is None else given[key] for key in _INHERITED
        }
        if self.custom_getter is not None and given.get("custom_getter") is not None:
            inherited["custom_getter"] = _chain(given["custom_getter"], self.custom_getter)
        return VariableScope(reuse or self.reuse, name, scope, **inherited)

    def set_use_resource(self, use_resource: bool) -> None:
        """Put variables behind handles, or not, unless they say otherwise."""
        self.use_resource = use_resource

    def reuse_variables(self) -> None:
        """Share the variables of this scope from now on."""
        self.reuse = True

    def set_initializer(self, initializer: Any) -> None:
        """Make the first values of variables by that initializer, unless they say otherwise."""
        self.initializer = initializer

    def set_regularizer(self, regularizer: Any) -> None:
        """Regularise variables, unless they say otherwise."""
        self.regularizer = regularizer

    def set_partitioner(self, partitioner: Any) -> None:
        """Cut variables by that function, unless they say otherwise."""
        self.partitioner = partitioner

    def get_variable(self, name: str, *args: Any, **kwargs: Any) -> Variable:
        """Return the variable of that name in this scope."""
        with _entered(self):
            return get_variable(name, *args, **kwargs)  # type: ignore[no-any-return]

    def get_collection(self, name: Any) -> list[Any]:
        """Return what a collection holds of this scope."""
        return framework.get_collection(name, f"{self.name}/" if self.name else None)

    def global_variables(self) -> list[Any]:
        """Return the global variables of this scope."""
        return self.get_collection(GraphKeys.GLOBAL_VARIABLES)

    def trainable_variables(self) -> list[Any]:
        """Return the trainable variables of this scope."""
        return self.get_collection(GraphKeys.TRAINABLE_VARIABLES)


def _chain(inner: Callable[..., Any], outer: Callable[..., Any]) -> Callable[..., Any]:
    def getter(next_getter: Callable[..., Any], name: str, *args: Any, **kwargs: Any) -> Any:
        def through_outer(*rest: Any, **more: Any) -> Any:
            return outer(next_getter, *rest, **more)

        return inner(through_outer, name, *args, **kwargs)

    return getter


@contextlib.contextmanager
def _entered(scope: VariableScope) -> Iterator[VariableScope]:
    store = _store()
    before, store.scope = store.scope, scope
    try:
        yield scope
    finally:
        store.scope = before


def get_variable_scope() -> VariableScope:
    """Return the current scope."""
    return _store().scope


@contextlib.contextmanager
def variable_scope(
    name_or_scope: Any,
    default_name: str | None = None,
    values: Any = None,
    initializer: Any = None,
    regularizer: Any = None,
    caching_device: Any = None,
    partitioner: Any = None,
    custom_getter: Any = None,
    reuse: Any = None,
    dtype: Any = None,
    use_resource: Any = None,
    constraint: Any = None,
    auxiliary_name_scope: bool = True,
) -> Iterator[VariableScope]:
    """Put a prefix and defaults before the variables made in the block; yields the scope.

    reuse=True shares variables that exist, tf.AUTO_REUSE shares or makes them.
    """
    del caching_device
    if name_or_scope is None and default_name is None:
        raise TypeError("If default_name is None then name_or_scope is required")
    if not isinstance(auxiliary_name_scope, bool):
        raise TypeError(f"auxiliary_name_scope must be a bool, not {auxiliary_name_scope!r}")
    if name_or_scope is None and reuse:
        raise ValueError("reuse=True cannot be used without a name_or_scope")
    given = {
        "initializer": initializer, "regularizer": regularizer, "custom_getter": custom_getter,
        "dtype": None if dtype is None else dtypes.as_dtype(dtype), "constraint": constraint,
        "use_resource": use_resource, "partitioner": partitioner,
    }  # fmt: skip
    graph = framework.graph_of(list(values) if values else ())
    with graph.as_default():
        name, parent = _resolve(name_or_scope, default_name)
        again = isinstance(name_or_scope, VariableScope)
        given_name = str(default_name) if name_or_scope is None else name_or_scope
        own = name.rpartition("/")[2] if again else given_name
        with _name_scope(own, auxiliary_name_scope) as entered:
            original = name_or_scope.original_name_scope if again else entered
            inner = parent._inner(name, reuse, original, given)
            with _opened(name, again), _entered(inner):
                yield inner


def _resolve(name_or_scope: Any, default_name: str | None) -> tuple[str, VariableScope]:
    """Return the full name of the scope to enter and the scope that it inherits from."""
    store = _store()
    if isinstance(name_or_scope, VariableScope):
        return name_or_scope.name, name_or_scope
    if name_or_scope is None:
        return store.unique(store.scope.name, str(default_name)), store.scope
    if not isinstance(name_or_scope, str):
        raise TypeError("VariableScope: name_or_scope must be a string or VariableScope.")
    parent = store.scope.name
    return (f"{parent}/{name_or_scope}" if parent else name_or_scope), store.scope


def _name_scope(own: str, auxiliary: bool) -> Any:
    """Return a context that enters the name scope of a variable scope; it yields the prefix."""
    if not auxiliary:
        current = framework.get_default_graph().get_name_scope()
        return contextlib.nullcontext(f"{current}/" if current else "")
    # The scope of all variables has no names of its own: the open ones go on.
    return framework.name_scope(own) if own else contextlib.nullcontext("")


@contextlib.contextmanager
def _opened(name: str, again: bool) -> Iterator[None]:
    """Remember that the name is taken, and forget the names below it when it is left.

    Who enters a scope again, by its object, leaves all names as they were.
    """
    store = _store()
    store.opened[name] = store.opened.get(name, 0) + 1
    before = dict(store.opened)
    try:
        yield
    finally:
        below = f"{name}/"
        left = {key: count for key, count in store.opened.items() if not key.startswith(below)}
        store.opened = before if again else left


def get_variable(
    name: str,
    shape: Any = None,
    dtype: Any = None,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool | None = None,
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
    """Return the variable of that name in the current scope, made or shared as the scope says.

    Raises ValueError when it exists and may not be shared, when it does not exist and must be
    shared, or when its shape or type is another one.
    """
    del caching_device, synchronization, aggregation
    scope = get_variable_scope()
    arguments = {
        "shape": shape,
        "dtype": dtype,
        "initializer": initializer if initializer is not None else scope.initializer,
        "regularizer": regularizer if regularizer is not None else scope.regularizer,
        "trainable": trainable,
        "collections": collections,
        "validate_shape": validate_shape,
        "constraint": constraint if constraint is not None else scope.constraint,
        "use_resource": use_resource if use_resource is not None else scope.use_resource,
    }
    cut = partitioner if partitioner is not None else scope.partitioner
    if cut is not None:
        arguments["partitioner"] = cut
    full_name = f"{scope.name}/{name}" if scope.name else name
    getter = custom_getter or scope.custom_getter
    if custom_getter is not None and scope.custom_getter is not None:
        getter = _chain(custom_getter, scope.custom_getter)
    if getter is not None:
        if not callable(getter):
            raise ValueError(f"custom_getter is not callable: {getter}")
        with framework.name_scope(None):
            return getter(_find_or_make, full_name, reuse=scope.reuse, **arguments)
    return _find_or_make(full_name, **arguments)


def _find_or_make(name: str, *args: Any, **arguments: Any) -> Variable:
    if args:
        raise TypeError("a custom getter passes its arguments on by name")
    partitioner = arguments.pop("partitioner", None)
    arguments.pop("reuse", None)  # for the eyes of getters: the scope has it
    if partitioner is not None and arguments.get("shape") not in ((), []):
        return _partitioned(name, partitioner, arguments)
    scope, found = get_variable_scope(), _store().variables.get(name)
    if found is None:
        if scope.reuse is True:
            raise ValueError(
                f"Variable {name} does not exist, or was not created with tf.get_variable(). "
                "Did you mean to set reuse=tf.AUTO_REUSE in VarScope?"
            )
        return _make(name, **arguments)
    if not scope.reuse:
        raise ValueError(
            f"Variable {name} already exists, disallowed. Did you mean to set reuse=True or "
            f"reuse=tf.AUTO_REUSE in VarScope? Originally defined at: {found.op.defined_at}"
        )
    return _shared(found, arguments.get("shape"), arguments.get("dtype"))


def _partitioned(name: str, partitioner: Any, arguments: dict[str, Any]) -> Any:
    from tfbuild_runtime.ops import partitioned_variables

    store = framework.get_default_graph()._scratch.setdefault("partitioned_variables", {})
    if name in store and get_variable_scope().reuse:
        return store[name]
    with framework.control_dependencies(None):
        store[name] = partitioned_variables.make_parts(name, partitioner, _find_or_make, arguments)
    return store[name]


def _shared(found: Variable, shape: Any, dtype: Any) -> Variable:
    if shape is not None and not tensor_shape.as_shape(shape).is_compatible_with(found.shape):
        raise ValueError(
            f"Trying to share variable {found.op.name}, but specified shape "
            f"{tensor_shape.as_shape(shape)} and found shape {found.shape}."
        )
    if dtype is not None and not dtypes.as_dtype(dtype).is_compatible_with(found.dtype):
        raise ValueError(
            f"Trying to share variable {found.op.name}, but specified dtype "
            f"{dtypes.as_dtype(dtype).name} and found dtype {found.dtype.base_dtype.name}."
        )
    return found


def _make(
    name: str, *, shape: Any = None, dtype: Any = None, initializer: Any = None,
    regularizer: Any = None, trainable: bool | None = None, collections: Any = None,
    validate_shape: bool = True, constraint: Any = None, use_resource: Any = None,
) -> Variable:  # fmt: skip
    wanted = dtypes.as_dtype(dtype or get_variable_scope().dtype)
    with framework.control_dependencies(None), framework.name_scope(None):
        variable = Variable(
            first_value(name, shape, wanted, initializer),
            trainable=trainable,
            collections=collections,
            validate_shape=validate_shape,
            name=name,
            dtype=wanted if dtype is not None or is_maker(initializer) else None,
            constraint=constraint,
            use_resource=use_resource,
        )
    _store().variables[name] = variable
    if regularizer is not None:
        _regularize(variable, regularizer)
    return variable


def _regularize(variable: Variable, regularizer: Callable[[Any], Any]) -> None:
    with framework.name_scope(f"{variable.op.name}/Regularizer/"):
        loss = regularizer(variable)
    if loss is not None:
        framework.add_to_collection(GraphKeys.REGULARIZATION_LOSSES, loss)


variable = Variable
