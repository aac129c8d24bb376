"""Reads a product's folder back: what was asked of it, what is in it."""

import os
import re
import stat
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath

from tfbuild.core.counts import counted
from tfbuild.core.plans import AuditPolicy
from tfbuild.core.reports import AuditFinding, AuditReport
from tfbuild.core.safe_files import read_bytes
from tfbuild.facts.rows import Target
from tfbuild.inputs.links import Links
from tfbuild.products.folder import LARGEST, elf_kind, files_below, pattern_of, text_in
from tfbuild.products.layout import LICENSES
from tfbuild.products.libraries import check_needed, read_subject
from tfbuild.products.obeyed import SCRIPT_WORDS, leading_out
from tfbuild.products.promises import is_only_headers, missing_of
from tfbuild.products.relocation import held_paths
from tfbuild.recipes.recipe import Product
from tfbuild.recipes.records import ProductPlan
from tfbuild.wheels import code_checks as code
from tfbuild.wheels import link_checks as link
from tfbuild.wheels.audit_subject import LibrarySubject, finding, some, unplanned
from tfbuild.wheels.elf import exported_names
from tfbuild.wheels.libraries import Library, is_library_name

NOT_HELD = (
    "not held against anything: which files and symbols were promised, which libraries may be "
    "needed and opened, glibc, CPU level, device code, licences"
)
_LOADER = re.compile(r"/(?:usr/)?lib(?:64|x?32)?/(?:[\w-]+/)?ld[\w.-]*")


def audit_product(
    plan: ProductPlan,
    folder: Path,
    archive: str,
    sha256: str,
    target: Target,
    *,
    machine_paths: Sequence[str] = (),
) -> AuditReport:
    """Asked against built, line by line; machine_paths are folders of the build, beside its prefix.

    What cannot be read for sure is a failed line.
    """
    findings = list(_findings(plan, folder, target, machine_paths))
    return AuditReport(wheel=archive, sha256=sha256, findings=tuple(findings))


def audit_unplanned(
    folder: Path, archive: str, sha256: str, targets: Sequence[Target]
) -> AuditReport:
    """The checks that need no plan; the first line says what nothing was held against.

    The libraries must all be for one of the targets, the first where none is.
    """
    return AuditReport(
        wheel=archive, sha256=sha256, findings=tuple(_findings_unplanned(folder, targets))
    )


# --- inside ------------------------------------------------------------------------------------


def _findings(
    plan: ProductPlan, folder: Path, target: Target, machine_paths: Sequence[str]
) -> Iterator[AuditFinding]:
    subject = _subject(folder, plan.audit)
    yield _check_promised(plan.product, folder)
    if subject.libraries or subject.unread:
        names = {PurePosixPath(name).name for name in files_below(folder)}
        yield from code.check_readable(subject)
        if subject.libraries:
            yield from _of_code(plan, subject, folder, target, names)
    else:
        yield _check_without_code(plan.product)
    yield _check_license(plan, folder)
    yield _check_files(folder)
    yield _check_relocatable((plan.prefix, *machine_paths), subject, folder)


def _findings_unplanned(folder: Path, targets: Sequence[Target]) -> Iterator[AuditFinding]:
    subject = replace(_subject(folder, AuditPolicy()), planned=False)
    yield finding("plan", "a report that says what was planned", "none", skipped=NOT_HELD)
    yield from code.check_readable(subject)
    if subject.libraries:
        names = {PurePosixPath(name).name for name in files_below(folder)}
        machine = subject.libraries[0].machine
        target = next((one for one in targets if one.elf == machine), targets[0])
        yield _check_identity(subject, target, names)
        yield _list_needed(subject, names)
        yield _check_search_paths(subject, folder)
        yield link.check_build_paths(subject)
        yield _check_hardening(subject)
        yield link.judge_glibc(subject, "")
        yield link.judge_libstdcxx(subject, "")
        yield link.check_symbols(subject)
    yield _check_files(folder)
    yield _check_relocatable((), subject, folder)


def _subject(folder: Path, policy: AuditPolicy) -> LibrarySubject:
    files = {name: folder / name for name in files_below(folder) if _is_code(folder / name)}
    return read_subject(files, policy)


def _check_promised(product: Product, folder: Path) -> AuditFinding:
    """Whether all is there that the recipe promises, by its name and of its kind."""
    counts = (
        (len(product.libraries), "library"), (len(product.programs), "program"),
        (len(product.headers), "header"), (len(product.pkg_config), "pkg-config module"),
        (len(product.cmake), "CMake package"),
    )  # fmt: skip
    asked = ", ".join(counted(count, what) for count, what in counts if count)
    missing = missing_of(product, folder)
    built = f"{len(missing)} missing" if missing else "all of it"
    return finding("promised", asked or "nothing by name", built, some(missing))


