"""Whose container is it, and does its maker still live: names owners, and clears what was left.

A container ends with the process that holds its lease. Where that fails (the engine was restarted,
the machine went down) the next start finds the owner's name in a label and removes what nobody
owns any more.
"""

import os
import platform
from collections.abc import Iterable
from pathlib import Path
from typing import Protocol

from tfbuild.core.safe_files import text_of
from tfbuild.fetch.cache import name_cache

LABEL = "org.tfbuild"
OWNER = f"{LABEL}.owner"
KIND = f"{LABEL}.kind"
CACHE_OF = f"{LABEL}.cache"  # of images and volumes: the cache folder of the builds that made them
CACHE_ID_OF = f"{LABEL}.cache-id"  # NAME@MACHINE: another machine may have such a folder, too


class Clearable(Protocol):
    """What the reaper needs of an engine."""

    def labelled(self, label: str) -> Iterable[tuple[str, str]]:
        """Identity and that label's text of every container that has it, stopped ones too."""

    def remove(self, container: str) -> None:
        """Stop and remove a container; one that is gone already is no error."""


def cache_labels(cache: Path) -> dict[str, str]:
    """The labels of what is made for the builds of a cache."""
    return {CACHE_OF: str(cache), CACHE_ID_OF: f"{name_cache(cache)}@{platform.node()}"}


def owner() -> str:
    """This process as a label: machine, its start, and the process with its own start."""
    return f"{_machine()}:{_boot()}:{os.getpid()}:{_started(os.getpid())}"


def lives(label: str) -> bool:
    """Whether the process that a label names still runs; one of another machine may well."""
    machine, _, rest = label.partition(":")
    boot, _, process = rest.partition(":")
    pid, _, started = process.partition(":")
    if not (pid.isdigit() and started):
        return True  # not written by us: leave it alone
    if machine != _machine():
        return True
    return boot == _boot() and _started(int(pid)) == started


def clear(engine: Clearable) -> int:
    """Remove every container whose owner is gone, and say how many there were."""
    orphans = [name for name, label in engine.labelled(OWNER) if not lives(label)]
    for name in orphans:
        engine.remove(name)
    return len(orphans)


# --- inside ------------------------------------------------------------------------------------


def _machine() -> str:
    """The machine, and which processes can be seen: a container that shares the socket is apart."""
    try:
        space = os.stat("/proc/self/ns/pid").st_ino  # noqa: PTH116  (follows the link as it is)
    except OSError:
        space = 0
    return f"{platform.node()}/{space}".replace(":", "-")


def _boot() -> str:
    return text_of(Path("/proc/sys/kernel/random/boot_id")).strip() or "unknown"


def _started(pid: int) -> str:
    """When a process began, in ticks since the start of the machine; empty when it is gone."""
    text = text_of(Path(f"/proc/{pid}/stat"))
    fields = text.rpartition(")")[2].split()  # a name may hold blanks and brackets
    return fields[19] if fields and fields[0] != "Z" else ""
