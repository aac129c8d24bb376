from contextlib import AbstractContextManager
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.shared_libraries import TAG, a_library, a_subject, metadata, tiny_wheel
from tfbuild.core.plans import AuditPolicy
from tfbuild.wheels import file_checks as check
from tfbuild.wheels import wheel_file
from tfbuild.wheels.archive import opened_zip
from tfbuild.wheels.wheel_file import write_wheel

INFO = "tiny_thing-1.0.dist-info"
GOOD = f"{TAG}-{TAG}-manylinux_2_28_x86_64"


def test_packing(tmp_path: Path) -> None:
    subject = a_subject(tiny_wheel(tmp_path))
    assert check.check_packing(subject).state == "passed"


def test_identity(tmp_path: Path) -> None:
    assert check.check_identity(a_subject(tiny_wheel(tmp_path))).state == "passed"
    liar = tiny_wheel(tmp_path / "b", {f"{INFO}/METADATA": metadata("other", "2.0")})
    found = check.check_identity(a_subject(liar))
    assert found.state == "failed"
    assert found.detail == "METADATA names it other; METADATA gives version 2.0"
    tags = tiny_wheel(tmp_path / "c", {f"{INFO}/WHEEL": b"Tag: py3-none-any\n"})
    assert "py3-none-any" in check.check_identity(a_subject(tags)).detail


def test_python(tmp_path: Path) -> None:
    wheel = tiny_wheel(tmp_path)
    own = a_library(path=f"tiny_thing/_x.cpython-{TAG[2:]}-x86_64-linux-gnu.so")
    assert check.check_python(a_subject(wheel, own)).state == "passed"
    other = a_library(path="tiny_thing/_x.cpython-27-x86_64-linux-gnu.so")
    assert "CPython 27" in check.check_python(a_subject(wheel, other)).detail
    policy = AuditPolicy(version="1.0", python_tag="cp299")
    assert check.check_python(a_subject(wheel, own, policy=policy)).state == "failed"
    linked = a_library(needed=("libpython3.11.so.1.0",))
    assert "libpython3.11" in check.check_python(a_subject(wheel, linked)).detail


@pytest.mark.parametrize(
    ("tags", "found", "state"),
    [
        (GOOD, "manylinux_2_28_x86_64", "passed"),
        (GOOD, "manylinux_2_17_x86_64", "passed"),
        (GOOD, "manylinux_2_34_x86_64", "failed"),
        (GOOD, "linux_x86_64", "failed"),
        (f"{TAG}-{TAG}-linux_x86_64", "manylinux_2_17_x86_64", "failed"),
        ("py3-none-any", "manylinux_2_17_x86_64", "failed"),
        (GOOD, "", "failed"),
    ],
)
def test_platform(tmp_path: Path, tags: str, found: str, state: str) -> None:
    subject = a_subject(tiny_wheel(tmp_path, tags=tags), a_library(), platform=found)
    assert check.check_platform(subject).state == state


def test_platform_without_machine_code(tmp_path: Path) -> None:
    pure = a_subject(tiny_wheel(tmp_path, tags="py3-none-any"), platform="")
    assert check.check_platform(pure).state == "passed"


def test_size(tmp_path: Path) -> None:
    wheel = tiny_wheel(tmp_path)
    small = AuditPolicy(version="1.0", max_size_mb=0.00001)
    large = AuditPolicy(version="1.0", max_size_mb=1)
    assert check.check_size(a_subject(wheel, policy=small)).state == "failed"
    assert check.check_size(a_subject(wheel, policy=large)).state == "passed"
    assert check.check_size(a_subject(wheel, policy=AuditPolicy())).state == "skipped"


def test_versions_agree(tmp_path: Path) -> None:
    wheel = tiny_wheel(tmp_path)
    assert check.check_versions(a_subject(wheel, a_library())).state == "passed"
    stale = check.check_versions(a_subject(wheel, a_library(versions=("0.9",))))
    assert stale.detail == "libtiny.so says 0.9"
    silent = check.check_versions(a_subject(wheel, a_library(versions=())))
    assert silent.detail == "no library says its version"


