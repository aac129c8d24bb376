"""Which lines of an output say why a program failed."""

import pytest

from tfbuild.diagnosis.failure_lines import FailureLines


def why(*lines: str, last: tuple[str, ...] = ("one", "", "two")) -> str:
    said = FailureLines()
    for line in lines:
        said.take(line)
    return said.why(last)


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (("-- looking", "CMake Error at CMakeLists.txt:3 (find_package):", "  no Frob", ""),
         "CMake Error at CMakeLists.txt:3 (find_package):\n  no Frob"),
        (("../meson.build:5:2: ERROR: Dependency 'frob' not found",),
         "../meson.build:5:2: ERROR: Dependency 'frob' not found"),
        (("checking for cc... no", "configure: error: no compiler"),
         "configure: error: no compiler"),
        (("ERROR: libx264 not found", "If you think"), "ERROR: libx264 not found"),
        (("a.c: In function 'f':", "a.c:3:5: error: 'x' undeclared", "make: *** [a.o] Error 1"),
         "a.c:3:5: error: 'x' undeclared"),
        (("/usr/bin/ld: a.o: in function `f':", "a.c:(.text+0x5): undefined reference to `g'",
          "collect2: error: ld returned 1 exit status"),
         "a.c:(.text+0x5): undefined reference to `g'"),
        (("/usr/bin/ld: cannot find -lfrob: No such file",),
         "/usr/bin/ld: cannot find -lfrob: No such file"),
        (("b.s:7: Error: no such instruction", "x"), "b.s:7: Error: no such instruction"),
        (("make[1]: *** [Makefile:3: all] Error 2",), "make[1]: *** [Makefile:3: all] Error 2"),
        (("nothing of it",), "one\ntwo"),
    ],
)  # fmt: skip
def test_the_lines_that_say_why(lines: tuple[str, ...], expected: str) -> None:
    assert why(*lines) == expected


def test_only_the_first_ones_are_shown() -> None:
    found = why(*(f"a.c:{number}: error: bad" for number in range(1, 30))).splitlines()
    assert (found[0], len(found)) == ("a.c:1: error: bad", 8)
