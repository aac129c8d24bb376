"""The files of a product: which are code, which are text, and patterns for their places."""

from pathlib import Path

import pytest

from tests.shared_libraries import compile_c
from tfbuild.products.folder import (
    elf_files,
    elf_kind,
    files_below,
    pattern_of,
    text_in,
    write_text,
)  # fmt: skip


@pytest.mark.parametrize(
    ("glob", "fitting", "others"),
    [
        ("share/man/**", ("share/man/man1/x.1",), ("share/man", "share/manual/x")),
        ("share/man", ("share/man", "share/man/man1/x.1"), ("share/manual",)),
        ("bin/*-config", ("bin/png-config", "bin/x-config/y"), ("bin/a/b-config", "bin/config")),
        ("**/*.la", ("x.la", "lib/x.la", "lib/a/x.la"), ("lib/xla", "lib/x.lax")),
        ("lib/?.so", ("lib/a.so",), ("lib/ab.so", "lib//.so")),
        ("/include/", ("include/a.h",), ("other/include/a.h",)),
    ],
)
def test_patterns_are_those_of_shells(
    glob: str, fitting: tuple[str, ...], others: tuple[str, ...]
) -> None:
    pattern = pattern_of(["nothing else", glob])
    assert [name for name in fitting if not pattern.search(name)] == []
    assert [name for name in others if pattern.search(name)] == []


def test_no_pattern_fits_nothing() -> None:
    assert not any(pattern_of(globs).search("lib/x") for globs in ([], ["", "/"]))


def test_code_is_known_by_its_content(tmp_path: Path) -> None:
    compile_c(tmp_path, name="tiny")
    (tmp_path / "libtext.so").write_text("INPUT(libtiny.so)")
    (tmp_path / "cut").write_bytes(b"\x7fELF\x02")
    (tmp_path / "link").symlink_to("tiny")
    assert elf_files(tmp_path) == ("cut", "tiny")
    assert elf_kind(tmp_path / "link") == ""
    assert list(files_below(tmp_path)) == ["cut", "libtext.so", "link", "tiny", "tiny.c"]


def test_text_of_any_encoding_is_changed_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "script"
    path.write_bytes(b"caf\xe9 /opt\n")
    path.chmod(0o755)
    text = text_in(path)
    assert text is not None
    write_text(path, text.replace("/opt", "/usr"))
    assert path.read_bytes() == b"caf\xe9 /usr\n"
    assert path.stat().st_mode & 0o777 == 0o755
    (tmp_path / "binary").write_bytes(b"a\0b")
    (tmp_path / "link").symlink_to("script")
    assert text_in(tmp_path / "binary") is None
    assert text_in(tmp_path / "link") is None
