"""Bits of whole numbers, and bytes seen as another type."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.ops.emit import emit


def bitwise_and(x: Any, y: Any, name: str | None = None) -> Any:
    """Return the bits that both numbers have."""
    return emit("BitwiseAnd", [x, y], name)


def bitwise_or(x: Any, y: Any, name: str | None = None) -> Any:
    """Return the bits that one of the numbers has."""
    return emit("BitwiseOr", [x, y], name)


def bitwise_xor(x: Any, y: Any, name: str | None = None) -> Any:
    """Return the bits that differ."""
    return emit("BitwiseXor", [x, y], name)


def invert(x: Any, name: str | None = None) -> Any:
    """Return each number with its bits turned over."""
    return emit("Invert", [x], name)


def left_shift(x: Any, y: Any, name: str | None = None) -> Any:
    """Return the bits of x moved y places towards the higher ones."""
    return emit("LeftShift", [x, y], name)


def right_shift(x: Any, y: Any, name: str | None = None) -> Any:
    """Return the bits of x moved y places towards the lower ones; the sign stays."""
    return emit("RightShift", [x, y], name)


def bitcast(input: Any, type: Any, name: str | None = None) -> Any:
    """Return the bytes of a tensor as elements of another type."""
    return emit("Bitcast", [input], name, type=type)


def roll(input: Any, shift: Any, axis: Any, name: str | None = None) -> Any:
    """Return the elements moved along axes; what leaves at one end comes in at the other."""
    return emit("Roll", [input, shift, axis], name)


def unravel_index(indices: Any, dims: Any, name: str | None = None) -> Any:
    """Return the coordinates, one row for each dimension, of places in memory."""
    return emit("UnravelIndex", [indices, dims], name)
