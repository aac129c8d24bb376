"""Which files of a folder are programs: Python that imports TensorFlow and runs a session."""

import random
import re
from collections import defaultdict
from fnmatch import fnmatch
from pathlib import Path

_IMPORTS = re.compile(r"^\s*(?:import|from)\s+tensorflow\b", re.MULTILINE)
_RUNS = re.compile(r"Session\b|\bEstimator\(|tf\.app\.run\(")
_MOST_BYTES = 1 << 20  # of one program


def programs_of(folder: Path, only: str, sample: int, seed: int) -> tuple[Path, ...]:
    """The programs, relative to the folder and in order, whose path or name fits the pattern.

    With a sample at most so many of each folder directly below, drawn by the seed.
    """
    groups: dict[str, list[Path]] = defaultdict(list)
    for file in sorted(folder.rglob("*.py")):
        path = file.relative_to(folder)
        if (fnmatch(str(path), only) or fnmatch(path.stem, only)) and _is_program(file):
            groups[path.parts[0]].append(path)
    drawn = random.Random(seed)
    chosen = []
    for _, paths in sorted(groups.items()):
        chosen += drawn.sample(paths, sample) if 0 < sample < len(paths) else paths
    return tuple(sorted(chosen))


def _is_program(file: Path) -> bool:
    if not file.is_file() or file.stat().st_size > _MOST_BYTES:
        return False
    text = file.read_bytes().decode(errors="replace")
    if not (_IMPORTS.search(text) and _RUNS.search(text)):
        return False
    try:
        compile(text, str(file), "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        return False
    return True
