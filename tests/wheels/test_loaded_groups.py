"""Entry points that other programs load without being asked."""

from pathlib import Path

import pytest

from tests.shared_libraries import a_subject, tiny_wheel
from tfbuild.core.plans import AuditPolicy
from tfbuild.wheels import place_checks as check

INFO, DATA = "tiny_thing-1.0.dist-info", "tiny_thing-1.0.data"


@pytest.mark.parametrize(
    "folder",
    [INFO, "other-2.dist-info", "Other.EGG-INFO", f"{DATA}/purelib/other-2.dist-info"],
)
def test_what_other_programs_load_unasked_fails_in_every_wheel(tmp_path: Path, folder: str) -> None:
    points = b"[console_scripts]\na = tiny:a\n[pytest11]\nx = tiny:evil\n[virtualenv.create]\ny=t\n"
    wheel = tiny_wheel(tmp_path, {f"{folder}/entry_points.txt": points})
    found = check.check_plugins(a_subject(wheel, policy=AuditPolicy()))
    assert (found.state, found.built) == ("failed", "pytest11 virtualenv.create")
    assert "pytest loads the entry points of pytest11 whenever it runs" in found.detail
    assert "virtualenv loads the entry points of virtualenv.create" in found.detail


def test_entry_points_that_users_name_and_a_programs_own_are_no_fault(tmp_path: Path) -> None:
    named = b"[console_scripts]\na = tiny:a\n[array_api]\nx = tiny\n[pytest11_of_mine]\nx = tiny\n"
    wheel = tiny_wheel(tmp_path, {f"{INFO}/entry_points.txt": named})
    assert check.check_plugins(a_subject(wheel, policy=AuditPolicy())).state == "passed"
    for name, group in (
        ("setuptools", "distutils.commands"),
        ("jupyter_client", "jupyter_client.kernel_provisioners"),
    ):
        files = {f"{name}-1.0.dist-info/entry_points.txt": f"[{group}]\nbuild = a:b\n".encode()}
        wheel = tiny_wheel(tmp_path / name, files, name=name)
        assert check.check_plugins(a_subject(wheel, policy=AuditPolicy())).state == "passed"


def test_entry_points_that_cannot_be_read_fail(tmp_path: Path) -> None:
    wheel = tiny_wheel(tmp_path, {f"{INFO}/entry_points.txt": b"[pytest11]\nx\n"})
    found = check.check_plugins(a_subject(wheel, policy=AuditPolicy()))
    assert found.state == "failed"
    assert "cannot be read" in found.detail


def test_a_description_below_a_folder_of_a_list_of_paths_is_found(tmp_path: Path) -> None:
    points = b"[pytest11]\nx = tiny_thing\n"
    files = {"tiny_thing/more/a-1.0.dist-info/entry_points.txt": points}
    named = tiny_wheel(tmp_path, files)
    assert check.check_plugins(a_subject(named, policy=AuditPolicy())).state == "passed", (
        "nobody looks there"
    )
    named = tiny_wheel(tmp_path, {**files, "tiny.pth": b"tiny_thing/more\n"})
    assert "pytest loads" in check.check_plugins(a_subject(named, policy=AuditPolicy())).detail


def test_blanks_by_the_thousand_are_refused_at_once(tmp_path: Path) -> None:
    text = b"[console_scripts]\nx" + b" " * 200_000 + b"y\n"
    wheel = tiny_wheel(tmp_path, {f"{INFO}/entry_points.txt": text})
    assert (
        "60 blanks in a row" in check.check_plugins(a_subject(wheel, policy=AuditPolicy())).detail
    )


def test_lists_larger_than_any_are_refused_unread(tmp_path: Path) -> None:
    wheel = tiny_wheel(tmp_path, {f"{INFO}/entry_points.txt": b"[a]\n" + b"x=y\n" * 100_000})
    found = check.check_plugins(a_subject(wheel, policy=AuditPolicy()))
    assert "larger than any list of entry points" in found.detail
    wheel = tiny_wheel(tmp_path, {"tiny.pth": b"tiny_thing\n" * 100_000})
    found = check.check_start(a_subject(wheel, policy=AuditPolicy()))
    assert found.state == "failed"
    assert "tiny.pth is larger than any list of paths" in found.detail


def test_entry_points_of_an_egg_below_a_list_of_paths_are_found(tmp_path: Path) -> None:
    files = {
        "a.pth": b"tiny_thing/x.egg\n",
        "tiny_thing/x.egg/EGG-INFO/entry_points.txt": b"[pytest11]\nx = tiny\n",
    }
    found = check.check_plugins(a_subject(tiny_wheel(tmp_path, files), policy=AuditPolicy()))
    assert "pytest loads" in found.detail
