"""Whose a file is, and who else may write it, decides whether it is trusted."""

import grp
import os
import struct
from pathlib import Path

import pytest

from tests.failing import fails
from tfbuild.core import trust
from tfbuild.core.trust import distrust, distrust_way, is_in_project, require_own, user_name

NOBODY = 65534
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")


def test_the_callers_own_is_trusted(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.touch(0o644)
    assert (
        distrust(path) == distrust(tmp_path) == distrust(Path("/")) == distrust(Path("/tmp")) == ""
    )


def test_what_everybody_can_write_is_not(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.touch()
    path.chmod(0o666)
    assert distrust(path) == f"{path} can be written by everybody"
    path.chmod(0o644)
    tmp_path.chmod(0o777)
    assert "everybody" in distrust(tmp_path)
    tmp_path.chmod(0o1777)  # each can change his own files only
    assert distrust(tmp_path) == ""


@as_root
def test_what_belongs_to_another_or_his_group_is_not(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.touch()
    os.chown(path, NOBODY, -1)
    assert distrust(path) == f"{path} belongs to {user_name(NOBODY)}"
    os.chown(path, 0, NOBODY)
    path.chmod(0o664)
    assert "group" in distrust(path)


@as_root
def test_a_link_is_trusted_where_it_and_its_end_are(tmp_path: Path) -> None:
    end, link = tmp_path / "end", tmp_path / "link"
    end.touch()
    link.symlink_to(end)
    assert distrust(link) == ""
    os.chown(end, NOBODY, -1)
    assert "belongs to" in distrust(link)
    os.chown(end, 0, -1)
    os.chown(link, NOBODY, -1, follow_symlinks=False)
    assert "belongs to" in distrust(link)


def test_what_is_not_there_is_not_trusted(tmp_path: Path) -> None:
    assert "cannot be looked at" in distrust(tmp_path / "nothing")


def test_every_folder_on_the_way_counts(tmp_path: Path) -> None:
    start = tmp_path / "a" / "b"
    start.mkdir(parents=True)
    path = tmp_path / "file"
    path.touch(0o644)
    assert distrust_way(start, path) == ""
    start.parent.chmod(0o777)
    assert str(start.parent) in distrust_way(start, path)
    assert distrust_way(tmp_path, path) == ""


def test_a_project_is_a_folder_or_a_checkout(tmp_path: Path) -> None:
    start = tmp_path / "checkout" / "inner"
    start.mkdir(parents=True)
    assert is_in_project(start, start)
    assert not is_in_project(start, start.parent)
    (start.parent / ".git").mkdir()
    assert is_in_project(start, start.parent)
    assert not is_in_project(start, tmp_path)
    (start.parent / ".git").chmod(0o777)
    assert not is_in_project(start, start.parent)


def test_a_user_without_a_name_is_a_number() -> None:
    assert user_name(4_000_000) == "user 4000000"


@as_root
@pytest.mark.parametrize(
    ("name", "members", "is_trusted"),
    [
        ("root", [], True),
        ("root", ["root"], True),
        ("root", ["guest"], False),
        ("staff", [], False),
    ],
)
def test_only_a_group_of_ones_own_may_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, members: list[str], is_trusted: bool
) -> None:
    path = tmp_path / "file"
    path.touch(0o644)
    os.chown(path, 0, 4711)
    path.chmod(0o664)
    group = grp.struct_group((name, "x", 4711, members))
    monkeypatch.setattr(grp, "getgrgid", lambda _: group)
    assert (distrust(path) == "") is is_trusted


def test_whoever_begins_in_ones_group_counts_as_a_member(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The list of a group's members does not name those whose own group it is."""
    path = tmp_path / "file"
    path.touch(0o644)
    name = user_name(os.geteuid())
    monkeypatch.setattr(trust, "_ROOT", -1)  # the caller's group may be root's
    monkeypatch.setattr(grp, "getgrgid", lambda gid: grp.struct_group((name, "x", gid, [])))
    path.chmod(0o664)
    for users, is_trusted in (((name,), True), ((name, "mallory"), False)):
        monkeypatch.setattr(trust, "_begin_in", lambda _gid, found=users: frozenset(found))
        assert (distrust(path) == "") is is_trusted


@pytest.mark.parametrize(
    ("entry", "named"),
    [((2, 6, NOBODY), user_name(NOBODY)), ((8, 6, 4711), "group 4711"), ((2, 4, NOBODY), "")],
)
def test_whom_an_access_control_list_lets_write_counts(
    tmp_path: Path, entry: tuple[int, int, int], named: str
) -> None:
    """The mode says only that somebody may: its bits for the group are the list's mask."""
    path, unused = tmp_path / "file", 0xFFFFFFFF
    path.touch(0o644)
    rows = [(1, 6, unused), (4, 4, unused), entry, (16, 6, unused), (32, 4, unused)]
    packed = b"".join(struct.pack("<HHI", *row) for row in sorted(rows))
    try:
        os.setxattr(path, "system.posix_acl_access", struct.pack("<I", 2) + packed)
    except OSError:
        pytest.skip("this file system keeps no access control lists")
    assert named in distrust(path) if named else distrust(path) == ""


def test_a_folder_and_the_places_in_it_are_ones_own(tmp_path: Path) -> None:
    inside = tmp_path / "inside"
    require_own(tmp_path, [inside], hint="fix it")
    inside.mkdir()
    inside.chmod(0o777)
    with fails("folder-not-yours", str(tmp_path)) as caught:
        require_own(tmp_path, [inside], hint="fix it")
    assert (str(inside) in caught.value.why, caught.value.hint) == (True, "fix it")
    require_own(tmp_path, [tmp_path / "none"], hint="fix it")
