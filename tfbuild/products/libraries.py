"""What the libraries and programs of a product's folder say of themselves, and what they need."""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from fnmatch import fnmatchcase
from pathlib import Path

from tfbuild.core.plans import AuditPolicy
from tfbuild.core.reports import AuditFinding
from tfbuild.core.safe_files import read_bytes
from tfbuild.products.folder import LARGEST
from tfbuild.wheels.audit_subject import LibrarySubject, finding, some
from tfbuild.wheels.elf import read_elf
from tfbuild.wheels.libraries import Library, UnreadLibrary, library_of
from tfbuild.wheels.link_checks import is_system_library


def read_subject(files: Mapping[str, Path], policy: AuditPolicy) -> LibrarySubject:
    """The facts of libraries and programs by their names in the folder, links left out."""
    read = [_read(name, path) for name, path in sorted(files.items()) if not path.is_symlink()]
    return LibrarySubject(
        libraries=tuple(one for one in read if isinstance(one, Library)),
        unread=tuple(one for one in read if isinstance(one, UnreadLibrary)),
        policy=policy,
        planned=True,
    )


def check_needed(subject: LibrarySubject, names: AbstractSet[str]) -> AuditFinding:
    """Whether what they need is beside them, or part of every system, or of the environment.

    A star in the name of one of the environment stands for any letters: libx264.so.*
    """
    allowed = subject.policy.excluded_libraries
    needed = {name for library in subject.libraries for name in library.needed}
    outside = sorted(needed - names)
    problems = [
        f"{name} is neither beside them nor part of every system"
        for name in outside
        if not is_system_library(name)
        and not any(fnmatchcase(name, pattern) for pattern in allowed)
    ]
    return finding(
        "libraries needed",
        "beside them, or part of every system",
        " ".join(outside) or "none",
        some(problems),
    )


# --- inside ------------------------------------------------------------------------------------


def _read(name: str, path: Path) -> Library | UnreadLibrary:
    try:
        raw = read_bytes(path, LARGEST)
        return library_of(name, raw, read_elf(name, raw))
    except ValueError as error:
        return UnreadLibrary(path=name, why=str(error))
