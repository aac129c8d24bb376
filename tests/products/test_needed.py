"""Which packages have what a product needs."""

from pathlib import Path

import pytest

from tests.fakes import FakeRunner, says
from tests.shared_libraries import compile_c, needs
from tfbuild.core.process import ProcessRunner
from tfbuild.products.needed import libraries_here, needed_packages
from tfbuild.recipes.records import NeededPackage


@pytest.fixture
def product(tmp_path: Path) -> Path:
    (tmp_path / "lib").mkdir()
    library = compile_c(tmp_path / "lib", "#include <math.h>\ndouble f(double x) { return sin(x); }"
                        , "-Wl,--no-as-needed", "-lm", "-Wl,-soname,libtiny.so")  # fmt: skip
    compile_c(tmp_path / "lib", "int x;", "-Wl,--no-as-needed", str(library), name="libmore.so")
    return tmp_path


def test_the_package_of_this_machine_is_found(product: Path) -> None:
    needs("dpkg-query")
    found = needed_packages(product, ProcessRunner())
    assert [one.library for one in found] == ["libc.so.6", "libm.so.6"]
    assert {one.package for one in found} == {"libc6"}
    assert all(one.version for one in found)


def test_without_dpkg_the_libraries_have_no_package(product: Path) -> None:
    assert needed_packages(product, FakeRunner({"sh": says()})) == (
        NeededPackage(library="libc.so.6"),
        NeededPackage(library="libm.so.6"),
    )
    assert needed_packages(product, FakeRunner({"sh": says("no sh", code=127)}))[0].package == ""


def test_where_no_place_can_be_asked_the_libraries_are_named_alone(product: Path) -> None:
    assert needed_packages(product, None) == (
        NeededPackage(library="libc.so.6"),
        NeededPackage(library="libm.so.6"),
    )


def test_a_product_that_needs_nothing_asks_nobody(tmp_path: Path) -> None:
    (tmp_path / "x.h").touch()
    (tmp_path / "broken.so").write_bytes(b"\x7fELF")
    assert needed_packages(tmp_path, FakeRunner({})) == ()


def test_the_loader_names_its_libraries() -> None:
    assert "libc.so.6" in libraries_here(ProcessRunner())
