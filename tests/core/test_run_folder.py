"""The work folder."""

import os
import re
from pathlib import Path

import pytest

from tfbuild.core.errors import EnvironmentFailed
from tfbuild.core.run_folder import alone, new_run


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
