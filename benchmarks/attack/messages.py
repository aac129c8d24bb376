"""Messages of Protocol Buffers, as far as lies need them: fields in order, read and written."""

from collections.abc import Iterable

Field = tuple[int, int | bytes]  # its number, and a number or bytes


def fields_of(message: bytes) -> list[Field]:
    """The fields of a message; ValueError for what is none."""
    found: list[Field] = []
    at = 0
    while at < len(message):
        key, at = _varint_at(message, at)
        value, at = _varint_at(message, at) if key & 7 in {0, 2} else (0, at)
        if key & 7 == 0:
            found.append((key >> 3, value))
            continue
        size = {1: 8, 2: value, 5: 4}[key & 7]
        found.append((key >> 3, message[at : at + size]))
        at += size
    return found


def message_of(fields: Iterable[Field]) -> bytes:
    """A message with these fields."""
    made = bytearray()
    for number, value in fields:
        if isinstance(value, int):
            made += _varint(number << 3) + _varint(value)
        else:
            made += _varint(number << 3 | 2) + _varint(len(value)) + value
    return bytes(made)


def first(message: bytes, number: int) -> bytes:
    """The bytes of the first such field; empty where there is none."""
    found = (value for one, value in fields_of(message) if one == number)
    return next((value for value in found if isinstance(value, bytes)), b"")


def _varint(value: int) -> bytes:
    made = bytearray()
    while value > 127:
        made.append(value & 127 | 128)
        value >>= 7
    return bytes([*made, value])


def _varint_at(message: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        if at >= len(message):
            raise ValueError("it ends too early")
        value |= (message[at] & 127) << shift
        at, shift = at + 1, shift + 7
        if message[at - 1] < 128:
            return value, at
