"""The facts as one file of the cache."""

import json
import os
from pathlib import Path

import pytest

from tests.failing import fails
from tests.matrix_files import small_tables
from tfbuild.core.cache_mark import make_cache
from tfbuild.core.kept_matrices import kept_matrices
from tfbuild.facts.tables import Tables


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    make_cache(tmp_path)
    return small_tables(tmp_path / "matrices").matrices


def a_later_start() -> None:
    """What another process begins with: nothing in memory."""
    kept_matrices.cache_clear()


def test_what_is_kept_is_what_the_files_say(folder: Path, tmp_path: Path, tables: Tables) -> None:
    kept = tmp_path / "kept.json"
    direct = Tables(matrices=tables.matrices, recipes=tables.recipes)
    again = Tables(matrices=tables.matrices, recipes=tables.recipes, kept=kept)
    for read in (Tables.rules, Tables.tested, Tables.images, Tables.gpus, Tables.series):
        assert read(again) == read(direct)
    assert again.axis("tensorflow") == direct.axis("tensorflow")
    assert kept.is_file()


def test_a_later_start_reads_the_one_file(folder: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept.json"
    first = kept_matrices(folder, kept)
    written = kept.stat().st_mtime_ns
    a_later_start()
    assert kept_matrices(folder, kept) == first
    assert kept.stat().st_mtime_ns == written


def test_a_change_of_any_file_is_seen(folder: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept.json"
    kept_matrices(folder, kept)
    content = json.loads((folder / "gcc.yaml").read_text())
    (folder / "gcc.yaml").write_text(json.dumps({**content, "about": "another"}))
    os.utime(folder / "gcc.yaml", ns=(1, 1))
    a_later_start()
    assert kept_matrices(folder, kept)["gcc.yaml"]["about"] == "another"


@pytest.mark.parametrize("damage", ["", "{", '{"sha256": "0", "subject": "x", "content": {}}'])
def test_a_damaged_file_is_made_anew(folder: Path, tmp_path: Path, damage: str) -> None:
    kept = tmp_path / "kept.json"
    first = kept_matrices(folder, kept)
    kept.write_text(damage)
    a_later_start()
    assert kept_matrices(folder, kept) == first


def test_a_broken_matrix_fails_for_whoever_needs_it(folder: Path, tmp_path: Path) -> None:
    (folder / "nccl.yaml").write_text("rows: [")
    tables = Tables(matrices=folder, recipes=tmp_path, kept=tmp_path / "kept.json")
    assert tables.axis("python")
    with fails("not-yaml", "nccl"):
        tables.axis("nccl")


def test_without_a_place_to_keep_it_all_is_read(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    assert "python.yaml" in kept_matrices(folder, tmp_path / "taken" / "kept.json")
    assert kept_matrices(tmp_path / "nothing", tmp_path / "kept.json") == {}


def test_no_cache_is_made_for_it(folder: Path, tmp_path: Path) -> None:
    assert "python.yaml" in kept_matrices(folder, tmp_path / "cache" / "kept.json")
    assert not (tmp_path / "cache").exists()
