"""What the native runtime knows of an op: its arguments and attributes, in Python's terms."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

from tfbuild_runtime.framework import dtypes, native


class Arg(NamedTuple):  # not a dataclass: importing those would take longer than all else here
    """One input or output of an op."""

    name: str
    dtype: dtypes.DType | None  # when fixed by the op
    type_attr: str  # else the attribute that holds it
    number_attr: str  # for a run of tensors of one type: the attribute that counts them
    type_list_attr: str  # for a run of tensors: the attribute that lists their types
    is_ref: bool

    @property
    def is_run(self) -> bool:
        """Whether it stands for any number of tensors."""
        return bool(self.number_attr or self.type_list_attr)


class Attr(NamedTuple):
    """One attribute of an op."""

    name: str
    kind: str
    has_default: bool
    default: Any
    allowed: tuple[Any, ...]
    minimum: int | None  # of a number, or of the length of a list


class OpDef(NamedTuple):
    """An op as it is registered."""

    name: str
    inputs: tuple[Arg, ...]
    outputs: tuple[Arg, ...]
    attrs: dict[str, Attr]
    is_stateful: bool


def _arg(row: tuple[str, int, str, str, str, bool]) -> Arg:
    name, number, type_attr, number_attr, type_list_attr, is_ref = row
    dtype = None if type_attr or type_list_attr else dtypes.as_dtype(number)
    return Arg(name, dtype, type_attr, number_attr, type_list_attr, is_ref)


def _attr(row: tuple[str, str, bool, Any, tuple[Any, ...], int | None]) -> Attr:
    return Attr(*row)


@cache
def get(op_type: str) -> OpDef:
    """Return the op of that name; raises NotFoundError with the nearest known name."""
    inputs, outputs, attrs, is_stateful = native.op_def(op_type)
    return OpDef(
        name=op_type,
        inputs=tuple(map(_arg, inputs)),
        outputs=tuple(map(_arg, outputs)),
        attrs={row[0]: _attr(row) for row in attrs},
        is_stateful=is_stateful,
    )


def names() -> list[str]:
    """Return the names of all registered ops."""
    return list(native.op_names())
