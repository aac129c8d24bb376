"""The door to pyelftools: what one shared library says about itself, as plain facts."""

import io
import re
import struct
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from elftools.elf.dynamic import DynamicSection
from elftools.elf.elffile import ELFFile
from elftools.elf.gnuversions import GNUVerNeedSection
from elftools.elf.relocation import Relocation, RelocationSection
from elftools.elf.sections import NoteSection, Section, SymbolTableSection

MAGIC = b"\x7fELF"
_IRELATIVE = 37  # R_X86_64_IRELATIVE
_EXECUTABLE = 4  # SHF_EXECINSTR
_COMPRESSED = 0x800  # SHF_COMPRESSED
_READ_TIMES = 8  # what is read of a file, by its size: honest ones take up to 4
_READ_ANYWAY = 1 << 20
_COST = 16  # of one reading, in bytes
Found = TypeVar("Found")
_LIBRARY = re.compile(rb"(?<![\w/.+-])(lib[\w+.-]+?\.so(?:\.\d+)*)(?=\0)")
_USUAL_TABLE = b"\x01\x1b\x03\x3b"  # version, and offsets of 32 bits, as linkers write them
_ISA_NAMES = ("x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4")


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeSection:
    """One section of machine code."""

    address: int
    code: bytes
    starts: tuple[int, ...] = ()  # of the functions in it, in order, where a table names them


@dataclass(frozen=True, slots=True, kw_only=True)
class Elf:
    """One shared library."""

    name: str
    machine: str
    soname: str
    needed: tuple[str, ...]
    search: tuple[str, ...]  # entries of RUNPATH and RPATH
    versions: tuple[tuple[str, str], ...]  # library, symbol version it must have
    imports: frozenset[str]
    code: tuple[CodeSection, ...]
    fatbins: tuple[bytes, ...]
    isa_needed: str  # from the GNU property note, empty where there is none
    has_symbol_table: bool
    has_debug: bool
    has_ifuncs: bool
    executable_stack: bool
    writes_text: bool

    def newest(self, prefix: str) -> str:
        """The newest symbol version of one family needed here: 2.28 for GLIBC, or empty."""
        found = [
            v.removeprefix(prefix + "_") for _, v in self.versions if v.startswith(prefix + "_")
        ]
        numbers = [v for v in found if re.fullmatch(r"[\d.]+", v)]
        return max(numbers, key=version_key, default="")


def version_key(text: str) -> tuple[int, ...]:
    """What sorts 2.28 before 2.31."""
    return tuple(int(part) for part in text.split(".") if part.isdigit())


def is_elf(raw: bytes) -> bool:
    """Whether the bytes begin an ELF file."""
    return raw.startswith(MAGIC)


class ElfRiddle(ValueError):
    """A file whose parts lie on top of one another, so that reading it would take for ever."""


def read_elf(name: str, raw: bytes) -> Elf:
    """The facts of one library; ValueError when the file is broken, ElfRiddle when it is one."""
    return _understood(name, raw, lambda elf: _read(name, elf))


def exported_names(name: str, raw: bytes) -> frozenset[str]:
    """The symbols that a library defines for others; raises as `read_elf` does."""
    return _understood(name, raw, _exported)


def library_names(raw: bytes) -> tuple[str, ...]:
    """Strings that look like library names, each once, in order of names."""
    return tuple(sorted({match[1].decode() for match in _LIBRARY.finditer(raw)}))


class _Measured(io.BytesIO):
    """A file of which as much may be read as honest ones need, by their size.

    Any part may be named by many others: a text without an end by every symbol, all of the file by
    every section; and a list may lead in a circle.
    """

    def __init__(self, raw: bytes) -> None:
        super().__init__(raw)
        self._left = _READ_TIMES * len(raw) + _READ_ANYWAY

    def read(self, size: int | None = -1) -> bytes:
        found = super().read(size)
        self._left -= len(found) + _COST
        if self._left < 0:
            raise ElfRiddle("its parts lie on top of one another")
        return found


def _understood(name: str, raw: bytes, read: Callable[[ELFFile], Found]) -> Found:
    try:
        return read(ELFFile(_Measured(raw)))
    except ElfRiddle as error:
        raise ElfRiddle(f"{name} is a riddle: {error}") from error
    except Exception as error:
        raise ValueError(f"{name} is not a whole ELF file: {error}") from error


