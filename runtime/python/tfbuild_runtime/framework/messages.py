"""Messages of protocol buffers: fields by name, the wire format, the text format.

A subclass lists its fields; numbers and kinds are those of TensorFlow's .proto files. What a
message was read with and does not know is written again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, NamedTuple

from tfbuild_runtime.framework import dtypes, errors

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_MASK = (1 << 64) - 1
_NUMBERS = ("int", "uint", "bool", "dtype")


class Field(NamedTuple):
    """One field: its number, and what it holds."""

    number: int
    kind: Any  # "int", "uint", "bool", "dtype", "string", "bytes", or a class of messages
    repeated: bool = False
    key: str = ""  # of a map from that kind

    @property
    def is_message(self) -> bool:
        """Whether it holds messages."""
        return not isinstance(self.kind, str)


def _malformed(what: str) -> errors.OpError:
    return errors.DataLossError(None, None, f"not a message: {what}")


def _read_varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        if at >= len(data) or shift > 63:
            raise _malformed("a number does not end")
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at += 1
        if byte < 0x80:
            return value & _MASK, at
        shift += 7


def _varint(value: int) -> bytes:
    value &= _MASK
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _read_fields(data: bytes) -> Iterator[tuple[int, int, Any, bytes]]:
    """Yield number, wire type, value and all bytes of each field."""
    at = 0
    while at < len(data):
        start = at
        tag, at = _read_varint(data, at)
        wire = tag & 7
        value: Any
        if wire == _VARINT:
            value, at = _read_varint(data, at)
        else:
            size = {_FIXED64: 8, _FIXED32: 4}.get(wire)
            if wire == _BYTES:
                size, at = _read_varint(data, at)
            if size is None:
                raise _malformed(f"wire type {wire}")
            value, at = data[at : at + size], at + size
            if at > len(data):
                raise _malformed("it ends within a field")
        yield tag >> 3, wire, value, data[start:at]


def _number_of(kind: str, value: int) -> Any:
    if kind == "bool":
        return value != 0
    return value - (1 << 64) if kind != "uint" and value >= 1 << 63 else value


def _value_of(field: Field, kind: Any, wire: int, value: Any) -> Any:
    """Return what a field of that kind was read as."""
    if wire != (_VARINT if kind in _NUMBERS else _BYTES):
        raise _malformed(f"field {field.number} has wire type {wire}")
    if kind in _NUMBERS:
        return _number_of(kind, value)
    if kind == "string":
        try:
            return value.decode()
        except UnicodeDecodeError as error:
            raise _malformed(f"field {field.number}: {error}") from error
    return value if kind == "bytes" else kind.FromString(value)


def _encoded(number: int, kind: Any, value: Any) -> bytes:
    if kind in _NUMBERS:
        return _varint(number << 3 | _VARINT) + _varint(int(value))
    if kind == "string":
        value = value.encode()
    elif kind != "bytes":
        value = value.SerializeToString()
    return _varint(number << 3 | _BYTES) + _varint(len(value)) + bytes(value)


def dtype_name(number: int) -> str:
    """Return the name of a DataType, such as DT_FLOAT."""
    try:
        name = dtypes.as_dtype(number).name
    except TypeError:
        return str(number)
    names = {"float16": "half", "float32": "float", "float64": "double"}
    return f"DT_{names.get(name, name).upper()}"


def text_of(kind: Any, value: Any) -> str:
    """Return a value of that kind as the text format has it."""
    if kind == "bool":
        return "true" if value else "false"
    if kind == "dtype":
        return dtype_name(value)
    if kind in _NUMBERS:
        return str(value)
    data = value.encode() if kind == "string" else value
    named = {9: "\\t", 10: "\\n", 13: "\\r", 34: '\\"', 92: "\\\\"}
    plain = [named.get(byte, chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}") for byte in data]
    return '"' + "".join(plain) + '"'


_ZERO = {"int": 0, "uint": 0, "bool": False, "dtype": 0, "string": "", "bytes": b""}


class Repeated(list[Any]):
    """The messages of a repeated field."""

    def __init__(self, kind: Any) -> None:
        super().__init__()
        self._kind = kind

    def add(self, **fields: Any) -> Any:
        """Append a new message and return it."""
        self.append(self._kind(**fields))
        return self[-1]


class Message:
    """A message; what was never set reads as zero, as empty, or as a message without fields."""

    _fields: ClassVar[Mapping[str, Field]] = {}

    def __init__(self, **fields: Any) -> None:
        self.Clear()
        for name, value in fields.items():
            setattr(self, name, value)

    def Clear(self) -> None:
        """Forget what was set."""
        object.__setattr__(self, "_values", {})
        object.__setattr__(self, "_unknown", b"")
        object.__setattr__(self, "_was_set", False)  # counts where a message holds this one

    def __getattr__(self, name: str) -> Any:
        field = self._fields.get(name)
        if field is None:
            raise AttributeError(f"{type(self).__name__} has no field {name!r}")
        found = self._values.get(name)
        if found is None:
            if not (field.repeated or field.key or field.is_message):
                return _ZERO[field.kind]
            found = self._values[name] = self._empty(field)
        elif field.is_message and isinstance(found, bytes):
            found = self._values[name] = field.kind.FromString(found)
        return found

    @staticmethod
    def _empty(field: Field) -> Any:
        if field.key:
            return {}
        if field.repeated:
            return Repeated(field.kind) if field.is_message else []
        return field.kind()

    def __setattr__(self, name: str, value: Any) -> None:
        field = self._fields.get(name)
        if field is None:
            known = ", ".join(self._fields)
            raise AttributeError(f"{type(self).__name__} has no field {name!r}; fields are {known}")
        if field.repeated and field.is_message:
            items = Repeated(field.kind)
            items.extend(value)
            value = items
        self._values[name] = value
        object.__setattr__(self, "_was_set", True)

    def _set_encoded(self, name: str, data: bytes) -> None:
        """Set a field to the message in data, which is read when it is first asked for."""
        self._values[name] = data

    @classmethod
    def FromString(cls, data: bytes) -> Any:
        """Return the message in data; raises an OpError when there is none."""
        message = cls()
        message.ParseFromString(data)
        return message

    def ParseFromString(self, data: bytes) -> int:
        """Take what data holds and return its length; raises an OpError for what is no message."""
        self.Clear()
        object.__setattr__(self, "_was_set", True)
        by_number = {field.number: (name, field) for name, field in self._fields.items()}
        for number, wire, value, whole in _read_fields(bytes(data)):
            if number not in by_number:
                object.__setattr__(self, "_unknown", self._unknown + whole)
                continue
            self._take(*by_number[number], wire, value)
        return len(data)

    def _take(self, name: str, field: Field, wire: int, value: Any) -> None:
        if field.key:
            entry = {number: (its, got) for number, its, got, _ in _read_fields(value)}
            key = _value_of(field, field.key, *entry.get(1, (_VARINT, 0)))
            kind = field.kind
            getattr(self, name)[key] = _value_of(field, kind, *entry.get(2, (_BYTES, b"")))
        elif not field.repeated:
            self._values[name] = _value_of(field, field.kind, wire, value)
        elif wire == _BYTES and field.kind in _NUMBERS:  # packed
            at = 0
            while at < len(value):
                number, at = _read_varint(value, at)
                getattr(self, name).append(_number_of(field.kind, number))
        else:
            getattr(self, name).append(_value_of(field, field.kind, wire, value))

    def SerializeToString(self, deterministic: bool = True) -> bytes:
        """Return the bytes; the same message always gives the same bytes."""
        out = []
        for name, field in sorted(self._fields.items(), key=lambda item: item[1].number):
            value = self._values.get(name)
            if value is None:
                continue
            if field.key:
                out += [
                    _encoded(
                        field.number,
                        "bytes",
                        _encoded(1, field.key, key) + _encoded(2, field.kind, value[key]),
                    )
                    for key in sorted(value)
                ]
            elif field.repeated and field.kind in _NUMBERS:
                packed = b"".join(_varint(int(item)) for item in value)
                out += [_encoded(field.number, "bytes", packed)] if packed else []
            elif field.repeated:
                out += [_encoded(field.number, field.kind, item) for item in value]
            elif field.is_message and isinstance(value, bytes):
                out.append(_encoded(field.number, "bytes", value))
            elif self.HasField(name):
                out.append(_encoded(field.number, field.kind, value))
        return b"".join(out) + self._unknown

    def HasField(self, name: str) -> bool:
        """Whether a field that is not repeated was set to more than zero."""
        value = self._values.get(name)
        if isinstance(value, Message):
            return value._was_set or bool(value.SerializeToString())
        return bool(value)

    def ListFields(self) -> list[tuple[Field, Any]]:
        """Return the fields that are set, with their values."""
        return [(field, getattr(self, name)) for name, field in self._set_fields()]

    def _set_fields(self) -> list[tuple[str, Field]]:
        return [
            (name, field)
            for name, field in self._fields.items()
            if (getattr(self, name) if field.repeated or field.key else self.HasField(name))
        ]

    def CopyFrom(self, other: Any) -> None:
        """Take everything of other."""
        self.ParseFromString(other.SerializeToString())

    def MergeFrom(self, other: Any) -> None:
        """Take what is set in other, and append what is repeated."""
        self.ParseFromString(self.SerializeToString() + other.SerializeToString())

    def ByteSize(self) -> int:
        """Return the number of bytes."""
        return len(self.SerializeToString())

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and (
            self.SerializeToString() == other.SerializeToString()  # type: ignore[attr-defined]
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return "".join(f"{line}\n" for line in self._lines())

    def _lines(self) -> Iterator[str]:
        """Yield the lines of the text format."""
        for name, field in self._set_fields():
            value = getattr(self, name)
            if field.key:
                for key in sorted(value):
                    yield from (f"{name} {{", f"  key: {text_of(field.key, key)}")
                    yield from (f"  value: {text_of(field.kind, value[key])}", "}")
                continue
            for item in value if field.repeated else [value]:
                if not field.is_message:
                    yield f"{name}: {text_of(field.kind, item)}"
                    continue
                yield f"{name} {{"
                yield from (f"  {line}" for line in str(item).splitlines())
                yield "}"
