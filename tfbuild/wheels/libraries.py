"""Gathers the facts of every shared library in a wheel, one library at a time."""

import re
from dataclasses import dataclass
from pathlib import PurePosixPath

from packaging.utils import canonicalize_name

from tfbuild.wheels.cpu_level import CpuUse, read_cpu_use
from tfbuild.wheels.elf import MAGIC, Elf, Protection, is_elf, library_names, read_elf
from tfbuild.wheels.fatbin import FatbinContainer, read_fatbins
from tfbuild.wheels.segments import ElfRiddle
from tfbuild.wheels.wheel_file import WheelContent

_SHARED = re.compile(r"\.so(\.\d+)*$")
# What goes before is asked for behind the first letters: they are looked for fifty times as fast.
_BUILD_PATH = re.compile(
    rb"/(?<![\w./+-]/)(?!usr/|lib|etc/|proc/|sys/|dev/|opt/|run/|var/|bin/)"
    rb"[\w.+-]+/[\w./+-]*[\w+-]\.(?:cc|cpp|cxx|cu|cuh|hpp|h|c|o|pic\.o|inc)\b"
)
# Names of distributions are written with any of three separators, and in any case.
_ONE_FORM = bytes(range(256)).lower().translate(bytes.maketrans(b"_ ", b"--"))
_LETTER = re.compile(rb"\w")
_SAID = re.compile(rb"[ /](\d+\.\d+[\w.+-]*)")
_NUMPY_API = re.compile(rb"numpy\.(?:_)?core\.(?:_)?multiarray(?:_umath)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Library:
    """One shared library of a wheel; `own` where it was not copied in from elsewhere."""

    path: str
    own: bool
    machine: str
    soname: str
    needed: tuple[str, ...]
    search: tuple[str, ...]
    glibc: str
    libstdcxx: str
    cxxabi: str
    opened: tuple[str, ...]  # names that it may open at run time; empty when it opens nothing
    build_paths: tuple[str, ...]
    containers: tuple[FatbinContainer, ...]
    cpu: CpuUse | None  # None where the machine is not x86-64
    isa_needed: str
    has_ifuncs: bool
    has_symbol_table: bool
    executable_stack: bool
    writes_text: bool
    protection: Protection
    needs_numpy: bool
    versions: tuple[str, ...]  # what follows the marker `<distribution> ` in it

    @property
    def name(self) -> str:
        """Its file name."""
        return PurePosixPath(self.path).name


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadLibrary:
    """One that is broken, or that the loader may see otherwise than those who judge it."""

    path: str
    why: str


def is_library_name(path: str) -> bool:
    """Whether a file is named as shared libraries are."""
    return _SHARED.search(path) is not None


def read_libraries(
    content: WheelContent,
) -> tuple[tuple[Library, ...], tuple[UnreadLibrary, ...]]:
    """The libraries by their content, whatever their names, and those that cannot be read for sure.

    Both are in order of their paths. What only begins like a library, and is not named as one, is
    none, unless the loader may take it all the same.
    """
    distribution = str(content.metadata["Name"] or "")
    named = [path for path, begin in content.beginnings(len(MAGIC)) if is_elf(begin)]
    found: list[Library] = []
    unread: list[UnreadLibrary] = []
    for path, raw in content.read_all(named):
        try:
            found.append(library_of(path, raw, read_elf(path, raw), distribution))
        except ValueError as error:
            if is_library_name(path) or isinstance(error, ElfRiddle):
                unread.append(UnreadLibrary(path=path, why=str(error)))
    return tuple(found), tuple(unread)


def library_of(path: str, raw: bytes, elf: Elf, distribution: str = "") -> Library:
    """The facts of one library; those of the path say whether it was copied into a wheel.

    Raises ValueError where its device code is cut off.
    """
    opens = bool(elf.imports & {"dlopen", "dlmopen", "__libc_dlopen_mode"})
    mine = {elf.soname, PurePosixPath(path).name, *elf.needed}
    return Library(
        path=path,
        own=not re.match(r"[^/]+\.libs/", path),
        machine=elf.machine,
        soname=elf.soname,
        needed=elf.needed,
        search=elf.search,
        glibc=elf.newest("GLIBC"),
        libstdcxx=elf.newest("GLIBCXX"),
        cxxabi=elf.newest("CXXABI"),
        opened=tuple(name for name in library_names(raw) if name not in mine) if opens else (),
        build_paths=tuple(sorted({m[0].decode() for m in _BUILD_PATH.finditer(raw)})),
        containers=read_fatbins(elf.fatbins),
        cpu=read_cpu_use(elf.code) if elf.machine == "x64" else None,
        isa_needed=elf.isa_needed,
        has_ifuncs=elf.has_ifuncs,
        has_symbol_table=elf.has_symbol_table,
        executable_stack=elf.executable_stack,
        writes_text=elf.writes_text,
        protection=elf.protection,
        needs_numpy=_NUMPY_API.search(raw) is not None,
        versions=_versions(raw, distribution),
    )


def _versions(raw: bytes, distribution: str) -> tuple[str, ...]:
    """Versions that the library itself carries after the name of its distribution."""
    if not distribution:
        return ()
    name = canonicalize_name(distribution).encode()
    # The name is a literal here, which is found in one go however long it is.
    found = re.finditer(re.escape(name) + rb"[-/]\d+\.\d+", raw.translate(_ONE_FORM))
    begins = [at for one in found if not (at := one.start()) or not _LETTER.match(raw, at - 1)]
    said = [_SAID.match(raw, begin + len(name)) for begin in begins]
    return tuple(sorted({one[1].decode().lower() for one in said if one}))