def _list_needed(subject: LibrarySubject, names: set[str]) -> AuditFinding:
    """What is needed from outside, where nothing says which of it may be."""
    outside = sorted({name for one in subject.libraries for name in one.needed} - names)
    return unplanned("libraries needed", " ".join(outside) or "none")


def _is_code(path: Path) -> bool:
    """Whether it is a library or a program, or is named as a library and none; no link is."""
    if path.is_symlink():
        return False
    kind = elf_kind(path)
    if kind or not is_library_name(path.name):
        return kind in {"program", "shared"}
    return not (text_in(path) or "").startswith(SCRIPT_WORDS)


def _check_without_code(product: Product) -> AuditFinding:
    """What it means that there is neither a shared library nor a program."""
    asked = "at least one, or a program"
    static = [name for name in product.libraries if name.endswith(".a")]
    if static:
        why = "static libraries are not read"
        return finding("libraries", asked, " ".join(some(static)), skipped=why)
    if is_only_headers(product):
        return finding("libraries", "none: it is headers alone", "none")
    return finding("libraries", asked, "none", ["the product has none"])


def _of_code(
    plan: ProductPlan, subject: LibrarySubject, folder: Path, target: Target, names: set[str]
) -> Iterator[AuditFinding]:
    yield _check_identity(subject, target, names)
    if plan.exports:
        yield _check_exports(plan, subject, folder)
    yield check_needed(subject, names)
    yield link.check_opened(subject)
    yield _check_search_paths(subject, folder)
    yield link.check_build_paths(subject)
    yield _check_hardening(subject)
    yield link.judge_glibc(subject, plan.audit.glibc_ceiling)
    yield link.judge_libstdcxx(subject, plan.audit.libstdcxx_ceiling)
    yield from _check_cpu_level(plan, subject)
    if plan.audit.architectures or any(library.containers for library in subject.libraries):
        yield from code.check_device_code(subject)
    yield link.check_symbols(subject)


def _check_cpu_level(plan: ProductPlan, subject: LibrarySubject) -> Iterator[AuditFinding]:
    """As in every library; only stated where a recipe says that callers ask the processor."""
    dispatched = pattern_of(plan.dispatched)
    named = [one for one in subject.libraries if dispatched.search(one.path)]
    others = tuple(one for one in subject.libraries if one not in named)
    yield from code.check_cpu_level(replace(subject, libraries=others))
    for library in named:
        level = library.cpu.level if library.cpu else "not read"
        yield finding(
            f"CPU level of {library.name}",
            f"at most {plan.audit.cpu_level}",
            level,
            skipped="the recipe says that its callers ask the processor first",
        )


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
        if (library.soname or _is_linked_by_name(library)) and library.soname not in names
    ]
    built = ", ".join(some([library.name for library in subject.libraries]))
    return finding("identity", f"for {target.version}, found by its name", built, some(problems))


def _is_linked_by_name(library: Library) -> bool:
    """Whether it is a library that programs are linked with, not a module that is opened."""
    return library.name.startswith("lib") and PurePosixPath(library.path).parent.name == "lib"


def _check_exports(plan: ProductPlan, subject: LibrarySubject, folder: Path) -> AuditFinding:
    exported: set[str] = set()
    for library in subject.libraries:
        raw = read_bytes(folder / library.path, LARGEST)
        exported |= exported_names(library.path, raw)
    missing = [name for name in plan.exports if name not in exported]
    count = len(plan.exports)
    return finding(
        "exports",
        f"{counted(count, 'function')} that must be there",
        f"{count - len(missing)} of them",
        some([f"no library exports {name}" for name in missing]),
    )


def _check_search_paths(subject: LibrarySubject, folder: Path) -> AuditFinding:
    """Whether libraries are looked for within the product alone, and are found there."""
    homes: dict[str, set[str]] = {}
    for name in files_below(folder):
        homes.setdefault(PurePosixPath(name).name, set()).add(str(PurePosixPath(name).parent))
    problems: list[str] = []
    for library in subject.libraries:
        depth = library.path.count("/")
        problems += [
            f"{library.path} looks in '{entry}'"
            for entry in library.search
            if not link.stays_inside(entry, depth)
        ]
        at = str(PurePosixPath(library.path).parent)
        looked = {os.path.normpath(f"{at}/{_below(entry)}") for entry in library.search}
        problems += [
            f"{library.path} does not find {needed}, which is in {min(homes[needed])}"
            for needed in library.needed
            if needed in homes and not homes[needed] & looked
        ]
    problems += [
        f"{library.path} names {name}, by its place alone"
        for library in subject.libraries
        for name in library.needed
        if "/" in name
    ]
    problems += [
        f"{library.path} is started by {loader}"
        for library in subject.libraries
        if (loader := library.protection.interpreter) and not _LOADER.fullmatch(loader)
    ]
    entries = sorted({entry for library in subject.libraries for entry in library.search})
    asked = "relative, within the product"
    return finding("search paths", asked, " ".join(entries) or "none", some(problems))