def _exported(elf: ELFFile) -> frozenset[str]:
    table = elf.get_section_by_name(".dynsym")
    if not isinstance(table, SymbolTableSection):
        return frozenset()
    return frozenset(
        symbol.name
        for symbol in table.iter_symbols()
        if symbol["st_shndx"] != "SHN_UNDEF"
        and symbol["st_info"]["bind"] in {"STB_GLOBAL", "STB_WEAK"}
        and symbol["st_other"]["visibility"] == "STV_DEFAULT"
    )


def _data(section: Section) -> bytes:
    """The bytes of a section as they lie in the file; ValueError where they would have to be made.

    A section that is compressed, or of zeros that lie nowhere, may be of any size.
    """
    if section["sh_type"] == "SHT_NOBITS" or section["sh_flags"] & _COMPRESSED:
        raise ValueError(f"the section {section.name} is not stored as it is")
    return bytes(section.data())


def _check_agreement(elf: ELFFile) -> None:
    """ElfRiddle where the section table, which is read here, differs from the segments.

    The loader reads the segments alone, so a table that is missing or lies would hide all it obeys.
    """
    for segment in elf.iter_segments("PT_DYNAMIC"):
        seen = {
            kind: [s for s in elf.iter_sections() if s["sh_type"] == kind]
            for kind in ("SHT_DYNAMIC", "SHT_DYNSYM", "SHT_GNU_verneed")
        }
        tables = [(s["sh_offset"], s["sh_addr"]) for s in seen["SHT_DYNAMIC"]]
        if tables != [(segment["p_offset"], segment["p_vaddr"])]:
            raise ElfRiddle("cannot be judged: its section table hides its dynamic segment")
        entries = segment.iter_tags()  # type: ignore[attr-defined]  # of a dynamic segment
        tags = {tag.entry.d_tag: tag.entry.d_ptr for tag in entries}
        texts = elf.get_section(seen["SHT_DYNAMIC"][0]["sh_link"])
        found = {
            "DT_STRTAB": [texts["sh_addr"]],
            "DT_SYMTAB": [s["sh_addr"] for s in seen["SHT_DYNSYM"]],
            "DT_VERNEED": [s["sh_addr"] for s in seen["SHT_GNU_verneed"]],
        }
        for tag, places in found.items():
            if places != ([tags[tag]] if tag in tags else []):
                raise ElfRiddle(f"cannot be judged: its section table differs from {tag}")
        used = [texts, *(section for several in seen.values() for section in several)]
        for section in used:
            mapped = list(elf.address_offsets(section["sh_addr"]))
            if mapped != [section["sh_offset"]]:
                raise ElfRiddle(f"cannot be judged: {section.name} is not what is loaded there")
        if [s.name for s in seen["SHT_DYNAMIC"] + seen["SHT_DYNSYM"]] != [".dynamic", ".dynsym"]:
            raise ElfRiddle("cannot be judged: its dynamic sections have other names")
        if any(tags.get(f"DT_{name}") for name in ("AUXILIARY", "FILTER", "AUDIT", "DEPAUDIT")):
            raise ElfRiddle("cannot be judged: it has the loader put other libraries before it")


def _read(name: str, elf: ELFFile) -> Elf:
    _check_agreement(elf)
    dynamic = _dynamic(elf)
    sections = list(elf.iter_sections())
    starts = _function_starts(elf)
    return Elf(
        name=name,
        machine=elf.get_machine_arch(),
        soname=next(iter(dynamic.get("DT_SONAME", [])), ""),
        needed=tuple(dynamic.get("DT_NEEDED", [])),
        search=tuple(
            entry
            for key in ("DT_RUNPATH", "DT_RPATH")
            for text in dynamic.get(key, [])
            for entry in text.split(":")
        ),
        versions=tuple(sorted(set(_versions(sections)))),
        imports=frozenset(_imports(elf)),
        code=tuple(
            _code_section(section, starts)
            for section in sections
            if section["sh_type"] == "SHT_PROGBITS" and section["sh_flags"] & _EXECUTABLE
        ),
        fatbins=tuple(_data(s) for s in sections if s.name in {".nv_fatbin", "__nv_relfatbin"}),
        isa_needed=_isa_needed(sections),
        has_symbol_table=elf.get_section_by_name(".symtab") is not None,
        has_debug=elf.get_section_by_name(".debug_info") is not None,
        has_ifuncs=_has_ifuncs(elf, sections),
        # Without the segment the loader makes the stack executable.
        executable_stack=any(
            segment["p_flags"] & 1 for segment in elf.iter_segments("PT_GNU_STACK")
        )
        or not any(elf.iter_segments("PT_GNU_STACK")),
        writes_text="DT_TEXTREL" in dynamic,
    )


