"""Whether a product's folder holds what its recipe promises."""

import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from tfbuild.core.errors import BuildFailed
from tfbuild.core.versions import did_you_mean
from tfbuild.products.folder import files_below
from tfbuild.recipes.recipe import Product


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
    return list(_missing(product, folder, list(files_below(folder))))


def package_file(folder: Path, module: str) -> str:
    """Where the file of a module of pkg-config lies; empty where it is not there."""
    places = (f"lib/pkgconfig/{module}.pc", f"share/pkgconfig/{module}.pc")
    return next((place for place in places if is_file(folder / place)), "")


def cmake_file(folder: Path, package: str) -> str:
    """Where the file of a CMake package lies; empty where it is not there."""
    wanted = {f"{package}Config.cmake", f"{package.lower()}-config.cmake"}
    found = (name for name in files_below(folder) if PurePosixPath(name).name in wanted)
    return next((name for name in found if name.startswith(("lib/", "share/"))), "")


def is_file(path: Path) -> bool:
    """Whether there is such a file; a name that no file can have is that of none."""
    return os.path.isfile(path)  # noqa: PTH113  (pathlib raises for a name that is too long)


def is_only_headers(product: Product) -> bool:
    """Whether a product has nothing that can be run or linked."""
    return bool(product.headers) and not product.libraries and not product.programs


# --- inside ------------------------------------------------------------------------------------


def _missing(product: Product, folder: Path, there: list[str]) -> Iterator[str]:
    for name in (*product.libraries, *product.headers):
        if not is_file(folder / name):
            yield f"{name}: {_unshared(name, there) or _instead(name, there)}"
    for name in product.programs:
        if not is_file(folder / name):
            yield f"{name}: {_instead(name, there)}"
        elif not os.access(folder / name, os.X_OK):
            yield f"{name}: it is there, and cannot be executed"
    for module in product.pkg_config:
        if not package_file(folder, module):
            files = [name for name in there if name.endswith(".pc")]
            yield f"the pkg-config module {module}: {_instead(f'lib/pkgconfig/{module}.pc', files)}"
    for package in product.cmake:
        if not cmake_file(folder, package):
            files = [name for name in there if name.lower().endswith("config.cmake")]
            place = f"lib/cmake/{package}/{package}Config.cmake"
            yield f"the CMake package {package}: {_instead(place, files)}"


def _unshared(name: str, there: list[str]) -> str:
    """What is missing where nothing shared was built: not every configure script does so."""
    if ".so" not in name or any(".so" in PurePosixPath(other).name for other in there):
        return ""
    return "no shared library is there; the build may have to be told: --enable-shared"


def _instead(name: str, there: list[str]) -> str:
    """What is there in its place: the same name elsewhere, or the nearest."""
    if not there:
        return "nothing like it is there"
    elsewhere = [other for other in there if PurePosixPath(other).name == PurePosixPath(name).name]
    if elsewhere:
        return f"it is there as {elsewhere[0]}"
    folder = f"{PurePosixPath(name).parent}/"
    return did_you_mean(name, [other for other in there if other.startswith(folder)] or there)