def _below(entry: str) -> str:
    return entry.replace("${ORIGIN}", "$ORIGIN").removeprefix("$ORIGIN").strip("/") or "."


def _check_hardening(subject: LibrarySubject) -> AuditFinding:
    """Whether stack, code and the loader's tables are protected; stack protectors are only stated.

    Rules of a source tree link as they like: TensorFlow's own leave RELRO partial.
    """
    wrong: list[str] = []
    weak: list[str] = []
    guarded = 0
    for library in subject.libraries:
        seen = library.protection
        guarded += seen.has_stack_protector
        if library.executable_stack:
            wrong.append(f"{library.path} has an executable stack")
        if library.writes_text:
            wrong.append(f"{library.path} is written to while loading")
        if not seen.has_relro:
            weak.append(f"{library.path} has no RELRO")
        elif not seen.binds_now:
            weak.append(f"{library.path} has RELRO in part: link it with -Wl,-z,now")
        if not seen.is_position_independent:
            weak.append(f"{library.path} is not position independent: link it with -pie")
    is_left = subject.policy.packed_by_tree
    return finding(
        "hardening",
        "no executable stack, no relocated code, full RELRO, PIE",
        f"{counted(len(subject.libraries), 'file')} looked at, {guarded} with stack protector",
        some(wrong if is_left else [*wrong, *weak]),
        skipped=f"stated, not judged: {'; '.join(some(weak))}" if is_left and weak else "",
    )


def _check_license(plan: ProductPlan, folder: Path) -> AuditFinding:
    at = folder / LICENSES / plan.recipe
    there = sorted(path.name for path in at.iterdir() if path.is_file()) if at.is_dir() else []
    asked = f"{counted(len(plan.product.licenses), 'file')} in {LICENSES}/{plan.recipe}"
    if not plan.product.licenses:
        skipped = "the recipe names no file: see product.licenses"
        return finding("licence", "not asked", " ".join(there) or "none", skipped=skipped)
    missing = len(plan.product.licenses) - len(there)
    problems = [f"{missing} are missing"] if missing > 0 else []
    empty = [name for name in there if not (at / name).stat().st_size]
    problems += [f"{name} is empty" for name in empty]
    return finding("licence", asked, " ".join(there) or "none", problems)


def _check_files(folder: Path) -> AuditFinding:
    """Whether they are files that anybody can unpack, and that nobody else can change then."""
    names = list(files_below(folder))
    problems = [] if names else ["there is none"]
    targets = {
        name: str((folder / name).readlink()) for name in names if (folder / name).is_symlink()
    }
    links = Links(targets)
    for name in names:
        path = folder / name
        mode = path.lstat().st_mode
        if name in targets:
            end = links.end(name)
            if end.fault:
                problems.append(f"{name} {end.fault}")
            elif not os.path.lexists(folder / end.place):
                problems.append(f"{name} leads to {targets[name]}, which is not there")
        elif not stat.S_ISREG(mode):
            problems.append(f"{name} is neither a file nor a link")
        else:
            if mode & (stat.S_ISUID | stat.S_ISGID):
                problems.append(f"{name} runs as another user")
            if mode & stat.S_IWOTH:
                problems.append(f"{name} can be changed by anybody")
    built = f"{counted(len(names) - len(targets), 'file')}, {counted(len(targets), 'link')}"
    return finding("files", "plain files, and links within the product", built, some(problems))


def _check_relocatable(paths: Sequence[str], subject: LibrarySubject, folder: Path) -> AuditFinding:
    """Whether it can lie anywhere; code with the prefix is only stated: it may be a default."""
    held = dict(leading_out(folder)) | dict(held_paths(folder, paths))
    problems = [f"{name} holds {path}" for name, path in sorted(held.items())]
    words = [path.encode() for path in paths]
    holding = [
        library.path
        for library in subject.libraries
        if any(word in read_bytes(folder / library.path, LARGEST) for word in words)
    ]
    built = "it can" if not problems else f"paths are in {counted(len(problems), 'file')}"
    return finding(
        "relocatable",
        "it can lie in any folder",
        built,
        some(problems),
        skipped=f"stated, not judged: code of {' '.join(some(holding))} holds {paths[0]}"
        if holding
        else "",
    )
