"""The layout of cache and work folder: described once, and by nobody else."""

import ast
import re
from pathlib import Path

import pytest

from tfbuild.core.layout import CACHE, WORK, Place, strangers
from tfbuild.core.paths import PACKAGE, data_folder

# Words that are nothing but names of these folders, wherever they stand behind a slash.
_OURS = {"artifacts", "unpacked", "toolkits", "bazels", "bazel-disk", "resolutions", "bases",
         "memo", "products"}  # fmt: skip
_TEXT = re.compile(r"\{(cache|work)\}/\w|\.(tf|cache/tf)build/\w")
_ROOT = re.compile(r"\b(cache|work|cache_folder\(\)|work_folder\(\))$")


@pytest.mark.parametrize("places", [CACHE, WORK])
def test_every_place_has_a_name_of_its_own(places: tuple[Place, ...]) -> None:
    assert len({place.name for place in places}) == len(places)
    for place in places:
        assert "/" not in place.name
        assert place.holds
        assert place.removal != "whole" or place in CACHE
        assert not place.most or place.removal == "entries"


def _spelled(path: Path) -> list[str]:
    """Where a module joins a name to the cache or the work folder, or spells one of its folders."""
    found = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Constant) and _TEXT.search(repr(node.value)):
            found.append(f"{path.name}:{node.lineno} {node.value!r}")
        if not (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div)):
            continue
        right = node.right
        is_text = isinstance(right, (ast.Constant, ast.JoinedStr))
        first = str(right.value).split("/")[0] if isinstance(right, ast.Constant) else ""
        if first in _OURS or (is_text and _ROOT.search(ast.unparse(node.left))):
            found.append(f"{path.name}:{node.lineno} {ast.unparse(node)}")
    return found


def test_no_other_module_spells_a_folder_of_them() -> None:
    modules = [p for p in sorted(PACKAGE.rglob("*.py")) if not {"_data", "probes"} & {*p.parts}]
    assert [line for path in modules for line in _spelled(path)] == []


def test_a_module_that_spells_one_is_found(tmp_path: Path) -> None:
    path = tmp_path / "bad.py"
    lines = (
        'tools.folders.cache / "new"', 'folder / "toolkits"', 'work / f"{a}.json"',
        '"{cache}/bazel"', 'cache_folder() / "x"', '"~/.cache/tfbuild/x"',
    )  # fmt: skip
    for line in lines:
        path.write_text(line)
        assert len(_spelled(path)) == 1, line
    path.write_text('folder / "bin" / "bazel"\nLOCK.path(cache) / f"{a}.lock"')
    assert _spelled(path) == []


def test_the_recipes_use_described_places() -> None:
    names = {"cache": {place.name for place in CACHE}, "work": {place.name for place in WORK}}
    found = [
        (root, name)
        for path in data_folder("recipes").rglob("*.yaml")
        for root, name in re.findall(r"\{(cache|work)\}/([\w.-]+)", path.read_text())
    ]
    assert found
    assert [(root, name) for root, name in found if name not in names[root]] == []


def test_strangers_are_found(tmp_path: Path) -> None:
    assert strangers(tmp_path / "none", CACHE) == ()
    for name in ("artifacts", "lock", "mine", ".hidden"):
        (tmp_path / name).mkdir()
    assert [path.name for path in strangers(tmp_path, CACHE)] == [".hidden", "mine"]
