"""The tutorial's TensorFlow 1 program on a wheel that was built as the first tutorial builds it."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.doc_pages import PAGES
from tests.doc_runs import hold, shown, write_files
from tests.integration.project import ROOT, Project

pytestmark = [pytest.mark.bazel, pytest.mark.slow, pytest.mark.network]


def test_a_program_for_tensorflow_1_prints_what_the_tutorial_shows(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    cache = Path(os.environ.get("CHAIN_CACHE") or tmp_path / "cache")
    project = Project(tmp_path / "project", cache)
    project.build()
    (wheel,) = project.output.glob("*.whl")
    venv = tmp_path / "venv"
    subprocess.run([project.python(), "-m", "venv", venv], check=True)
    subprocess.run([venv / "bin/python", "-m", "pip", "install", "--quiet", wheel], check=True)
    page = PAGES / "tutorial" / "3-tensorflow-1-program.md"
    write_files(page, tmp_path)
    (tmp_path / "runtime").symlink_to(ROOT / "runtime")
    hold(list(shown(page)), tmp_path)
