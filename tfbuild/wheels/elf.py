"""The adapter for pyelftools: what one shared library says about itself, as plain facts."""

import re
import struct
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

from elftools.construct import Container
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import Section
from elftools.elf.segments import InterpSegment, NoteSegment, Segment

from tfbuild.wheels.fatbin import find_fatbins
from tfbuild.wheels.segments import ElfRiddle, Measured, Segments, Tag, riddle

MAGIC = b"\x7fELF"
_IRELATIVE = 37  # R_X86_64_IRELATIVE
_LOADED, _EXECUTABLE = 2, 4  # SHF_ALLOC, SHF_EXECINSTR
_COMPRESSED = 0x800  # SHF_COMPRESSED
_DF_BIND_NOW, _DF_1_NOW, _DF_1_PIE = 0x8, 0x1, 0x08000000
_FUNCTIONS = (2, 10)  # STT_FUNC, STT_GNU_IFUNC
Found = TypeVar("Found")
_LIBRARY = re.compile(rb"(lib(?<![\w/.+-]lib)[\w+.-]+?\.so(?:\.\d+)*)(?=\0)")
_USUAL_TABLE = b"\x01\x1b\x03\x3b"  # version, and offsets of 32 bits, as linkers write them
_ISA_NAMES = ("x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4")


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeSection:
    """One section of machine code."""

    address: int
    code: bytes
    starts: tuple[int, ...] = ()  # of the functions in it, in order, where a table names them


@dataclass(frozen=True, slots=True, kw_only=True)
class Protection:
    """How a library or a program is protected while it runs."""

    is_program: bool
    is_position_independent: bool
    has_relro: bool  # what the loader has filled in is not written to afterwards
    binds_now: bool  # and it fills all of it in before anything runs
    has_stack_protector: bool  # in some function
    interpreter: str = ""  # the loader that a program names


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
    fatbins: tuple[bytes, ...]  # containers of device code
    isa_needed: str  # from the GNU property note, empty where there is none
    has_symbol_table: bool
    has_debug: bool
    has_ifuncs: bool
    executable_stack: bool
    writes_text: bool
    protection: Protection

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


def read_elf(name: str, raw: bytes) -> Elf:
    """The facts of one library; ValueError when the file is broken, ElfRiddle when it is one."""
    return _understood(name, raw, lambda elf, segments: _read(name, elf, segments))


def exported_names(name: str, raw: bytes) -> frozenset[str]:
    """The symbols that a library defines for others; raises as `read_elf` does."""
    return _understood(name, raw, _exported)


def library_names(raw: bytes) -> tuple[str, ...]:
    """Strings that look like library names, each once, in order of names."""
    return tuple(sorted({match[1].decode() for match in _LIBRARY.finditer(raw)}))


def _understood(name: str, raw: bytes, read: Callable[[ELFFile, Segments], Found]) -> Found:
    is_loaded = False
    try:
        stream = Measured(raw)
        elf = _File(stream)
        segments = Segments(elf, stream)
        is_loaded = segments.are_loaded
        return read(elf, segments)
    except ElfRiddle as error:
        raise ElfRiddle(f"{name} is a riddle: {error}") from error
    except Exception as error:
        # The loader may take it all the same, whatever its name: it is no file to be left out.
        kind = ElfRiddle if is_loaded else ValueError
        raise kind(f"{name} is not a whole ELF file: {error}") from error


class _File(ELFFile):
    """An ELF file whose headers are parsed once, and whose sections are made of them alone.

    pyelftools parses a header, in Python, with every look at it, and what sections and segments of
    some kinds lead to with them: of a small library that is nine tenths of all the time.
    """

    def __init__(self, stream: Measured) -> None:
        self._headers: dict[tuple[str, int], Container] = {}
        self._sections: list[Section] = []
        super().__init__(stream)

    def _get_section_header(self, n: int) -> Container:
        return self._once(("section", n), super()._get_section_header)

    def _get_segment_header(self, n: int) -> Container:
        return self._once(("segment", n), super()._get_segment_header)

    def _make_section(self, section_header: Container) -> Section:
        return Section(section_header, self._get_section_name(section_header), self)

    def iter_sections(self, type: str | None = None) -> Iterator[Section]:  # noqa: A002
        if not self._sections:
            self._sections = list(super().iter_sections())
        return (one for one in self._sections if type in {None, one["sh_type"]})

    def iter_segments(self, type: str | None = None) -> Iterator[Segment]:  # noqa: A002
        for number in range(self.num_segments()):
            if type in {None, self._get_segment_header(number)["p_type"]}:
                yield self.get_segment(number)

    def _once(self, key: tuple[str, int], parse: Callable[[int], Container]) -> Container:
        if key not in self._headers:
            self._headers[key] = parse(key[1])
        return self._headers[key]


