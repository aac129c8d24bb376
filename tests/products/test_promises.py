"""What a recipe promises, and what is said where it is not there."""

import time
from pathlib import Path

from tests.failing import fails
from tfbuild.products.promises import missing_of, package_file, require_promised
from tfbuild.recipes.recipe import Product


def a_folder(folder: Path, *names: str) -> Path:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("")
    return folder


def test_all_that_is_missing_is_reported_with_what_is_there(tmp_path: Path) -> None:
    folder = a_folder(tmp_path, "lib64/libx.so.1", "bin/x", "include/x/x.h", "lib/pkgconfig/y.pc")
    product = Product(
        libraries=("lib/libx.so.1",),
        programs=("bin/x",),
        headers=("include/x/xx.h",),
        pkg_config=("x",),
        cmake=("X",),
    )
    with fails("promised-file-missing") as caught:
        require_promised(product, folder)
    library, header, program, module, package = caught.value.why.splitlines()
    assert library.startswith("lib/libx.so.1: ") and "lib64/libx.so.1" in library
    assert header.startswith("include/x/xx.h: ") and "'include/x/x.h'" in header
    assert program.startswith("bin/x: ")
    assert "pkg-config module x: " in module and "'lib/pkgconfig/y.pc'" in module
    assert "CMake package X: " in package


def test_where_only_static_libraries_were_built(tmp_path: Path) -> None:
    folder = a_folder(tmp_path, "lib/pkgconfig/x.pc", "include/x.h")
    with fails("promised-file-missing", "lib/libx.so.1", "--enable-shared"):
        require_promised(Product(libraries=("lib/libx.so.1",)), folder)


def test_what_is_all_there_passes(tmp_path: Path) -> None:
    folder = a_folder(tmp_path, "lib/libx.so.1", "bin/x", "share/pkgconfig/x.pc")
    a_folder(folder, "share/cmake/X/x-config.cmake")
    (folder / "bin/x").chmod(0o755)
    (folder / "lib/libx.so").symlink_to("libx.so.1")
    product = Product(libraries=("lib/libx.so",), programs=("bin/x",), pkg_config=("x",))
    require_promised(product, folder)
    assert package_file(folder, "x") == "share/pkgconfig/x.pc"
    assert missing_of(Product(cmake=("X",)), folder) == []
    (missing,) = missing_of(Product(cmake=("Y",)), folder)
    assert missing.startswith("the CMake package Y: ")


def test_many_promises_take_little_time(tmp_path: Path) -> None:
    """A report of 50 kB can promise thousands of files, and an archive of 10 kB have as many."""
    folder = a_folder(tmp_path, *(f"include/some/header-{number}.h" for number in range(2000)))
    names = tuple(f"include/other/header{number}.h" for number in range(3000))
    began = time.process_time()
    missing = missing_of(Product(headers=names, cmake=names, pkg_config=names), folder)
    assert time.process_time() - began < 20  # more than 150 s without limits
    assert len(missing) == 9000
    assert "did you mean" in missing[0]
    assert missing[-1].endswith("it is missing, too")
