"""Runs pip where it chooses and fetches wheels: it may start no other program.

pip builds a source distribution wherever the metadata of a package names one by its address,
whatever --only-binary says: whoever serves metadata could run code here. Building needs programs,
so none starts but what pip needs for itself: keyring for a login, musl's loader for its version.

Words: the file __pip-runner__.py of the pip to run, then pip's own. For any Python since 3.9,
without tfbuild's modules.
"""

import os
import runpy
import sys
from pathlib import PurePath
from typing import Any

_STARTS = frozenset(
    ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.fork",
     "os.forkpty", "pty.spawn", "os.startfile")
)  # fmt: skip


def _refuse(event: str, arguments: tuple[Any, ...]) -> None:
    """Raise PermissionError where a program is to start: pip goes on without what only helps it."""
    if event not in _STARTS:
        return
    program = PurePath(os.fsdecode(arguments[0])).name if arguments else event
    if program != "keyring" and not program.startswith("ld-musl"):
        raise PermissionError(f"tfbuild lets pip start no program, not {program}")


if __name__ == "__main__":
    _runner = sys.argv[1]
    sys.argv[:2] = [_runner]
    sys.addaudithook(_refuse)
    runpy.run_path(_runner, run_name="__main__")
