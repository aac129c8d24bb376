"""The classes of TensorFlow's messages, made by Google's protobuf library when first asked for.

They are in a pool of their own, so that a TensorFlow in the same process can have its own.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from tfbuild_runtime.protos.fields import FIELDS
from tfbuild_runtime.protos.function_fields import FUNCTION_FIELDS

_PACKAGE = "tensorflow"
_SCALARS = ("double", "float", "int64", "uint64", "int32", "uint32", "bool", "string", "bytes")


def __getattr__(name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(name)
    try:
        made = message_class(name)
    except KeyError:
        raise AttributeError(f"TensorFlow's message {name!r} is not known here") from None
    globals()[name] = made
    return made


def message_class(name: str) -> Any:
    """Return the class of a message, such as Summary; raises KeyError for an unknown one."""
    from google.protobuf import message_factory

    descriptor = _pool().FindMessageTypeByName(f"{_PACKAGE}.{name}")
    return message_factory.GetMessageClass(descriptor)


@cache
def _pool() -> Any:
    from google.protobuf import descriptor_pb2, descriptor_pool

    file = descriptor_pb2.FileDescriptorProto(
        name="tfbuild_runtime/messages.proto", package=_PACKAGE, syntax="proto3"
    )
    _Reader(file).read(FIELDS + FUNCTION_FIELDS)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return pool


class _Reader:
    """Turns the lines of FIELDS into descriptors."""

    def __init__(self, file: Any) -> None:
        self._file = file
        self._enums: set[str] = set()
        self._made: dict[str, Any] = {}

    def read(self, text: str) -> None:
        lines = [line for line in text.splitlines() if line]
        self._enums = {line.split()[1] for line in lines if line.startswith("enum ")}
        made: Any = None
        for line in lines:
            words = line.split()
            if not line.startswith(" "):
                made = self._begin(words)
            elif len(words) == 2:
                made.value.add(number=int(words[0]), name=words[1])
            else:
                self._add_field(made, words)

    def _begin(self, words: list[str]) -> Any:
        """Add an empty message or enumeration, in the message before the dot if there is one."""
        *outer, name = words[-1].split(".")
        place = self._made[".".join(outer)] if outer else self._file
        if words[0] == "enum":
            return place.enum_type.add(name=name)
        nested = place.nested_type if outer else place.message_type
        self._made[words[-1]] = nested.add(name=name)
        return self._made[words[-1]]

    def _add_field(self, message: Any, words: list[str]) -> None:
        number = int(words[0])
        is_many = words[1] == "repeated"
        kind, name = words[2:4] if is_many else words[1:3]
        field = message.field.add(name=name, number=number)
        if kind.startswith("map<"):
            is_many = True
            kind = self._map_entry(message, name, *kind[4:-1].split(","))
        field.label = field.LABEL_REPEATED if is_many else field.LABEL_OPTIONAL
        self._set_type(field, kind)
        if "|" in words:
            field.oneof_index = _choice(message, words[-1])

    def _set_type(self, field: Any, kind: str) -> None:
        if kind in _SCALARS:
            field.type = getattr(field, f"TYPE_{kind.upper()}")
            return
        field.type = field.TYPE_ENUM if kind in self._enums else field.TYPE_MESSAGE
        field.type_name = f".{_PACKAGE}.{kind}"

    def _map_entry(self, message: Any, name: str, key: str, value: str) -> str:
        """Add the message that a map is a list of; return its name."""
        entry = message.nested_type.add(name="".join(map(str.title, name.split("_"))) + "Entry")
        entry.options.map_entry = True
        for number, (part, kind) in enumerate((("key", key), ("value", value)), 1):
            field = entry.field.add(name=part, number=number)
            field.label = field.LABEL_OPTIONAL
            self._set_type(field, kind)
        outer = next(path for path, made in self._made.items() if made is message)
        return f"{outer}.{entry.name}"


def _choice(message: Any, name: str) -> int:
    for index, choice in enumerate(message.oneof_decl):
        if choice.name == name:
            return index
    message.oneof_decl.add(name=name)
    return len(message.oneof_decl) - 1
