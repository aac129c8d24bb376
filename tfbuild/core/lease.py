"""Programs and temporary folders end with tfbuild, however it ends: a watcher sees to it.

The watcher is this file, run by itself. It reads a pipe that tfbuild alone holds open: what it
learns is which programs are about to start, run (since when), are paused and have ended, which
folders are temporary, and that tfbuild is gone when the pipe ends. No program needs to know; a
daemon in a session of its own is left alone, but that what is paused of it goes on.
"""

import os
import re
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

_ROUNDS = 5
_PIPE = re.compile(r"pipe:\[\d+\]")
_NUMBER = re.compile("[2-9]|[1-9][0-9]{1,9}")  # of a process that may be ours
_HEX = re.compile("(?:[0-9a-f]{2})+")
_UNHEARD = (signal.SIGINT, signal.SIGHUP, signal.SIGTERM)
_starting = threading.Lock()
_opened: dict[int, tuple[int, int]] = {}  # our end of the pipe, and which file it is


def announce(pipe: int) -> str:
    """Report that a program is about to start that has a pipe of ours open; the pipe's name.

    Empty for anything but a pipe, which others may have open as well.
    """
    with suppress(OSError):
        name = os.readlink(f"/proc/self/fd/{pipe}")  # noqa: PTH115  (no path: pipe:[4711])
        if _PIPE.fullmatch(name):
            _send("about", name)
            return name
    return ""


def started(pid: int, name: str = "") -> None:
    """Report that a program runs, as the first of a process group, and has not been waited for."""
    _send("runs", str(pid), _began(pid), name)


def ended(pid: int) -> None:
    """Report that a program has ended."""
    _send("ended", str(pid))


def forget(name: str) -> None:
    """Report that a program that was announced could not be started."""
    _send("forget", name)


def paused(pid: int) -> None:
    """Report that a program is about to be paused, which must not outlast tfbuild."""
    _send("paused", str(pid), _began(pid))


def resumed(pid: int) -> None:
    """Report that a program that was paused goes on."""
    _send("resumed", str(pid))


def temporary(folder: Path) -> None:
    """Report that a folder, made for the caller alone, goes with tfbuild."""
    _send("temporary", os.fsencode(folder).hex())


def removed(folder: Path) -> None:
    """Report that a temporary folder is gone."""
    _send("removed", os.fsencode(folder).hex())


def watch(pipe: int) -> None:
    """Read reports until the pipe ends; then stop what runs still, and wake what is paused.

    What they have left in temporary folders goes with those.
    """
    known = _Known()
    with open(pipe, encoding="ascii", errors="replace") as lines:
        for line in lines:
            known.take(line.split())
    for pid, began in known.asleep.items():
        if _began(pid) == began:
            with suppress(OSError):
                os.kill(pid, signal.SIGCONT)
    for group, began in known.groups.items():
        # Where the first of a group is gone, its number belongs to the group alone.
        if _began(group) in {began, ""}:
            with suppress(OSError):
                os.killpg(group, signal.SIGKILL)
    for _ in range(_ROUNDS):
        for holder in _holders(known.announced):
            _stop(holder)
    for folder in known.folders:
        _remove(folder)


# --- inside ------------------------------------------------------------------------------------


class _Known:
    """What the watcher knows."""

    def __init__(self) -> None:
        self.announced: set[str] = set()
        # Each with when it began: a number may be another's by the end.
        self.groups: dict[int, str] = {}
        self.asleep: dict[int, str] = {}
        self.folders: set[str] = set()

    def take(self, words: list[str]) -> None:
        """Take one line; what has no beginning could be anybody, and is left out."""
        match words:
            case ["about", name]:
                self.announced.add(name)
            case ["forget", name]:
                self.announced.discard(name)
            case ["runs", pid, began, *names] if _NUMBER.fullmatch(pid) and began.isdecimal():
                self.groups[int(pid)] = began
                self.announced.difference_update(names)
            case ["ended", pid] if _NUMBER.fullmatch(pid):
                self.groups.pop(int(pid), None)
            case ["paused", pid, began] if _NUMBER.fullmatch(pid) and began.isdecimal():
                self.asleep[int(pid)] = began
            case ["resumed", pid] if _NUMBER.fullmatch(pid):
                self.asleep.pop(int(pid), None)
            case ["temporary", name] if _HEX.fullmatch(name):
                self.folders.add(name)
            case ["removed", name]:
                self.folders.discard(name)
            case _:
                pass


