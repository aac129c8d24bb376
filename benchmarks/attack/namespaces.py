"""Neighbours that cannot see each other's processes, at work in one cache at once; some are killed.

Each is in a PID and a mount namespace of its own, as in two containers: a number of a process means
another one there, or none. What is believed in the end must be whole.
"""

import ctypes
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.attack.kept import check_toolkit, kept_packages
from benchmarks.attack.trial import Call
from tfbuild.core.any_tree import remove_tree
from tfbuild.core.layout import TOOLKITS, UNPACKED

_NEW_SPACES = 0x20000000 | 0x00020000  # CLONE_NEWPID | CLONE_NEWNS
_PRIVATE = 0x40000 | 0x4000  # MS_PRIVATE | MS_REC
# Before the words of a program: it runs in namespaces of its own, which end with it.
IN_SPACE = (
    "unshare", "--pid", "--fork", "--mount-proc", "--kill-child", "--propagation", "private",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class SharedCache:
    """A cache of packages that are not unpacked, or half, for several neighbours."""

    stock: Path

    def make(self, chance: random.Random, folder: Path) -> Call:
        """A copy of the cache; the words say when each neighbour begins and when it is killed."""
        shutil.copytree(self.stock / "cache", folder / "cache", symlinks=True)
        shutil.copy(self.stock / "plan.json", folder)
        for place in (UNPACKED, TOOLKITS):
            if chance.random() < 0.9:
                remove_tree(place.path(folder / "cache"))
        times = []
        for _ in range(chance.randint(2, 4)):
            begins, lives = chance.random() * 0.05, chance.choice((0.0, 0.0, chance.random() * 0.3))
            times.append(f"{begins:.4f}:{lives:.4f}")
        return Call(words=tuple(times))


def shared_cache(stock: Path) -> SharedCache:
    """The maker; its packages have files enough that two neighbours meet."""
    return SharedCache(kept_packages(stock, copies=60).stock)


def meet() -> None:
    """Let every neighbour ask for the toolkit; ends with 1 where one was given a wrong one."""
    if not can_part():
        return
    lines = [word.partition(":") for word in sys.argv[1:]]
    children = {_neighbour(float(begins)): float(lives) for begins, _, lives in lines}
    began = time.monotonic()
    for child, lives in sorted(children.items(), key=lambda item: item[1] or 99):
        if lives:
            time.sleep(max(0.0, began + lives - time.monotonic()))
            os.kill(child, signal.SIGKILL)
    codes = {child: os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children}
    if wrong := [code for child, code in codes.items() if code and not children[child]]:
        sys.exit(f"a neighbour ended with {wrong[0]}")
    check_toolkit(Path("cache").absolute())


def can_part() -> bool:
    """Whether this machine gives us namespaces."""
    done = subprocess.run([*IN_SPACE, "true"], capture_output=True, check=False)
    return done.returncode == 0


# --- inside ------------------------------------------------------------------------------------


def _neighbour(begins: float) -> int:
    """A process whose only child is the first of a new PID namespace; both end together."""
    return _forked(lambda: _first(begins))


def _first(begins: float) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    _heed(libc.unshare(_NEW_SPACES))
    child = _forked(lambda: _work(libc, begins))
    _, status = os.waitpid(child, 0)
    os._exit(1 if status else 0)


def _work(libc: ctypes.CDLL, begins: float) -> None:
    _heed(libc.mount(b"none", b"/", None, _PRIVATE, None))
    _heed(libc.mount(b"proc", b"/proc", b"proc", 0, None))
    time.sleep(begins)
    check_toolkit(Path("cache").absolute())


def _forked(act: Callable[[], None]) -> int:
    child = os.fork()
    if child == 0:
        code = 1
        try:
            _heed(ctypes.CDLL(None).prctl(1, signal.SIGKILL, 0, 0, 0))  # it ends with its parent
            act()
            code = 0
        except SystemExit as error:
            sys.stderr.write(f"{error.code}\n")
        except BaseException as error:  # noqa: BLE001  (a fork must not go on as its parent)
            sys.stderr.write(f"{type(error).__name__}: {error}\n")
        finally:
            sys.stderr.flush()
            os._exit(code)
    return child


def _heed(answer: int) -> None:
    if answer:
        raise OSError(ctypes.get_errno(), "the kernel refuses namespaces")
