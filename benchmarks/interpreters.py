"""The Pythons that are measured, and what they lack."""

import subprocess
from pathlib import Path


def lack_of(python: Path, imports: str) -> str:
    """Why that Python cannot run a line of imports; '' where it can."""
    if not python.is_file():
        return f"there is no interpreter {python}"
    tried = subprocess.run([python, "-c", imports], capture_output=True, text=True, check=False)
    if tried.returncode == 0:
        return ""
    why = tried.stderr.strip().rpartition("\n")[2]
    return f"{python} cannot {imports} ({why})"
