import time
import zipfile
from pathlib import Path

import pytest

from tests.shared_libraries import a_subject, compile_c, tiny_wheel
from tfbuild.wheels.components import read_binaries
from tfbuild.wheels.libraries import Library, is_library_name, read_libraries
from tfbuild.wheels.place_checks import check_start
from tfbuild.wheels.wheel_file import open_wheel


def library(folder: Path, source: str, *flags: str, path: str = "tiny_thing/libtiny.so") -> Library:
    folder.mkdir(exist_ok=True)
    raw = compile_c(folder, source, *flags).read_bytes()
    (found,), _ = read_libraries(open_wheel(tiny_wheel(folder, {path: raw})))
    return found


def test_versions_that_a_library_says(tmp_path: Path) -> None:
    source = 'const char *v(void) { return "tiny-thing 1.0"; }'
    assert library(tmp_path, source).versions == ("1.0",)
    assert library(tmp_path / "b", 'const char *v(void) { return "x 1"; }').versions == ()


@pytest.mark.parametrize(
    ("text", "versions"),
    [
        *(("Tiny_Thing 1.0-RC1", ("1.0-rc1",)), ("tiny thing/2.0 x", ("2.0",))),
        *(("tiny-tiny-thing 1.0", ("1.0",)), ("xtiny-thing 1.0", ()), ("_tiny-thing 1.0", ())),
        *(
            ("tiny-thing-1.0", ()),
            ("tiny-thing 1", ()),
            ("tiny-thing 1.0 tiny-thing 1.1", ("1.0", "1.1")),
        ),
    ],
)
def test_a_version_stands_after_the_name(
    tmp_path: Path, text: str, versions: tuple[str, ...]
) -> None:
    assert library(tmp_path, f'const char *v(void) {{ return "{text}"; }}').versions == versions


def test_a_name_of_many_parts_is_looked_for_in_one_go(tmp_path: Path) -> None:
    """A name of 3,000 parts took a minute for 4 MB that repeat its beginning."""
    raw = compile_c(tmp_path).read_bytes() + b"a-" * 2_000_000 + b"b 1.5\0"
    name = "a_" * 3000 + "b"
    wheel = tiny_wheel(tmp_path, {"tiny_thing/libtiny.so": raw})
    content = open_wheel(wheel)
    content.metadata.replace_header("Name", name)
    begin = time.process_time()
    (found,), _ = read_libraries(content)
    assert found.versions == ("1.5",)
    assert time.process_time() - begin < 10


def test_libraries_that_are_opened(tmp_path: Path) -> None:
    source = '#include <dlfcn.h>\nvoid *cuda(void) { return dlopen("libcuda.so.1", RTLD_NOW); }\n'
    assert "libcuda.so.1" in library(tmp_path, source).opened
    quiet = 'const char *cuda(void) { return "libcuda.so.1"; }'
    assert library(tmp_path / "b", quiet).opened == ()


def test_paths_of_the_build(tmp_path: Path) -> None:
    source = 'const char *where(void) { return "/home/someone/project/kernel.cc"; }'
    assert library(tmp_path, source).build_paths == ("/home/someone/project/kernel.cc",)
    harmless = 'const char *where(void) { return "/usr/include/x.h kernels/nn/relu.cc"; }'
    assert library(tmp_path / "b", harmless).build_paths == ()


def test_copied_libraries_are_not_our_own(tmp_path: Path) -> None:
    found = library(tmp_path, "int x;", path="tiny_thing.libs/libz-1234abcd.so.1")
    assert not found.own
    assert found.name == "libz-1234abcd.so.1"


def test_use_of_numpy(tmp_path: Path) -> None:
    source = 'const char *name(void) { return "numpy._core._multiarray_umath"; }'
    assert library(tmp_path, source).needs_numpy


def test_cpu_level_of_compiled_code(tmp_path: Path) -> None:
    source = "void add(float *a, const float *b) { for (int i = 0; i < 64; ++i) a[i] += b[i]; }"
    plain = library(tmp_path, source, "-O3")
    wide = library(tmp_path / "b", source, "-O3", "-mavx2")
    assert plain.cpu is not None
    assert plain.cpu.level == "x86-64"
    assert wide.cpu is not None
    assert wide.cpu.level == "x86-64-v3"


def test_files_that_are_no_libraries_are_left_out(tmp_path: Path) -> None:
    files = {"tiny_thing/a.so": b"not an ELF file", "tiny_thing/b.so.txt": b""}
    assert read_libraries(open_wheel(tiny_wheel(tmp_path, files))) == ((), ())


def test_libraries_are_known_by_their_content(tmp_path: Path) -> None:
    assert library(tmp_path, "int x;", path="tiny_thing/data.bin").name == "data.bin"
    files = {"tiny_thing/sample.bin": b"\x7fELF and no more"}
    assert read_libraries(open_wheel(tiny_wheel(tmp_path / "b", files))) == ((), ())


def test_names_of_libraries() -> None:
    assert is_library_name("a/libx.so.1.2") and is_library_name("a/x.cpython-311.so")
    assert not is_library_name("a/x.so.txt") and not is_library_name("a/data.bin")


def test_a_broken_library_leaves_the_others_readable(tmp_path: Path) -> None:
    raw = compile_c(tmp_path).read_bytes()
    files = {"tiny_thing/a.so": raw[:-700], "tiny_thing/b.so": raw}
    found, unread = read_libraries(open_wheel(tiny_wheel(tmp_path, files)))
    assert [library.path for library in found] == ["tiny_thing/b.so"]
    assert [library.path for library in unread] == ["tiny_thing/a.so"]
    assert "tiny_thing/a.so" in unread[0].why


def test_the_directory_of_a_wheel_is_not_read_again_for_each_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {f"tiny_thing/{n}.bin": b"\x7fELF" for n in range(40)}
    content = open_wheel(tiny_wheel(tmp_path, files | {f"{n}.pth": b"" for n in range(40)}))
    opened: list[Path] = []
    real = zipfile.ZipFile

    def counted(path: Path) -> zipfile.ZipFile:
        opened.append(path)
        return real(path)

    monkeypatch.setattr("zipfile.ZipFile", counted)
    assert read_libraries(content) == ((), ())
    read_binaries(content)
    check_start(a_subject(content))
    assert len(opened) < 8
