"""What the loader reads of a shared library: its segments, and what the dynamic one names.

It never looks at the section table, which programs that analyse libraries read; so a library is
judged by what stands here, and one whose sections say something else is not judged at all.
"""

import io
import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from itertools import pairwise

from elftools.common.utils import struct_parse
from elftools.elf.elffile import ELFFile

_READ_TIMES = 8  # what is read of a file, by its size: honest ones take up to 4
_READ_ANYWAY = 1 << 20
_COST = 16  # of one reading, in bytes
_PAGE = 4096
_EXECUTABLE = 1  # PF_X
_DF_TEXTREL = 0x4
_GLOBAL, _WEAK = 1, 2


class ElfRiddle(ValueError):
    """A file whose parts lie on top of one another or contradict each other."""


class Measured(io.BytesIO):
    """A file of which as much may be read as honest ones need, by their size.

    Any part may be named by many others: a text without an end by every symbol, all of the file by
    every section; and a list may lead in a circle.
    """

    def __init__(self, raw: bytes) -> None:
        super().__init__(raw)
        self._left = _READ_TIMES * len(raw) + _READ_ANYWAY

    def read(self, size: int | None = -1) -> bytes:
        """As of every file; ElfRiddle where it has been read too often."""
        found = super().read(size)
        self.count(len(found) + _COST)
        return found

    def count(self, size: int) -> None:
        """Take so many bytes for read."""
        self._left -= size
        if self._left < 0:
            raise ElfRiddle("its parts lie on top of one another")


class Tag(IntEnum):
    """The entries of a dynamic segment that matter here."""

    NEEDED = 1
    PLTRELSZ = 2
    HASH = 4
    STRTAB = 5
    SYMTAB = 6
    RELA = 7
    RELASZ = 8
    STRSZ = 10
    SYMENT = 11
    INIT = 12
    FINI = 13
    SONAME = 14
    RPATH = 15
    REL = 17
    RELSZ = 18
    PLTREL = 20
    TEXTREL = 22
    JMPREL = 23
    BIND_NOW = 24
    RUNPATH = 29
    FLAGS = 30
    DEPAUDIT = 0x6FFFFEFB
    AUDIT = 0x6FFFFEFC
    GNU_HASH = 0x6FFFFEF5
    FLAGS_1 = 0x6FFFFFFB
    VERNEED = 0x6FFFFFFE
    VERNEEDNUM = 0x6FFFFFFF
    AUXILIARY = 0x7FFFFFFD
    FILTER = 0x7FFFFFFF


_PUT_BEFORE = (Tag.AUXILIARY, Tag.FILTER, Tag.AUDIT, Tag.DEPAUDIT)


