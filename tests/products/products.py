"""A small product as a build leaves it: a library, a program, their headers and package files."""

import subprocess
from dataclasses import replace
from pathlib import Path

from tests.shared_libraries import needs
from tfbuild.core.plans import AuditPolicy
from tfbuild.core.process import ProcessRunner
from tfbuild.places.folders import BuildFolders
from tfbuild.products.layout import lay_out
from tfbuild.recipes.recipe import Product
from tfbuild.recipes.records import Input, ProductPlan

HEADER = """\
#ifndef TINY_H
#define TINY_H
#ifdef __cplusplus
extern "C" {
#endif
int tiny_answer(void);
const char *tiny_version(void);
#ifdef __cplusplus
}
#endif
#endif
"""
LIBRARY = """\
#include "tiny.h"
int tiny_answer(void) { return 42; }
const char *tiny_version(void) { return "1.2.3"; }
"""
PROGRAM = """\
#include <stdio.h>
#include "tiny.h"
int main(void) {
  int letter;
  while ((letter = getchar()) != EOF) putchar(letter);
  printf("tiny %s says %d\\n", tiny_version(), tiny_answer());
  return 0;
}
"""
PACKAGE = """\
prefix=/opt/tiny
exec_prefix=/opt/tiny
libdir=/opt/tiny/lib
includedir=${prefix}/include

Name: tiny
Description: A small library
Version: 1.2.3
Libs: -L${libdir} -ltiny
Libs.private: /usr/lib/x86-linux-gnu/libm.so -L/usr/lib
Cflags: -I${includedir}
"""
CMAKE = """\
get_filename_component(_IMPORT_PREFIX "${CMAKE_CURRENT_LIST_FILE}" PATH)
get_filename_component(_IMPORT_PREFIX "${_IMPORT_PREFIX}" PATH)
get_filename_component(_IMPORT_PREFIX "${_IMPORT_PREFIX}" PATH)
get_filename_component(_IMPORT_PREFIX "${_IMPORT_PREFIX}" PATH)
set(tiny_INCLUDE "/opt/tiny/include")
if(NOT TARGET tiny::tiny)
  add_library(tiny::tiny SHARED IMPORTED)
  set_target_properties(tiny::tiny PROPERTIES
    IMPORTED_LOCATION "${_IMPORT_PREFIX}/lib/libtiny.so.1"
    INTERFACE_INCLUDE_DIRECTORIES "${tiny_INCLUDE}"
    INTERFACE_LINK_LIBRARIES "/usr/lib/x86-linux-gnu/libm.so")
endif()
"""
CMAKE_VERSION = """\
set(PACKAGE_VERSION "1.2.3")
if(NOT PACKAGE_FIND_VERSION VERSION_GREATER PACKAGE_VERSION)
  set(PACKAGE_VERSION_COMPATIBLE TRUE)
endif()
"""
FLAGS = ("-O2", "-fPIC", "-fstack-protector-strong", "-Wl,-z,relro,-z,now")


def a_plan(**changes: object) -> ProductPlan:
    """A plan for the small product."""
    plan = ProductPlan(
        id="one",
        recipe="tiny",
        recipe_sha256="0" * 64,
        summary="a small library",
        license="MIT",
        version="1.2.3",
        target="linux-x86_64",
        options=(),
        source=Input(kind="folder", place="tree", version="1.2.3"),
        env="host",
        needs=(),
        steps=(),
        product=Product(
            libraries=("lib/libtiny.so", "lib/libtiny.so.1"),
            programs=("bin/tiny",),
            headers=("include/tiny.h",),
            pkg_config=("tiny",),
            cmake=("tiny",),
            licenses=("LICENSE",),
            leave_out=("share/man/**",),
        ),
        audit=AuditPolicy(glibc_ceiling="2.99"),
        exports=("tiny_answer",),
        probes=(),
        archive="tiny-1.2.3-linux-x86_64.tar.gz",
        output=Path("dist"),
        jobs=1,
    )
    return replace(plan, **changes)  # type: ignore[arg-type]


def a_source(folder: Path) -> Path:
    """The source code, as far as something is taken of it."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "LICENSE").write_text("Do what you like.\n")
    (folder / "tiny.h").write_text(HEADER)
    (folder / "tiny.c").write_text(LIBRARY)
    (folder / "main.c").write_text(PROGRAM)
    return folder


def installed(stage: Path, source: Path, *, prefix: str = "/opt/tiny") -> Path:
    """What `make install` would leave below stage; the folder of the prefix."""
    needs("gcc", "strip")
    top = stage / prefix.lstrip("/")
    for name in ("lib/pkgconfig", "lib/cmake/tiny", "bin", "include", "share/man/man1"):
        (top / name).mkdir(parents=True)
    library = top / "lib" / "libtiny.so.1.2.3"
    made = ("gcc", *FLAGS, f"-ffile-prefix-map={source}=.")
    shared = ("-shared", "-Wl,-soname,libtiny.so.1", "-g", "-o", str(library), "tiny.c")
    subprocess.run([*made, *shared], cwd=source, check=True)
    (top / "lib/libtiny.so.1").symlink_to("libtiny.so.1.2.3")
    (top / "lib/libtiny.so").symlink_to(f"{prefix}/lib/libtiny.so.1")
    words = ("-pie", "-o", str(top / "bin/tiny"), "main.c", str(library))
    subprocess.run([*made, *words, f"-Wl,-rpath,{stage}/build"], cwd=source, check=True)
    (top / "include/tiny.h").write_text(HEADER)
    (top / "lib/pkgconfig/tiny.pc").write_text(PACKAGE.replace("/opt/tiny", prefix))
    (top / "lib/cmake/tiny/tinyConfig.cmake").write_text(CMAKE.replace("/opt/tiny", prefix))
    (top / "lib/cmake/tiny/tinyConfigVersion.cmake").write_text(CMAKE_VERSION)
    (top / "lib/libtiny.la").write_text("libdir='/opt/tiny/lib'\n")
    (top / "lib/libtiny.a").write_bytes(b"!<arch>\n")
    (top / "share/man/man1/tiny.1").write_text("see /opt/tiny\n")
    return top


def folders_in(folder: Path) -> BuildFolders:
    """The folders of a build, by their usual names in a folder."""
    source, build, stage = (folder / name for name in ("source", "build", "stage"))
    return BuildFolders(
        root=folder, source=source, build=build, stage=stage, exchange=folder / "exchange"
    )


def laid_out(folder: Path, plan: ProductPlan) -> Path:
    """The product of a plan, in a folder whose build is gone."""
    source = a_source(folder / "source")
    installed(folder / "stage", source)
    (folder / "build").mkdir()
    product = folder / "product"
    (folder / "exchange").mkdir()
    lay_out(plan, folders_in(folder), ProcessRunner())
    (folder / "stage").rename(folder / "gone")
    return product
