"""The classes of TensorFlow's messages, made by Google's protobuf library when first asked for.

Nothing of that library is loaded before, as it takes longer than a small program. The classes are
in a pool of their own, so that a TensorFlow in the same process can have its own.
"""

from __future__ import annotations

import copyreg
import threading
from functools import cache
from typing import Any

_PACKAGE = "tensorflow"
_MOST, _DEBUG, _CODES = (
    f"tfbuild_runtime/{name}.proto" for name in ("messages", "graph_debug_info", "error_codes")
)
_SCALARS = (
    "double", "float", "int64", "uint64", "sint64", "fixed64", "int32", "uint32", "bool", "string",
    "bytes",
)  # fmt: skip
_LOCK = threading.RLock()
_OF_GOOGLE = "google.protobuf."  # messages that come with the library


def __getattr__(name: str) -> Any:
    """Return the class of a message, an enumeration, or a value of one, by TensorFlow's name."""
    if name.startswith("_"):
        raise AttributeError(name)
    if name not in _made():
        raise AttributeError(f"TensorFlow's message {name!r} is not known here")
    made = globals()[name] = _made()[name]
    return made


def is_message(value: Any, name: str) -> bool:
    """Whether something is a message of that name; it may be of TensorFlow's own classes."""
    descriptor = getattr(value, "DESCRIPTOR", None)
    return getattr(descriptor, "full_name", "") == f"{_PACKAGE}.{name}"


def to_text(message: Any) -> str:
    """Return a message as text; one of these that lies in an Any is written out."""
    from google.protobuf import text_format

    return text_format.MessageToString(message, descriptor_pool=_pool())


def merge_text(text: str, message: Any) -> None:
    """Add to a message what text holds; raises text_format.ParseError for what is not of it."""
    from google.protobuf import text_format

    text_format.Merge(text, message, descriptor_pool=_pool())


@cache
def _made() -> dict[str, Any]:
    """Return what stands outside of messages: classes, enumerations and their values."""
    from google.protobuf.internal import enum_type_wrapper

    files = [_pool().FindFileByName(name) for name in (_MOST, _DEBUG)]
    made = {name: _class_of(kind)
            for file in files for name, kind in file.message_types_by_name.items()}  # fmt: skip
    for name, kind in files[0].enum_types_by_name.items():
        made[name] = enum_type_wrapper.EnumTypeWrapper(kind)
        made.update(made[name].items())
    return made


def _class_of(descriptor: Any) -> Any:
    """Return the class of a message with those inside of it, which pickle takes, too."""
    from google.protobuf import message_factory

    made = message_factory.GetMessageClass(descriptor)
    copyreg.pickle(made, _reduce)
    for name, inner in descriptor.nested_types_by_name.items():
        if not inner.GetOptions().map_entry:
            setattr(made, name, _class_of(inner))  # protobuf without its C part leaves it out
    return made


def _reduce(message: Any) -> tuple[Any, ...]:
    return unpickled, (message.DESCRIPTOR.full_name, message.SerializeToString())


def unpickled(full_name: str, data: bytes) -> Any:
    """Return the message that was pickled; protobuf would look for it in the pool of all."""
    from google.protobuf import message_factory

    _made()
    descriptor = _pool().FindMessageTypeByName(full_name)
    return message_factory.GetMessageClass(descriptor).FromString(data)


def _pool() -> Any:
    with _LOCK:  # threads may ask at once, and messages of two pools do not go into each other
        return _make_pool()


@cache
def _make_pool() -> Any:
    from google.protobuf import any_pb2, descriptor_pb2, descriptor_pool, wrappers_pb2

    from tfbuild_runtime.protos.other_fields import DEBUG_FIELDS, ERROR_FIELDS

    pool = descriptor_pool.DescriptorPool()
    for used in (any_pb2, wrappers_pb2):
        pool.AddSerializedFile(used.DESCRIPTOR.serialized_pb)
    known = [any_pb2.DESCRIPTOR.name, wrappers_pb2.DESCRIPTOR.name]
    for name, package, syntax, text in (
        (_CODES, f"{_PACKAGE}.error", "proto3", ERROR_FIELDS),
        (_DEBUG, _PACKAGE, "proto2", DEBUG_FIELDS),
        (_MOST, _PACKAGE, "proto3", _most_fields()),
    ):
        file = descriptor_pb2.FileDescriptorProto(
            name=name, package=package, syntax=syntax, dependency=known
        )
        _Reader(file).read(text)
        pool.Add(file)
        known.append(name)
    return pool


def _most_fields() -> str:
    from tfbuild_runtime.protos.config_fields import CONFIG_FIELDS
    from tfbuild_runtime.protos.fields import FIELDS
    from tfbuild_runtime.protos.graph_fields import GRAPH_FIELDS
    from tfbuild_runtime.protos.saved_model_fields import SAVED_MODEL_FIELDS
    from tfbuild_runtime.protos.step_fields import STEP_FIELDS

    return FIELDS + GRAPH_FIELDS + SAVED_MODEL_FIELDS + CONFIG_FIELDS + STEP_FIELDS


class _Reader:
    """Turns the lines of fields into descriptors."""

    def __init__(self, file: Any) -> None:
        self._file = file
        self._enums = {"error.Code"}  # of another file
        self._made: dict[str, Any] = {}

    def read(self, text: str) -> None:
        lines = [line for line in text.splitlines() if line]
        self._enums |= {line.split()[1] for line in lines if line.startswith("enum ")}
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
        if words[-1] == "packed":
            field.options.packed = True
        if "|" in words:
            field.oneof_index = _choice(message, words[-1])

    def _set_type(self, field: Any, kind: str) -> None:
        if kind in _SCALARS:
            field.type = getattr(field, f"TYPE_{kind.upper()}")
            return
        field.type = field.TYPE_ENUM if kind in self._enums else field.TYPE_MESSAGE
        field.type_name = f".{kind}" if kind.startswith(_OF_GOOGLE) else f".{_PACKAGE}.{kind}"

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
