"""GraphDefs as text, in the format of protocol buffers, as TensorFlow prints them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework.messages import dtype_name, text_of

_SCALARS = {"string": "s", "int": "i", "float": "f", "bool": "b", "type": "type"}
_KINDS = {"string": "bytes", "int": "int", "bool": "bool", "type": "dtype"}
# The field that holds the elements of a tensor of one element, by the name of its type.
_ELEMENTS = {
    "float16": "half_val", "bfloat16": "half_val", "float32": "float_val", "float64": "double_val",
    "int8": "int_val", "uint8": "int_val", "int16": "int_val", "uint16": "int_val",
    "int32": "int_val", "int64": "int64_val", "bool": "bool_val", "string": "string_val",
}  # fmt: skip


def _block(name: str, lines: Iterator[str]) -> Iterator[str]:
    yield f"{name} {{"
    yield from (f"  {line}" for line in lines)
    yield "}"


def _number(value: Any) -> str:
    text = str(value)
    return text.removesuffix(".0")


def _scalar(kind: str, value: Any) -> str:
    if kind == "float":
        return _number(np.float32(value))
    if kind == "string" and isinstance(value, str):
        value = value.encode()
    return text_of(_KINDS[kind], value)


def _shape(sizes: Any) -> Iterator[str]:
    if sizes is None:
        yield "unknown_rank: true"
        return
    for size in sizes:
        yield from _block("dim", iter([f"size: {size}"]))


def _tensor(array: Any) -> Iterator[str]:
    dtype = dtypes.string if array.dtype == object else dtypes.as_dtype(array.dtype)
    yield f"dtype: {dtype_name(dtype.as_datatype_enum)}"
    yield from _block("tensor_shape", _shape(array.shape))
    field = _ELEMENTS.get(dtype.name)
    if array.size > 1 and dtype != dtypes.string:
        yield f"tensor_content: {text_of('bytes', np.ascontiguousarray(array).tobytes())}"
    elif field is not None:
        yield from (f"{field}: {_element(field, item)}" for item in array.reshape(-1))


def _element(field: str, item: Any) -> str:
    if field == "string_val":
        return text_of("bytes", item)
    if field == "bool_val":
        return text_of("bool", item)
    return str(int(item.view(np.uint16))) if field == "half_val" else _number(item)


def _value(kind: str, value: Any) -> Iterator[str]:
    if kind in _SCALARS:
        yield f"{_SCALARS[kind]}: {_scalar(kind, value)}"
    elif kind == "shape":
        yield from _block("shape", _shape(value))
    elif kind == "tensor":
        yield from _block("tensor", _tensor(value))
    elif kind.startswith("list("):
        inner = (line for item in value for line in _value(kind[5:-1], item))
        yield from _block("list", inner)


def _attr(name: str, attr: Any) -> Iterator[str]:
    yield f"key: {text_of('string', name)}"
    yield from _block("value", _value(attr.kind, attr.value))


def lines_of_node(node: Any) -> Iterator[str]:
    """Yield the lines of a NodeDef."""
    yield f"name: {text_of('string', node.name)}"
    yield f"op: {text_of('string', node.op)}"
    yield from (f"input: {text_of('string', name)}" for name in node.input)
    if node.device:
        yield f"device: {text_of('string', node.device)}"
    for name in sorted(node.attr):
        yield from _block("attr", _attr(name, node.attr[name]))


def text_of_node(node: Any) -> str:
    """Return a NodeDef as text."""
    return "".join(f"{line}\n" for line in lines_of_node(node))


def text_of_graph(graph_def: Any) -> str:
    """Return a GraphDef as text."""
    lines = [line for node in graph_def.node for line in _block("node", lines_of_node(node))]
    versions = [f"{name}: {number}" for name in ("producer", "min_consumer")
                if (number := getattr(graph_def.versions, name))]  # fmt: skip
    lines += _block("versions", iter(versions))
    return "".join(f"{line}\n" for line in lines)
