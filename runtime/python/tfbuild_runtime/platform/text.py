"""Texts and bytes: tf.compat.as_bytes, as_text and what goes with them."""

from __future__ import annotations

import collections.abc as collections_abc  # noqa: F401 (programs take it from here)
import numbers
import os
from typing import Any

import numpy as _np

integral_types = (numbers.Integral, _np.integer)
real_types = (numbers.Real, _np.integer, _np.floating)
complex_types = (numbers.Complex, _np.number)
bytes_or_text_types = (bytes, str)


def as_bytes(bytes_or_text: Any, encoding: str = "utf-8") -> bytes:
    """Return bytes as they are, and text encoded; raises TypeError for anything else."""
    if isinstance(bytes_or_text, (bytes, bytearray)):
        return bytes(bytes_or_text)
    if isinstance(bytes_or_text, str):
        return bytes_or_text.encode(encoding)
    raise TypeError(f"Expected binary or unicode string, got {bytes_or_text!r}")


def as_text(bytes_or_text: Any, encoding: str = "utf-8") -> str:
    """Return text as it is, and bytes decoded; raises TypeError for anything else."""
    if isinstance(bytes_or_text, str):
        return bytes_or_text
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text.decode(encoding)
    raise TypeError(f"Expected binary or unicode string, got {bytes_or_text!r}")


as_str = as_text


def as_str_any(value: Any) -> str:
    """Return text, decoded bytes, or str() of anything else."""
    return as_str(value) if isinstance(value, bytes) else str(value)


def path_to_str(path: Any) -> Any:
    """Return a path as text; what is no path is left as it is."""
    return as_str_any(os.fspath(path)) if hasattr(path, "__fspath__") else path