def test_the_directory_of_a_wheel_is_read_once_for_all_its_packages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It grows with their number: 8,000 packages took minutes."""
    files = {f"p{n}/__init__.py": b'__version__ = "2"' for n in range(20)}
    files |= {"p1/version.py": b'__version__ = "3"', "p2/__init__.py": b"", "p2/_version.py": b""}
    subject = a_subject(tiny_wheel(tmp_path, files), a_library())
    opened = list[Path]()

    def counted(path: Path) -> AbstractContextManager[ZipFile]:
        opened.append(path)
        return opened_zip(path)

    monkeypatch.setattr(wheel_file, "opened_zip", counted)
    found = check.check_versions(subject)
    assert found.built.count("__version__") == 20
    assert "p1.__version__ says 2" in found.detail
    assert len(opened) == 1


def test_version_of_the_package(tmp_path: Path) -> None:
    wheel = tiny_wheel(tmp_path, {"tiny_thing/__init__.py": b'__version__ = "7"\n'})
    assert "tiny_thing.__version__ says 7" in check.check_versions(a_subject(wheel)).detail
    none = tiny_wheel(tmp_path / "b", {"tiny_thing/__init__.py": b""})
    assert "has no __version__" in check.check_versions(a_subject(none, a_library())).detail


def test_glibc_ceiling_of_plan_and_tag(tmp_path: Path) -> None:
    wheel = tiny_wheel(tmp_path, tags=GOOD)
    new, old = a_library(glibc="2.33"), a_library(glibc="2.9")
    assert check.check_glibc(a_subject(wheel, old)).state == "passed"
    assert check.check_glibc(a_subject(wheel, new)).detail == "tiny_thing/libtiny.so needs 2.33"
    strict = AuditPolicy(version="1.0", glibc_ceiling="2.5")
    found = check.check_glibc(a_subject(wheel, old, policy=strict))
    assert (found.state, found.asked) == ("failed", "at most 2.5")


def test_libstdcxx_ceiling(tmp_path: Path) -> None:
    wheel = tiny_wheel(tmp_path, tags=GOOD)
    strict = AuditPolicy(version="1.0", libstdcxx_ceiling="3.4.18")
    loose = AuditPolicy(version="1.0", libstdcxx_ceiling="3.4.30")
    assert check.check_libstdcxx(a_subject(wheel, a_library(), policy=strict)).state == "failed"
    assert check.check_libstdcxx(a_subject(wheel, a_library(), policy=loose)).state == "passed"


def test_numpy_must_be_required_by_its_users(tmp_path: Path) -> None:
    user = a_library(needs_numpy=True)
    alone = tiny_wheel(tmp_path)
    stated = tiny_wheel(tmp_path / "b", requires=("numpy>=1.23",))
    assert check.check_numpy(a_subject(alone, user)).state == "failed"
    assert check.check_numpy(a_subject(stated, user)).state == "passed"
    assert check.check_numpy(a_subject(alone, a_library())).state == "passed"


@pytest.mark.parametrize(
    ("line", "state"),
    [
        ("NumPy (>=1.23)", "passed"),
        ("numpy-financial>=1", "failed"),
        ("numpy>=1,,2", "failed"),
    ],
)
def test_numpy_is_known_by_its_name_alone(tmp_path: Path, line: str, state: str) -> None:
    subject = a_subject(tiny_wheel(tmp_path, requires=(line,)), a_library(needs_numpy=True))
    assert check.check_numpy(subject).state == state


def test_versions_may_be_written_in_two_ways(tmp_path: Path) -> None:
    files = {"tiny_thing/__init__.py": b'__version__ = "2.21.0-rc0"\n'}
    wheel = tiny_wheel(tmp_path, files, version="2.21.0rc0")
    library = a_library(versions=("2.21.0-rc0",))
    policy = AuditPolicy(version="2.21.0rc0")
    assert check.check_versions(a_subject(wheel, library, policy=policy)).state == "passed"
    files = {"tiny_thing-1.0.dist-info/METADATA": metadata("Tiny.Thing", "1.0.0")}
    assert check.check_identity(a_subject(tiny_wheel(tmp_path / "b", files))).state == "passed"


def test_numpy_itself_requires_nothing(tmp_path: Path) -> None:
    info = "numpy-1.0.dist-info"
    files = {f"{info}/METADATA": metadata("numpy", "1.0"), f"{info}/WHEEL": b"", "numpy/a.py": b""}
    wheel = write_wheel(tmp_path / f"numpy-1.0-{GOOD}.whl", files)
    assert check.check_numpy(a_subject(wheel, a_library(needs_numpy=True))).state == "passed"
