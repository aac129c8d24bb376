"""A log shows which build system wrote it, and its remedies are for that one."""

import io
import re
from pathlib import Path

import pytest

from benchmarks.diagnose import THREADS, read_threads
from tfbuild.diagnosis.build_systems import build_system_of
from tfbuild.diagnosis.catalogue import read_catalogue
from tfbuild.diagnosis.findings import diagnosis_of, first_cause

LOGS = Path(__file__).parent / "build_logs"  # whole outputs of builds that failed
_BAZEL = re.compile(r"bazel|--jobs=|--\w*copt|--cxxopt|--linkopt|--\w+_env\b|\bTF_[A-Z]")


@pytest.mark.parametrize(
    ("name", "system", "cause", "fix"),
    [
        ("cmake-header", "cmake", "header-not-found", "CMAKE_PREFIX_PATH"),
        ("cmake-killed", "cmake", "compiler-killed", "-j2"),
        ("meson-header", "meson", "header-not-found", "CPATH"),
        ("configure-killed", "configure", "compiler-killed", "-j2"),
        ("configure-library", "configure", "library-not-found", "LDFLAGS"),
    ],
)
def test_a_remedy_fits_the_build_system_of_the_log(
    name: str, system: str, cause: str, fix: str
) -> None:
    with (LOGS / f"{name}.log").open("rb") as log:
        diagnosis = diagnosis_of(log)
    first = diagnosis.findings[0]
    assert (diagnosis.build_system, first.id) == (system, cause)
    assert fix in first.fix
    assert not _BAZEL.search(first.fix), "an option of Bazel"


def test_bazel_keeps_its_own_remedies() -> None:
    killed = [
        diagnosis_of(io.BytesIO(thread.log.encode()))
        for thread in read_threads(THREADS)
        if thread.expected == ("compiler-killed",)
    ]
    of_bazel = [found.findings[0].fix for found in killed if found.build_system == "bazel"]
    assert of_bazel
    assert all("--local_ram_resources" in fix for fix in of_bazel)


@pytest.mark.parametrize(
    ("line", "system"),
    [
        ("ERROR: /w/BUILD:9:1: C++ compilation of rule '//a:b' failed (Exit 1)", "bazel"),
        ("INFO: Elapsed time: 3.2s, Critical Path: 1s", "bazel"),
        ("The Meson build system", "meson"),
        ("../meson.build:5:2: ERROR: Dependency 'frob' not found", "meson"),
        ("CMake Error at CMakeLists.txt:3 (find_package):", "cmake"),
        ("[ 50%] Building CXX object CMakeFiles/demo.dir/a.cc.o", "cmake"),
        ("configure: error: no acceptable C compiler found in $PATH", "configure"),
        ("checking whether the C compiler works... no", "configure"),
        ("make[2]: *** [Makefile:3: all] Error 2", "make"),
        ("ninja: build stopped: subcommand failed.", "ninja"),
        ("a.c:3:5: error: 'x' undeclared", ""),
        ("pip is checking for updates", ""),
    ],
)
def test_one_line_shows_the_build_system(line: str, system: str) -> None:
    log = f"first\n{line}\nlast\n"
    assert build_system_of(io.BytesIO(log.encode())) == system


def test_the_begin_and_the_end_of_a_large_log_are_looked_at() -> None:
    middle = b"a line of output\n" * 100_000
    assert build_system_of(io.BytesIO(b"The Meson build system\n" + middle)) == "meson"
    assert build_system_of(io.BytesIO(middle + b"make: *** [all] Error 2\n")) == "make"


def test_a_build_that_is_known_needs_no_log_to_show_it() -> None:
    line = "cc: fatal error: Killed signal terminated program cc1"
    there, elsewhere = first_cause(line, "bazel"), first_cause(line, "make")
    assert there
    assert elsewhere
    assert "--local_ram_resources" in there.fix
    assert "-j2" in elsewhere.fix


def test_no_remedy_for_elsewhere_names_what_is_bazels() -> None:
    said = {p.row.id: p.row.fix_elsewhere for p in read_catalogue() if p.row.fix_elsewhere}
    assert len(said) > 30
    assert [name for name, fix in said.items() if _BAZEL.search(fix)] == []
