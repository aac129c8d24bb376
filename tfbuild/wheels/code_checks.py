"""Checks of the machine code in a wheel: GPU architectures and CPU level."""

import re

from tfbuild.core.counts import counted
from tfbuild.core.interfaces import Tools
from tfbuild.core.records import Command
from tfbuild.core.reports import AuditFinding
from tfbuild.wheels.audit_subject import AuditSubject, LibrarySubject, finding, unplanned
from tfbuild.wheels.cpu_level import LEVELS
from tfbuild.wheels.fatbin import architecture_key, architectures
from tfbuild.wheels.libraries import Library

_NO_CUOBJDUMP = "there is no cuobjdump here: it comes with a CUDA toolkit"


def check_readable(subject: LibrarySubject) -> list[AuditFinding]:
    """One finding per library of which nobody can say for sure what the loader makes of it."""
    return [
        finding(f"library {one.path}", "one that can be read for sure", "not judged", [one.why])
        for one in subject.unread
    ]


def check_device_code(subject: LibrarySubject) -> list[AuditFinding]:
    """One finding per library with device code; one that says there is none."""
    asked = tuple(sorted(subject.policy.architectures, key=architecture_key))
    with_code = [library for library in subject.libraries if library.containers]
    if not subject.planned and not asked:
        return [
            unplanned(f"device code of {library.name}", " ".join(architectures(library.containers)))
            for library in with_code
        ]
    if not with_code:
        problems = ["no library holds device code"] if asked else []
        return [finding("device code", " ".join(asked) or "none", "none", problems)]
    return [_device_code_of(library, asked) for library in with_code]


def _device_code_of(library: Library, asked: tuple[str, ...]) -> AuditFinding:
    built = architectures(library.containers)
    problems = [f"{name} is missing" for name in asked if name not in built]
    problems += [f"{name} was not asked for" for name in built if name not in asked]
    kernels = [container for container in library.containers if container.has_kernels]
    for name in asked:
        lacking = sum(name not in c.machine | c.ptx for c in kernels)
        if lacking and name in built:
            problems.append(
                f"{name} is missing from {lacking} of {counted(len(kernels), 'fat binary')}"
            )
    return finding(
        f"device code of {library.name}", " ".join(asked) or "none", " ".join(built), problems
    )


def check_second_reader(subject: AuditSubject, tools: Tools, cuobjdump: str) -> list[AuditFinding]:
    """Whether the toolkit's own tool reads the same device code."""
    with_code = [library for library in subject.libraries if library.containers]
    if not with_code:
        return []
    name = "device code, read by cuobjdump"
    if not cuobjdump:
        return [finding(name, "the same", "", skipped=_NO_CUOBJDUMP)]
    problems, seen = [], []
    for library in with_code:
        ours = {text.rstrip("f") for text in architectures(library.containers)}
        theirs = _ask_cuobjdump(subject, library, tools, cuobjdump)
        seen.append(f"{library.name}: {' '.join(sorted(theirs, key=architecture_key))}")
        # It reads the sections of one name alone: what others keep elsewhere is no fault of theirs.
        if differing := (ours ^ theirs) if subject.planned else theirs - ours:
            words = " ".join(sorted(differing))
            problems.append(f"{library.name}: the two readers differ in {words}")
    return [finding(name, "the same", "; ".join(seen), problems)]


def _ask_cuobjdump(
    subject: AuditSubject, library: Library, tools: Tools, cuobjdump: str
) -> set[str]:
    """What cuobjdump lists in one library of the wheel."""
    folder = tools.folders.run / "audit"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / library.name
    path.write_bytes(subject.content.read(library.path))
    try:
        ended = tools.runner.run(
            Command(
                argv=(cuobjdump, "--list-elf", "--list-ptx", str(path)),
                stage="audit",
                purpose=f"list the device code of {library.name}",
                quiet=True,
            )
        )
    finally:
        path.unlink()
    found = re.findall(r"\.(sm_\d+[af]?)\.(cubin|ptx)", ended.stdout)
    return {
        (name if kind == "cubin" else name.replace("sm_", "compute_")).rstrip("f")
        for name, kind in found
    }


def check_cpu_level(subject: LibrarySubject) -> list[AuditFinding]:
    """One finding for all that stay within the level, one for each library that does not."""
    level = subject.policy.cpu_level if subject.planned else ""
    if not subject.libraries:
        return []
    if not level:
        found = {library.cpu.level for library in subject.libraries if library.cpu}
        return [unplanned("CPU level", ", ".join(sorted(found, key=LEVELS.index)))]
    within, findings = [], []
    for library in subject.libraries:
        if library.cpu is None:
            skipped = f"{library.machine} code is not decoded: try it on the oldest such machine"
            findings.append(finding(f"CPU level of {library.name}", level, "", skipped=skipped))
        elif LEVELS.index(library.cpu.level) <= LEVELS.index(level):
            within.append(library)
        else:
            findings.append(_cpu_above(library, level))
    if within:
        total = sum(library.cpu.instructions for library in within if library.cpu)
        built = (
            f"{counted(total, 'instruction')} of {', '.join(library.name for library in within)}"
        )
        problems = [
            f"{library.name} declares {library.isa_needed}"
            for library in within
            if library.isa_needed and LEVELS.index(library.isa_needed) > LEVELS.index(level)
        ]
        findings.insert(0, finding("CPU level", f"at most {level}", built, problems))
    return findings


def _cpu_above(library: Library, level: str) -> AuditFinding:
    """Code above the level is wrong unless the library asks the processor before it goes there."""
    cpu = library.cpu
    assert cpu is not None
    built = f"{cpu.level} ({' '.join(cpu.features)})"
    name = f"CPU level of {library.name}"
    if cpu.asks_processor or library.has_ifuncs:
        way = "cpuid" if cpu.asks_processor else "resolver functions"
        skipped = (
            f"it asks the processor at run time ({way}); that it does so before each such "
            "instruction cannot be read from the file: the checks of the old CPU try it"
        )
        return finding(name, f"at most {level}", built, skipped=skipped)
    return finding(
        name,
        f"at most {level}",
        built,
        [f"an instruction above it at {cpu.first_address:#x}, and it never asks the processor"],
    )
