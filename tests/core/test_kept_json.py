"""What is kept is believed only if every byte is as it was written, of what was asked for."""

import json
import os
from pathlib import Path

import pytest

from tests.sample_report import a_smoke
from tfbuild.core.kept_json import read_kept, read_record, state_of, write_kept
from tfbuild.core.reports import SmokeReport


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    return write_kept(tmp_path / "deep" / "a.json", "smoke of 1", a_smoke())


def test_what_was_kept_comes_back(kept: Path) -> None:
    assert read_record(kept, "smoke of 1", SmokeReport) == a_smoke()
    assert json.loads(kept.read_text())["content"]["checks"], "it is plain JSON"
    write_kept(kept, "ä", {"words": ["ö", None, 1.5]})
    assert read_kept(kept, "ä") == {"words": ["ö", None, 1.5]}


def test_what_speaks_of_something_else_is_missing(kept: Path) -> None:
    assert read_kept(kept, "smoke of 2") is None


def test_what_has_another_shape_is_missing(kept: Path) -> None:
    write_kept(kept, "one", {"wheel": 3})
    assert read_record(kept, "one", SmokeReport) is None


def test_every_byte_counts(kept: Path) -> None:
    whole = kept.read_bytes()
    for place in range(len(whole) - 1):
        kept.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        assert read_kept(kept, "smoke of 1") is None, f"byte {place}"
        kept.write_bytes(whole[:place])
        assert read_kept(kept, "smoke of 1") is None, f"cut short after {place} bytes"
    kept.write_bytes(whole + b"x")
    assert read_kept(kept, "smoke of 1") is None


@pytest.mark.parametrize(
    "content", ["", "\n", "null", "[]", "{}", '{"sha256": 1}', "[" * 200_000, "\x00", "1" * 5000]
)
def test_other_json_is_missing(kept: Path, content: str) -> None:
    kept.write_text(content)
    assert read_kept(kept, "smoke of 1") is None


def test_what_is_no_file_is_missing(kept: Path, tmp_path: Path) -> None:
    assert read_kept(tmp_path, "smoke of 1") is None
    assert read_kept(tmp_path / "none", "smoke of 1") is None
    os.mkfifo(tmp_path / "pipe")
    assert read_kept(tmp_path / "pipe", "smoke of 1") is None


def test_what_others_can_write_is_missing(kept: Path) -> None:
    kept.chmod(0o666)
    assert read_kept(kept, "smoke of 1") is None
    kept.chmod(0o644)
    assert read_kept(kept, "smoke of 1") is not None


def test_a_pipe_keeps_nobody_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.json")
    assert read_kept(tmp_path / "a.json", "smoke of 1") is None


def test_the_state_of_a_folder_is_that_of_its_files(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("1")
    first = state_of(tmp_path, "one kind")
    assert state_of(tmp_path, "one kind") == first
    assert state_of(tmp_path, "another") != first
    (tmp_path / "b").write_text("2")
    assert state_of(tmp_path, "one kind") != first
    (tmp_path / "b").unlink()
    os.utime(tmp_path / "a", ns=(5, 5))
    assert state_of(tmp_path, "one kind") != first
