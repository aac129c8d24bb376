"""Writes tfbuild_runtime/ops/raw_ops.pyi, what type checkers and editors know of all raw ops.

    python raw_op_stubs.py

It needs the built package; test_raw_op_stubs.py says when to run it again.
"""

import keyword
import sys
from pathlib import Path

from tfbuild_runtime.framework import op_defs
from tfbuild_runtime.ops.raw_ops import argument_names

STUBS = Path(__file__).resolve().parents[1] / "tfbuild_runtime" / "ops" / "raw_ops.pyi"
HEAD = """\
# Written by python/tests/raw_op_stubs.py out of the definitions of the ops.
from collections.abc import Sequence as _Sequence
from typing import Any as _Any
from typing import Literal as _Literal

from tfbuild_runtime.framework.operation import Operation as _Operation
from tfbuild_runtime.framework.operation import Tensor as _Tensor

"""
WIDTH = 100
KINDS = {"int": "int", "float": "float", "bool": "bool", "string": "str | bytes"}


def inferred(definition):
    """Return the attributes that follow from the inputs."""
    found = {name for arg in definition.inputs for name in arg[2:5]}
    return found - {""}


def type_of(attr):
    """Return the type of an attribute as a stub says it."""
    if attr.kind == "string" and attr.allowed:
        return f"_Literal[{', '.join(repr_of(value) for value in attr.allowed)}]"
    if attr.kind.startswith("list("):
        return f"_Sequence[{KINDS.get(attr.kind[5:-1], '_Any')}]"
    return KINDS.get(attr.kind, "_Any")


def repr_of(value):
    """Return an allowed value in double quotes."""
    text = value.decode() if isinstance(value, bytes) else value
    return f'"{text}"'


def result_of(definition):
    """Return what the function of an op gives."""
    outputs = definition.outputs
    if not outputs:
        return "_Operation"
    if len(outputs) > 1:
        return "list[_Tensor]"
    return "_Tensor | list[_Tensor]" if outputs[0].is_run else "_Tensor"


def arguments(definition):
    """Return the parameters of the function of an op: inputs, then attributes."""
    inputs, attrs = argument_names(definition.name)
    found = [
        f"{name}: {'_Sequence[_Any]' if arg.is_run else '_Any'}"
        for name, arg in zip(inputs, definition.inputs)
    ]
    for name, own_name in attrs.items():
        attr = definition.attrs[own_name]
        kind = type_of(attr)
        optional = attr.has_default or own_name in inferred(definition)
        none = "" if kind == "_Any" else " | None"
        found.append(f"{name}: {kind}{none} = ..." if optional else f"{name}: {kind}")
    return [*found, "name: str | None = ..."]


def stub_of(op):
    """Return the stub of an op, laid out as the formatter does."""
    definition = op_defs.get(op)
    found = arguments(definition)
    if any(keyword.iskeyword(one.partition(":")[0]) for one in found):
        found = ["**arguments: _Any"]
    else:
        found = ["*", *found]
    end = f") -> {result_of(definition)}: ..."
    line = f"def {op}({', '.join(found)}{end}\n"
    if len(line) <= WIDTH + 1:
        return line
    inner = f"    {', '.join(found)}"
    if len(inner) <= WIDTH and found[0].startswith("**"):
        return f"def {op}(\n{inner}\n{end}\n"
    return f"def {op}(\n" + "".join(f"    {one},\n" for one in found) + f"{end}\n"


def stubs():
    """Return the text of the file."""
    ops = sorted(op for op in op_defs.names() if not op.startswith("_"))
    return HEAD + "".join(map(stub_of, ops)) + "def __dir__() -> list[str]: ...\n"


def main():
    """Write the file."""
    STUBS.write_text(stubs(), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
