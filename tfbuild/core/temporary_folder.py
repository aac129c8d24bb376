"""Folders for what is needed for a moment: gone when left, and however tfbuild ends."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tfbuild.core.lease import removed, temporary


@contextmanager
def temporary_folder(purpose: str = "") -> Iterator[Path]:
    """A folder of the caller alone, among the temporary files of the system.

    Raises OSError where none can be made; what cannot be removed at the end stays.
    """
    prefix = f"tfbuild-{purpose}-" if purpose else "tfbuild-"
    made = tempfile.TemporaryDirectory(prefix=prefix, ignore_cleanup_errors=True)
    folder = Path(made.name)
    temporary(folder)
    try:
        with made:
            yield folder
    finally:
        removed(folder)  # the name may be another's from now on
