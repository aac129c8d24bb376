"""GPU and driver for running: versions, compute mode, MIG; what nvidia-smi says when it fails."""

from pathlib import Path

from tfbuild.core.process import find_program
from tfbuild.core.records import Gpu
from tfbuild.doctor.checks.model import (
    CheckContext,
    CheckResult,
    CheckSpec,
    accepts,
    error_line,
    passed,
    skipped,
    warned,
)

_NO_GPU = "no NVIDIA driver on this machine; GPU code can be compiled, but not run"
_QUERY = "--query-gpu=index,compute_mode,mig.mode.current"
_DEVICES = Path("/dev")


def driver(context: CheckContext) -> CheckResult:
    """The driver's version against what the needed CUDA runs on."""
    version, needs = context.tools.host.driver, context.needs
    if not version and not context.tools.host.gpus:
        return skipped(_NO_GPU)
    if not version:
        fix = "run nvidia-smi and see what it says"
        return warned("there is a GPU, but its driver does not report its version", fix)
    if not accepts(needs.driver, version):
        detail = f"{version}; programs of CUDA {needs.cuda} run on {needs.driver}"
        fix = f"install a driver {needs.driver}; compiling needs none"
        return warned(detail, fix)
    return passed(version)


def gpus(context: CheckContext) -> list[CheckResult]:
    """Each GPU, and whether the needed architectures hold code for it."""
    host = context.tools.host
    if host.gpus:
        return [_one_gpu(context, gpu) for gpu in host.gpus]
    if not host.driver:
        return [skipped(_NO_GPU)]
    program = find_program("nvidia-smi")
    if not program:
        fix = "pass the GPUs in (--gpus all), or install nvidia-utils of the driver's version"
        return [warned("the driver is there, but no nvidia-smi and no GPU", fix)]
    answer = context.ask(program)
    why = "it names no GPU" if answer.is_ok else _last_line(answer.text)
    fix = "run nvidia-smi and see what it says; in a container, pass the GPUs in (--gpus all)"
    if "version mismatch" in answer.text:
        fix = "load the new driver: restart the machine, or reload the module nvidia"
    elif not any(_DEVICES.glob("nvidia[0-9]*")):
        why += f"; there is no {_DEVICES}/nvidia0"
    return [warned(f"the driver is there, but no GPU answers: {why}", fix)]


def modes(context: CheckContext) -> list[CheckResult]:
    """Whether each GPU takes programs: its compute mode, and MIG with or without instances."""
    program = find_program("nvidia-smi")
    if not context.tools.host.gpus or not program:
        return [skipped("no GPU answers here")]
    answer = context.ask(program, _QUERY, "--format=csv,noheader,nounits")
    if not answer.is_ok:
        fix = "run nvidia-smi and see what it says"
        return [warned(f"nvidia-smi does not answer: {error_line(answer.text)}", fix)]
    instances = context.ask(program, "-L").text
    rows = [[cell.strip() for cell in row.split(",")] for row in answer.text.splitlines()]
    return [_mode(row, instances) for row in rows if len(row) == 3] or [
        skipped("nvidia-smi reports no modes")
    ]


# --- inside ------------------------------------------------------------------------------------


def _one_gpu(context: CheckContext, gpu: Gpu) -> CheckResult:
    detail = f"{gpu.name}, {gpu.architecture}, {gpu.memory_mb} MB"
    needed = context.needs.architectures
    if not needed or gpu.architecture in needed or _runs(gpu.architecture, needed):
        return passed(detail)
    fix = f"build for it as well: --gpu={gpu.architecture}, or --gpu=native"
    return warned(f"{detail}; the requested {' '.join(needed)} does not run on it", fix)


def _runs(architecture: str, needed: tuple[str, ...]) -> bool:
    """Whether plain code of the same generation, or PTX of an older one, runs there."""
    own = _number(architecture)
    for name in needed:
        other = _number(name)
        if name.startswith("compute_") and other <= own:
            return True
        if name.startswith("sm_") and other // 10 == own // 10 and other <= own:
            return name[-1].isdigit()
    return False


def _number(name: str) -> int:
    digits = "".join(c for c in name.rpartition("_")[2] if c.isdigit())
    return int(digits or 0)


def _mode(row: list[str], instances: str) -> CheckResult:
    index, mode, mig = row
    detail = f"GPU {index}: compute mode {mode}, MIG {mig.strip('[]')}"
    if mig == "Enabled" and "MIG " not in instances:
        fix = f"make an instance (nvidia-smi mig -cgi ... -C) or nvidia-smi -i {index} -mig 0"
        return warned(f"{detail} without an instance: programs find no device", fix)
    if mode == "Prohibited":
        fix = f"nvidia-smi -i {index} -c DEFAULT"
        return warned(f"{detail}: programs may not use it", fix)
    if mode.startswith("Exclusive"):
        fix = f"stop other programs first, or nvidia-smi -i {index} -c DEFAULT"
        return warned(f"{detail}: one program at a time", fix)
    return passed(detail)


def _last_line(text: str) -> str:
    return (text.strip().splitlines() or ["it says nothing"])[-1][:160]


CHECKS = (
    CheckSpec(
        group="gpu", name="driver", looks_at="version of the driver against CUDA", look=driver
    ),
    CheckSpec(
        group="gpu",
        name="gpu",
        looks_at="GPUs, and the code that is requested for them",
        look=gpus,
        seconds=0.1,
        needs_folder=True,
    ),
    CheckSpec(
        group="gpu",
        name="modes",
        looks_at="compute mode and MIG of each GPU",
        look=modes,
        seconds=0.1,
        needs_folder=True,
    ),
)
