"""The state folder is the caller's alone, and its marks are made by nobody else."""

import json
import os
import shutil
from pathlib import Path

import pytest

from tests.core.test_trust import NOBODY, as_root
from tests.failing import fails
from tfbuild.core.kept_json import write_kept
from tfbuild.core.layout import OWNER, SECRET
from tfbuild.core.paths import state_folder
from tfbuild.core.state_folder import (
    is_marked,
    make_state,
    mark_work,
    project_of,
    require_own_state,
)


def test_it_is_made_for_the_caller_alone() -> None:
    require_own_state()
    assert not state_folder().exists()
    assert make_state() == state_folder() == make_state()
    assert state_folder().stat().st_mode & 0o777 == 0o700


def test_no_link_is_in_its_place(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    state_folder().parent.mkdir(parents=True)
    state_folder().symlink_to(tmp_path / "elsewhere")
    with fails("state-folder-is-link", str(state_folder()), "XDG_STATE_HOME"):
        make_state()
    state_folder().unlink()
    (make_state() / "projects").symlink_to(tmp_path / "elsewhere")
    with fails("state-folder-is-link", str(state_folder() / "projects")):
        require_own_state()


@as_root
def test_another_users_is_refused() -> None:
    os.chown(make_state(), NOBODY, -1)
    with fails("folder-not-yours", str(state_folder())):
        require_own_state()


def test_one_that_others_may_write_is_refused() -> None:
    make_state().chmod(0o777)
    with fails("folder-not-yours", str(state_folder())):
        make_state()


def test_a_mark_is_of_one_folder_and_one_secret(tmp_path: Path) -> None:
    work, copy = tmp_path / "work", tmp_path / "copy"
    work.mkdir()
    assert not is_marked(work)
    assert project_of(work) == ""
    mark_work(work, tmp_path)
    assert is_marked(work)
    assert project_of(work) == str(tmp_path)
    shutil.copytree(work, copy)
    assert not is_marked(copy), "a checkout may bring a copy along"
    work.rename(tmp_path / "moved")
    assert not is_marked(tmp_path / "moved")
    copy.rename(work)
    assert not is_marked(work), "the same path, and another folder"
    mark_work(work, tmp_path)
    assert is_marked(work)
    SECRET.path(state_folder()).unlink()
    assert not is_marked(work)


@pytest.mark.parametrize("note", [None, 1, [], {}, {"mark": 1}, {"mark": ""}, {"mark": "é"}])
def test_a_forged_mark_with_a_right_checksum_is_none(tmp_path: Path, note: object) -> None:
    write_kept(OWNER.path(tmp_path), OWNER.name, note)
    assert not is_marked(tmp_path)
    assert project_of(tmp_path) == ""


def test_the_secret_is_for_its_owner_alone(tmp_path: Path) -> None:
    mark_work(tmp_path, tmp_path)
    secret = SECRET.path(state_folder())
    assert secret.stat().st_mode & 0o777 == 0o600
    assert len(secret.read_bytes()) == 32
    assert "mark" in json.loads(OWNER.path(tmp_path).read_text())["content"]
    secret.chmod(0o644)
    with fails("state-secret-damaged", str(secret)):
        is_marked(tmp_path)
    secret.chmod(0o600)
    for raw in (b"", b"x" * 31, b"x" * 33, b"x" * 9000):
        secret.write_bytes(raw)
        with fails("state-secret-damaged", str(secret), "TFBUILD_WORK_DIR"):
            mark_work(tmp_path, tmp_path)
