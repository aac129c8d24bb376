"""A few words that stand for many lines: how many passed, which versions."""

import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

from tfbuild.core.counts import counted

# What the cells of a matrix are compared by, beside what was asked for.
COMPARED = ("version", "gcc", "clang", "bazel", "numpy", "cuda", "cudnn", "glibc")

_PYTHON_TAG = re.compile(r"-cp(\d)(\d+)-[^-/]+-[^-/]+\.whl$")


def tally(states: Sequence[str], order: Sequence[str] = ("passed", "failed", "skipped")) -> str:
    """How many of each: 12 passed, 2 skipped."""
    counts = {state: states.count(state) for state in order}
    return ", ".join(f"{count} {state}" for state, count in counts.items() if count)


def peak_text(name: str, *, achieved: float, peak: float, low: float, high: float) -> str:
    """The share of the machine's peak that a measurement reaches, with the spread of its rounds.

    No share is more than the whole: reports of older releases hold such.
    """
    spread = f"{min(low, 1):.0%} to {min(high, 1):.0%} in the rounds"
    if achieved >= peak:
        return f"{name}: at this machine's measured peak ({spread})"
    return f"{name}: {achieved / peak:.0%} of this machine's measured peak ({spread})"


def near(path: Path) -> Path:
    """The path as one types it here: without the folder that one is in."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path


def install_command(wheel: str) -> str:
    """What one types to install a wheel; names the Python that it is for, where it is for one."""
    python = _python_of(wheel)
    return f"{f'{python} -m pip' if python else 'pip'} install {shlex.quote(wheel)}"


def install_command_here(wheel: str, system: Path = Path("/usr/lib")) -> str:
    """What one types on this machine; a Python that the system manages takes no wheel (PEP 668)."""
    python = _python_of(wheel)
    if python and (system / python / "EXTERNALLY-MANAGED").is_file():
        return f"{python} -m venv venv && venv/bin/pip install {shlex.quote(wheel)}"
    return install_command(wheel)


def _python_of(wheel: str) -> str:
    """The name of the Python that a wheel is for: python3.11; empty where it is for several."""
    python = _PYTHON_TAG.search(wheel)
    return f"python{python[1]}.{python[2]}" if python else ""


def unpack_command(archive: str) -> str:
    """What one types to unpack an archive."""
    return f"tar -xf {shlex.quote(archive)}"


def wheel_command(stage: str, wheel: str) -> str:
    """What one types to do one stage on a wheel alone; empty for a stage that no command does."""
    return f"tfbuild {stage} {shlex.quote(wheel)}" if stage in {"audit", "smoke", "perf"} else ""


def log_command(log: str) -> str:
    """What one types to learn why something failed."""
    return f"tfbuild diagnose {shlex.quote(log)}"


def load_text(load: float, cpus: int) -> str:
    """How much a machine had to do: load 10 on 2 processors."""
    return f"load {load:.0f} on {cpus} processor{'' if cpus == 1 else 's'}"


def undecided_text(load: float, cpus: int) -> str:
    """What is said of a comparison that could not be decided; never a number that looks like one.

    Reports of older releases do not say the load.
    """
    return f"undecided ({load_text(load, cpus)})" if cpus else "undecided"


def counted_text(executed: int, elsewhere: int, cache_hits: int, remote_hits: int) -> str:
    """How many actions ran and how many came from caches: 3 actions, 90 from the cache.

    Other machines are named where they had a part in it.
    """
    ran = counted(executed, "action")
    if elsewhere:
        ran += f" ({elsewhere} on other machines)"
    hits = f"{cache_hits} from the cache"
    if remote_hits:
        hits += f" ({remote_hits} over the network)"
    return f"{ran}, {hits}"


def versions_text(versions: Mapping[str, str]) -> str:
    """The versions that cells are compared by: gcc 12.2, bazel 4.2.3."""
    return ", ".join(f"{axis} {versions[axis]}" for axis in COMPARED if axis in versions)
