"""Reads the finished library back: what was asked, what is in it."""

from collections.abc import Iterator

from tfbuild.core.records import AuditPolicy
from tfbuild.core.reports import AuditFinding, AuditReport
from tfbuild.core.safe_files import read_bytes
from tfbuild.facts.rows import Target
from tfbuild.lite.records import LARGEST, LIBRARY, LiteLibrary, LitePlan
from tfbuild.wheels import link_checks as link
from tfbuild.wheels.audit_subject import LibrarySubject, finding, some
from tfbuild.wheels.elf import exported_names, read_elf
from tfbuild.wheels.libraries import Library, library_of

_LEVEL = "x86-64"


def audit_library(plan: LitePlan, library: LiteLibrary, target: Target) -> AuditReport:
    """Asked against built, line by line.

    A library that is no whole ELF file is one failed line.
    """
    try:
        raw = read_bytes(library.path, LARGEST)
        facts = library_of(LIBRARY, raw, read_elf(LIBRARY, raw))
        exported = exported_names(LIBRARY, raw)
    except ValueError as error:
        lines = [finding("library", "a whole ELF file", "broken", [str(error)])]
    else:
        lines = list(_findings(plan, library, facts, exported, target))
    return AuditReport(wheel=plan.archive, sha256=library.sha256, findings=tuple(lines))


def _findings(
    plan: LitePlan, library: LiteLibrary, facts: Library, exported: frozenset[str], target: Target
) -> Iterator[AuditFinding]:
    subject = LibrarySubject(libraries=(facts,), policy=AuditPolicy(), planned=True)
    yield _machine(facts, target)
    yield _interface(plan, exported)
    yield _needed(library, facts)
    yield link.judge_glibc(subject, plan.system.glibc)
    yield _cpu(facts)
    wrong = [f"it looks in '{entry}'" for entry in facts.search]
    yield finding("search paths", "none: the system's own", " ".join(facts.search) or "none", wrong)
    yield link.check_build_paths(subject)
    yield link.check_hardening(subject)
    yield link.check_symbols(subject)


def _machine(facts: Library, target: Target) -> AuditFinding:
    asked = target.elf
    problems = [] if facts.machine == asked else [f"it is for {facts.machine}"]
    problems += [] if facts.soname == LIBRARY else [f"programs would look for '{facts.soname}'"]
    return finding("identity", f"{asked}, {LIBRARY}", f"{facts.machine}, {facts.soname}", problems)


def _interface(plan: LitePlan, exported: frozenset[str]) -> AuditFinding:
    """Whether every function that the delivered headers declare is there."""
    missing = [name for name in plan.tree.functions if name not in exported]
    count = len(plan.tree.functions)
    return finding(
        "C interface",
        f"the {count} functions of the headers",
        f"{count - len(missing)} of them",
        some([f"{name} is declared and not there" for name in missing]),
    )


def _needed(library: LiteLibrary, facts: Library) -> AuditFinding:
    packages = {name: package for name, package, _ in library.needs}
    problems = [f"no package has {name}" for name in facts.needed if not packages.get(name)]
    built = " ".join(sorted({p for p in packages.values() if p})) or "none"
    return finding("libraries needed", "each in a package of the system", built, problems)


def _cpu(facts: Library) -> AuditFinding:
    """Whether any processor of that architecture runs it, or it asks the processor first."""
    if facts.cpu is None:
        return finding("CPU level", _LEVEL, "not read", skipped="only x86-64 is read")
    above = facts.cpu.level != _LEVEL and not facts.cpu.asks_processor
    problems = [f"{', '.join(facts.cpu.features[:6])} without asking"] if above else []
    return finding("CPU level", _LEVEL, facts.cpu.level, problems)
