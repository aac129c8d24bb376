"""The audit of libraries that are delivered in a folder, without a wheel around them."""

import re
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from fnmatch import fnmatchcase
from pathlib import Path

from tfbuild.core.records import AuditPolicy
from tfbuild.core.reports import AuditFinding
from tfbuild.core.safe_files import read_bytes
from tfbuild.facts.rows import Target
from tfbuild.wheels import code_checks as code
from tfbuild.wheels import link_checks as link
from tfbuild.wheels.audit_subject import LibrarySubject, finding, some
from tfbuild.wheels.elf import read_elf
from tfbuild.wheels.libraries import Library, UnreadLibrary, library_of

_LARGEST = 8 << 30


def audit_libraries(
    files: Mapping[str, Path], policy: AuditPolicy, target: Target
) -> tuple[AuditFinding, ...]:
    """The findings about libraries by their names in the folder, links among them left out.

    What cannot be read for sure is a failed finding, as is a folder without any library.
    """
    subject = read_subject(files, policy)
    if not subject.libraries and not subject.unread:
        return (finding("libraries", "at least one", "none", ["the folder holds no library"]),)
    names = {Path(name).name for name in files}
    judged = _of_libraries(subject, target, names) if subject.libraries else ()
    return (*code.check_readable(subject), *judged)


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
        if not link.is_system_library(name)
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
        raw = read_bytes(path, _LARGEST)
        return library_of(name, raw, read_elf(name, raw))
    except ValueError as error:
        return UnreadLibrary(path=name, why=str(error))


def _of_libraries(
    subject: LibrarySubject, target: Target, names: set[str]
) -> Iterator[AuditFinding]:
    policy = subject.policy
    yield _check_identity(subject, target, names)
    yield link.judge_glibc(subject, policy.glibc_ceiling)
    yield link.judge_libstdcxx(subject, policy.libstdcxx_ceiling)
    yield check_needed(subject, names)
    yield link.check_opened(subject)
    yield _check_search_paths(subject)
    yield link.check_build_paths(subject)
    yield link.check_hardening(subject)
    yield from code.check_device_code(subject)
    yield from code.check_cpu_level(subject)


def _check_identity(subject: LibrarySubject, target: Target, names: set[str]) -> AuditFinding:
    """Whether each is for the target, and programs that are linked with it find it by its name."""
    problems = [
        f"{library.path} is for {library.machine}"
        for library in subject.libraries
        if library.machine != target.elf
    ]
    problems += [
        f"programs that link {library.path} look for '{library.soname}', which is not there"
        for library in subject.libraries
        if library.soname not in names
    ]
    built = ", ".join(library.name for library in subject.libraries)
    return finding("identity", f"for {target.version}, found by its name", built, some(problems))


def _check_search_paths(subject: LibrarySubject) -> AuditFinding:
    """Whether libraries are looked for beside them alone; what Bazel leaves there is told."""
    entries = [(library.path, entry) for library in subject.libraries for entry in library.search]
    wrong = [f"{path} looks in '{entry}'" for path, entry in entries if not _is_relative(entry)]
    leads_out = sorted({entry for _, entry in entries if ".." in entry.split("/")})
    told = f"told, not judged: they lead out: {'; '.join(some(leads_out))}" if leads_out else ""
    return finding(
        "search paths",
        "relative to the library",
        " ".join(sorted({entry for _, entry in entries})) or "none",
        some(wrong),
        skipped=told,
    )


def _is_relative(entry: str) -> bool:
    return re.match(r"\$(ORIGIN|\{ORIGIN\})(/|$)", entry) is not None
