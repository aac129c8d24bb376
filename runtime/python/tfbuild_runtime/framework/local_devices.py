"""device_lib.list_local_devices: the devices of this machine with their memory."""

from __future__ import annotations

from typing import Any, NamedTuple

from tfbuild_runtime.framework import native


class LocalDevice(NamedTuple):
    """One device, as tensorflow.python.client.device_lib tells of it."""

    name: str
    device_type: str
    memory_limit: int
    physical_device_desc: str
    incarnation: int = 0


def list_local_devices(session_config: Any = None) -> list[LocalDevice]:
    """Return the devices of this machine."""
    del session_config
    return [
        LocalDevice(_short(name), kind, memory, text if kind == "GPU" else "")
        for name, kind, memory, text in native.devices()
    ]


def _short(name: str) -> str:
    return f"/device:{name.rpartition('/device:')[2]}" if "/device:" in name else name
