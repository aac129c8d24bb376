"""Deliveries that are killed in the middle, in processes of their own."""

import os
import signal
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tfbuild.builds.delivery import delivery

_CHANGES = ("mkdir", "link", "rename", "replace", "unlink", "rmdir")  # of names, by os


def deliver_and_die(
    folder: Path, files: Mapping[str, str], last: str, changes: int, among: tuple[str, ...] = ()
) -> bool:
    """Deliver in a process that kills itself after so many changes of names; whether it did."""

    def deliver() -> None:
        with delivery(folder, last=last) as aside:
            for name, text in files.items():
                (aside / name).write_text(text)

    return die_in(deliver, changes, among)


def die_in(act: Callable[[], None], changes: int, among: tuple[str, ...] = ()) -> bool:
    """Do it in a process that kills itself after so many changes of names; whether it did."""
    pid = os.fork()
    if pid:
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == -signal.SIGKILL
    left = iter(range(changes - 1, -1, -1))

    def counted(call: Callable[..., Any]) -> Callable[..., Any]:
        def counting(*words: Any, **more: Any) -> Any:
            if changes == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            done = call(*words, **more)
            if next(left, 1) == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return done

        return counting

    for name in among or _CHANGES:
        setattr(os, name, counted(getattr(os, name)))
    try:
        act()
    finally:
        os._exit(0)


def cut_off(folder: Path, files: Mapping[str, str], last: str) -> None:
    """Leave a delivery of which all lies ready and nothing has been moved."""
    assert deliver_and_die(folder, files, last, 0, among=("unlink",))
