"""The work folder."""

import os
import re
from pathlib import Path

import pytest

from tests.core.test_trust import NOBODY, as_root
from tfbuild.core.errors import EnvironmentFailed
from tfbuild.core.run_folder import alone, new_run, require_own_work


def test_one_at_a_time(tmp_path: Path) -> None:
    with alone(tmp_path), pytest.raises(EnvironmentFailed) as caught, alone(tmp_path):
        pass
    assert "TFBUILD_WORK_DIR" in caught.value.hint
    with alone(tmp_path):
        pass


def test_a_link_in_place_of_the_lock_empties_nothing(tmp_path: Path) -> None:
    other = tmp_path / "precious"
    other.write_text("words")
    (tmp_path / "lock").symlink_to(other)
    with pytest.raises(EnvironmentFailed), alone(tmp_path):
        pass
    assert other.read_text() == "words"


def test_each_run_has_a_folder_with_a_script(tmp_path: Path) -> None:
    first, second = new_run(tmp_path), new_run(tmp_path)
    assert first != second
    assert re.fullmatch(r"\d{8}-\d{6}-[0-9a-f]{4}", first.name)
    assert os.access(first / "rerun.sh", os.X_OK)


def test_a_work_folder_is_the_callers_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    work = tmp_path / ".tfbuild"
    require_own_work(work)  # it will be made
    work.mkdir()
    require_own_work(work)
    work.chmod(0o777)
    with pytest.raises(EnvironmentFailed, match="not yours alone") as caught:
        require_own_work(work)
    assert "everybody" in caught.value.why
    assert "TFBUILD_WORK_DIR" in caught.value.hint


def test_a_link_leads_nowhere_unless_it_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = tmp_path / ".tfbuild"
    work.symlink_to(tmp_path)
    require_own_work(work)  # TFBUILD_WORK_DIR is set
    monkeypatch.delenv("TFBUILD_WORK_DIR")
    with pytest.raises(EnvironmentFailed, match="is a link"):
        require_own_work(work)


@as_root
def test_a_work_folder_of_another_user_is_refused(tmp_path: Path) -> None:
    os.chown(tmp_path, NOBODY, -1)
    with pytest.raises(EnvironmentFailed) as caught:
        require_own_work(tmp_path)
    assert "belongs to" in caught.value.why


@as_root
def test_a_place_in_it_that_is_another_users_is_refused(tmp_path: Path) -> None:
    (tmp_path / "memo").mkdir()
    (tmp_path / "notes").mkdir()
    os.chown(tmp_path / "notes", NOBODY, -1)
    require_own_work(tmp_path)  # no place of ours
    os.chown(tmp_path / "memo", NOBODY, -1)
    with pytest.raises(EnvironmentFailed) as caught:
        require_own_work(tmp_path)
    assert str(tmp_path / "memo") in caught.value.why


def test_a_new_run_takes_away_what_a_killed_one_left_half_written(tmp_path: Path) -> None:
    killed = new_run(tmp_path)
    nobody = 999_999_999  # more than there can be
    half, living = killed / f".plan.json.{nobody}.part", killed / f".plan.json.{os.getpid()}.part"
    half.touch()
    living.touch()
    new_run(tmp_path)
    assert (half.exists(), living.exists()) == (False, True)
