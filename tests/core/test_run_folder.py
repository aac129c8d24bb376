"""The work folder."""

import os
import re
import shutil
from pathlib import Path

import pytest

from tests.core.test_trust import NOBODY, as_root
from tests.failing import fails
from tfbuild.core.parts import part_file
from tfbuild.core.paths import work_folder
from tfbuild.core.run_folder import (
    alone,
    make_work,
    new_run,
    old_work_warning,
    require_own_work,
)
from tfbuild.core.trust import user_name


def test_one_at_a_time(tmp_path: Path) -> None:
    busy = fails("work-folder-busy", str(tmp_path), "TFBUILD_WORK_DIR")
    with alone(tmp_path), busy, alone(tmp_path):
        pass
    with alone(tmp_path):
        pass


def test_a_link_in_place_of_the_lock_empties_nothing(tmp_path: Path) -> None:
    other = tmp_path / "precious"
    other.write_text("words")
    make_work(tmp_path / "work")
    (tmp_path / "work" / "lock").symlink_to(other)
    with fails("process-lock-is-link", str(tmp_path / "work" / "lock")), alone(tmp_path / "work"):
        pass
    assert other.read_text() == "words"


def test_each_run_has_a_folder_with_a_script(tmp_path: Path) -> None:
    first, second = new_run(tmp_path), new_run(tmp_path)
    assert first != second
    assert re.fullmatch(r"\d{8}-\d{6}-[0-9a-f]{4}", first.name)
    assert os.access(first / "rerun.sh", os.X_OK)


def test_two_runs_of_one_second_never_share_a_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = iter(("aaaa", "aaaa", "bbbb") * 2)  # again, where a second ends in between
    monkeypatch.setattr("secrets.token_hex", lambda _: next(drawn))
    assert new_run(tmp_path) != new_run(tmp_path)


def test_a_work_folder_is_the_callers_own(tmp_path: Path) -> None:
    work = tmp_path / "work"
    require_own_work(work)  # it will be made
    make_work(work)
    require_own_work(work)
    work.chmod(0o777)
    with fails("folder-not-yours", str(work), "TFBUILD_WORK_DIR") as caught:
        require_own_work(work)
    assert "everybody" in caught.value.why


def test_a_named_folder_is_believed_when_it_is_empty_or_made_by_us(tmp_path: Path) -> None:
    """A checkout can bring one along under a name that a user has set once for all projects."""
    work = tmp_path / "work"
    work.mkdir()
    (work / ".a.part").touch()  # of a run that was killed before it could put the mark there
    make_work(work)
    (work / "memo").mkdir()
    make_work(work)
    copy = tmp_path / "copy"
    shutil.copytree(work, copy)
    for folder in (copy, tmp_path):
        for use in (require_own_work, make_work, new_run):
            with fails("work-folder-unmarked", str(folder)):
                use(folder)
        with fails("work-folder-unmarked", str(folder)), alone(folder):
            pass
    assert not (tmp_path / "lock").exists()


def test_that_of_a_project_needs_no_mark(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TFBUILD_WORK_DIR")
    work = work_folder()
    make_work(work)
    assert work.stat().st_mode & 0o777 == work.parent.stat().st_mode & 0o777 == 0o700
    (work / "project.json").unlink()
    (work / "memo").mkdir()
    require_own_work(work)  # whoever restores his home finds it again


def test_a_link_may_be_named(tmp_path: Path) -> None:
    make_work(tmp_path / "work")
    (tmp_path / "link").symlink_to("work")
    require_own_work(tmp_path / "link")


def test_what_a_project_brings_along_is_named_and_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TFBUILD_WORK_DIR")
    assert old_work_warning(tmp_path) == ""
    (tmp_path / ".tfbuild").symlink_to("nowhere")
    assert "is not read" in old_work_warning(tmp_path)
    assert str(work_folder()) in old_work_warning(tmp_path)
    monkeypatch.setenv("TFBUILD_WORK_DIR", str(tmp_path / ".tfbuild"))
    assert old_work_warning(tmp_path) == ""


@as_root
def test_a_work_folder_of_another_user_is_refused(tmp_path: Path) -> None:
    os.chown(tmp_path, NOBODY, -1)
    with fails("folder-not-yours", str(tmp_path), user_name(NOBODY)):
        require_own_work(tmp_path)


@as_root
def test_a_place_in_it_that_is_another_users_is_refused(tmp_path: Path) -> None:
    make_work(tmp_path)
    (tmp_path / "memo").mkdir()
    (tmp_path / "notes").mkdir()
    os.chown(tmp_path / "notes", NOBODY, -1)
    require_own_work(tmp_path)  # no place of ours
    os.chown(tmp_path / "memo", NOBODY, -1)
    with fails("folder-not-yours", str(tmp_path / "memo")):
        require_own_work(tmp_path)


def test_a_new_run_takes_away_what_a_killed_one_left_half_written(tmp_path: Path) -> None:
    killed = new_run(tmp_path)
    half = killed / ".plan.part"
    half.touch()
    with part_file(killed) as living:
        new_run(tmp_path)
        assert (half.exists(), living.exists()) == (False, True)
