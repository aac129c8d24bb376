"""Attribute values between Python and the native runtime, which knows plain values only."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from tfbuild_runtime.framework import dtypes, tensor_shape


def _encode_int(value: Any) -> int:
    if isinstance(value, (bool, np.bool_)):
        raise TypeError(f"expected an int, not {value!r}")
    return int(value.__index__())


def _encode_bool(value: Any) -> bool:
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"expected a bool, not {value!r}")
    return bool(value)


def _encode_string(value: Any) -> bytes:
    if not isinstance(value, (str, bytes)):
        raise TypeError(f"expected a string, not {value!r}")
    return value.encode() if isinstance(value, str) else value


def _encode_shape(value: Any) -> tuple[int, ...] | None:
    shape = tensor_shape.as_shape(value)
    if shape.rank is None:
        return None
    return tuple(-1 if size is None else size for size in shape.as_list())


_ENCODERS: dict[str, Callable[[Any], Any]] = {
    "int": _encode_int,
    "float": float,
    "bool": _encode_bool,
    "string": _encode_string,
    "type": lambda value: dtypes.as_dtype(value).base_dtype.as_datatype_enum,
    "shape": _encode_shape,
    "tensor": lambda value: value,
    "func": lambda value: value,  # a name, or a name and an encoded NameAttrList
}


def encode(kind: str, value: Any) -> Any:
    """Return value as the native runtime takes an attribute of that kind.

    Raises TypeError or ValueError when it cannot be one.
    """
    if kind.startswith("list("):
        if isinstance(value, (str, bytes)):
            raise TypeError(f"expected a list, not {value!r}")
        return [_ENCODERS[kind[5:-1]](item) for item in value]
    encoder = _ENCODERS.get(kind)
    if encoder is None:
        raise TypeError(f"attributes of kind {kind} cannot be given")
    return encoder(value)


def encode_all(definition: Any, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the attributes of an op for the native runtime; a None is left out.

    Raises TypeError that names the op and the attribute.
    """
    encoded = {}
    for name, value in values.items():
        known = definition.attrs.get(name)
        if value is None and (known is None or known.kind != "shape"):
            continue
        try:
            encoded[name] = value if known is None else encode(known.kind, value)
        except (TypeError, ValueError, AttributeError) as error:
            message = f"attribute {name} of {definition.name}: {error}"
            # What cannot be encoded is a ValueError of five arguments.
            kind = ValueError if isinstance(error, UnicodeError) else type(error)
            raise kind(message) from None
    return encoded


def decode(kind: str, value: Any) -> Any:
    """Return a native attribute value in Python's terms (DType, TensorShape, array, ...)."""
    if kind.startswith("list("):
        return [decode(kind[5:-1], item) for item in value]
    if kind == "type":
        return dtypes.as_dtype(value)
    if kind == "shape":
        return tensor_shape.TensorShape(value)
    return value


def read(found: Any, op: Any, name: str) -> Any:
    """Return the decoded attribute; raises ValueError when found is None."""
    if found is None:
        raise ValueError(f"Operation {op.name!r} ({op.type}) has no attr named {name!r}")
    return decode(*found)
