"""Whether a product's folder holds what its recipe promises."""

import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path, PurePosixPath

from tfbuild.core.errors import BuildFailed
from tfbuild.core.versions import did_you_mean
from tfbuild.products.folder import files_below
from tfbuild.recipes.recipe import Product

_MOST_EXPLAINED = 20  # missing files of which is said what is there instead
_MOST_COMPARED = 500  # names that are compared with a missing one


def require_promised(product: Product, folder: Path) -> None:
    """Raise BuildFailed, with all that is missing and what is there instead."""
    missing = missing_of(product, folder)
    if missing:
        raise BuildFailed(
            f"the build left out {len(missing)} of what the recipe promises"
            if len(missing) > 1
            else "the build left out what the recipe promises",
            code="promised-file-missing",
            why="\n".join(missing),
            hint="correct product in the recipe, or the arguments of its build",
        )


def missing_of(product: Product, folder: Path) -> list[str]:
    """What is promised and missing, each with what is there instead."""
    return list(_missing(product, folder, _There(list(files_below(folder)))))


def package_file(folder: Path, module: str) -> str:
    """Where the file of a module of pkg-config lies; empty where it is not there."""
    places = (f"lib/pkgconfig/{module}.pc", f"share/pkgconfig/{module}.pc")
    return next((place for place in places if is_file(folder / place)), "")


def is_file(path: Path) -> bool:
    """Whether there is such a file; a name that no file can have is that of none."""
    return os.path.isfile(path)  # noqa: PTH113  (pathlib raises for a name that is too long)


def is_only_headers(product: Product) -> bool:
    """Whether a product has nothing that can be run or linked."""
    return bool(product.headers) and not product.libraries and not product.programs


# --- inside ------------------------------------------------------------------------------------


class _There:
    """The files that are there, by what is asked of them."""

    def __init__(self, names: list[str]) -> None:
        self.names = names
        self.by_name = {PurePosixPath(name).name: name for name in reversed(names)}
        self.is_shared = any(".so" in name for name in self.by_name)
        self.pkg_config = [name for name in names if name.endswith(".pc")]
        cmake = [name for name in names if name.lower().endswith("config.cmake")]
        self.cmake = cmake
        self.packages = {
            PurePosixPath(name).name for name in cmake if name.startswith(("lib/", "share/"))
        }


def _missing(product: Product, folder: Path, there: _There) -> Iterator[str]:
    """What is missing, as far as lines are read; of the rest its names alone."""
    for number, (what, instead) in enumerate(_all_missing(product, folder, there)):
        yield f"{what}: {instead() if number < _MOST_EXPLAINED else 'it is missing, too'}"


def _all_missing(
    product: Product, folder: Path, there: _There
) -> Iterator[tuple[str, Callable[[], str]]]:
    """What is missing, and what says what is there instead: that takes time."""
    for name in (*product.libraries, *product.headers):
        if not is_file(folder / name):
            yield name, partial(_unshared, name, there)
    for name in product.programs:
        if not is_file(folder / name):
            yield name, partial(_instead, name, there)
        elif not os.access(folder / name, os.X_OK):
            yield name, lambda: "it is there, and cannot be executed"
    for module in product.pkg_config:
        if not package_file(folder, module):
            place = f"lib/pkgconfig/{module}.pc"
            yield f"the pkg-config module {module}", partial(_nearest, place, there.pkg_config)
    for package in product.cmake:
        if not {f"{package}Config.cmake", f"{package.lower()}-config.cmake"} & there.packages:
            place = f"lib/cmake/{package}/{package}Config.cmake"
            yield f"the CMake package {package}", partial(_nearest, place, there.cmake)


def _unshared(name: str, there: _There) -> str:
    """What is there in its place; nothing where nothing shared was built, as by many scripts."""
    if ".so" not in name or there.is_shared:
        return _instead(name, there)
    return "no shared library is there; the build may need an option: --enable-shared"


def _instead(name: str, there: _There) -> str:
    """What is there in its place: the same name elsewhere, or the nearest."""
    elsewhere = there.by_name.get(PurePosixPath(name).name)
    return f"it is there as {elsewhere}" if elsewhere else _nearest(name, there.names)


def _nearest(name: str, names: list[str]) -> str:
    if not names:
        return "nothing like it is there"
    folder = f"{PurePosixPath(name).parent}/"
    near = [other for other in names if other.startswith(folder)] or names
    return did_you_mean(name, near[:_MOST_COMPARED])
