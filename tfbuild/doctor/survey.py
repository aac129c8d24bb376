"""What this machine has, found out by looking and by asking its programs; changes nothing."""

import os
import platform
import re
import sys
from collections.abc import Callable, Iterable
from collections.abc import Set as AbstractSet
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Literal

from tfbuild.core.cgroups import cpu_limits, memory_limits
from tfbuild.core.disk_space import free_mb
from tfbuild.core.errors import TfbuildError
from tfbuild.core.interfaces import Runner
from tfbuild.core.paths import named_path, real_path
from tfbuild.core.process import find_program
from tfbuild.core.records import Command, Gpu, Host, Interpreter, Program
from tfbuild.core.safe_files import text_of

Part = Literal["compilers", "pythons", "bazels", "toolkits", "engines", "gpus"]
EVERYTHING: frozenset[Part] = frozenset(
    ("compilers", "pythons", "bazels", "toolkits", "engines", "gpus")
)
_LEVELS = (
    ("x86-64-v2", "cx16 lahf_lm popcnt sse4_1 sse4_2 ssse3"),
    ("x86-64-v3", "abm avx avx2 bmi1 bmi2 f16c fma movbe xsave"),
    ("x86-64-v4", "avx512f avx512bw avx512cd avx512dq avx512vl"),
)
_VERSION = re.compile(r"\d+\.\d+(\.\d+)?")
_DRIVER_MODULE = Path("/proc/driver/nvidia/version")
_SECONDS = 10.0
_ASKERS = 8
_OLDEST_PYTHON = (3, 9)
_ANSWERS = 5
_ASK_PYTHON = """
import os, sys
holds = lambda *names: os.path.isfile(os.path.join(*names))
name = "python%d.%d%s" % (*sys.version_info[:2], getattr(sys, "abiflags", ""))
folder, library = os.path.join(sys.base_prefix, "include", name), os.path.dirname(os.__file__)
if not holds(folder, "Python.h"):  # its usual place; sysconfig knows, and takes half the time
    import sysconfig
    folder = sysconfig.get_path("include")
has = lambda name: holds(library, name, "__init__.py")
print(sys.implementation.name)
print("%d.%d.%d" % sys.version_info[:3])
print("cp%d%d%s" % (*sys.version_info[:2], getattr(sys, "abiflags", "").replace("d", "")))
print(folder if holds(folder, "Python.h") else "")
print(has("venv") and has("ensurepip"))
"""


def look_at_host(runner: Runner, cache: Path, parts: AbstractSet[Part] = EVERYTHING) -> Host:
    """This machine; of what only its programs know, the parts that are wanted."""
    names, cpu = _os_release(), _cpu_info()
    memory, free = memory_mb()
    return Host(
        machine=platform.machine(),
        distribution=names.get("ID", "linux"),
        distribution_version=names.get("VERSION_ID", ""),
        glibc=_glibc(),
        cpu_model=cpu.get("model name", ""),
        cpu_level=cpu_level(cpu.get("flags", "")),
        cpus=usable_cpus(),
        memory_mb=memory,
        memory_free_mb=free,
        disk_free_mb=free_mb(cache),
        is_root=os.geteuid() == 0,
        system=platform.system(),
        **_programs(runner, parts),
    )


def _programs(runner: Runner, parts: AbstractSet[Part]) -> dict[str, Any]:
    """The fields of a Host that programs fill, for the parts that are wanted, and the driver."""
    from tfbuild.fetch.bazel_on_path import find_bazels

    finders: dict[Part, Callable[[Runner], Any]] = {
        "compilers": find_compilers,
        "pythons": find_pythons,
        "bazels": find_bazels,
        "toolkits": find_toolkits,
        "engines": find_engines,
    }
    with ThreadPoolExecutor(_ASKERS) as pool:  # programs are slow to start: ask them side by side
        asked = {part: pool.submit(find, runner) for part, find in finders.items() if part in parts}
        driver, gpus = find_gpus(runner) if "gpus" in parts else (find_driver(runner), ())
    return {"driver": driver, "gpus": gpus} | {
        part: answer.result() for part, answer in asked.items()
    }


