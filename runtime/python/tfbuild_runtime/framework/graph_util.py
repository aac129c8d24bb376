"""Cuts graphs to size: the part that leads to some nodes, with variables frozen to constants."""

from collections.abc import Iterable
from typing import Any

from tfbuild_runtime.framework import constant, dtypes
from tfbuild_runtime.framework.graph_def import AttrValue, GraphDef, NodeDef

_VARIABLES = ("Variable", "VariableV2")


def _node_name(text: str) -> str:
    return text.removeprefix("^").partition(":")[0]


def extract_sub_graph(graph_def: GraphDef, dest_nodes: Any) -> GraphDef:
    """Return the nodes that dest_nodes need; raises TypeError for one name instead of a list.

    Raises ValueError for a name that the graph does not have.
    """
    if isinstance(dest_nodes, str):
        raise TypeError("dest_nodes must be an iterable of strings.")
    by_name = {node.name: node for node in graph_def.node}
    needed: set[str] = set()
    pending = list(dest_nodes)
    while pending:
        name = pending.pop()
        if name in needed:
            continue
        if name not in by_name:
            raise ValueError(f"{name} is not in graph")
        needed.add(name)
        pending += [_node_name(text) for text in by_name[name].input]
    return _with_nodes(graph_def, (node for node in graph_def.node if node.name in needed))


def _with_nodes(graph_def: GraphDef, nodes: Iterable[NodeDef]) -> GraphDef:
    result = GraphDef()
    result.CopyFrom(graph_def)
    result.node[:] = nodes
    return result


def convert_variables_to_constants(
    sess: Any, input_graph_def: GraphDef, output_node_names: Any,
    variable_names_whitelist: Any = None, variable_names_blacklist: Any = None,
) -> GraphDef:  # fmt: skip
    """Return the part that leads to the outputs, each variable as a constant of its value now."""
    part = extract_sub_graph(input_graph_def, output_node_names)
    names = [node.name for node in part.node if node.op in _VARIABLES]
    if variable_names_whitelist is not None:
        names = [name for name in names if name in variable_names_whitelist]
    names = [name for name in names if name not in (variable_names_blacklist or ())]
    values = sess.run([f"{name}:0" for name in names]) if names else []
    frozen = dict(zip(names, values))
    return _with_nodes(
        part,
        (_constant_node(node, frozen[node.name]) if node.name in frozen else node
         for node in part.node),
    )  # fmt: skip


def _constant_node(node: NodeDef, value: Any) -> NodeDef:
    dtype = node.attr["dtype"].type
    array = constant.make_array(value, dtypes.as_dtype(dtype))
    attr = {"dtype": AttrValue("type", dtype), "value": AttrValue("tensor", array)}
    return NodeDef(node.name, "Const", (), node.device, attr)


def remove_training_nodes(input_graph: GraphDef, protected_nodes: Any = None) -> GraphDef:
    """Return the graph without checks and identities, whose readers read their inputs."""
    keep = set(protected_nodes or ())
    removed = {
        node.name: node.input[0]
        for node in input_graph.node
        if node.op in ("Identity", "CheckNumerics") and node.name not in keep
        and len(node.input) == 1 and not node.input[0].startswith("^")
    }  # fmt: skip
    controls = {
        text[1:] for node in input_graph.node for text in node.input if text.startswith("^")
    }
    removed = {name: source for name, source in removed.items() if name not in controls}

    def final(text: str) -> str:
        while _node_name(text) in removed and not text.startswith("^"):
            text = removed[_node_name(text)]
        return text

    nodes = [
        NodeDef(node.name, node.op, [final(text) for text in node.input], node.device, node.attr)
        for node in input_graph.node
        if node.name not in removed
    ]
    return _with_nodes(input_graph, nodes)