def _exported(elf: ELFFile, segments: Segments) -> frozenset[str]:
    _check_agreement(list(elf.iter_sections()), segments)
    return frozenset(s.name for s in segments.symbols if s.is_defined and s.is_offered)


def _interpreters(elf: ELFFile) -> Iterator[InterpSegment]:
    """The segments that name a loader."""
    return (one for one in elf.iter_segments("PT_INTERP") if isinstance(one, InterpSegment))


def _protection(elf: ELFFile, segments: Segments) -> Protection:
    flags, more = segments.number(Tag.FLAGS) or 0, segments.number(Tag.FLAGS_1) or 0
    is_fixed = elf["e_type"] == "ET_EXEC"
    loaders = [one.get_interp_name() for one in _interpreters(elf)]
    is_named = {s.name for s in segments.symbols if not s.is_defined}
    return Protection(
        is_program=is_fixed or bool(loaders) or bool(more & _DF_1_PIE),
        is_position_independent=not is_fixed,
        has_relro=any(elf.iter_segments("PT_GNU_RELRO")),
        binds_now=bool(flags & _DF_BIND_NOW or more & _DF_1_NOW)
        or segments.number(Tag.BIND_NOW) is not None,
        has_stack_protector=bool(is_named & {"__stack_chk_fail", "__stack_chk_guard"}),
        interpreter=loaders[0] if loaders else "",
    )


def _data(section: Section) -> bytes:
    """The bytes of a section as they lie in the file; ValueError where it is compressed, as it may
    then be of any size.
    """
    if section["sh_flags"] & _COMPRESSED:
        raise ValueError(f"the section {section.name} is not stored as it is")
    return bytes(section.data())


