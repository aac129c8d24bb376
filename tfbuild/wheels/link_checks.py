"""Checks of what libraries need, link, carry along, open and leave behind."""

import re
from collections.abc import Iterable

from tfbuild.core.counts import counted
from tfbuild.core.reports import AuditFinding
from tfbuild.wheels.audit_subject import AuditSubject, LibrarySubject, finding, left_open, some
from tfbuild.wheels.elf import version_key

_NEVER_INSIDE = ("libcuda.so", "libnvidia-", "libpython3", "libc.so", "libm.so", "libpthread.so")
_SYSTEM = re.compile(r"(lib(c|m|dl|rt|pthread|util|gcc_s|stdc\+\+|atomic)|ld-linux[\w-]*)\.so.*")


def judge_glibc(subject: LibrarySubject, ceiling: str) -> AuditFinding:
    """Whether the newest glibc symbol stays below the ceiling; only stated where there is none."""
    newest, where = _newest((library.glibc, library.name) for library in subject.libraries)
    built = f"{newest or 'none'}" + (f" ({where})" if where else "")
    if not ceiling:
        return left_open(subject, "glibc", built)
    return finding("glibc", f"at most {ceiling}", built, _above(subject, "glibc", ceiling))


def judge_libstdcxx(subject: LibrarySubject, ceiling: str) -> AuditFinding:
    """Whether the newest libstdc++ symbols stay below the ceiling; only stated without one."""
    newest, where = _newest((library.libstdcxx, library.name) for library in subject.libraries)
    abi, _ = _newest((library.cxxabi, library.name) for library in subject.libraries)
    built = f"GLIBCXX {newest or 'none'}, CXXABI {abi or 'none'}" + (f" ({where})" if where else "")
    if not ceiling:
        return left_open(subject, "libstdc++", built)
    asked = f"at most GLIBCXX {ceiling}"
    return finding("libstdc++", asked, built, _above(subject, "libstdcxx", ceiling))


def _newest(found: Iterable[tuple[str, str]]) -> tuple[str, str]:
    return max(found, key=lambda pair: version_key(pair[0]), default=("", ""))


def _above(subject: LibrarySubject, family: str, ceiling: str) -> list[str]:
    return [
        f"{library.path} needs {getattr(library, family)}"
        for library in subject.libraries
        if version_key(getattr(library, family)) > version_key(ceiling)
    ]


def is_system_library(name: str) -> bool:
    """Whether every Linux system with glibc and a C++ compiler's libraries has it."""
    return _SYSTEM.fullmatch(name) is not None


def check_needed(subject: AuditSubject) -> AuditFinding:
    """Whether every needed library is inside, part of the system, or of the environment."""
    excluded = subject.policy.excluded_libraries
    inside = {library.name for library in subject.libraries}
    inside |= {library.soname for library in subject.libraries}
    outside = sorted({n for lib in subject.libraries for n in lib.needed} - inside)
    foreign = [name for name in subject.analysis.external if name not in excluded]
    problems = [f"{name} is neither in the wheel nor part of every system" for name in foreign]
    asked = "in the wheel, or part of every system"
    if excluded:
        asked += f", or of the environment: {' '.join(excluded)}"
    if foreign and not subject.packing_planned:
        return finding("libraries needed", asked, " ".join(outside), skipped="; ".join(problems))
    return finding("libraries needed", asked, " ".join(outside) or "none", problems)


def check_inside(subject: LibrarySubject) -> AuditFinding:
    """Libraries of the driver, of Python and of the C library must never be carried along."""
    stems = [name.split(".so")[0] for name in subject.policy.excluded_libraries]
    problems = [
        f"{library.path} belongs to the environment"
        for library in subject.libraries
        if library.name.startswith(_NEVER_INSIDE)
        or any(re.match(rf"{re.escape(stem)}(-[0-9a-f]{{8}})?\.so", library.name) for stem in stems)
    ]
    copied = [library.name for library in subject.libraries if not library.own]
    return finding(
        "libraries inside",
        "none that belong to the environment",
        f"copied in: {' '.join(copied) or 'none'}",
        problems,
    )


def check_opened(subject: LibrarySubject) -> AuditFinding:
    """Whether only planned libraries can be opened at run time."""
    copied = {re.sub(r"(-[0-9a-f]{8})?\.so.*", "", lib.name) for lib in subject.libraries}
    names = {name for library in subject.own for name in library.opened}
    # The old name of a library that was copied in stays among the strings.
    found = [
        name
        for name in sorted(names)
        if not is_system_library(name) and name.partition(".so")[0] not in copied
    ]
    built = " ".join(found) or "none"
    if not subject.packing_planned:
        return left_open(subject, "libraries opened at run time", built)
    allowed = {*subject.policy.runtime_libraries, *subject.policy.excluded_libraries}
    problems = [f"{name} was not planned" for name in found if name not in allowed]
    return finding(
        "libraries opened at run time",
        f"at most {' '.join(sorted(allowed))}" if allowed else "none",
        built,
        problems,
    )


def check_search_paths(subject: LibrarySubject) -> AuditFinding:
    """Whether libraries are looked for within the site folder alone."""
    entries = sorted({entry for library in subject.libraries for entry in library.search})
    problems = [
        f"{library.path} looks in '{entry}'"
        for library in subject.libraries
        for entry in library.search
        if not stays_inside(entry, library.path.count("/"))
    ]
    asked, built = "relative, within the site folder", " ".join(entries) or "none"
    if problems and not subject.packing_planned:
        return finding("search paths", asked, built, skipped="; ".join(some(problems)))
    return finding("search paths", asked, built, problems)


def stays_inside(entry: str, depth: int) -> bool:
    """Whether an entry begins at the library and does not lead above the site folder."""
    if not re.match(r"\$(ORIGIN|\{ORIGIN\})(/|$)", entry):
        return False
    return stays_below(entry.partition("/")[2], depth)


def stays_below(path: str, depth: int) -> bool:
    """Whether a relative path, from so many folders deep, does not lead above all of them."""
    level = depth
    for part in path.split("/"):
        level += -1 if part == ".." else 1 if part not in {"", "."} else 0
        if level < 0:
            return False
    return True


def check_build_paths(subject: LibrarySubject) -> AuditFinding:
    """Whether the machine that built it has left its paths."""
    paths = [(library.name, path) for library in subject.own for path in library.build_paths]
    problems = some([f"{name} holds {path}" for name, path in paths])
    asked = "no path of the machine that built it"
    if paths and not subject.packing_planned:
        return finding(
            "build paths", asked, counted(len(paths), "path"), skipped="; ".join(problems)
        )
    return finding("build paths", asked, counted(len(paths), "path") if paths else "none", problems)


def check_hardening(subject: LibrarySubject) -> AuditFinding:
    """Whether stack and code are protected as usual."""
    problems = [
        f"{lib.path} has an executable stack" for lib in subject.own if lib.executable_stack
    ]
    problems += [
        f"{lib.path} is written to while loading" for lib in subject.own if lib.writes_text
    ]
    asked = "no executable stack, no relocated code"
    return finding(
        "hardening", asked, f"{counted(len(subject.own), 'library')} looked at", problems
    )


def check_symbols(subject: LibrarySubject) -> AuditFinding:
    """Whether the libraries are stripped."""
    kept = [library.name for library in subject.own if library.has_symbol_table]
    built = f"symbol tables in: {' '.join(kept) or 'none'}"
    if not subject.packing_planned:
        return left_open(subject, "symbols", built)
    return finding("symbols", "stripped", built, [f"{name} is not stripped" for name in kept])
