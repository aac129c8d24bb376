"""What CONTRIBUTING promises of additions, performed in a copy of the data."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.sample_recipes import A_RECIPE, written
from tests.shared_libraries import real_tools
from tfbuild.core.paths import PACKAGE, data_folder
from tfbuild.facts.tables import Tables
from tfbuild.facts.targets import all_targets
from tfbuild.recipes import catalogue, reader
from tfbuild.recipes.catalogue import all_recipes, find_recipe
from tfbuild.recipes.records import ProductRequest
from tfbuild.run.decide import decide_product


class Copy:
    """An installation, which may be added to; and how many of its files were."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        left_out = shutil.ignore_patterns("cases", "_data", "__pycache__")
        for source in (data_folder("matrices"), data_folder("recipes"), PACKAGE):
            shutil.copytree(source, folder / source.name, ignore=left_out)
        self.matrix("cases").mkdir()
        shutil.copy(min((data_folder("matrices") / "cases").iterdir()), self.matrix("cases"))
        self._before = self._digests()

    @property
    def tables(self) -> Tables:
        return Tables(matrices=self.folder / "matrices", recipes=self.folder / "recipes")

    def touched(self) -> int:
        """How many files, of code as well, are new or changed."""
        return len(set(self._digests().items()) - set(self._before.items()))

    def matrix(self, name: str) -> Path:
        return self.folder / "matrices" / name

    def add_row(self, matrix: str, row: str) -> None:
        path = self.matrix(matrix)
        path.write_text(path.read_text().rstrip() + f"\n{row}\n")

    def run(self, *words: str) -> str:
        """What the copy's own program prints."""
        home = str(self.folder.parent)
        environment = {"PYTHONPATH": str(self.folder), "HOME": home, "XDG_CACHE_HOME": home}
        return subprocess.run(
            [sys.executable, "-m", PACKAGE.name, *words], cwd=self.folder,
            env=os.environ | environment, stdout=subprocess.PIPE, text=True, check=False,
        ).stdout  # fmt: skip

    def _digests(self) -> dict[str, str]:
        files = (path for path in self.folder.rglob("*") if path.suffix in {".py", ".yaml"})
        return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Copy:
    found = Copy(tmp_path / "installed")
    monkeypatch.setattr(catalogue, "data_folder", lambda name: found.folder / name)
    monkeypatch.setattr(reader, "open_tables", lambda: found.tables)
    return found


def test_a_thing_to_be_built_is_one_file(copy: Copy, tmp_path: Path) -> None:
    written(copy.folder / "recipes", A_RECIPE)
    recipe = find_recipe("greet")
    assert recipe in all_recipes()
    request = ProductRequest(recipe="greet", output=tmp_path)
    assert decide_product(request, recipe, copy.tables, real_tools(tmp_path)).commands
    assert copy.touched() == 1


def test_a_library_that_recipes_need_is_one_row(copy: Copy, tables: Tables, tmp_path: Path) -> None:
    row = (
        "- {need: frob, pkg_config: frob, debian: libfrob-dev, sonames: [libfrob.so.1], "
        "source: [SOURCE], checked: '2026-11-29', evidence: measured}"
    )
    source = next(iter(tables.sources("needs")))
    copy.add_row("needs.yaml", row.replace("SOURCE", source))
    text = A_RECIPE.replace("build:\n", "needs: [frob]\nbuild:\n", 1)
    recipe = find_recipe(str(written(tmp_path, text)))
    plan = decide_product(
        ProductRequest(recipe="greet", output=tmp_path), recipe, copy.tables, real_tools(tmp_path)
    )
    assert "libfrob-dev" in {need.package for need in plan.needs}
    assert "libfrob.so.1" in plan.audit.excluded_libraries
    assert copy.touched() == 1


def test_an_option_of_a_recipe_is_one_entry(copy: Copy, tmp_path: Path) -> None:
    path = copy.folder / "recipes" / "re2.yaml"
    entry = (
        "options:\n  icu: {help: Case of Unicode, default: off, choices: {on: null, off: null}}\n"
    )
    path.write_text(path.read_text().replace("build:\n", f"{entry}build:\n", 1))
    asked = ProductRequest(recipe="re2", output=tmp_path, options=(("icu", "on"),))
    plan = decide_product(asked, find_recipe("re2"), copy.tables, real_tools(tmp_path))
    assert "icu_on" in plan.archive
    assert copy.touched() == 1


def test_a_platform_is_one_row(copy: Copy) -> None:
    known = {target.version for target in all_targets()}
    copy.add_row(
        "platform.yaml",
        "- {version: linux-riscv64, family: riscv, uname: [Linux riscv64], debian: riscv64, "
        "elf: RISC-V, source: [docs], checked: '2026-11-29', evidence: documented}",
    )
    assert {target.version for target in copy.tables.targets()} - known == {"linux-riscv64"}
    assert copy.touched() == 1


def test_an_axis_is_one_matrix_and_one_row(copy: Copy) -> None:
    facts = "source: [docs], checked: '2026-11-29', evidence: documented}"
    copy.matrix("frob.yaml").write_text(
        "about: Releases of Frob.\nsources:\n  docs: The release notes of Frob\nrows:\n"
        f"- {{version: '2.0', requires: {{python: '>=3.11', tensorflow: '>=2.12'}}, {facts}\n"
        f"- {{version: '1.4', requires: {{python: '<3.11'}}, {facts}\n"
    )
    copy.add_row("axes.yaml", "- {axis: frob, label: Frob, role: beside, names: [pyfrob]}")
    fits = json.loads(copy.run("resolve", "tensorflow=2.15.0", "pyfrob=2", "--json"))
    assert fits["versions"]["frob"]["version"] == "2.0"
    assert fits["versions"]["python"]["version"] == "3.11"
    collides = copy.run("resolve", "tensorflow=2.15.0", "frob=1.4", "python=3.11")
    assert "Frob 1.4 needs Python <3.11" in collides
    assert "take frob=2.0" in collides
    unasked = json.loads(copy.run("resolve", "tensorflow=2.15.0", "--json"))
    assert "frob" not in unasked["versions"]
    assert "nearest are frob" in " ".join(copy.run("resolve", "frb=2.0").split())
    assert copy.touched() == 2
