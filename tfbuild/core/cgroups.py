"""Limits of control groups, both versions: what the group of this process and those above allow."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tfbuild.core.safe_files import text_of

ROOT = Path("/sys/fs/cgroup")
SELF = Path("/proc/self/cgroup")
_UNLIMITED = 1 << 60  # version 1 writes a number near 2**63 where there is no limit


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """One limit and the folder of the group that sets it; free is what is left below it."""

    amount: int
    free: int
    where: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kind:
    """How the two versions name the files of one controller."""

    limit: str
    used: str
    cache: str  # the line of memory.stat with what can be given back at once


_V2 = (
    _Kind(limit="memory.max", used="memory.current", cache="inactive_file"),
    # Above `high` a group is slowed down until it hardly moves: for a build that is a limit.
    _Kind(limit="memory.high", used="memory.current", cache="inactive_file"),
)
_V1 = (
    _Kind(limit="memory.limit_in_bytes", used="memory.usage_in_bytes", cache="total_inactive_file"),
)


def memory_limits(root: Path | None = None, own: Path | None = None) -> tuple[Limit, ...]:
    """Limits of memory in bytes, of the own group and of every group above it that is visible."""
    found = []
    for folder in group_folders("memory", root, own):
        for kind in (*_V2, *_V1):
            amount = _number(folder / kind.limit)
            if amount is not None and amount < _UNLIMITED:
                used = (_number(folder / kind.used) or 0) - _given_back(folder, kind)
                free = max(0, amount - max(0, used))
                found.append(Limit(amount=amount, free=free, where=str(folder / kind.limit)))
    return tuple(found)


def memory_kills(root: Path | None = None, own: Path | None = None) -> int | None:
    """How many programs of the own group and those above the kernel has ended for memory.

    None where no group counts them.
    """
    found = None
    for folder in group_folders("memory", root, own):
        for name in ("memory.events", "memory.oom_control"):
            match = re.search(r"^oom_kill (\d+)$", _read(folder / name), re.MULTILINE)
            found = (found or 0) + int(match[1]) if match else found
    return found


def memory_stall(root: Path | None = None, own: Path | None = None) -> float:
    """The share of the last ten seconds in which a whole group waited for memory, 0 to 100.

    The highest of the own group and those above it; 0 where the kernel does not say.
    """
    shares = [_stalled(folder / "memory.pressure") for folder in group_folders("memory", root, own)]
    return max(shares, default=0.0)


def cpu_limits(root: Path | None = None, own: Path | None = None) -> tuple[float, ...]:
    """Processors that the own group and those above may use at once, one number per limit."""
    found = []
    for folder in group_folders("cpu", root, own):
        words = _read(folder / "cpu.max").split()
        words = words or [
            _read(folder / f"cpu.cfs_{name}_us").strip() for name in ("quota", "period")
        ]
        if len(words) == 2 and all(word.isdigit() and int(word) for word in words):
            found.append(int(words[0]) / int(words[1]))
    return tuple(found)


def process_limits(root: Path | None = None, own: Path | None = None) -> tuple[Limit, ...]:
    """How many processes and threads the groups may have, and how many more are free."""
    found = []
    for folder in group_folders("pids", root, own):
        amount = _number(folder / "pids.max")
        if amount is not None:
            free = max(0, amount - (_number(folder / "pids.current") or 0))
            found.append(Limit(amount=amount, free=free, where=str(folder / "pids.max")))
    return tuple(found)


def group_folders(
    controller: str, root: Path | None = None, own: Path | None = None
) -> Sequence[Path]:
    """Folders that may hold limits of this process for a controller, the innermost first.

    Inside a container the path that the kernel names may lie outside what is mounted; then the
    mounted root stands for the container's own group.
    """
    root, own = root or ROOT, own or SELF
    paths = dict(_own_paths(_read(own)))
    found: list[Path] = []
    for base, path in (
        (root, paths.get("")),
        (root / "unified", paths.get("")),
        (_mount(root, controller), paths.get(controller)),
    ):
        if path is not None and base.is_dir():
            found += [folder for folder in _upwards(base, path) if folder not in found]
    return found


# --- inside ------------------------------------------------------------------------------------


def _own_paths(text: str) -> Iterator[tuple[str, str]]:
    """Controller -> path, as /proc/self/cgroup has them; version 2 under an empty name."""
    for line in text.splitlines():
        match = re.fullmatch(r"\d+:([^:]*):(/.*)", line)
        if match:
            for controller in match[1].split(","):
                yield controller, match[2]


def _mount(root: Path, controller: str) -> Path:
    """Where version 1 has a controller: by its own name, or mounted together with others."""
    plain = root / controller
    if plain.is_dir() or not root.is_dir():
        return plain
    joined = (p for p in sorted(root.iterdir()) if controller in p.name.split(","))
    return next(joined, plain)


def _upwards(base: Path, path: str) -> Iterator[Path]:
    """The group's folder and those above it up to base; those that cannot be seen are left out."""
    folder = base / path.strip("/")
    while folder != base and base in folder.parents:
        if folder.is_dir() and ".." not in folder.parts:
            yield folder
        folder = folder.parent
    yield base


def _given_back(folder: Path, kind: _Kind) -> int:
    """Bytes of files that the kernel drops when a program wants the room.

    All that were not used lately and half of the others, as in the kernel's own MemAvailable.
    """
    text = _read(folder / "memory.stat")
    idle, used = (
        re.search(rf"^{name} (\d+)$", text, re.MULTILINE)
        for name in (kind.cache, kind.cache.replace("inactive", "active"))
    )
    return (int(idle[1]) if idle else 0) + (int(used[1]) // 2 if used else 0)


def _stalled(path: Path) -> float:
    match = re.search(r"^full avg10=([\d.]+)", _read(path), re.MULTILINE)
    return float(match[1]) if match else 0.0


def _number(path: Path) -> int | None:
    """The whole number in a file; None for `max`, for nothing and for no file."""
    text = _read(path).strip()
    return int(text) if text.isdigit() else None


def _read(path: Path) -> str:
    return text_of(path)
