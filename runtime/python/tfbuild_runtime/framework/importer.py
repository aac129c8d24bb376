"""Adds the nodes of a GraphDef to the default graph."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tfbuild_runtime.framework import defaults, errors, native, ops
from tfbuild_runtime.framework.producer_ops import without_new_defaults
from tfbuild_runtime.protos import messages


def import_graph_def(
    graph_def: Any, input_map: Any = None, return_elements: Any = None, name: str | None = None,
    op_dict: Any = None, producer_op_list: Any = None,
) -> list[Any] | None:  # fmt: skip
    """Add the nodes below the scope name ('import' unless given); return the asked elements.

    input_map replaces inputs of the GraphDef by tensors of the graph. producer_op_list is an OpList
    of the program that wrote it: attributes that are unknown here are dropped where they have the
    defaults that it names. Raises ValueError for a graph that does not hold together, TypeError for
    arguments of the wrong kind; the graph is then as it was.
    """
    del op_dict  # every op that is registered is known
    data = _bytes_of(graph_def)
    if producer_op_list is not None:
        data = without_new_defaults(data, producer_op_list)
    elements = _names_of(return_elements)
    graph = defaults.get_default_graph()
    graph._check_not_finalized()
    prefix = "import" if name is None else name.rstrip("/")
    with graph.name_scope(prefix or None) as scope:
        replaced = _endpoints(graph, input_map)
    try:
        native.import_graph_def(graph._native, data, scope.rstrip("/"), replaced)
    except (errors.InvalidArgumentError, errors.AlreadyExistsError) as error:
        raise ValueError(error.message) from None
    graph._adopt_new_nodes()
    if elements is None:
        return None
    return [_element(graph, scope + element, element) for element in elements]


def _bytes_of(graph_def: Any) -> bytes:
    if isinstance(graph_def, bytes):
        return graph_def
    if not messages.is_message(graph_def, "GraphDef"):
        raise TypeError(f"graph_def must be a GraphDef proto, not {type(graph_def).__name__}")
    return graph_def.SerializeToString()  # type: ignore[no-any-return]


def _names_of(return_elements: Any) -> list[str] | None:
    if return_elements is None:
        return None
    names = list(return_elements)
    if not all(isinstance(name, (str, bytes)) for name in names):
        raise TypeError("return_elements must be a list of strings.")
    return [name.decode() if isinstance(name, bytes) else name for name in names]


def _endpoints(graph: Any, input_map: Any) -> dict[str, tuple[int, int]]:
    if input_map is None:
        return {}
    if not isinstance(input_map, Mapping):
        raise TypeError("input_map must be a dictionary mapping strings to Tensor objects.")
    endpoints = {}
    for name, value in input_map.items():
        with graph.as_default():
            tensor = ops.convert_to_tensor(value)
        if tensor.graph is not graph:
            raise ValueError(f"Tensor {tensor.name!r} in input_map is not of this graph")
        key = name.decode() if isinstance(name, bytes) else str(name)
        endpoints[key.removesuffix(":0")] = (tensor.op._id, tensor.value_index)
    return endpoints


def _element(graph: Any, full_name: str, name: str) -> Any:
    try:
        return graph.as_graph_element(full_name)
    except (KeyError, ValueError):
        raise ValueError(f"Requested return_element {name!r} not found in graph_def.") from None
