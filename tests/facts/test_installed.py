"""The facts of this installation, wherever its cache is."""

from pathlib import Path

import pytest

from tfbuild.core.cache_mark import make_cache
from tfbuild.core.layout import MATRICES
from tfbuild.facts.installed import open_tables


def test_matrices_are_those_that_came_along(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TFBUILD_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr("tfbuild.facts.installed.MATRICES", MATRICES)  # as it is outside of tests
    make_cache(tmp_path)
    tables = open_tables()
    assert (tables.matrices / "cuda.yaml").is_file()
    assert tables.recipe("cpu").device == "cpu"
    assert tables.axis("numpy")
    assert MATRICES.path(tmp_path).is_file(), "they are read from one file the next time"