def cpu_level(flags: str) -> str:
    """The x86-64 level that these flags of /proc/cpuinfo make, x86-64 being the lowest."""
    have = set(flags.split())
    level = "x86-64"
    for name, needed in _LEVELS:
        if not have.issuperset(needed.split()):
            break
        level = name
    return level


def cpu_flags() -> frozenset[str]:
    """What the processor can do, in the words of /proc/cpuinfo; empty where it does not say."""
    return frozenset(_cpu_info().get("flags", "").split())


def usable_cpus() -> int:
    """Processors that this process may use: affinity and the limits of its control groups."""
    affinity = len(os.sched_getaffinity(0))
    return min([affinity, *(max(1, int(limit)) for limit in cpu_limits())])


def memory_mb() -> tuple[int, int]:
    """Memory in all and free for use, both within the limits of the control groups."""
    fields = dict(re.findall(r"^(\w+):\s+(\d+) kB", _read("/proc/meminfo"), re.MULTILINE))
    total = int(fields.get("MemTotal", 0)) // 1024
    free = int(fields.get("MemAvailable", 0)) // 1024
    for limit in memory_limits():
        total = min(total, limit.amount >> 20)
        free = min(free, limit.free >> 20)
    return total, free


def find_compilers(runner: Runner) -> tuple[Program, ...]:
    """g++ and clang++, plain and numbered, with their versions; g++ first."""
    names = ["g++", *(f"g++-{n}" for n in range(20, 7, -1))]
    names += ["clang++", *(f"clang++-{n}" for n in range(24, 9, -1))]
    found = []
    for name in names:
        if path := find_program(name):
            said = _ask(runner, path, "-dumpfullversion", "-dumpversion")
            if match := re.match(r"\d+(\.\d+)*", said.strip()):
                found.append(Program(name=name, path=path, version=match[0]))
    return tuple(found)


def find_pythons(runner: Runner) -> tuple[Interpreter, ...]:
    """Interpreters of CPython 3.9 and newer: the running one first, each only once."""
    with ThreadPoolExecutor(_ASKERS) as pool:
        found = pool.map(lambda path: ask_python(runner, path), _python_candidates())
        return tuple(python for python in found if python and _is_recent(python))


def ask_python(runner: Runner, path: str) -> Interpreter | None:
    """What the interpreter says of itself; None where it does not run or is no CPython."""
    # Without site: what is installed there may be slow to load, and is not asked for.
    said = _ask(runner, path, "-I", "-S", "-B", "-c", _ASK_PYTHON).splitlines()
    if len(said) != _ANSWERS or said[0] != "cpython":
        return None
    _, version, tag, headers, can_venv = said
    return Interpreter(
        path=path, version=version, tag=tag, headers=headers, can_venv=can_venv == "True"
    )


def find_toolkits(runner: Runner) -> tuple[Program, ...]:
    """CUDA toolkits that are installed: the path of nvcc and its version."""
    installed = sorted(Path("/usr/local").glob("cuda*/bin/nvcc"))
    by_version: dict[str, Program] = {}
    for path in (find_program("nvcc"), *map(str, installed)):
        match = path and re.search(r"release [\d.]+, V([\d.]+)", _ask(runner, path, "--version"))
        if match:
            by_version.setdefault(match[1], Program(name="nvcc", path=path, version=match[1]))
    return tuple(by_version.values())


def find_engines(runner: Runner) -> tuple[Program, ...]:
    """Container engines; version is empty where the engine's service does not answer."""
    found = []
    for name, words in (
        ("docker", ("version", "--format", "{{.Server.Version}}")),
        ("podman", ("version", "--format", "{{.Version}}")),
    ):
        if path := find_program(name):
            match = _VERSION.search(_ask(runner, path, *words))
            found.append(Program(name=name, path=path, version=match[0] if match else ""))
    return tuple(found)