def _check_agreement(sections: Sequence[Section], segments: Segments) -> None:
    """ElfRiddle where the section table, which other readers go by, differs from the segments.

    A file may have none, as the loader needs none.
    """
    if not sections:
        return
    seen = {
        kind: [s for s in sections if s["sh_type"] == kind]
        for kind in ("SHT_DYNAMIC", "SHT_DYNSYM", "SHT_GNU_verneed")
    }
    places = [(s["sh_offset"], s["sh_addr"]) for s in seen["SHT_DYNAMIC"]]
    if places != ([segments.dynamic] if segments.dynamic else []):
        raise riddle("its section table hides its dynamic segment, or makes one up")
    texts = [sections[s["sh_link"]] for several in seen.values() for s in several]
    for tag, found in (
        (Tag.STRTAB, {s["sh_addr"] for s in texts}),
        (Tag.STRSZ, {s["sh_size"] for s in texts}),
        (Tag.SYMTAB, {s["sh_addr"] for s in seen["SHT_DYNSYM"]}),
        (Tag.SYMENT, {s["sh_entsize"] for s in seen["SHT_DYNSYM"]}),
        (Tag.VERNEED, {s["sh_addr"] for s in seen["SHT_GNU_verneed"]}),
        (Tag.VERNEEDNUM, {s["sh_info"] for s in seen["SHT_GNU_verneed"]}),
    ):
        said = segments.number(tag)
        if found != (set() if said is None else {said}):
            raise riddle(f"its section table differs from DT_{tag.name}")
    if any(s["sh_size"] // s["sh_entsize"] < len(segments.symbols) for s in seen["SHT_DYNSYM"]):
        raise riddle("its section table has fewer symbols than it uses")
    loaded = [s for s in sections if s["sh_flags"] & _LOADED and _is_stored(s)]
    for section in [*texts, *loaded] if segments.are_loaded else ():
        if segments.offset(section["sh_addr"]) != section["sh_offset"]:
            raise riddle(f"{section.name} is not what is loaded there")
    names = {s.name for s in seen["SHT_DYNAMIC"]}, {s.name for s in seen["SHT_DYNSYM"]}
    if names != (({".dynamic"}, {".dynsym"}) if segments.dynamic else (set(), set())):
        raise riddle("its dynamic sections have other names")


def _is_stored(section: Section) -> bool:
    return section["sh_type"] != "SHT_NOBITS" and section["sh_size"] > 0


def _read(name: str, elf: ELFFile, segments: Segments) -> Elf:
    sections = list(elf.iter_sections())
    _check_agreement(sections, segments)
    code = tuple(_code(elf, sections, segments))
    if sections and elf["e_machine"] == "EM_X86_64":
        _check_functions(code, segments)
    return Elf(
        name=name,
        machine=elf.get_machine_arch(),
        soname=next(iter(segments.texts(Tag.SONAME)), ""),
        needed=segments.texts(Tag.NEEDED),
        search=tuple(
            entry
            for tag in (Tag.RUNPATH, Tag.RPATH)
            for text in segments.texts(tag)
            for entry in text.split(":")
        ),
        versions=tuple(sorted(set(segments.versions))),
        imports=frozenset(s.name for s in segments.symbols if s.name and not s.is_defined),
        code=code,
        fatbins=tuple(found for memory in segments.images() for found in find_fatbins(memory)),
        isa_needed=_isa_needed(elf),
        has_symbol_table=elf.get_section_by_name(".symtab") is not None,
        has_debug=elf.get_section_by_name(".debug_info") is not None,
        has_ifuncs=elf["e_machine"] == "EM_X86_64" and _IRELATIVE in segments.relocations[0],
        # Without the segment the loader makes the stack executable.
        executable_stack=any(
            segment["p_flags"] & 1 for segment in elf.iter_segments("PT_GNU_STACK")
        )
        or not any(elf.iter_segments("PT_GNU_STACK")),
        writes_text=segments.writes_text,
        protection=_protection(elf, segments),
    )


def _code(elf: ELFFile, sections: Sequence[Section], segments: Segments) -> Iterator[CodeSection]:
    """All that can be run of what is loaded, but for what the section table calls data; of an
    object file the sections of code."""
    starts = _function_starts(elf, segments)
    loaded = [s for s in sections if s["sh_flags"] & _LOADED and _is_stored(s)]
    if not segments.are_loaded:
        for section in loaded:
            if section["sh_flags"] & _EXECUTABLE:
                yield _code_section(section["sh_addr"], _data(section), starts)
        return
    data = _joined((s["sh_addr"], s["sh_addr"] + s["sh_size"])
                   for s in loaded if not s["sh_flags"] & _EXECUTABLE)  # fmt: skip
    edges = sorted({e for s in loaded for e in (s["sh_addr"], s["sh_addr"] + s["sh_size"])})
    for begin, end in segments.executable():
        within = edges[bisect_right(edges, begin) : bisect_left(edges, end)]
        for first, last in pairwise((begin, *within, end)):
            if first < last and not _holds(data, first):
                yield _code_section(first, segments.read(first, last - first), starts)


def _code_section(begin: int, code: bytes, starts: Sequence[int]) -> CodeSection:
    within = slice(bisect_left(starts, begin), bisect_left(starts, begin + len(code)))
    return CodeSection(address=begin, code=code, starts=tuple(starts[within]))


def _joined(ranges: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """The same places, in order and none on top of another."""
    found: list[tuple[int, int]] = []
    for begin, end in sorted(ranges):
        if found and begin <= found[-1][1]:
            found[-1] = found[-1][0], max(end, found[-1][1])
        else:
            found.append((begin, end))
    return found


def _holds(ranges: Sequence[tuple[int, int]], address: int) -> bool:
    """Whether one of these, which are in order, holds the address."""
    place = bisect_right(ranges, address, key=lambda one: one[0])
    return place > 0 and address < ranges[place - 1][1]


def _check_functions(code: Sequence[CodeSection], segments: Segments) -> None:
    """ElfRiddle where the section table calls data what the loader or other libraries call."""
    ranges = _joined((one.address, one.address + len(one.code)) for one in code)
    called = {s.value for s in segments.symbols if s.is_defined and s.kind in _FUNCTIONS}
    called |= {segments.number(Tag.INIT) or 0, segments.number(Tag.FINI) or 0}
    for address in sorted(called - {0}):
        if not _holds(ranges, address):
            raise riddle(f"its section table says that the function at {address:#x} is no code")


def _function_starts(elf: ELFFile, segments: Segments) -> list[int]:
    """Where functions begin, from the table by which exceptions find them; a stripped library has
    it as well. Empty where it is missing or has another form than the usual one.

    Form: Linux Standard Base 5.0, core, 10.6.2.
    """
    found = next(iter(elf.iter_segments("PT_GNU_EH_FRAME")), None)
    if found is None or not elf.little_endian:
        return []
    begin = found["p_vaddr"]
    data = segments.read(begin, found["p_filesz"])
    if data[:4] != _USUAL_TABLE or len(data) < 12:
        return []
    (count,) = struct.unpack_from("<I", data, 8)
    if 12 + 8 * count > len(data):
        return []
    rows = struct.iter_unpack("<ii", data[12 : 12 + 8 * count])
    return sorted({begin + start for start, _ in rows})


def _isa_needed(elf: ELFFile) -> str:
    """What the notes that the loader reads ask for."""
    for segment in elf.iter_segments("PT_NOTE"):
        assert isinstance(segment, NoteSegment)
        for note in segment.iter_notes():
            for entry in note["n_desc"] if isinstance(note["n_desc"], list) else ():
                if entry.pr_type in {0xC0008002, "GNU_PROPERTY_X86_ISA_1_NEEDED"}:
                    return _isa_name(entry.pr_data)
    return ""


def _isa_name(bits: object) -> str:
    number = bits if isinstance(bits, int) else int.from_bytes(bytes(bits), "little")  # type: ignore[call-overload]
    return _ISA_NAMES[min(max(number.bit_length() - 1, 0), 3)] if number else ""
