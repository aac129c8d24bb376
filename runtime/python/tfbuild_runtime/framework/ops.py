"""How every operation is added to a graph: apply_op converts, infers types, names and adds."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tfbuild_runtime.framework import attrs as attribute_values
from tfbuild_runtime.framework import defaults, dtypes, nesting, op_defs
from tfbuild_runtime.framework.constant import (
    constant,
    constant_value,
    constant_value_as_shape,
    known_ints,
    wraps,
)
from tfbuild_runtime.framework.defaults import (
    get_default_graph,
    get_default_session,
    reset_default_graph,
)
from tfbuild_runtime.framework.graph import Graph
from tfbuild_runtime.framework.graph_keys import GraphKeys
from tfbuild_runtime.framework.operation import Operation, Tensor

__all__ = [
    "Graph", "GraphKeys", "Operation", "Tensor", "add_to_collection", "add_to_collections",
    "apply_op", "colocate_with", "constant", "constant_value", "constant_value_as_shape",
    "control_dependencies",
    "convert_n_to_tensor", "convert_to_tensor", "device", "get_collection", "get_collection_ref",
    "get_default_graph", "get_default_session", "get_static_value", "graph_of", "group",
    "holds_tensors", "is_tensor_like", "known_ints",
    "name_scope", "register_tensor_conversion_function", "reset_default_graph",
]  # fmt: skip

get_static_value = constant_value

_conversions: list[tuple[Any, Callable[..., Any]]] = []


def register_tensor_conversion_function(
    base_type: Any, conversion_func: Callable[..., Any], priority: int = 100
) -> None:
    """Let conversion_func(value, dtype, name, as_ref) make tensors of values of that type."""
    _conversions.append((base_type, conversion_func))


def is_tensor_like(value: Any) -> bool:
    """Whether value is a tensor or, like a variable, stands for one."""
    return isinstance(value, Tensor) or hasattr(value, "_to_tensor")


def convert_to_tensor(
    value: Any, dtype: Any = None, name: str | None = None, preferred_dtype: Any = None,
    dtype_hint: Any = None, *, as_ref: bool = False,
) -> Tensor:  # fmt: skip
    """Return value as a tensor of the default graph.

    dtype is required; preferred_dtype (or dtype_hint) is taken where the value allows it. Raises
    TypeError or ValueError when value cannot become such a tensor.
    """
    wanted = None if dtype is None else dtypes.as_dtype(dtype)
    tensor = _existing_tensor(value, wanted, name, as_ref)
    if tensor is not None:
        _check_type(tensor, wanted)
        return tensor
    hint = preferred_dtype if preferred_dtype is not None else dtype_hint
    if wanted is None and hint is not None:
        with contextlib.suppress(TypeError, ValueError):
            return _new_tensor(value, dtypes.as_dtype(hint), name)
    return _new_tensor(value, wanted, name)


def _existing_tensor(
    value: Any, wanted: dtypes.DType | None, name: str | None, as_ref: bool
) -> Tensor | None:
    if isinstance(value, Tensor):
        return value
    if hasattr(value, "_to_tensor"):
        return value._to_tensor(as_ref)  # type: ignore[no-any-return]
    for base_type, conversion in _conversions:
        if isinstance(value, base_type):
            made = conversion(value, dtype=wanted, name=name, as_ref=as_ref)
            if made is not NotImplemented:
                return made  # type: ignore[no-any-return]
    return None


def _check_type(tensor: Tensor, wanted: dtypes.DType | None) -> None:
    if wanted is not None and not wanted.is_compatible_with(tensor.dtype):
        raise ValueError(
            f"Tensor conversion requested dtype {wanted.name} for Tensor with dtype "
            f"{tensor.dtype.name}: {tensor!r}"
        )


def _new_tensor(value: Any, dtype: dtypes.DType | None, name: str | None) -> Tensor:
    if isinstance(value, (list, tuple)) and holds_tensors(value):
        return _pack(value, dtype, name)
    return constant(value, dtype, name=name or "Const")


def holds_tensors(value: Any) -> bool:
    """Whether value is a tensor or a nest of lists around one."""
    return any(is_tensor_like(leaf) for leaf in nesting.leaves(value, _items_of))


def _items_of(value: Any) -> Sequence[Any] | None:
    return value if isinstance(value, (list, tuple)) else None


def _pack(value: Sequence[Any], dtype: dtypes.DType | None, name: str | None) -> Tensor:
    if dtype is None:
        dtype = _type_among(value)
    return apply_op("Pack", [list(value)], {"axis": 0, "T": dtype}, name or "packed").outputs[0]


def _type_among(value: Any) -> dtypes.DType | None:
    leaves = nesting.leaves(value, _items_of)
    return next((leaf.dtype.base_dtype for leaf in leaves if is_tensor_like(leaf)), None)


def convert_n_to_tensor(values: Any, dtype: Any = None, name: str | None = None) -> list[Tensor]:
    """Return each value as a tensor; names get _0, _1, ..."""
    return [
        convert_to_tensor(value, dtype, None if name is None else f"{name}_{index}")
        for index, value in enumerate(values)
    ]


# ---- apply_op -----------------------------------------------------------------------------------


def apply_op(
    op_type: str,
    inputs: Sequence[Any],
    attrs: dict[str, Any] | None = None,
    name: str | None = None,
) -> Operation:
    """Return a new operation; its tensors are in `.outputs`.

    inputs has one item for each input argument of the op; a run of tensors ("values: N * T") is one
    list. Items that are no tensors become constants of the type that the others decide. Attributes
    that follow from the inputs (T, N, ...) need not be given, and None means not given.
    Raises TypeError for types that do not fit, ValueError for shapes that do not.
    """
    definition = op_defs.get(op_type)
    if len(inputs) != len(definition.inputs):
        wanted = ", ".join(arg.name for arg in definition.inputs)
        raise TypeError(f"{op_type} takes {len(definition.inputs)} inputs ({wanted}), "
                        f"not {len(inputs)}")  # fmt: skip
    graph = graph_of(inputs)
    with graph.as_default(), graph.name_scope(name or op_type) as scope:
        given = dict(attrs or {})
        tensors = _Matcher(definition, given).match(inputs)
        encoded = attribute_values.encode_all(definition, given)
        return graph.create_op(op_type, tensors, encoded, scope)  # type: ignore[no-any-return]


def _captures(graph: Any) -> bool:
    """Whether a graph is a function's, which takes tensors from around it."""
    return hasattr(graph, "capture")


