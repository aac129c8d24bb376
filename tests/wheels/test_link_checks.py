from pathlib import Path

import pytest

from tests.shared_libraries import a_library, a_subject, tiny_wheel
from tfbuild.core.plans import AuditPolicy
from tfbuild.core.reports import AuditFinding
from tfbuild.wheels import link_checks as check
from tfbuild.wheels.libraries import Library

CUDA = AuditPolicy(version="1.0", excluded_libraries=("libcublas.so.13", "libcuda.so.1"))


def test_needed_libraries(tmp_path: Path) -> None:
    wheel = tiny_wheel(tmp_path)
    assert check.check_needed(a_subject(wheel, a_library())).state == "passed"
    found = check.check_needed(a_subject(wheel, a_library(), external=("libfoo.so.1",)))
    assert (found.state, "libfoo.so.1" in found.detail) == ("failed", True)
    excluded = a_subject(wheel, a_library(), policy=CUDA, external=("libcublas.so.13",))
    assert check.check_needed(excluded).state == "passed"
    unplanned = a_subject(wheel, a_library(), policy=AuditPolicy(), external=("libfoo.so.1",))
    assert check.check_needed(unplanned).state == "skipped"


@pytest.mark.parametrize(
    ("path", "state"),
    [
        ("tiny_thing.libs/libz-1234abcd.so.1", "passed"),
        ("tiny_thing.libs/libcublas-1234abcd.so.13.1", "failed"),
        ("tiny_thing/libcublas.so.13", "failed"),
        ("tiny_thing/libcublasLt.so.13", "passed"),
        ("tiny_thing.libs/libcuda.so.1", "failed"),
        ("tiny_thing.libs/libpython3.11.so.1.0", "failed"),
    ],
)
def test_libraries_that_must_not_be_inside(tmp_path: Path, path: str, state: str) -> None:
    library = a_library(path=path, own=False)
    subject = a_subject(tiny_wheel(tmp_path), library, policy=CUDA)
    assert check.check_inside(subject).state == state


def test_libraries_opened_at_run_time(tmp_path: Path) -> None:
    wheel = tiny_wheel(tmp_path)
    opener = a_library(opened=("libc.so.6", "libcuda.so.1", "libtiny_cuda.so"))
    found = check.check_opened(a_subject(wheel, opener, policy=CUDA))
    assert (found.state, found.detail) == ("failed", "libtiny_cuda.so was not planned")
    planned = AuditPolicy(
        version="1.0", runtime_libraries=("libtiny_cuda.so",), excluded_libraries=("libcuda.so.1",)
    )
    assert check.check_opened(a_subject(wheel, opener, policy=planned)).state == "passed"


@pytest.mark.parametrize(
    ("entry", "state"),
    [
        ("$ORIGIN", "passed"),
        ("$ORIGIN/../tiny_thing.libs", "passed"),
        ("$ORIGIN/../nvidia/cu13/lib", "passed"),
        ("$ORIGIN/../../lib", "failed"),
        ("/usr/local/cuda/lib64", "failed"),
        ("bazel-out/lib", "failed"),
        ("", "failed"),
    ],
)
def test_search_paths(tmp_path: Path, entry: str, state: str) -> None:
    subject = a_subject(tiny_wheel(tmp_path), a_library(search=(entry,)))
    assert check.check_search_paths(subject).state == state


def of(tmp_path: Path, function: str, library: Library) -> AuditFinding:
    found: AuditFinding = getattr(check, function)(a_subject(tiny_wheel(tmp_path), library))
    return found


def test_paths_of_the_build(tmp_path: Path) -> None:
    assert of(tmp_path, "check_build_paths", a_library()).state == "passed"
    traitor = a_library(build_paths=("/home/me/x.cc",))
    assert "/home/me/x.cc" in of(tmp_path, "check_build_paths", traitor).detail
    copied = a_library(build_paths=("/home/me/x.cc",), own=False)
    assert of(tmp_path, "check_build_paths", copied).state == "passed"


def test_hardening(tmp_path: Path) -> None:
    assert of(tmp_path, "check_hardening", a_library()).state == "passed"
    assert of(tmp_path, "check_hardening", a_library(executable_stack=True)).state == "failed"
    assert of(tmp_path, "check_hardening", a_library(writes_text=True)).state == "failed"


def test_symbols(tmp_path: Path) -> None:
    assert of(tmp_path, "check_symbols", a_library()).state == "passed"
    assert of(tmp_path, "check_symbols", a_library(has_symbol_table=True)).state == "failed"
