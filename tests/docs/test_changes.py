"""What changed since the last release: one line for each change, which towncrier puts together."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.source_files import ROOT
from tfbuild import __version__

FRAGMENTS = ROOT / "docs" / "changes"
KINDS = ("breaks", "build", "ask", "prove", "runtime", "security", "fixed")
_NAME = re.compile(rf"\+[a-z0-9-]+\.({'|'.join(KINDS)})\.md")
_MOST_LETTERS = 300


def fragments() -> list[Path]:
    return [path for path in sorted(FRAGMENTS.iterdir()) if path.name != "README.md"]


def test_each_change_is_one_line_of_a_known_kind() -> None:
    for path in fragments():
        assert _NAME.fullmatch(path.name), path.name
        (line,) = path.read_text().splitlines()
        assert line.endswith(".") and len(line) <= _MOST_LETTERS, path.name


def test_the_newest_release_is_this_one_and_is_read_in_two_minutes() -> None:
    (_, text) = (ROOT / "CHANGELOG.md").read_text().split("<!-- towncrier release notes start -->")
    (newest, *_) = re.split(r"^## ", text, flags=re.MULTILINE)[1:]
    assert re.match(rf"{re.escape(__version__)} \(\d{{4}}-\d\d-\d\d\)\n", newest)
    first, *_ = re.findall(r"^### (.*)$", newest, re.MULTILINE)
    assert first == "What breaks"
    assert len(newest.split()) < 750, "two minutes for who skims a list"


@pytest.mark.parametrize("kind", KINDS)
def test_towncrier_puts_a_line_below_its_heading(tmp_path: Path, kind: str) -> None:
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    folder = tmp_path / "docs" / "changes"
    folder.mkdir(parents=True)
    (folder / f"+a.{kind}.md").write_text("A line.\n")
    command = [sys.executable, "-m", "towncrier", "build", "--draft", "--version", "9.9"]
    drafted = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    _, _, below = drafted.stdout.partition("### ")
    assert below.splitlines()[0] in (ROOT / "CHANGELOG.md").read_text()
    assert "- A line." in below
