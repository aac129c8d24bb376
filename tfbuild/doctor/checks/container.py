"""Container engines: whether one answers, who may use it, and whether it passes GPUs on."""

import os
from pathlib import Path

from tfbuild.core.records import Program
from tfbuild.doctor.checks.model import (
    CheckContext,
    CheckResult,
    CheckSpec,
    failed,
    passed,
    skipped,
    softened,
    warned,
)

_SOCKET = Path("/var/run/docker.sock")
_CDI = (Path("/etc/cdi"), Path("/var/run/cdi"))


def engines(context: CheckContext) -> list[CheckResult]:
    """Whether each engine's service answers this user."""
    found = context.tools.host.engines
    needed = context.needs.container
    if not found:
        detail = "no docker or podman"
        if needed:
            fix = "install docker or podman, or build on the host"
            return [failed(f"{detail}; {context.needs.title} takes one", fix)]
        return [skipped(f"{detail}; host builds need none")]
    result = [_answers(context, engine) for engine in found]
    if needed and all(one.state != "pass" for one in result):
        return [failed(one.detail, one.fix) for one in result]
    return [softened(one) for one in result]


def gpu_runtime(context: CheckContext) -> CheckResult:
    """Whether containers can be given the GPUs of this machine."""
    ready = [engine for engine in context.tools.host.engines if engine.version]
    if not context.tools.host.gpus:
        return skipped("no GPU here")
    if not ready:
        return skipped("no container engine answers here")
    if any(path.is_file() for folder in _CDI for path in folder.glob("nvidia*")):
        return passed("GPUs are described for containers (CDI)")
    for engine in ready:
        if engine.name == "docker":
            answer = context.ask(engine.path, "info", "--format", "{{json .Runtimes}}")
            if '"nvidia"' in answer.text:
                return passed("docker has the runtime nvidia")
    fix = "install nvidia-container-toolkit, then: nvidia-ctk runtime configure --runtime=docker"
    return warned("no engine here passes GPUs on", fix)


# --- inside ------------------------------------------------------------------------------------


def _answers(context: CheckContext, engine: Program) -> CheckResult:
    name = f"{engine.name} at {engine.path}"
    if engine.version:
        return passed(f"{name}: {engine.version}")
    if engine.name == "docker" and not os.environ.get("DOCKER_HOST"):
        if _SOCKET.exists() and not os.access(_SOCKET, os.R_OK | os.W_OK):
            fix = "sudo usermod -aG docker $USER, then log in again"
            return failed(f"{name}: this user may not talk to it", fix)
        if not _SOCKET.exists():
            sudo = "" if context.tools.host.is_root else "sudo "
            return failed(f"{name}: its service does not run", f"{sudo}systemctl start docker")
    fix = f"start the service, or join its group: {engine.name} info says why"
    return failed(f"{name}: its service does not answer", fix)


CHECKS = (
    CheckSpec(
        group="container",
        name="engine",
        looks_at="docker and podman, and this user's right to use them",
        look=engines,
    ),
    CheckSpec(
        group="container",
        name="gpu-runtime",
        looks_at="whether containers can be given GPUs",
        look=gpu_runtime,
        seconds=0.2,
        needs_folder=True,
    ),
)
