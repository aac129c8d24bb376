"""Where a build writes: room, rights, file systems, and whether programs run there."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.doctor.checks.contexts import a_context, lines_of, the_line
from tests.fakes import FakeRunner, says
from tfbuild.doctor.checks import folders
from tfbuild.doctor.checks.folders import mount_of
from tfbuild.doctor.checks.model import BuildNeeds

MOUNTS = r"""
22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
23 22 0:21 / /home rw,nosuid - nfs4 server:/home rw
24 22 0:22 / /home/me/scr\040atch rw,noexec - tmpfs tmpfs rw
25 22 0:23 / /data rw - ext4 /dev/a rw
26 22 0:24 / /data rw,noexec - xfs /dev/b rw
broken line
"""


@pytest.mark.parametrize(
    ("path", "point", "kind"),
    [
        ("/etc", "/", "ext4"),
        ("/home/me/x", "/home", "nfs4"),
        ("/home/me/scr atch/x", "/home/me/scr atch", "tmpfs"),
        ("/homely", "/", "ext4"),
        ("/data/x", "/data", "xfs"),
    ],
)
def test_the_innermost_mount_is_found_and_the_last_of_several(
    path: str, point: str, kind: str
) -> None:
    assert mount_of(Path(path), MOUNTS)[:2] == (point, kind)
    assert mount_of(Path(path), "") == ("/", "", ())


@given(st.text(max_size=200))
def test_any_text_of_mounts_is_survived(text: str) -> None:
    point, _, options = mount_of(Path("/home/me"), text)
    assert Path("/home/me").is_relative_to(point)
    assert isinstance(options, tuple)


@pytest.mark.parametrize(
    ("free", "state"), [(20_000, "pass"), (9_000, "warning"), (5_999, "failure")]
)
def test_room_is_judged_by_the_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, free: int, state: str
) -> None:
    monkeypatch.setattr(folders, "free_mb", lambda _folder: free)
    cache, work, temporary = lines_of(
        folders.disk(a_context(tmp_path, needs=BuildNeeds(disk_mb=6000)))
    )
    assert cache.state == state
    assert (work.state, temporary.state) == ("pass", "pass")
    if state != "pass":
        assert "TFBUILD_CACHE_DIR" in cache.fix


def test_a_disk_without_room_for_more_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folders, "free_mb", lambda _folder: 90_000)
    monkeypatch.setattr(folders, "_free_files", lambda _folder: 70)
    assert {line.state for line in lines_of(folders.disk(a_context(tmp_path)))} == {"warning"}
    monkeypatch.setattr(folders, "_free_files", lambda _folder: None)
    assert {line.state for line in lines_of(folders.disk(a_context(tmp_path)))} == {"pass"}


@pytest.mark.parametrize(
    ("mount", "state", "word"),
    [
        ("rw - ext4 /dev/x rw", "pass", "ext4"),
        ("rw - nfs4 server:/x rw", "warning", "network"),
        ("rw - fuse.sshfs host:/x rw", "warning", "network"),
        ("rw,noexec - tmpfs tmpfs rw", "failure", "noexec"),
    ],
)
def test_file_systems(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mount: str, state: str, word: str
) -> None:
    mounts = tmp_path / "mountinfo"
    mounts.write_text(f"25 22 0:23 / {tmp_path} {mount}\n")
    monkeypatch.setattr(folders, "_MOUNTS", mounts)
    for line in lines_of(folders.folders(a_context(tmp_path))):
        assert line.state == state
        assert word in line.detail


def test_a_folder_without_rights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    cache, work = lines_of(folders.folders(a_context(tmp_path)))
    assert (cache.state, work.state) == ("failure", "failure")
    assert "TFBUILD_CACHE_DIR" in cache.fix


def test_blanks_in_names_are_reported(tmp_path: Path) -> None:
    context = a_context(tmp_path / "my builds")
    assert {line.state for line in lines_of(folders.folders(context))} == {"warning"}
    assert "blank" in the_line(folders.temporary(context)).detail


def test_a_program_is_really_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert the_line(folders.temporary(a_context(tmp_path))).state == "pass"
    refused = a_context(tmp_path, runner=FakeRunner(answers={"runs": says("denied", code=126)}))
    line = the_line(folders.temporary(refused))
    assert (line.state, "noexec" in line.detail) == ("failure", True)
    monkeypatch.setenv("TMPDIR", str(tmp_path / "none"))
    assert "no folder" in the_line(folders.temporary(a_context(tmp_path))).detail
