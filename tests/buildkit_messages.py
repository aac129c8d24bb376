"""What BuildKit says while it builds, as an engine passes it on."""

import base64
import json


def varint(number: int) -> bytes:
    out = b""
    while number > 127:
        out, number = out + bytes([number & 127 | 128]), number >> 7
    return out + bytes([number])


def message(**parts: bytes | int) -> bytes:
    out = b""
    for name, value in parts.items():
        number = int(name[1:])
        if isinstance(value, int):
            out += varint(number << 3) + varint(value)
        else:
            out += varint(number << 3 | 2) + varint(len(value)) + value
    return out


def event(response: bytes) -> bytes:
    aux = base64.b64encode(response).decode()
    return json.dumps({"id": "moby.buildkit.trace", "aux": aux}).encode()


def step(digest: bytes, name: bytes, **more: int | bytes) -> bytes:
    return event(message(f1=message(f1=digest, f3=name, **more)))


def said(digest: bytes, text: bytes) -> bytes:
    return event(message(f3=message(f1=digest, f3=1, f4=text)))


def moment(seconds: float) -> bytes:
    """A moment as a message has it."""
    whole = int(seconds)
    return message(f1=whole, f2=round((seconds - whole) * 1e9))
