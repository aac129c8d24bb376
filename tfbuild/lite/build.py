"""Configures, compiles and links the library in its workshop, and says what it needs to run."""

import re
import shutil
import time
from collections.abc import Sequence
from pathlib import Path

from tfbuild.core.errors import BuildFailed, CommandFailed, ConfigureFailed
from tfbuild.core.interfaces import Tools
from tfbuild.core.layout import LITE
from tfbuild.core.paths import file_digest, write_aside
from tfbuild.core.records import Command
from tfbuild.core.safe_files import read_bytes, text_of
from tfbuild.lite.plan import stand_in_text
from tfbuild.lite.records import LARGEST, LIBRARY, LiteLibrary, LitePlan
from tfbuild.lite.workshop import Workshop
from tfbuild.wheels.elf import read_elf

_STEP = re.compile(r"\[(\d+)/(\d+)\] (?:Building \w+ object |Linking \w+ (?:shared )?\w+ )?(.*)")
_SUSPECT = re.compile(r"(?i)\berror\b[: ]|^FAILED: |undefined reference|CMake Error")
# Where Debian keeps libraries: the linker of the container looks there, and so do we.
_FIND = (
    'for name; do for at in /usr/lib/*-linux-gnu /usr/lib /lib; do if [ -e "$at/$name" ]; then '
    'echo "$name $(dpkg-query -S "*/$name" | head -n 1 | cut -d: -f1)"; break; fi; done; done'
)


def build_library(plan: LitePlan, workshop: Workshop, tools: Tools) -> LiteLibrary:
    """The stripped library and its headers, in the work folder.

    Objects of an earlier call are taken again where CMake finds them new enough. Raises
    ConfigureFailed and BuildFailed with the first words that tell why, OutOfMemory and DiskFull.
    """
    folder = LITE.path(tools.folders.work)
    folder.mkdir(parents=True, exist_ok=True)
    write_aside(folder / "stand_ins.cmake", stand_in_text(plan.stand_ins))
    started = time.monotonic()
    _configure(plan, workshop, folder)
    _compile(plan, workshop, tools)
    library = _stripped(workshop, folder)
    headers = _copy_headers(plan, folder / "include")
    return LiteLibrary(
        path=library,
        sha256=file_digest(library),
        size=library.stat().st_size,
        headers=headers,
        needs=_needs(library, workshop),
        compiler=_compiler(workshop),
        seconds=time.monotonic() - started,
    )


def _configure(plan: LitePlan, workshop: Workshop, folder: Path) -> None:
    configure = next(command for command in plan.commands if command.stage == "configure")
    kept = folder / "configured.txt"
    # Options of an earlier plan would stay in CMake's cache without a word.
    if text_of(kept) != plan.id:
        kept.unlink(missing_ok=True)
        shutil.rmtree(folder / "build", ignore_errors=True)
    try:
        workshop.run(configure)
    except CommandFailed as error:
        raise ConfigureFailed(
            "CMake could not configure TensorFlow Lite",
            why=_telling(error.last_lines),
            hint="see the log; what it asks for and where that comes from stands in "
            "matrices/lite.yaml",
            log=error.log,
        ) from error
    write_aside(kept, plan.id)


def _compile(plan: LitePlan, workshop: Workshop, tools: Tools) -> None:
    build = next(command for command in plan.commands if command.stage == "build")
    suspects: list[str] = []

    def watch(line: str) -> None:
        if step := _STEP.match(line.strip()):
            tools.reporter.progress(Path(step[3]).name, int(step[1]), int(step[2]))
        elif _SUSPECT.search(line) and len(suspects) < 8:
            suspects.append(line.rstrip())

    try:
        workshop.run(build, watch)
    except CommandFailed as error:
        raise BuildFailed(
            "TensorFlow Lite could not be built",
            why="\n".join(suspects) or _telling(error.last_lines),
            hint="run the same command again after mending it; what was compiled is kept",
            log=error.log,
        ) from error


def _telling(lines: Sequence[str]) -> str:
    """The lines from the first one that looks like the cause."""
    at = next((i for i, line in enumerate(lines) if _SUSPECT.search(line)), max(0, len(lines) - 8))
    return "\n".join(line.rstrip() for line in lines[at : at + 8])


def _stripped(workshop: Workshop, folder: Path) -> Path:
    built, library = folder / "build" / LIBRARY, folder / LIBRARY
    if not built.is_file():
        raise BuildFailed(
            f"CMake built without error, but {LIBRARY} is not there",
            why=f"expected at {built}",
            hint="see whether the tree's target tensorflow-lite is a shared library",
        )
    argv = ("strip", "--strip-unneeded", "-o", str(library), str(built))
    workshop.run(Command(argv=argv, stage="build", purpose="strip the library", cwd="/"))
    return library


def _copy_headers(plan: LitePlan, target: Path) -> Path:
    shutil.rmtree(target, ignore_errors=True)
    for name in plan.tree.headers:
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(plan.tree.source / name, target / name)
    return target


def _needs(library: Path, workshop: Workshop) -> tuple[tuple[str, str, str], ...]:
    """Each library that is needed, with the package that has it and the package's version."""
    needed = read_elf(library.name, read_bytes(library, LARGEST)).needed
    look = Command(argv=("sh", "-c", _FIND, "sh", *needed), cwd="/", quiet=True)
    found = dict(line.split() for line in workshop.run(look).stdout.splitlines() if " " in line)
    versions = _versions(sorted(set(found.values())), workshop)
    return tuple((n, found.get(n, ""), versions.get(found.get(n, ""), "")) for n in needed)


def _versions(packages: Sequence[str], workshop: Workshop) -> dict[str, str]:
    if not packages:
        return {}
    argv = ("dpkg-query", "-W", "-f", "${Package} ${Version}\\n", *packages)
    said = workshop.run(Command(argv=argv, cwd="/", quiet=True)).stdout
    return dict(line.split() for line in said.splitlines() if " " in line)


def _compiler(workshop: Workshop) -> str:
    said = workshop.run(Command(argv=("c++", "--version"), cwd="/", quiet=True)).stdout
    return said.partition("\n")[0].strip()
