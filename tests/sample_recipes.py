"""A small project with a recipe of its own, for tests of recipes."""

from pathlib import Path

A_RECIPE = f"""\
name: greet
summary: Says hello
homepage: https://example.org/greet
license: MIT
source:
  url: https://example.org/greet-{{version}}.tar.gz
  releases: {{'1.10': '{"a" * 64}'}}
  recognize: [greet.h, VERSION]
  version_file: VERSION
  version_pattern: 'version (\\d+)\\.(\\d+)'
options:
  loud:
    help: Say it loudly
    default: on
    choices:
      on: {{arguments: [-DGREET_LOUD=ON], expect: {{GREET_LOUD: on}}}}
      off: {{arguments: [-DGREET_LOUD=OFF]}}
build:
  system: cmake
  arguments: ['-DGREET_VERSION={{version}}']
  expect: {{GREET_LOUD: off}}
product:
  libraries: [lib/libgreet.so.1]
  programs: [bin/greet]
  headers: [include/greet.h]
  pkg_config: [greet]
  cmake: [greet]
  licenses: [LICENSE]
audit:
  exports: [greeting]
probes:
  says: {{run: [bin/greet], prints: HELLO}}
  links:
    program: |
      #include <greet.h>
      #include <stdio.h>
      int main(void) {{ return puts(greeting()) < 0; }}
    pkg_config: greet
    cmake: greet greet::greet
    prints: HELLO
"""

# The same source code where Bazel builds it: its recipe names the files that are taken.
A_BAZEL_RECIPE = """\
name: hail
summary: Says hello
homepage: https://example.org/hail
license: MIT
source: {recognize: [greet.h, VERSION], version_file: VERSION, version_pattern: 'version ([0-9.]+)'}
build: {system: bazel, targets: ['//:greet']}
product:
  libraries: [lib/libgreet.so]
  files: {lib/libgreet.so: libgreet.so, bin/greet: greet}
  programs: [bin/greet]
  headers: [include/greet.h]
  licenses: [LICENSE]
probes:
  says: {run: [bin/greet], prints: HELLO}
"""


def written(folder: Path, text: str) -> Path:
    """A recipe in its file."""
    path = folder / "greet.yaml"
    path.write_text(text)
    return path


_FILES = {
    "VERSION": "version 1.10\n",
    "LICENSE": "Do as you like.\n",
    "greet.h": "#pragma once\nconst char *greeting(void);\n",
    "greet.c": '#include "greet.h"\nconst char *greeting(void) { return GREETING; }\n',
    "main.c": '#include <stdio.h>\n#include "greet.h"\n'
    "int main(void) { return puts(greeting()) < 0; }\n",
    "greet.pc.in": "prefix=@CMAKE_INSTALL_PREFIX@\nName: greet\nDescription: greets\n"
    "Version: @GREET_VERSION@\nLibs: -L${prefix}/lib -lgreet\nCflags: -I${prefix}/include\n",
    "greetConfigVersion.cmake.in": 'set(PACKAGE_VERSION "@GREET_VERSION@")\n'
    "set(PACKAGE_VERSION_COMPATIBLE TRUE)\n",
    "CMakeLists.txt": """\
cmake_minimum_required(VERSION 3.13)
project(greet C)
include(GNUInstallDirs)
option(GREET_LOUD "say it loudly" OFF)
set(GREET_VERSION 0 CACHE STRING "its version")
add_library(greet greet.c)
set_target_properties(greet PROPERTIES VERSION 1.10.0 SOVERSION 1)
if(GREET_LOUD)
  target_compile_definitions(greet PRIVATE GREETING="HELLO")
else()
  target_compile_definitions(greet PRIVATE GREETING="hello")
endif()
target_include_directories(greet INTERFACE $<INSTALL_INTERFACE:include>)
add_executable(greet_program main.c)
set_target_properties(greet_program PROPERTIES OUTPUT_NAME greet)
target_link_libraries(greet_program greet)
configure_file(greet.pc.in greet.pc @ONLY)
configure_file(greetConfigVersion.cmake.in greetConfigVersion.cmake @ONLY)
install(TARGETS greet greet_program EXPORT greet)
install(EXPORT greet NAMESPACE greet:: FILE greetConfig.cmake DESTINATION lib/cmake/greet)
install(FILES greet.h DESTINATION include)
install(FILES ${CMAKE_BINARY_DIR}/greet.pc DESTINATION lib/pkgconfig)
install(FILES ${CMAKE_BINARY_DIR}/greetConfigVersion.cmake DESTINATION lib/cmake/greet)
""",
}


def a_tree(folder: Path) -> Path:
    """The source tree that A_RECIPE builds: a library and a program, by CMake."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in _FILES.items():
        (folder / name).write_text(text)
    return folder
