"""Checks of what a CUDA compiler made of the kernels in a wheel."""

import os
import shutil
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from tfbuild.core.counts import counted
from tfbuild.core.interfaces import Tools
from tfbuild.core.records import Command
from tfbuild.core.reports import AuditFinding, KernelCode
from tfbuild.wheels.audit_subject import AuditSubject, finding, some
from tfbuild.wheels.kernel_code import (
    Instructions,
    Usage,
    by_kernel,
    parse_instructions,
    parse_usage,
)
from tfbuild.wheels.libraries import Library

_NAME = "kernels as compiled"
_ASKED = "no spill, no 64-bit division in an inner loop"
_LARGEST = 128_000_000  # bytes of a library, a second or two each million: TensorFlow's take hours


def check_kernels(
    subject: AuditSubject, tools: Tools, cuobjdump: str
) -> tuple[tuple[KernelCode, ...], list[AuditFinding]]:
    """Each kernel of the wheel's own libraries, and whether they keep within the limits.

    cuobjdump is the program of a CUDA toolkit, beside which nvdisasm lies.
    """
    libraries = [library for library in subject.own if _has_kernels(library)]
    if not libraries:
        return (), []
    nvdisasm = Path(cuobjdump).parent / "nvdisasm"
    contents = subject.content.read_all(library.path for library in libraries)
    large = [PurePosixPath(path).name for path, raw in contents if len(raw) > _LARGEST]
    if not cuobjdump or not nvdisasm.is_file():
        lacks = "cuobjdump" if not cuobjdump else "nvdisasm"
        return (), [finding(_NAME, _ASKED, "", skipped=f"there is no {lacks} here")]
    if large:
        why = f"{', '.join(large)}: larger than {_LARGEST // 1_000_000} MB"
        return (), [finding(_NAME, _ASKED, "", skipped=why)]
    usages: dict[tuple[str, str], Usage] = {}
    counted: dict[tuple[str, str], Instructions] = {}
    for library in libraries:
        with _unpacked(subject, library, tools) as path:
            usages |= parse_usage(_ask(tools, path, cuobjdump, "--dump-resource-usage", path.name))
            _ask(tools, path, cuobjdump, "--extract-elf", "all", path.name)
            counted |= _disassembled(tools, path, str(nvdisasm))
    kernels = by_kernel(usages, counted)
    return kernels, [_judge(kernels)]


def _judge(kernels: Sequence[KernelCode]) -> AuditFinding:
    names = {kernel.name for kernel in kernels}
    architectures = {kernel.architecture for kernel in kernels}
    most = max((kernel.registers for kernel in kernels), default=0)
    built = (
        f"{len(names)} for {counted(len(architectures), 'architecture')}, "
        f"at most {counted(most, 'register')}"
    )
    return finding(_NAME, _ASKED, built, some(list(_problems(kernels))))


def _problems(kernels: Sequence[KernelCode]) -> Iterator[str]:
    for kernel in kernels:
        name = f"{kernel.name} for {kernel.architecture}"
        if kernel.spills:
            yield f"{name}: {counted(kernel.spills, 'load')} of spilled registers"
        if kernel.divisions:
            yield f"{name}: {counted(kernel.divisions, 'division')} of 64 bits in an inner loop"


def _has_kernels(library: Library) -> bool:
    return any(container.machine and container.has_kernels for container in library.containers)


@contextmanager
def _unpacked(subject: AuditSubject, library: Library, tools: Tools) -> Iterator[Path]:
    """The library as a file in a folder of its own."""
    folder = tools.folders.run / "kernels"
    folder.mkdir(parents=True, exist_ok=True)
    try:
        path = folder / library.name
        path.write_bytes(subject.content.read(library.path))
        yield path
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _disassembled(
    tools: Tools, library: Path, nvdisasm: str
) -> dict[tuple[str, str], Instructions]:
    """What was counted in the files of machine code beside the library, several at once."""
    files = sorted(library.parent.glob("*.cubin"))

    def count(file: Path) -> dict[tuple[str, str], Instructions]:
        return parse_instructions(_ask(tools, library, nvdisasm, "-c", file.name))

    found: dict[tuple[str, str], Instructions] = {}
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for counted in pool.map(count, files):
            found |= counted
    return found


def _ask(tools: Tools, path: Path, *words: str) -> str:
    """What a tool says, run in the library's folder."""
    command = Command(
        argv=words,
        stage="audit",
        purpose=f"read the kernels of {path.name}",
        cwd=str(path.parent),
        quiet=True,
    )
    return tools.runner.run(command).stdout
