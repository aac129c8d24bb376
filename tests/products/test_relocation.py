"""Installed files that come to find each other by their places."""

import subprocess
import time
from pathlib import Path

import pytest

from tests.products.products import a_source, installed
from tests.shared_libraries import elf_of
from tfbuild.fetch.patchelf import find_patchelf
from tfbuild.products.obeyed import leading_out
from tfbuild.products.relocation import held_paths, relocate


@pytest.fixture
def product(tmp_path: Path) -> Path:
    return installed(tmp_path / "stage", a_source(tmp_path / "source"))


def test_a_program_looks_beside_itself_alone(product: Path) -> None:
    relocate(product, "/opt/tiny")
    assert elf_of(product / "bin" / "tiny").search == ("$ORIGIN/../lib",)
    assert elf_of(product / "lib" / "libtiny.so.1.2.3").search == ()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("/opt/tiny/lib:/usr/lib/other", ("$ORIGIN/../lib",)),
        ("$ORIGIN/../share:/opt/tiny", ("$ORIGIN/../share", "$ORIGIN/..", "$ORIGIN/../lib")),
        ("$ORIGIN/_solib_k8:/opt/tiny/none", ("$ORIGIN/../lib",)),
        ("$ORIGIN/../../other", ("$ORIGIN/../lib",)),
        ("", ("$ORIGIN/../lib",)),
    ],
)
def test_search_paths_begin_at_the_file(product: Path, before: str, after: tuple[str, ...]) -> None:
    program = product / "bin" / "tiny"
    subprocess.run([find_patchelf(), "--set-rpath", before, program], check=True)
    relocate(product, "/opt/tiny")
    assert elf_of(program).search == after


def test_files_of_pkg_config_begin_where_they_lie(product: Path) -> None:
    relocate(product, "/opt/tiny")
    text = (product / "lib/pkgconfig/tiny.pc").read_text()
    assert text.startswith("prefix=${pcfiledir}/../..\nexec_prefix=${prefix}\n")
    assert "Libs.private: -lm\n" in text
    left = [name for name, _ in leading_out(product)]
    assert left == ["lib/libtiny.la"], "which is not packed"


def test_files_of_cmake_begin_where_they_lie(product: Path) -> None:
    relocate(product, "/opt/tiny")
    text = (product / "lib/cmake/tiny/tinyConfig.cmake").read_text()
    assert 'set(tiny_INCLUDE "${CMAKE_CURRENT_LIST_DIR}/../../../include")' in text
    assert 'INTERFACE_LINK_LIBRARIES "m"' in text


@pytest.mark.parametrize("word", ["_cmake_import_check", "_IMPORT_CHECK"])
def test_cmake_does_not_look_for_a_library_that_is_not_delivered(product: Path, word: str) -> None:
    targets, files = ("targets", "files_for")
    if word.isupper():
        targets, files = targets.upper(), files.upper()
    lines = [
        _checked(word, targets, files, target, file)
        for target, file in (("tiny", "libtiny.so.1"), ("tiny_static", "libgone.a"))
    ]
    path = product / "lib/cmake/tiny/tinyTargets-release.cmake"
    path.write_text("".join(lines))
    relocate(product, "/opt/tiny")
    assert path.read_text() == lines[0]


def test_a_script_finds_out_where_it_lies(product: Path, tmp_path: Path) -> None:
    script = product / "bin" / "tiny-config"
    script.write_text('#!/bin/sh\nprefix="/opt/tiny"\nlibdir=/opt/tiny/lib\necho "$libdir"\n')
    script.chmod(0o755)
    relocate(product, "/opt/tiny")
    moved = product.rename(tmp_path / "a folder")
    (tmp_path / "link").symlink_to(moved / "bin" / "tiny-config")
    said = subprocess.run([tmp_path / "link"], capture_output=True, text=True, check=True)
    assert said.stdout == f"{moved}/lib\n"


def test_paths_are_found_as_whole_names(tmp_path: Path) -> None:
    for name, text in {
        "one": "see /opt/tiny.", "two": "/opt/tiny/lib", "three": "/opt/tiny-more /opt/tiny2",
        "four": "\n#!/made/build/python\n", "five": "\0/opt/tiny",
    }.items():  # fmt: skip
        (tmp_path / name).write_text(text)
    assert dict(held_paths(tmp_path, ("/opt/tiny", "/made/build", "", "/"))) == {
        "one": "/opt/tiny",
        "two": "/opt/tiny",
        "four": "/made/build",
    }
    assert list(held_paths(tmp_path, ())) == []


def test_an_absolute_path_of_a_package_is_found(tmp_path: Path) -> None:
    (tmp_path / "x.pc").write_text(
        "prefix=${pcfiledir}/..\nURL: https://example.test/x\nLibs: -L${prefix}/lib -L/srv/x -lx\n"
    )
    assert list(leading_out(tmp_path)) == [("x.pc", "/srv/x")]


def _checked(word: str, targets: str, files: str, target: str, file: str) -> str:
    """What CMake writes to have a target's file looked for."""
    first = f"list(APPEND {word}_{targets} {target} )\n"
    return f'{first}list(APPEND {word}_{files}_{target} "${{_IMPORT_PREFIX}}/lib/{file}" )\n'


def test_texts_of_megabytes_take_little_time(tmp_path: Path) -> None:
    """They come out of a container: 0.5 MB took a minute by patterns that go back."""
    (tmp_path / "lib").mkdir()
    long = "list(APPEND " + "import_check_files_for_" * 50_000
    line = 'list(APPEND _import_check_files_for_t{0} "${{_IMPORT_PREFIX}}/lib/a{0}.a" )\n'
    (tmp_path / "lib" / "long.cmake").write_text(long)
    (tmp_path / "lib" / "many.cmake").write_text("".join(map(line.format, range(60_000))))
    began = time.process_time()
    relocate(tmp_path, "/opt/x")
    assert time.process_time() - began < 20
    assert (tmp_path / "lib" / "many.cmake").read_text() == ""
    assert (tmp_path / "lib" / "long.cmake").read_text() == long
