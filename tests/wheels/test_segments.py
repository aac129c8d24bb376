"""What the loader would take from a library, where its segments are at odds with themselves."""

import io
import struct
import subprocess
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile

from tests.shared_libraries import compile_c
from tfbuild.wheels.elf import read_elf
from tfbuild.wheels.segments import ElfRiddle, Measured, Segments, Tag

SOURCE = """
#include <stdio.h>
int said(const char *text) { return puts(text); }
static int hidden(void) { return 1; }
int (*chosen)(void) = hidden;
"""
LOAD, DYNAMIC = 1, 2


def segments_of(raw: bytes) -> Segments:
    stream = Measured(raw)
    return Segments(ELFFile(stream), stream)


def row(raw: bytes, kind: int, which: int = 0) -> int:
    """Where the row of a segment of this kind begins."""
    elf = ELFFile(io.BytesIO(raw))
    rows = [elf["e_phoff"] + n * elf["e_phentsize"] for n in range(elf.num_segments())]
    return int([at for at in rows if struct.unpack_from("<I", raw, at)[0] == kind][which])


def tag_at(raw: bytes, tag: Tag) -> int:
    """Where the entry of a tag begins."""
    at = struct.unpack_from("<Q", raw, row(raw, DYNAMIC) + 8)[0]
    while struct.unpack_from("<Q", raw, at)[0] != tag:
        at += 16
    return int(at)


def changed(raw: bytes, at: int, form: str, value: int) -> bytes:
    new = bytearray(raw)
    struct.pack_into(form, new, at, value)
    return bytes(new)


@pytest.fixture
def raw(tmp_path: Path) -> bytes:
    return compile_c(tmp_path, SOURCE, "-Wl,-soname,libtiny.so.1").read_bytes()


def test_what_the_loader_reads(raw: bytes) -> None:
    found = segments_of(raw)
    assert found.texts(Tag.NEEDED) == ("libc.so.6",)
    symbols = {symbol.name: symbol for symbol in found.symbols}
    assert symbols["said"].is_defined and symbols["said"].is_offered
    assert not symbols["puts"].is_defined
    assert ("libc.so.6", "GLIBC_2.2.5") in found.versions
    ((begin, end),) = found.executable()
    assert begin <= symbols["said"].value < end
    assert found.relocations[1] < len(found.symbols)


def test_two_dynamic_segments(raw: bytes) -> None:
    """The loader obeys the last one, and other readers the first."""
    eh_frame = row(raw, 0x6474E550)
    with pytest.raises(ElfRiddle, match="several dynamic segments"):
        read_elf("libtiny.so", changed(raw, eh_frame, "<I", DYNAMIC))


def test_sections_of_a_dynamic_segment_that_is_not_there(raw: bytes) -> None:
    with pytest.raises(ElfRiddle, match="or makes one up"):
        read_elf("libtiny.so", changed(raw, row(raw, DYNAMIC), "<I", 0))


def test_a_tag_that_is_said_twice(raw: bytes) -> None:
    with pytest.raises(ElfRiddle, match="says SONAME twice"):
        segments_of(changed(raw, tag_at(raw, Tag.FINI), "<Q", Tag.SONAME))


def test_segments_that_are_loaded_over_each_other(raw: bytes) -> None:
    """The later one wins, page by page; a reader of addresses may see the other."""
    first = row(raw, LOAD)
    with pytest.raises(ElfRiddle, match="loaded to one place"):
        segments_of(changed(raw, first + 0x28, "<Q", 0x1001))


@pytest.mark.parametrize(
    ("tag", "value", "said"),
    [
        (Tag.STRTAB, 1 << 40, "nothing of it is loaded"),
        (Tag.STRSZ, 4, "a text beyond its texts"),
        (Tag.SYMENT, 16, "another length"),
        (Tag.VERNEEDNUM, 2, "more libraries than it counts, or of fewer"),
    ],
)
def test_tags_that_lie(raw: bytes, tag: Tag, value: int, said: str) -> None:
    found = segments_of(changed(raw, tag_at(raw, tag) + 8, "<Q", value))
    with pytest.raises(ElfRiddle, match=said):
        assert found.symbols and found.versions


