"""Cuts graphs to size: the part that leads to some nodes, with variables frozen to constants."""

from collections.abc import Iterable, Iterator
from typing import Any

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.protos import messages
from tfbuild_runtime.protos.tensor_messages import make_tensor_proto

_VARIABLES = ("Variable", "VariableV2")
_HANDLE = "VarHandleOp"
_READERS = ("ReadVariableOp", "ResourceGather")


def _node_name(text: str) -> str:
    return text.removeprefix("^").partition(":")[0]


def extract_sub_graph(graph_def: Any, dest_nodes: Any) -> Any:
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


def _with_nodes(graph_def: Any, nodes: Iterable[Any]) -> Any:
    result = messages.GraphDef(library=graph_def.library, versions=graph_def.versions)
    result.node.extend(nodes)
    return result


def convert_variables_to_constants(
    sess: Any, input_graph_def: Any, output_node_names: Any,
    variable_names_whitelist: Any = None, variable_names_blacklist: Any = None,
) -> Any:  # fmt: skip
    """Return the part that leads to the outputs, each variable as a constant of its value now."""
    part = extract_sub_graph(input_graph_def, output_node_names)
    names = [node.name for node in part.node if node.op in (*_VARIABLES, _HANDLE)]
    if variable_names_whitelist is not None:
        names = [name for name in names if name in variable_names_whitelist]
    names = [name for name in names if name not in (variable_names_blacklist or ())]
    handles = {node.name for node in part.node if node.op == _HANDLE}
    wanted = [_read_of(sess.graph, name) if name in handles else f"{name}:0" for name in names]
    frozen = dict(zip(names, sess.run(wanted) if names else []))
    return _with_nodes(part, _frozen_nodes(part, frozen))


def _read_of(graph: Any, handle: str) -> str:
    """Return the name of what the graph reads of a variable; ValueError when nobody does."""
    for operation in graph.get_operations():
        if operation.type == "ReadVariableOp" and operation.inputs[0].op.name == handle:
            return f"{operation.name}:0"
    raise ValueError(f"the graph has no ReadVariableOp of {handle}, so it has no value to keep")


def _frozen_nodes(graph_def: Any, frozen: dict[str, Any]) -> Iterator[Any]:
    """Yield the nodes with constants in the place of variables, and values in that of handles."""
    by_name = {node.name: node for node in graph_def.node}
    handles = {name for name in frozen if by_name[name].op == _HANDLE}
    for node in graph_def.node:
        source = _maker(node, by_name)
        if node.name in frozen:
            yield _constant_node(node, frozen[node.name])
        elif source in handles:
            yield from _reading_node(node, by_name[source].attr["dtype"])
        else:
            yield node


def _maker(node: Any, by_name: dict[str, Any]) -> str:
    """Return the node whose handle a node reads or hands on; "" for what does neither."""
    seen: set[str] = set()
    while node.name not in seen and node.input and (node.op in _READERS or _hands_on(node)):
        seen.add(node.name)
        node = by_name[_node_name(node.input[0])]
    return node.name if seen else ""


def _hands_on(node: Any) -> bool:
    return "T" in node.attr and node.attr["T"].type == messages.DT_RESOURCE


def _reading_node(node: Any, dtype: Any) -> Iterator[Any]:
    """Yield what does with a value what a node did with the handle of it."""
    if node.op not in _READERS:
        made = messages.NodeDef()
        made.CopyFrom(node)
        made.attr["T"].CopyFrom(dtype)
        yield made
    elif node.op == "ReadVariableOp":
        yield messages.NodeDef(name=node.name, op="Identity", input=node.input,
                               device=node.device, attr={"T": dtype})  # fmt: skip
    else:
        number = messages.AttrValue(type=messages.DT_INT32)
        batch = node.attr["batch_dims"].i if "batch_dims" in node.attr else 0
        axis = messages.AttrValue(tensor=make_tensor_proto(batch, dtypes.int32))
        yield messages.NodeDef(name=f"{node.name}/axis", op="Const", device=node.device,
                               attr={"dtype": number, "value": axis})  # fmt: skip
        attr = {"Tparams": dtype, "Tindices": node.attr["Tindices"], "Taxis": number,
                "batch_dims": messages.AttrValue(i=batch)}  # fmt: skip
        inputs = [*node.input[:2], f"{node.name}/axis", *node.input[2:]]
        yield messages.NodeDef(name=node.name, op="GatherV2", input=inputs, device=node.device,
                               attr=attr)  # fmt: skip


def _constant_node(node: Any, value: Any) -> Any:
    dtype = node.attr["dtype"]
    tensor = messages.AttrValue(tensor=make_tensor_proto(value, dtypes.as_dtype(dtype.type)))
    return messages.NodeDef(name=node.name, op="Const", device=node.device,
                            attr={"dtype": dtype, "value": tensor})  # fmt: skip


def remove_training_nodes(input_graph: Any, protected_nodes: Any = None) -> Any:
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

    result = _with_nodes(input_graph, (n for n in input_graph.node if n.name not in removed))
    for node in result.node:
        node.input[:] = [final(text) for text in node.input]
    return result


def must_run_on_cpu(node: Any, pin_variables_on_cpu: bool = False) -> bool:
    """Whether an operation, or a NodeDef, works with strings or, if asked to, holds a variable."""
    kind = getattr(node, "type", None) or node.op
    if pin_variables_on_cpu and kind in (*_VARIABLES, _HANDLE):
        return True
    names = {"Const": ("dtype",), "DynamicStitch": ("T",)}.get(kind, ())
    return any(_type_of(node, name) == dtypes.string for name in names)


def _type_of(node: Any, name: str) -> Any:
    return dtypes.as_dtype(
        node.get_attr(name) if hasattr(node, "get_attr") else node.attr[name].type
    )


def tensor_shape_from_node_def_name(graph: Any, input_name: str) -> Any:
    """Return the shape of the tensor that an input of a NodeDef names."""
    name = input_name if ":" in input_name else f"{input_name}:0"
    return graph.get_tensor_by_name(name).get_shape()