def _code_section(section: Section, starts: Sequence[int]) -> CodeSection:
    begin, code = section["sh_addr"], _data(section)
    within = slice(bisect_left(starts, begin), bisect_left(starts, begin + len(code)))
    return CodeSection(address=begin, code=code, starts=tuple(starts[within]))


def _function_starts(elf: ELFFile) -> list[int]:
    """Where functions begin, from the table by which exceptions find them; a stripped library has
    it as well. Empty where it is missing or has another form than the usual one.

    Form: Linux Standard Base 5.0, core, 10.6.2.
    """
    section = elf.get_section_by_name(".eh_frame_hdr")
    if section is None or not elf.little_endian:
        return []
    data = _data(section)
    if data[:4] != _USUAL_TABLE or len(data) < 12:
        return []
    (count,) = struct.unpack_from("<I", data, 8)
    if 12 + 8 * count > len(data):
        return []
    rows = struct.iter_unpack("<ii", data[12 : 12 + 8 * count])
    return sorted({section["sh_addr"] + start for start, _ in rows})


def _dynamic(elf: ELFFile) -> dict[str, list[str]]:
    """Tag -> texts; tags without a text are there with an empty one."""
    section = elf.get_section_by_name(".dynamic")
    found: dict[str, list[str]] = {}
    if not isinstance(section, DynamicSection):
        return found
    for tag in section.iter_tags():
        text = getattr(tag, tag.entry.d_tag.removeprefix("DT_").lower(), "")
        found.setdefault(str(tag.entry.d_tag), []).append(str(text))
    return found


def _versions(sections: Sequence[Section]) -> Iterator[tuple[str, str]]:
    """Library and version of each that is needed."""
    for section in sections:
        if isinstance(section, GNUVerNeedSection):
            for library, needed in section.iter_versions():
                for version in needed:
                    yield str(library.name), str(version.name)


def _imports(elf: ELFFile) -> Iterator[str]:
    table = elf.get_section_by_name(".dynsym")
    if isinstance(table, SymbolTableSection):
        for symbol in table.iter_symbols():
            if symbol["st_shndx"] == "SHN_UNDEF" and symbol.name:
                yield str(symbol.name)


def _has_ifuncs(elf: ELFFile, sections: Sequence[Section]) -> bool:
    """Whether the loader asks resolver functions which variant to bind."""
    if elf["e_machine"] != "EM_X86_64":
        return False
    return any(
        relocation["r_info_type"] == _IRELATIVE
        for section in sections
        if isinstance(section, RelocationSection)
        for relocation in _last_relocations(section)
    )


def _last_relocations(section: RelocationSection) -> Iterator[Relocation]:
    """Relocations of the PLT, and the end of the others: linkers sort IRELATIVE to the end."""
    count = section.num_relocations()
    for index in range(max(0, count - 4096), count):
        yield section.get_relocation(index)


def _isa_needed(sections: Sequence[Section]) -> str:
    for section in sections:
        if isinstance(section, NoteSection) and section.name == ".note.gnu.property":
            for note in section.iter_notes():
                for entry in note["n_desc"] if isinstance(note["n_desc"], list) else ():
                    if entry.pr_type in {0xC0008002, "GNU_PROPERTY_X86_ISA_1_NEEDED"}:
                        return _isa_name(entry.pr_data)
    return ""


def _isa_name(bits: object) -> str:
    number = bits if isinstance(bits, int) else int.from_bytes(bytes(bits), "little")  # type: ignore[call-overload]
    return _ISA_NAMES[min(max(number.bit_length() - 1, 0), 3)] if number else ""
