"""Progress in the lines of Ninja and make."""

import pytest

from tests.fakes import RecordingReporter
from tfbuild.drivers.progress import MakeProgress, NinjaProgress, object_of


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("[3/10] Building CXX object CMakeFiles/x.dir/a.cc.o", ("a.cc.o", "3", "10")),
        ("[1/2] Compiling C object src/lib.so.6.p/lib.c.o", ("lib.c.o", "1", "2")),
        ("[2/2] Linking CXX shared library lib/libx.so.1", ("libx.so.1", "2", "2")),
        ("[1/2] Generating a.h with a custom command", ("Generating a.h with a custom command",
                                                        "1", "2")),
    ],
)  # fmt: skip
def test_steps_of_ninja(line: str, expected: tuple[str, ...]) -> None:
    reporter = RecordingReporter()
    progress = NinjaProgress(reporter)
    progress.take("ninja: Entering directory `/b'")
    progress.take(line)
    assert reporter.said == [("progress", *expected)]


def test_a_total_that_changes_is_what_is_known_so_far() -> None:
    reporter = RecordingReporter()
    progress = NinjaProgress(reporter)
    for line in ("[0/1] Re-running CMake...", "[1/40] Building C object a.c.o"):
        progress.take(line)
    assert [one[2:] for one in reporter.said] == [("0", "1"), ("1", "40", "so far")]


@pytest.mark.parametrize(
    ("line", "made"),
    [
        ("gcc -O2 -c -o src/a.o src/a.c", "src/a"),
        ("libtool: compile:  gcc -c png.c  -fPIC -DPIC -o .libs/png.o", "png"),
        ("libtool: compile:  gcc -c png.c -o png.o >/dev/null 2>&1", "png"),
        ("CC\tlibavutil/adler32.o", "libavutil/adler32"),
        ("  CC       pngrutil.lo", "pngrutil"),
        ("    [CC] vp8/a.c.o", "vp8/a.c"),
        ("gcc -shared -o libx.so a.o", ""),
        ("checking whether gcc accepts -g... yes", ""),
    ],
)
def test_objects_of_make(line: str, made: str) -> None:
    assert object_of(line) == made


def test_an_object_counts_once_and_never_more_than_there_are() -> None:
    reporter = RecordingReporter()
    progress = MakeProgress(reporter, total=2)
    for line in ("cc -c -o a.o a.c", "cc -c -o .libs/a.o a.c", "cc -c -o b.o b.c", "CC c.o"):
        progress.take(line)
    assert reporter.said == [("progress", name, done, "2") for name, done in
                             (("a", "1"), ("b", "2"), ("c", "2"))]  # fmt: skip


def test_without_a_total_they_are_only_counted() -> None:
    reporter = RecordingReporter()
    MakeProgress(reporter).take("CC a.o")
    assert reporter.said == [("progress", "a", "1", "0")]