def graph_of(inputs: Sequence[Any]) -> Any:
    """Return the graph for an operation on these inputs, which may be lists of tensors.

    Raises ValueError for tensors of different graphs.
    """
    default = defaults.get_default_graph()
    if _captures(default):
        return default
    first: Any = None
    for item in inputs:
        for value in item if isinstance(item, (list, tuple)) else (item,):
            graph = getattr(value, "graph", None) if is_tensor_like(value) else None
            if graph is None:
                continue
            if first is None:
                first = value
            elif first.graph is not graph:
                raise ValueError(f"Tensor {value.name!r} must be from the same graph as "
                                 f"{first.name!r}")  # fmt: skip
    return default if first is None else first.graph


class _Matcher:
    """Turns the inputs of one apply_op into tensors and learns the type attributes from them."""

    def __init__(self, definition: op_defs.OpDef, given: dict[str, Any]) -> None:
        self.definition = definition
        self.given = given
        self.types = {
            name: dtypes.as_dtype(value).base_dtype
            for name, value in given.items()
            if value is not None and name in definition.attrs
            and definition.attrs[name].kind == "type"
        }  # fmt: skip
        self.decided_by = dict.fromkeys(self.types, "attribute")

    def match(self, inputs: Sequence[Any]) -> list[Tensor]:
        pairs = list(zip(self.definition.inputs, inputs))
        for arg, value in pairs:
            if arg.number_attr and isinstance(value, (list, tuple)):
                self.given.setdefault(arg.number_attr, len(value))
        # What is a tensor already decides the types, so that the order of operands does not matter.
        for arg, value in pairs:
            for item in value if arg.is_run else (value,):
                if arg.type_attr and is_tensor_like(item):
                    self._learn(arg, item.dtype.base_dtype)
        return [tensor for arg, value in pairs for tensor in self._tensors(arg, value)]

    def _learn(self, arg: op_defs.Arg, dtype: dtypes.DType) -> None:
        self.types.setdefault(arg.type_attr, dtype)
        self.decided_by.setdefault(arg.type_attr, arg.name)

    def _tensors(self, arg: op_defs.Arg, value: Any) -> Iterator[Tensor]:
        if not arg.is_run:
            yield self._tensor(arg, value, arg.name)
            return
        if not isinstance(value, (list, tuple)):
            raise TypeError(f"Input {arg.name!r} of {self.definition.name} must be a list, "
                            f"not {value!r}")  # fmt: skip
        for index, item in enumerate(value):
            yield self._tensor(arg, item, f"{arg.name}_{index}")

    def _tensor(self, arg: op_defs.Arg, value: Any, name: str) -> Tensor:
        wanted = arg.dtype or self.types.get(arg.type_attr)
        try:
            tensor = self._convert(arg, value, wanted, name)
        except (TypeError, ValueError) as error:
            raise self._wrong_type(arg, value, wanted, str(error)) from None
        if arg.type_attr:
            self._learn(arg, tensor.dtype.base_dtype)
        if arg.is_ref and not tensor.dtype._is_ref_dtype:
            raise TypeError(f"{self.definition.name!r} Op requires that input {arg.name!r} be a "
                            "mutable tensor (e.g.: a tf.Variable)")  # fmt: skip
        return tensor

    def _convert(
        self, arg: op_defs.Arg, value: Any, wanted: dtypes.DType | None, name: str
    ) -> Tensor:
        if wanted is None:
            # A run of tensors of several types takes each as it is.
            of_type = self.definition.attrs.get(arg.type_attr)
            hint = of_type.default if of_type is not None else None
            if hint and wraps(value, dtypes.as_dtype(hint)):
                hint = None  # NumPy's own type holds it
            return convert_to_tensor(value, name=name, dtype_hint=hint or None, as_ref=arg.is_ref)
        if arg.dtype is not None and wraps(value, wanted):
            raise ValueError(f"{value!r} does not fit into {wanted.name}")
        return convert_to_tensor(value, wanted, name, as_ref=arg.is_ref)

    def _wrong_type(
        self, arg: op_defs.Arg, value: Any, wanted: dtypes.DType | None, why: str
    ) -> Exception:
        where = f"Input {arg.name!r} of {self.definition.name!r} Op"
        if wanted is None or not is_tensor_like(value):
            return (ValueError if "None values" in why else TypeError)(f"{where}: {why}")
        has = value.dtype.base_dtype.name
        if arg.dtype is not None:
            return TypeError(f"{where} has type {has} that does not match expected type of "
                             f"{wanted.name}.")  # fmt: skip
        return TypeError(f"{where} has type {has} that does not match type {wanted.name} of "
                         f"{self.decided_by.get(arg.type_attr)!r}.")  # fmt: skip


