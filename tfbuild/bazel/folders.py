"""Folders that Bazel can work in, checked before it is started."""

import re
from pathlib import Path

from tfbuild.core.errors import EnvironmentFailed
from tfbuild.core.paths import Folders

# Its Java takes names beyond ASCII for others, wherever no Latin locale is installed; an rc file
# has no way to write quotes and backslashes, nor --override_repository a second equals sign.
_MARKS = r"!#-<>-\[\]-~"


def require_usable(source: Path, folders: Folders) -> None:
    """Raise EnvironmentFailed where source tree, cache or work folder have paths unfit for Bazel.

    It would make folders of other names beside them, or fail in the middle. Links do not help: it
    follows them.
    """
    wrong = [
        (what, path, remedy)
        for what, path, marks, remedy in (
            ("source tree", source, _MARKS, "move the source tree to such a folder"),
            ("cache", folders.cache, _MARKS, "set TFBUILD_CACHE_DIR to such a folder"),
            ("work folder", folders.work, f" {_MARKS}", "set TFBUILD_WORK_DIR to such a folder"),
        )
        if re.fullmatch(f"[{marks}]+", str(path)) is None
    ]
    if wrong:
        raise EnvironmentFailed(
            "Bazel cannot work in " + " and ".join(f"the {what} {path}" for what, path, _ in wrong),
            code="path-unfit-for-bazel",
            why='it takes paths in ASCII without quotes ("), backslashes and equals signs, and for '
            "source tree and cache without blanks",
            hint="; ".join(remedy for *_, remedy in wrong) + ", for example below /var/tmp",
        )
