"""Graphs between programs that know other attributes of ops.

A MetaGraphDef says what its ops are for the program that wrote it: by that a reader drops
attributes that it does not know, where they have their defaults.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from tfbuild_runtime.framework import errors, native, op_defs
from tfbuild_runtime.protos import messages

Defaults = dict[str, dict[str, Any]]  # the AttrValues, by op and attribute


def without_new_defaults(graph_def: bytes, producer_op_list: Any) -> bytes:
    """Return the GraphDef without attributes that are unknown here and have their defaults.

    producer_op_list is an OpList of the program that wrote the graph, which has those defaults.
    Unknown attributes with other values stay, so that the import refuses them.
    """
    defaults = _new_defaults(messages.OpList.FromString(producer_op_list.SerializeToString()))
    if not defaults:
        return graph_def
    made = messages.GraphDef.FromString(graph_def)
    for node in _nodes(made):
        for name, default in defaults.get(node.op, {}).items():
            if name in node.attr and node.attr[name] == default:
                del node.attr[name]
    return made.SerializeToString()  # type: ignore[no-any-return]


def _new_defaults(op_list: Any) -> Defaults:
    found: Defaults = {}
    for op in op_list.op:
        known = op_message(op.name)
        if known is None:
            continue  # the import says so, where a node needs it
        names = {attr.name for attr in known.attr}
        new = {
            attr.name: attr.default_value
            for attr in op.attr
            if attr.name not in names and attr.HasField("default_value")
        }
        if new:
            found[op.name] = new
    return found


def _nodes(graph_def: Any) -> Iterator[Any]:
    yield from graph_def.node
    for function in graph_def.library.function:
        yield from function.node_def


# ---- what this program knows --------------------------------------------------------------------


def op_list_of(graph_def: Any) -> Any:
    """Return the OpList of the ops of a graph and of its functions that are registered, by name."""
    made = messages.OpList()
    for name in sorted({node.op for node in _nodes(graph_def)}):
        op = op_message(name)
        if op is not None:
            made.op.add().CopyFrom(op)
    return made


def strip_defaults(graph_def: Any) -> None:
    """Take the attributes that have their defaults out of a graph and of its functions."""
    for node in _nodes(graph_def):
        op = op_message(node.op)
        for attr in () if op is None else op.attr:
            is_default = attr.HasField("default_value") and attr.name in node.attr
            if is_default and node.attr[attr.name] == attr.default_value:
                del node.attr[attr.name]


@cache
def op_message(name: str) -> Any:
    """Return the OpDef of a registered op, without texts for people; None for a function."""
    try:
        op = op_defs.get(name)
    except errors.NotFoundError:
        return None
    made = messages.OpDef(name=name, is_stateful=op.is_stateful)
    for args, to in ((op.inputs, made.input_arg), (op.outputs, made.output_arg)):
        for arg in args:
            kind = 0 if arg.dtype is None else arg.dtype.as_datatype_enum
            to.add(name=arg.name, type=kind, type_attr=arg.type_attr, is_ref=arg.is_ref,
                   number_attr=arg.number_attr, type_list_attr=arg.type_list_attr)  # fmt: skip
    defaults = {a.name: (a.kind, a.default) for a in op.attrs.values() if a.has_default}
    values = _attr_values(defaults)
    for attr in op.attrs.values():
        row = made.attr.add(name=attr.name, type=attr.kind)
        if attr.has_default:
            row.default_value.CopyFrom(values[attr.name])
        if attr.minimum is not None:
            row.has_minimum, row.minimum = True, attr.minimum
        for value in attr.allowed:
            if isinstance(value, str):
                row.allowed_values.list.s.append(value.encode())
            else:
                row.allowed_values.list.type.append(value)
    return made


def _attr_values(rows: dict[str, tuple[str, Any]]) -> Any:
    """Return the AttrValues of kinds and plain values, as the nodes of a graph have them."""
    return messages.NodeDef.FromString(native.attrs_to_node_def(rows)).attr