def test_a_relocation_for_a_symbol_beyond_the_others(raw: bytes) -> None:
    at = struct.unpack_from("<Q", raw, tag_at(raw, Tag.JMPREL) + 8)[0]
    with pytest.raises(ElfRiddle, match="cannot be judged"):
        read_elf("libtiny.so", changed(raw, at + 12, "<I", 9))
    with pytest.raises(ElfRiddle, match="symbols beyond its end"):
        assert segments_of(changed(raw, at + 12, "<I", 1 << 31)).symbols


def test_versions_that_are_counted_wrongly(raw: bytes) -> None:
    """The loader goes from one to the next and counts nothing."""
    at = struct.unpack_from("<Q", raw, tag_at(raw, Tag.VERNEED) + 8)[0]
    with pytest.raises(ElfRiddle, match="more versions than it counts"):
        assert segments_of(changed(raw, at + 2, "<H", 7)).versions


def test_symbols_that_share_an_endless_name_are_a_riddle(tmp_path: Path) -> None:
    name = "x" * 60_000
    few = "".join(f"int f{n};\n" for n in range(400))
    raw = bytearray(compile_c(tmp_path, f"{few}int {name};\n").read_bytes())
    elf = ELFFile(io.BytesIO(bytes(raw)))
    table, texts = (elf.get_section_by_name(part) for part in (".dynsym", ".dynstr"))
    assert table is not None and texts is not None
    place = texts.data().index(name.encode())
    for at in range(table["sh_offset"] + 24, table["sh_offset"] + table["sh_size"], 24):
        struct.pack_into("<I", raw, at, place)
    with pytest.raises(ElfRiddle, match="on top of one another"):
        read_elf("libtiny.so", bytes(raw))


def test_code_that_is_written_to_is_shown_by_either_of_two_tags(tmp_path: Path) -> None:
    source = 'int x; asm(".text\\n.globl f\\nf: movabs $x, %rax\\nret\\n");\n'
    raw = compile_c(tmp_path, source, "-Wl,-z,notext").read_bytes()
    assert segments_of(raw).writes_text
    assert segments_of(changed(raw, tag_at(raw, Tag.TEXTREL), "<Q", 21)).writes_text
    assert not segments_of(compile_c(tmp_path).read_bytes()).writes_text


def test_a_static_program_and_an_object_file(tmp_path: Path) -> None:
    """Neither has a dynamic segment; an object file is not loaded at all, and has code."""
    source = tmp_path / "a.c"
    source.write_text("int main(void) { return 42; }\n")
    for flags in (["-static"], ["-c"]):
        out = tmp_path / "a.out"
        subprocess.run(["gcc", *flags, "-o", out, source], check=True)
        elf = read_elf("a.out", out.read_bytes())
        assert elf.needed == ()
        assert any(b"\xb8\x2a\0\0\0" in section.code for section in elf.code)


def test_memory_is_what_the_loader_makes_of_the_file(raw: bytes) -> None:
    images = list(segments_of(raw).images())
    assert images[0].startswith(raw[:4096])
    assert all(len(image) % 4096 == 0 for image in images)
    at = row(raw, LOAD, 1)
    begin, address, size = (struct.unpack_from("<Q", raw, at + n)[0] for n in (8, 16, 32))
    moved = changed(raw, at + 8, "<Q", 0)  # what is loaded there now lies at the file's begin
    (first, *_) = segments_of(moved).images()
    assert first[address : address + size] == moved[:size]
    assert begin, "it lay elsewhere before"


def test_a_segment_beyond_the_end_of_the_file_takes_no_memory(raw: bytes) -> None:
    at = row(raw, LOAD, 3)
    endless = changed(changed(raw, at + 32, "<Q", 1 << 45), at + 40, "<Q", 1 << 45)
    assert sum(map(len, segments_of(endless).images())) < 20 * len(raw)
