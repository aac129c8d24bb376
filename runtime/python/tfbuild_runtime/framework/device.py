"""Names of devices: parse them, and merge what nested device scopes ask for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

_PART = re.compile(
    r"(?i)/(?:(job):([a-z0-9_]+)|(replica|task):(\d+|\*)|(?:device:)?(cpu|gpu)(?::(\d+|\*))?)"
)
_ORDER = ("job", "replica", "task")


class DeviceSpec:
    """What a device name says, part by part; parts that it leaves open are None."""

    def __init__(self, **parts: Any) -> None:
        self.job: str | None = parts.get("job")
        self.replica: str | None = parts.get("replica")
        self.task: str | None = parts.get("task")
        self.device_type: str | None = parts.get("device_type")
        self.device_index: str | None = parts.get("device_index")

    @staticmethod
    def from_string(text: str) -> DeviceSpec:
        """Return the parts of a name such as /gpu:0; raises ValueError when it is none."""
        spec = DeviceSpec()
        given, end = text, 0
        text = text if text.startswith("/") or not text else f"/{text}"  # cpu:0 is one as well
        for match in _PART.finditer(text):
            if match.start() != end:
                break
            end = match.end()
            job, job_name, key, number, kind, index = match.groups()
            if kind:
                spec.device_type, spec.device_index = kind.upper(), index
            else:
                setattr(spec, (job or key).lower(), job_name or number)
        if end != len(text):
            raise ValueError(
                f"{given!r} is no device name; names look like /cpu:0 or /device:GPU:1"
            )
        return spec

    def updated_by(self, other: DeviceSpec) -> DeviceSpec:
        """Return this with the parts that other names."""
        given = {name: value for name, value in vars(other).items() if value is not None}
        return DeviceSpec(**{**vars(self), **given})

    def to_string(self) -> str:
        """Return the name in its full form."""
        text = "".join(
            f"/{part}:{getattr(self, part)}" for part in _ORDER if getattr(self, part) is not None
        )
        if self.device_type is None:
            return text
        index = "*" if self.device_index is None else self.device_index
        return f"{text}/device:{self.device_type}:{index}"


class PlannedOperation:
    """What a device function sees of the operation that it chooses a device for."""

    def __init__(
        self, name: str, type: str, graph: Any, inputs: Sequence[Any], attrs: dict[str, Any]
    ) -> None:
        self.name = name
        self.type = type
        self.graph = graph
        self.inputs = tuple(inputs)
        self.device = ""  # as the scopes further in have it
        self._attrs = attrs

    @property
    def node_def(self) -> Any:
        """The operation as it is written into a GraphDef, as far as that is known."""
        from tfbuild_runtime.protos import messages

        names = [t.op.name if t.value_index == 0 else t.name for t in self.inputs]
        return messages.NodeDef(name=self.name, op=self.type, input=names, device=self.device)

    @property
    def op_def(self) -> Any:
        """The definition of the op."""
        from tfbuild_runtime.framework import op_defs

        return op_defs.get(self.type)

    def get_attr(self, name: str) -> Any:
        """Return an attribute as it is encoded; raises ValueError when there is none."""
        if name not in self._attrs:
            raise ValueError(f"Operation {self.name!r} has no attr named {name!r}.")
        return self._attrs[name]


def merge(stack: list[Any], op: PlannedOperation) -> str:
    """Return the device that nested scopes ask for, innermost last.

    As in TensorFlow names fill in what scopes further in leave open, and what a function of the
    operation returns takes the place of that; None leaves it.
    """
    chosen = DeviceSpec()
    for scope in reversed(stack):
        if not callable(scope):
            spec = scope if isinstance(scope, DeviceSpec) else DeviceSpec.from_string(scope)
            chosen = spec.updated_by(chosen)
            continue
        op.device = chosen.to_string()
        spec = scope(op)
        if spec is not None:
            chosen = spec if isinstance(spec, DeviceSpec) else DeviceSpec.from_string(str(spec))
    return chosen.to_string()
