"""What the libraries of a folder need, held against what is beside them and in every system."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.shared_libraries import SOURCE, compile_c
from tfbuild.core.plans import AuditPolicy
from tfbuild.core.reports import AuditFinding
from tfbuild.products.libraries import check_needed, read_subject

POLICY = AuditPolicy(glibc_ceiling="2.36", cpu_level="x86-64")
NAME = "-Wl,-soname,libtiny.so"


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """A library that needs zlib."""
    return compile_c(tmp_path, SOURCE, NAME, "-Wl,--no-as-needed", "-lz")


def needed(made: Path, *beside: str, allowed: tuple[str, ...] = ()) -> AuditFinding:
    policy = replace(POLICY, excluded_libraries=allowed)
    return check_needed(read_subject({"lib/libtiny.so": made}, policy), {made.name, *beside})


def test_links_are_left_out_and_what_is_no_library_is_unread(tmp_path: Path, made: Path) -> None:
    (tmp_path / "libtiny.so.1").symlink_to(made.name)
    broken = tmp_path / "libbroken.so"
    broken.write_bytes(made.read_bytes()[:300])
    files = {path.name: path for path in (made, tmp_path / "libtiny.so.1", broken)}
    subject = read_subject(files, POLICY)
    assert [library.path for library in subject.libraries] == ["libtiny.so"]
    assert [library.path for library in subject.unread] == ["libbroken.so"]


def test_what_is_neither_there_nor_part_of_every_system_fails(made: Path) -> None:
    found = needed(made)
    assert (found.state, found.built) == ("failed", "libc.so.6 libz.so.1")
    assert "libz.so.1 is neither beside them" in found.detail
    assert needed(made, "libz.so.1").state == "passed"


@pytest.mark.parametrize(
    ("pattern", "state"), [("libz.so.*", "passed"), ("libz.so.1", "passed"), ("libz.*.2", "failed")]
)
def test_what_belongs_to_the_environment_is_named_by_a_pattern(
    made: Path, pattern: str, state: str
) -> None:
    assert needed(made, allowed=("libother.so.1", pattern)).state == state
