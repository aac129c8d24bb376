"""GraphDef files as Python objects: read, look at, change, write."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tfbuild_runtime.framework import dtypes, native, tensor_shape

_FIELDS = {
    "s": "string", "i": "int", "f": "float", "b": "bool", "type": "type", "shape": "shape",
    "tensor": "tensor",
}  # fmt: skip
_EMPTY = {"s": b"", "i": 0, "f": 0.0, "b": False, "type": 0, "shape": None, "tensor": None}


class ListValue:
    """The list in an attribute: the field of its kind holds the items, the others are empty."""

    def __init__(self, kind: str, items: list[Any]) -> None:
        for field, item_kind in _FIELDS.items():
            setattr(self, field, items if kind == f"list({item_kind})" else [])


class AttrValue:
    """The value of an attribute: its kind and the plain value."""

    __slots__ = ("kind", "value")

    def __init__(self, kind: str = "none", value: Any = None) -> None:
        self.kind = kind
        self.value = value

    def __getattr__(self, field: str) -> Any:
        if field not in _FIELDS:
            raise AttributeError(f"AttrValue has no field {field!r}")
        if self.kind != _FIELDS[field]:
            return _EMPTY[field]
        return tensor_shape.TensorShape(self.value) if field == "shape" else self.value

    @property
    def list(self) -> ListValue:
        """The items, by the field of their kind."""
        return ListValue(self.kind, self.value if self.kind.startswith("list(") else [])

    def WhichOneof(self, _: str) -> str | None:
        """Return the field that is set."""
        if self.kind.startswith("list("):
            return "list"
        return {kind: field for field, kind in _FIELDS.items()}.get(self.kind)

    def CopyFrom(self, other: AttrValue) -> None:
        """Take the value of other."""
        self.kind, self.value = other.kind, other.value

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, AttrValue) or self.kind != other.kind:
            return False
        if self.kind == "tensor":
            same_type = self.value.dtype == other.value.dtype
            return bool(same_type and self.value.tolist() == other.value.tolist())
        return bool(self.value == other.value)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"AttrValue({self.kind}: {self.value!r})"


class _AttrMap(dict[str, AttrValue]):
    """Attributes by name; a missing one is made empty when asked for."""

    def __missing__(self, name: str) -> AttrValue:
        self[name] = AttrValue()
        return self[name]


class NodeDef:
    """One node: name, op, inputs ("node", "node:1", "^control"), device, attributes."""

    __slots__ = ("attr", "device", "input", "name", "op")

    def __init__(
        self, name: str = "", op: str = "", input: Any = (), device: str = "", attr: Any = None
    ) -> None:
        self.name = name
        self.op = op
        self.input = list(input)
        self.device = device
        self.attr = _AttrMap(attr or {})

    def CopyFrom(self, other: NodeDef) -> None:
        """Take everything of other."""
        self.__init__(other.name, other.op, other.input, other.device, other.attr)  # type: ignore[misc]

    def _row(self) -> tuple[Any, ...]:
        attrs = {name: (value.kind, value.value) for name, value in self.attr.items()}
        return self.name, self.op, self.input, self.device, attrs

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, NodeDef):
            return False
        mine = (self.name, self.op, self.input, self.device, dict(self.attr))
        return mine == (other.name, other.op, other.input, other.device, dict(other.attr))

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        from tfbuild_runtime.framework.graph_def_text import text_of_node

        return text_of_node(self)

    def __repr__(self) -> str:
        return f"NodeDef(name={self.name!r}, op={self.op!r}, input={self.input!r})"


class _NodeList(list[NodeDef]):
    def add(self, **fields: Any) -> NodeDef:
        """Append a new node and return it."""
        self.append(NodeDef(**fields))
        return self[-1]


class Versions:
    """The versions of a GraphDef."""

    def __init__(self, producer: int, min_consumer: int) -> None:
        self.producer = producer
        self.min_consumer = min_consumer


class GraphDef:
    """A graph as TensorFlow writes it into files."""

    def __init__(self) -> None:
        self._node = _NodeList()
        self._encoded: bytes | None = (
            None  # in the place of the nodes, until somebody looks at them
        )
        self.versions = Versions(0, 0)
        self._library = b""

    @property
    def node(self) -> _NodeList:
        """The nodes, made when they are first looked at: each takes a kilobyte."""
        if self._encoded is not None:
            nodes, _, _, _ = native.parse_graph_def(self._encoded)
            self._node = _NodeList(_node_of(row) for row in nodes)
            self._encoded = None
        return self._node

    @staticmethod
    def FromString(data: bytes) -> GraphDef:
        """Return the GraphDef in data; raises an OpError that says what is wrong."""
        graph_def = GraphDef()
        graph_def.ParseFromString(data)
        return graph_def

    def ParseFromString(self, data: bytes) -> int:
        """Take what data holds and return its length; raises an OpError that says what is wrong."""
        encoded = bytes(data)
        producer, min_consumer, self._library = native.check_graph_def(encoded)
        self._encoded = encoded
        self._node = _NodeList()
        self.versions = Versions(producer, min_consumer)
        return len(data)

    def SerializeToString(self, deterministic: bool = True) -> bytes:
        """Return the bytes of a file; the same graph always gives the same bytes."""
        producer, min_consumer = self.versions.producer, self.versions.min_consumer
        if self._encoded is not None:
            return native.rewrite_graph_def(self._encoded, producer, min_consumer)  # type: ignore[no-any-return]
        rows = [node._row() for node in self.node]
        return native.serialize_graph_def(rows, producer, min_consumer, self._library)  # type: ignore[no-any-return]

    def _as_bytes(self) -> bytes:
        """Return bytes that hold the same nodes and functions, those it came from if there are."""
        return self.SerializeToString() if self._encoded is None else self._encoded

    def CopyFrom(self, other: GraphDef) -> None:
        """Take everything of other."""
        self.ParseFromString(other.SerializeToString())

    def ByteSize(self) -> int:
        """Return the length of the file."""
        return len(self.SerializeToString())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GraphDef) and self.node == other.node

    __hash__ = None  # type: ignore[assignment]

    def __iter__(self) -> Iterator[NodeDef]:
        return iter(self.node)

    def __str__(self) -> str:
        from tfbuild_runtime.framework.graph_def_text import text_of_graph

        return text_of_graph(self)

    def __repr__(self) -> str:
        return f"<GraphDef of {len(self.node)} nodes>"


def _node_of(row: Any) -> NodeDef:
    name, op, inputs, device, attrs = row
    return NodeDef(name, op, inputs, device, {key: AttrValue(*pair) for key, pair in attrs.items()})


def node_def_of(op: Any) -> NodeDef:
    """Return the definition of one operation of a graph."""
    inputs = [t.op.name if t.value_index == 0 else t.name for t in op.inputs]
    inputs += [f"^{control.name}" for control in op.control_inputs]
    graph = op.graph._native
    attrs = {name: AttrValue(*graph.attr(op._id, name)) for name in graph.attr_names(op._id)}
    return NodeDef(op.name, op.type, inputs, op.device, attrs)


def attr_value(kind: str, value: Any) -> AttrValue:
    """Return an attribute value of that kind, for nodes made by hand."""
    if kind == "type":
        value = dtypes.as_dtype(value).as_datatype_enum
    return AttrValue(kind, value)