# ---- scopes and collections of the default graph ------------------------------------------------


@contextlib.contextmanager
def name_scope(
    name: str | None, default_name: str | None = None, values: Any = None
) -> Iterator[str]:
    """Put a prefix before the names made in the block, in the graph of values; yields it."""
    graph = graph_of(list(values) if values else ())
    with graph.as_default(), graph.name_scope(name if name is not None else default_name) as scope:
        yield scope


def control_dependencies(control_inputs: Any) -> Any:
    """Let the operations made in the block wait for the given ones."""
    return get_default_graph().control_dependencies(control_inputs)


def device(device_name_or_function: Any) -> Any:
    """Ask for a device for the operations made in the block."""
    return get_default_graph().device(device_name_or_function)


def colocate_with(op: Any, ignore_existing: bool = False) -> Any:
    """Ask for the device of op for the operations made in the block."""
    return get_default_graph().colocate_with(op, ignore_existing)


def add_to_collection(name: Any, value: Any) -> None:
    """Put value at the end of a collection of the default graph."""
    get_default_graph().add_to_collection(name, value)


def add_to_collections(names: Any, value: Any) -> None:
    """Put value at the end of each of the collections of the default graph."""
    get_default_graph().add_to_collections(names, value)


def get_collection(key: Any, scope: str | None = None) -> list[Any]:
    """Return a collection of the default graph."""
    return get_default_graph().get_collection(key, scope)  # type: ignore[no-any-return]


def get_collection_ref(key: Any) -> list[Any]:
    """Return a collection of the default graph itself."""
    return get_default_graph().get_collection_ref(key)  # type: ignore[no-any-return]


def group(*inputs: Any, name: str | None = None) -> Operation:
    """Return an operation that has run when all the given ones have."""
    flat: list[Any] = []
    for item in inputs:
        flat.extend(item) if isinstance(item, (list, tuple)) else flat.append(item)
    graph = graph_of(flat)
    if flat and isinstance(flat[0], Operation) and not _captures(get_default_graph()):
        graph = flat[0].graph
    with graph.as_default(), graph.control_dependencies(flat):
        return apply_op("NoOp", (), name=name or "group_deps")