def _send(*words: str) -> None:
    """Write a line to the watcher; without one, programs run all the same."""
    with suppress(OSError):
        os.write(_pipe(), (" ".join(words).rstrip() + "\n").encode("ascii"))


def _pipe() -> int:
    """Our end of the pipe to the watcher, which is started when it is needed first."""
    with _starting:
        for ours, file in _opened.items():
            if _file(ours) == file:
                return ours
        _opened.clear()  # somebody has closed it, and its number may be another file's
        theirs, ours = os.pipe()
        os.set_blocking(ours, False)
        _opened[ours] = _file(ours)
        try:
            _start_watcher(theirs)
        finally:
            os.close(theirs)
        return ours


def _file(descriptor: int) -> tuple[int, int]:
    """Which file a number stands for; one that is closed stands for none."""
    try:
        state = os.fstat(descriptor)
    except OSError:
        return (0, 0)
    return (state.st_dev, state.st_ino)


def _leave() -> None:
    """In a fork: let go of the watcher, which must not wait for the end of us as well."""
    for ours, file in _opened.items():
        if _file(ours) == file:
            os.close(ours)
    _opened.clear()
    _starting.release()


os.register_at_fork(
    before=_starting.acquire, after_in_parent=_starting.release, after_in_child=_leave
)


def _start_watcher(pipe: int) -> None:
    """Start it in a session of its own, deaf to who asks all processes to end: it ends after us."""
    nowhere = [(os.POSIX_SPAWN_OPEN, n, os.devnull, os.O_WRONLY, 0) for n in (1, 2)]
    words = [sys.executable, "-I", "-S", str(Path(__file__))]
    actions = [(os.POSIX_SPAWN_DUP2, pipe, 0), *nowhere]
    from tfbuild.core.child_environment import child_environment  # the watcher is this file alone

    seen = child_environment(os.environ)
    with suppress(NotImplementedError):  # no such call: then without a watcher
        os.posix_spawn(
            words[0], words, seen, file_actions=actions, setsid=True, setsigmask=_UNHEARD
        )


def _began(pid: int) -> str:
    """When a process began, in the kernel's ticks; empty where it is gone, or nobody can say."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
    except OSError:
        return ""
    return "".join(stat.rpartition(")")[2].split()[19:20])


def _holders(names: set[str]) -> Iterator[int]:
    """The processes that have one of these pipes open."""
    for process in os.scandir("/proc") if names else ():
        with suppress(OSError):
            folder = f"/proc/{int(process.name)}/fd" if process.name.isdigit() else ""
            for entry in os.scandir(folder) if folder else ():
                if os.readlink(entry.path) in names:  # noqa: PTH115  (no path: pipe:[4711])
                    yield int(process.name)
                    break


def _stop(pid: int) -> None:
    """Stop a process, and its group where it has one of its own by now."""
    with suppress(OSError):
        if os.getpgid(pid) == pid:
            os.killpg(pid, signal.SIGKILL)
        os.kill(pid, signal.SIGKILL)


def _remove(name: str) -> None:
    """Remove a folder of ours, unless something else is mounted in it."""
    import shutil
    import time

    folder = os.fsdecode(bytes.fromhex(name))
    for _ in range(_ROUNDS):  # what was stopped just now may still write
        with suppress(OSError):
            mounts = Path("/proc/self/mountinfo").read_text(errors="surrogateescape")
            if f" {os.path.realpath(folder)}/" not in mounts:
                shutil.rmtree(folder, ignore_errors=True)
        if not os.path.lexists(folder):
            return
        time.sleep(0.2)


if __name__ == "__main__":
    os.chdir("/")
    watch(0)
