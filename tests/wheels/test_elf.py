import contextlib
import struct
from pathlib import Path

import pytest

from tests.shared_libraries import compile_c, elf_of
from tfbuild.wheels.elf import exported_names, is_elf, library_names, read_elf, version_key


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


def test_names_that_lie_beyond_all_measure(tmp_path: Path) -> None:
    """As the attack has found it: the table of names of sections begins at 2 to the 63rd."""
    raw = bytearray(compile_c(tmp_path).read_bytes())
    sections, count = struct.unpack_from("<Q", raw, 0x28)[0], struct.unpack_from("<H", raw, 0x3E)[0]
    struct.pack_into("<Q", raw, sections + count * 64 + 0x18, (1 << 63) + 1)
    for read in (read_elf, exported_names):
        with pytest.raises(ValueError, match="not a whole ELF file"):
            read("libtiny.so", bytes(raw))


def test_versions_that_lead_in_a_circle(tmp_path: Path) -> None:
    """Each entry names the distance to the next, and the section how many there are."""
    raw = bytearray(
        compile_c(tmp_path, "#include <stdio.h>\nint f(void){return puts(0);}").read_bytes()
    )
    start, count = struct.unpack_from("<Q", raw, 0x28)[0], struct.unpack_from("<H", raw, 0x3C)[0]
    heads = [start + 64 * number for number in range(count)]
    (head,) = [at for at in heads if struct.unpack_from("<I", raw, at + 4)[0] == 0x6FFFFFFE]
    struct.pack_into("<I", raw, head + 0x2C, 0xFFFFFFFF)
    with pytest.raises(ValueError, match="needs more than"):
        read_elf("libtiny.so", bytes(raw))


def test_library_names_in_strings() -> None:
    raw = b"\0libcuda.so.1\0not/libfoo.so\0dlopen libbar.so\0libdnnl.so.3\0libx.sorry\0"
    assert library_names(raw) == ("libbar.so", "libcuda.so.1", "libdnnl.so.3")


def test_versions_sort_by_number() -> None:
    assert sorted(["2.4", "2.31", "2.17", ""], key=version_key) == ["", "2.4", "2.17", "2.31"]
