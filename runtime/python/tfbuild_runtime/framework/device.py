"""Names of devices: parse them, and merge what nested device scopes ask for."""

from __future__ import annotations

import re
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
        end = 0
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
            raise ValueError(f"{text!r} is no device name; names look like /cpu:0 or /device:GPU:1")
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


def merge(stack: list[Any], op: Any) -> str:
    """Return the device that nested scopes ask for, innermost last; functions are asked with op."""
    spec = DeviceSpec()
    for scope in stack:
        wish = scope(op) if callable(scope) else scope
        if wish is None or (isinstance(wish, str) and not wish):
            continue
        if not isinstance(wish, DeviceSpec):
            wish = DeviceSpec.from_string(wish)
        spec = spec.updated_by(wish)
    return spec.to_string()
