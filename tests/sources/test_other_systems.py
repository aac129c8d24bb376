"""macOS and Windows: scripts as text, which no test here can run."""

from pathlib import Path

import pytest

from tests.failing import fails
from tests.tensorflow_trees import ERAS, make_tree
from tfbuild.facts.tables import Tables
from tfbuild.sources.other_systems import script_for
from tfbuild.sources.tensorflow_tree import read_tree

PLATFORMS = ("macos-arm64", "macos-x86_64", "windows-x86_64")
GOLDEN = Path(__file__).parents[1] / "golden" / "other_systems.txt"


def test_scripts_are_those_of_the_golden_file(
    tables: Tables, tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    text = ""
    for release in ERAS:
        tree = read_tree(make_tree(tmp_path / release, release))
        for platform in PLATFORMS:
            script = script_for(tree, tables.variables(), platform).replace("\r\n", "\n")
            text += f"=== {release} {platform}\n{script}\n"
    if pytestconfig.getoption("--rewrite-golden"):
        GOLDEN.write_text(text)
    assert text == GOLDEN.read_text(), "rewrite with: pytest --rewrite-golden"


def test_windows_has_its_own_question_and_line_ends(tables: Tables, tmp_path: Path) -> None:
    tree = read_tree(make_tree(tmp_path, "2.6.5"))
    script = script_for(tree, tables.variables(), "windows-x86_64")
    assert script.count("\r\n") == script.count("\n")
    assert "TF_NEED_CUDA=0" in script


def test_another_platform_is_refused(tables: Tables, tmp_path: Path) -> None:
    tree = read_tree(make_tree(tmp_path, "2.6.5"))
    with fails("script-platform-unknown", "'macos'", "'macos-arm64'"):
        script_for(tree, tables.variables(), "macos")