def find_driver(runner: Runner) -> str:
    """The version of the GPU driver, empty where there is none; as its kernel module says."""
    return _module_version() or find_gpus(runner)[0]  # under WSL the module is out of sight


def find_gpus(runner: Runner) -> tuple[str, tuple[Gpu, ...]]:
    """The driver's version and its GPUs; empty where there is none."""
    driver = _module_version()
    path = find_program("nvidia-smi")
    if not path:
        return driver, ()
    query = "--query-gpu=name,compute_cap,memory.total,driver_version"
    rows = _ask(runner, path, query, "--format=csv,noheader,nounits").splitlines()
    gpus = []
    for row in rows:
        cells = [cell.strip() for cell in row.split(",")]
        if len(cells) == 4 and re.fullmatch(r"\d+\.\d+", cells[1]):
            memory = int(float(cells[2])) if cells[2].replace(".", "").isdigit() else 0
            architecture = f"sm_{cells[1].replace('.', '')}"
            gpus.append(Gpu(name=cells[0], architecture=architecture, memory_mb=memory))
            driver = cells[3]
    return driver, tuple(gpus)


# --- inside ------------------------------------------------------------------------------------


def _is_recent(python: Interpreter) -> bool:
    return tuple(map(int, python.version.split(".")[:2])) >= _OLDEST_PYTHON


def _ask(runner: Runner, *words: str) -> str:
    """What a program prints, or nothing where it fails."""
    try:
        return runner.run(Command(argv=words, timeout=_SECONDS, quiet=True, cwd="/")).stdout
    except TfbuildError:
        return ""


def _read(path: str | Path) -> str:
    return text_of(Path(path))


def _os_release() -> dict[str, str]:
    try:
        return platform.freedesktop_os_release()
    except OSError:
        return {}


def _module_version() -> str:
    match = re.search(r"Kernel Module.*?\s(\d+\.[\d.]+)", _read(_DRIVER_MODULE))
    return match[1] if match else ""


def _glibc() -> str:
    try:
        return (os.confstr("CS_GNU_LIBC_VERSION") or "").removeprefix("glibc ").strip()
    except (ValueError, OSError):
        return ""


def _cpu_info() -> dict[str, str]:
    first = _read("/proc/cpuinfo").partition("\n\n")[0]
    pairs = (line.partition(":") for line in first.splitlines())
    return {name.strip(): value.strip() for name, _, value in pairs}


def _python_candidates() -> Iterable[str]:
    """Paths worth asking; starters that are scripts (shims) are left out."""
    home = named_path("~")
    named = [find_program(name) for name in ("python3", *(f"python3.{n}" for n in range(9, 16)))]
    stores = (
        (Path(os.environ.get("PYENV_ROOT") or home / ".pyenv"), "versions/3.*/bin/python3"),
        (home / ".local/share/uv/python", "cpython-3.*/bin/python3"),
        (Path("/opt/python"), "cp3*/bin/python3"),
    )
    stored = [
        str(path)
        for base, pattern in stores
        for path in _below(base, pattern)
        if not _is_named_old(path.relative_to(base))
    ]
    seen = {str(real_path(Path(sys.executable)))}
    yield sys.executable
    for path in filter(None, [*named, *stored]):
        real = real_path(Path(path))
        if str(real) not in seen and _is_elf(real):
            seen.add(str(real))
            yield path


def _below(folder: Path, pattern: str) -> list[Path]:
    """What a folder has; one of another user, as PYENV_ROOT names it after `su`, has nothing."""
    try:
        return sorted(folder.glob(pattern))
    except PermissionError:
        return []


def _is_named_old(path: Path) -> bool:
    """Whether the name of its folder says that a Python is too old to be asked: versions/3.6.15."""
    match = re.search(r"(?:cpython-|versions/|cp)(3)\.?(\d+)", path.as_posix())
    return match is not None and (int(match[1]), int(match[2])) < _OLDEST_PYTHON


def _is_elf(path: Path) -> bool:
    try:
        with path.open("rb") as stream:
            return stream.read(4) == b"\x7fELF"
    except OSError:
        return False
