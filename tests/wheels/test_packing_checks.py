"""The zip file as such: names, permissions and types, with a plan and without one."""

from pathlib import Path

import pytest

from tests.shared_libraries import a_subject, add_entry, tiny_wheel
from tfbuild.core.plans import AuditPolicy
from tfbuild.wheels import packing_checks as check
from tfbuild.wheels.archive import read_archive

NO_PLAN = AuditPolicy()


def test_a_plain_wheel_passes(tmp_path: Path) -> None:
    subject = a_subject(tiny_wheel(tmp_path))
    found = (check.check_zip(subject.archive), check.check_names(subject))
    assert {one.state for one in (*found, check.check_modes(subject))} == {"passed"}
    assert check.check_modes(subject).built == "644 (4)"


def test_what_hides_in_the_zip_fails(tmp_path: Path) -> None:
    wheel = tiny_wheel(tmp_path)
    wheel.write_bytes(wheel.read_bytes() + b"payload")
    found = check.check_zip(read_archive(wheel))
    assert (found.state, found.detail) == ("failed", "7 bytes follow its end")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("../evil.py", "out of the site folder"),
        ("/etc/evil", "out of the site folder"),
        ("a\\..\\evil", "out of the site folder"),
        ("C:/evil", "out of the site folder"),
        ("tiny_thing//a.py", "not written as paths are"),
        ("./tiny_thing/a.py", "not written as paths are"),
        ("tiny_thing/a.py\x00.txt", "cannot be seen"),
        ("tiny_thing/a\nb.py", "cannot be seen"),
        ("tiny_thing/\u202egnp.py", "cannot be seen"),
        ("../evil/", "out of the site folder"),
        ("tiny_thing/__init__.py", "installed 2 times"),
        ("tiny_thing-1.0.data/purelib/tiny_thing/__init__.py", "installed 2 times"),
        ("tiny_thing/__init__.py/more", "a file and a folder"),
    ],
)
def test_names_that_no_wheel_may_have(tmp_path: Path, name: str, said: str) -> None:
    wheel = tiny_wheel(tmp_path)
    raw = name.replace("\x00", "\x01").encode()  # the library cuts names at the NUL
    add_entry(wheel, raw.decode())
    wheel.write_bytes(wheel.read_bytes().replace(raw, name.encode()))
    found = check.check_names(a_subject(wheel, policy=NO_PLAN))
    assert found.state == "failed"
    assert said in found.detail


def test_a_file_that_is_a_folder_fails(tmp_path: Path) -> None:
    wheel = tiny_wheel(
        tmp_path, {"tiny_thing/a": b"", "tiny_thing/a.py": b"", "tiny_thing/b/c": b""}
    )
    assert check.check_names(a_subject(wheel, policy=NO_PLAN)).state == "passed"
    add_entry(wheel, "tiny_thing/a/b/c.py")
    found = check.check_names(a_subject(wheel, policy=NO_PLAN))
    assert "tiny_thing/a is a file and a folder" in found.detail


@pytest.mark.parametrize(
    "twins", [("caf\u00e9", "cafe\u0301"), ("\ufb01x", "fix"), ("\u212a", "K")]
)
def test_names_that_only_look_alike_fail_in_every_wheel(
    tmp_path: Path, twins: tuple[str, str]
) -> None:
    wheel = tiny_wheel(tmp_path, {f"tiny_thing/{name}.py": b"" for name in twins})
    found = check.check_names(a_subject(wheel, policy=NO_PLAN))
    assert found.state == "failed"
    assert found.detail.count("looks like another name") == 2


def test_names_that_differ_by_case_fail_with_a_plan(tmp_path: Path) -> None:
    wheel = tiny_wheel(tmp_path, {"tiny_thing/A.py": b"", "tiny_thing/a.py": b""})
    assert check.check_names(a_subject(wheel)).state == "failed"
    without = check.check_names(a_subject(wheel, policy=NO_PLAN))
    assert without.state == "skipped"
    assert "case of letters" in without.detail


@pytest.mark.parametrize(
    ("mode", "said"),
    [
        (0o120777, "is a link"),
        (0o010644, "is a pipe"),
        (0o020644, "is a device"),
        (0o140644, "is a socket"),
        (0o040755, "is a folder by its type"),
        (0o104755, "special rights (4755)"),
        (0o102755, "special rights (2755)"),
    ],
)
def test_types_and_rights_that_no_wheel_may_have(tmp_path: Path, mode: int, said: str) -> None:
    wheel = add_entry(tiny_wheel(tmp_path), "tiny_thing/odd", mode=mode)
    found = check.check_modes(a_subject(wheel, policy=NO_PLAN))
    assert found.state == "failed"
    assert said in found.detail


def test_what_everybody_may_change_fails_with_a_plan(tmp_path: Path) -> None:
    wheel = add_entry(tiny_wheel(tmp_path), "tiny_thing/a.py", mode=0o100666)
    assert check.check_modes(a_subject(wheel)).state == "failed"
    assert check.check_modes(a_subject(wheel, policy=NO_PLAN)).state == "skipped"
    plain = add_entry(tiny_wheel(tmp_path / "b"), "tiny_thing/a.py", mode=0)
    assert check.check_modes(a_subject(plain)).state == "passed", "made where there are no modes"
