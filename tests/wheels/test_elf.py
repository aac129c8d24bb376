from pathlib import Path

import pytest

from tests.shared_libraries import compile_c, elf_of
from tfbuild.wheels.elf import is_elf, library_names, read_elf, version_key


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


def test_library_names_in_strings() -> None:
    raw = b"\0libcuda.so.1\0not/libfoo.so\0dlopen libbar.so\0libdnnl.so.3\0libx.sorry\0"
    assert library_names(raw) == ("libbar.so", "libcuda.so.1", "libdnnl.so.3")


def test_versions_sort_by_number() -> None:
    assert sorted(["2.4", "2.31", "2.17", ""], key=version_key) == ["", "2.4", "2.17", "2.31"]
