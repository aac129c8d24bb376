"""What CONTRIBUTING promises of additions, performed in a copy of the data: one file each."""

import hashlib
import shutil
from pathlib import Path

import pytest

from tests.sample_recipes import A_RECIPE, written
from tests.shared_libraries import real_tools
from tfbuild.core.paths import data_folder
from tfbuild.facts.tables import Tables
from tfbuild.facts.targets import all_targets
from tfbuild.recipes import catalogue, reader
from tfbuild.recipes.catalogue import all_recipes, find_recipe
from tfbuild.recipes.records import ProductRequest
from tfbuild.run.decide import decide_product


class Copy:
    """An installation's data, which may be added to; and how many of its files were."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in ("matrices", "recipes"):
            shutil.copytree(
                data_folder(name), folder / name, ignore=shutil.ignore_patterns("cases")
            )
        self._before = self._digests()

    @property
    def tables(self) -> Tables:
        return Tables(matrices=self.folder / "matrices", recipes=self.folder / "recipes")

    def touched(self) -> int:
        """How many files are new or changed."""
        return len(set(self._digests().items()) - set(self._before.items()))

    def add_row(self, matrix: str, row: str) -> None:
        path = self.folder / "matrices" / matrix
        path.write_text(path.read_text().rstrip() + f"\n{row}\n")

    def _digests(self) -> dict[str, str]:
        files = (path for path in self.folder.rglob("*.yaml"))
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
