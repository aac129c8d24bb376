"""Where a container engine answers, where nobody says it."""

import os
from pathlib import Path

_DOCKER_SOCKET = Path("/var/run/docker.sock")


def podman_address() -> str:
    """Podman's socket where nothing is named and Docker's is not there; else the SDK's choice."""
    if os.environ.get("DOCKER_HOST") or _DOCKER_SOCKET.exists():
        return ""
    runtime = os.environ.get("XDG_RUNTIME_DIR") or f"/run/user/{os.getuid()}"
    for folder in (runtime, "/run"):
        socket = Path(folder, "podman", "podman.sock")
        if socket.exists():
            return f"unix://{socket}"
    return ""