@dataclass(frozen=True, slots=True, kw_only=True)
class Symbol:
    """One symbol by which libraries find each other; its kind is the number of ELF."""

    name: str
    kind: int
    is_defined: bool
    is_offered: bool  # to other libraries, if it is defined
    value: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Load:
    """A segment that is loaded."""

    address: int
    offset: int
    stored: int
    size: int  # in memory; what is not stored is zero
    is_executable: bool

    @property
    def end(self) -> int:
        """Where the bytes of the file end that come with it: whole pages of them, unless what
        follows is made zero."""
        end = self.address + self.stored
        return end if self.size > self.stored else -(-end // _PAGE) * _PAGE


class Segments:
    """The loader's view of one file; ElfRiddle where it has two, or names what is not loaded."""

    def __init__(self, elf: ELFFile, stream: Measured) -> None:
        self._elf, self._stream = elf, stream
        self._order = "<" if elf.little_endian else ">"
        self._is_wide = elf.elfclass == 64
        places = [elf["e_phoff"] + n * elf["e_phentsize"] for n in range(elf["e_phnum"])]
        # The library's own segments would look into the section table.
        rows = [struct_parse(elf.structs.Elf_Phdr, stream, stream_pos=at) for at in places]
        self._loads = [
            _Load(
                address=row["p_vaddr"],
                offset=row["p_offset"],
                stored=row["p_filesz"],
                size=row["p_memsz"],
                is_executable=bool(row["p_flags"] & _EXECUTABLE),
            )
            for row in rows
            if row["p_type"] == "PT_LOAD"
        ]
        if any(end > begin for (_, end), (begin, _) in pairwise(self._pages())):
            raise riddle("two of its segments are loaded to one place")
        found = [(r["p_offset"], r["p_vaddr"]) for r in rows if r["p_type"] == "PT_DYNAMIC"]
        if len(found) > 1:
            raise riddle("it has several dynamic segments")
        self.dynamic: tuple[int, int] | None = found[0] if found else None
        self._tags: dict[int, list[int]] = {}
        if self.dynamic:
            self._read_tags(self.dynamic[1])
        if any(tag in self._tags for tag in _PUT_BEFORE):
            raise riddle("it has the loader put other libraries before it")

    @property
    def are_loaded(self) -> bool:
        """Whether there are any: an object file, which is only linked, has none."""
        return bool(self._loads)

    def number(self, tag: Tag) -> int | None:
        """What the dynamic segment has for a tag; None where it has none."""
        found = self._tags.get(tag)
        return found[0] if found else None

    def texts(self, tag: Tag) -> tuple[str, ...]:
        """The texts of a tag, in order."""
        return tuple(self._text(at) for at in self._tags.get(tag, ()))

    @property
    def writes_text(self) -> bool:
        """Whether code is changed while it is loaded."""
        return Tag.TEXTREL in self._tags or bool((self.number(Tag.FLAGS) or 0) & _DF_TEXTREL)

    def offset(self, address: int) -> int:
        """Where in the file lies what is loaded to an address."""
        for one in self._loads:
            if one.address <= address < one.end:
                return one.offset + address - one.address
        raise riddle(f"nothing of it is loaded to {address:#x}")

    def executable(self) -> Iterator[tuple[int, int]]:
        """Begin and end of what can be run, as addresses: of segments, without what is only zero
        and without the headers of the file."""
        header = self._elf["e_phoff"] + self._elf["e_phnum"] * self._elf["e_phentsize"]
        for one in self._loads:
            if one.is_executable:
                skipped = min(max(header - one.offset, 0), one.stored)
                yield one.address + skipped, one.address + one.stored

    def read(self, address: int, size: int) -> bytes:
        """So many bytes as they are loaded to an address; fewer where the file ends."""
        self._stream.seek(self.offset(address))
        return self._stream.read(size)

    def images(self) -> Iterator[bytes]:
        """What is loaded, as it lies in memory: in whole pages, neighbours together.

        Of an object file, which nobody loads, all of it.
        """
        stored = sorted((one for one in self._loads if one.stored), key=lambda one: one.address)
        if not stored:
            self._stream.seek(0)
            yield self._stream.read()
        run: list[bytes] = []
        behind = 0
        for one in stored:
            before = min(one.address % _PAGE, one.offset)
            begin = one.address - before
            if run and begin != behind:
                yield b"".join(run)
                run.clear()
            self._stream.seek(one.offset - before)
            found = self._stream.read(one.end - begin)  # fewer where the file ends
            run.append(found.ljust(-(-len(found) // _PAGE) * _PAGE, b"\0"))
            behind = begin + len(run[-1])
        if run:
            yield b"".join(run)

    @cached_property
    def relocations(self) -> tuple[frozenset[int], int]:
        """The kinds of relocations, and the highest number of a symbol in them."""
        kinds: set[int] = set()
        highest = 0
        for at, size, has_addend in (
            (self.number(Tag.RELA), self.number(Tag.RELASZ), True),
            (self.number(Tag.REL), self.number(Tag.RELSZ), False),
            (self.number(Tag.JMPREL), self.number(Tag.PLTRELSZ), self._plt_has_addends),
        ):
            if at is not None and size:
                form = struct.Struct(
                    self._order + ("QQq" if self._is_wide else "IIi")[: 2 + has_addend]
                )
                raw = self.read(at, size)
                infos = {
                    row[1] for row in form.iter_unpack(raw[: len(raw) // form.size * form.size])
                }
                shift = 32 if self._is_wide else 8
                kinds |= {info & ((1 << shift) - 1) for info in infos}
                highest = max(highest, max((info >> shift for info in infos), default=0))
        return frozenset(kinds), highest

    @cached_property
    def symbols(self) -> tuple[Symbol, ...]:
        """All symbols that the loader can come to: by a table of hashes, or by a relocation."""
        at = self.number(Tag.SYMTAB)
        if at is None:
            return ()
        form = struct.Struct(self._order + ("IBBHQQ" if self._is_wide else "IIIBBH"))
        if self.number(Tag.SYMENT) != form.size:
            raise riddle("its symbols have another length")
        count = max(self.relocations[1] + 1, self._hashed(), self._gnu_hashed())
        raw = self.read(at, count * form.size)
        if len(raw) < count * form.size:
            raise riddle("it names symbols beyond its end")
        return tuple(self._symbol(row) for row in form.iter_unpack(raw))

    @cached_property
    def versions(self) -> tuple[tuple[str, str], ...]:
        """Library and version of each that is needed. The loader follows the distances, whatever
        the counts beside them are."""
        at, found, libraries = self.number(Tag.VERNEED), [], 0
        while at is not None:
            _, count, library, first, following = self._unpack("HHIII", at)
            entry = at + first
            seen = 0
            while True:
                *_, name, distance = self._unpack("IHHII", entry)
                found.append((self._text(library), self._text(name)))
                seen, entry = seen + 1, entry + distance
                if not distance:
                    break
            if seen != count:
                raise riddle("it needs more versions than it counts, or fewer")
            libraries += 1
            at = at + following if following else None
        if libraries != (self.number(Tag.VERNEEDNUM) or 0):
            raise riddle("it needs versions of more libraries than it counts, or of fewer")
        return tuple(found)

    # --- inside --------------------------------------------------------------------------------

    def _pages(self) -> Iterable[tuple[int, int]]:
        """First page of each segment, and the one behind it."""
        return sorted(
            (one.address // _PAGE, -(-(one.address + one.size) // _PAGE))
            for one in self._loads
            if one.size
        )

    def _read_tags(self, address: int) -> None:
        """The loader takes the last of several, other readers the first."""
        form = "QQ" if self._is_wide else "II"
        while (row := self._unpack(form, address))[0]:
            self._tags.setdefault(row[0], []).append(row[1])
            address += struct.calcsize("<" + form)
        twice = [tag.name for tag in Tag if tag != Tag.NEEDED and len(self._tags.get(tag, ())) > 1]
        if twice:
            raise riddle(f"it says {' and '.join(twice)} twice")

    def _unpack(self, form: str, address: int) -> tuple[int, ...]:
        form = self._order + form
        return struct.unpack(form, self.read(address, struct.calcsize(form)))

    @cached_property
    def _strings(self) -> bytes:
        at, size = self.number(Tag.STRTAB), self.number(Tag.STRSZ)
        return self.read(at, size) if at is not None and size else b""

    def _text(self, at: int) -> str:
        end = self._strings.find(b"\0", at)
        if end < 0:
            raise riddle("it names a text beyond its texts")
        self._stream.count(end - at)
        return self._strings[at:end].decode("utf-8", "replace")

    @property
    def _plt_has_addends(self) -> bool:
        return self.number(Tag.PLTREL) == Tag.RELA

    def _hashed(self) -> int:
        at = self.number(Tag.HASH)
        form = "QQ" if self._is_wide and self._elf["e_machine"] in {"EM_S390", "EM_ALPHA"} else "II"
        return self._unpack(form, at)[1] if at is not None else 0

    def _gnu_hashed(self) -> int:
        """How many symbols there are up to the last one of the newer table of hashes."""
        at = self.number(Tag.GNU_HASH)
        if at is None:
            return 0
        buckets, first, words, _ = self._unpack("IIII", at)
        at += 16 + words * (8 if self._is_wide else 4)
        raw = self.read(at, 4 * buckets)
        last = max(struct.unpack(f"{self._order}{len(raw) // 4}I", raw), default=0)
        if last < first:
            return first
        chain = at + 4 * buckets + 4 * (last - first)
        while not self._unpack("I", chain)[0] & 1:
            last, chain = last + 1, chain + 4
        return last + 1

    def _symbol(self, row: tuple[int, ...]) -> Symbol:
        name, info, other, section, value, _ = (
            row if self._is_wide else (row[0], row[3], row[4], row[5], row[1], row[2])
        )
        return Symbol(
            name=self._text(name) if name else "",
            kind=info & 0xF,
            is_defined=section != 0,
            is_offered=info >> 4 in {_GLOBAL, _WEAK} and other & 3 == 0,
            value=value,
        )


def riddle(why: str) -> ElfRiddle:
    """The error of a file that the loader and other readers see in different ways."""
    return ElfRiddle(f"cannot be judged: {why}")
