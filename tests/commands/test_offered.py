"""What can be typed, out of the facts, the recipes and the folder."""

from pathlib import Path

import pytest

from tfbuild.commands import offered
from tfbuild.core.axes import axes
from tfbuild.core.error_catalogue import error_meanings
from tfbuild.core.layout import FAILED_ACTIONS, RUNS
from tfbuild.core.settings import gather
from tfbuild.doctor.examination import GROUPS
from tfbuild.facts.installed import open_tables
from tfbuild.recipes.catalogue import all_recipes
from tfbuild.recipes.choices import choose


def test_axes_are_offered_and_behind_the_only_one_its_values() -> None:
    assert set(offered.axis_words("c")) >= {"cuda=", "cudnn=", "clang=", "cpu="}
    assert set(offered.axis_words("pyth")) == {
        f"python={row.version}" for row in open_tables().axis("python")
    }
    assert offered.axis_words("nothing-of-the-kind") == []


@pytest.mark.parametrize(
    ("begun", "holds"),
    [
        ("cuda=", "cuda=none"),
        ("cuda>=", "cuda>=12.4"),
        ("cuda>=12.0,<", "cuda>=12.0,<12.4"),
        ("tf=2.16", "tf=2.16.2"),
        ("python=3.9,3.", "python=3.9,3.11"),
        ("gpu=", "gpu=sm_90"),
        ("os=deb", "os=debian:12"),
    ],
)
def test_the_values_of_an_axis_follow_whatever_stands_before_them(begun: str, holds: str) -> None:
    assert holds in offered.axis_words(begun)


def test_every_word_that_is_offered_of_an_axis_is_understood(tmp_path: Path) -> None:
    for axis in axes():
        words = offered.axis_words(f"{axis}=")
        assert words, axis
        for word in words:
            gather((word,), {}, tmp_path, {})


def test_a_recipe_is_offered_with_its_options_and_every_value_is_understood() -> None:
    for recipe in all_recipes():
        names = {f"{option.name}=" for option in recipe.options}
        assert names <= set(offered.build_words("", [recipe.name]))
        for option in recipe.options:
            for word in offered.build_words(f"{option.name}=", [recipe.name]):
                choose(((option.name, word.partition("=")[2]),), recipe)
    assert set(offered.build_words("version=", ["zstd"])) == {"version=1.5.7"}
    assert "threads=" not in offered.build_words("", ["zstd", "threads=on"]), "it stands there"
    assert offered.build_words("threads=", ["zstd"]) == ["threads=on", "threads=off"]
    assert "python=3.11" in offered.build_words("python=", ["cuda=none"]), "no recipe before it"


def test_recipes_of_this_folder_are_offered_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.yaml").write_text("options: {fast: {choices: {yes: {}, no: {}}}}\n")
    (tmp_path / "broken.yaml").write_text("{")
    assert {"zstd", "runtime", "mine.yaml"} <= set(offered.recipe_names(""))
    assert offered.recipe_names("./m") == [], "the shell knows more of paths"
    assert "fast=" in offered.build_words("", ["mine.yaml"])
    assert offered.build_words("fast=", ["broken.yaml"]) == []


def test_lists_go_on_behind_a_comma() -> None:
    assert "sm_80,sm_90" in offered.gpu_names("sm_80,")
    assert {"native", "sm_86"} <= set(offered.gpu_names(""))
    assert offered.preferences("here,") == ["here,evidence", "here,newest"]


def test_codes_groups_and_machines() -> None:
    assert offered.error_codes() == list(error_meanings())
    assert set(offered.check_groups()) == set(GROUPS)
    assert set(offered.axis_names()) == set(axes())
    assert "macos-arm64" in offered.platform_names()
    assert "ubuntu-24.04" in offered.runner_names()


def test_runs_that_failed_and_lock_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TFBUILD_WORK_DIR", str(tmp_path / "work"))
    assert offered.failed_runs() == []
    for name in ("20261129", "20261130", "20261131"):
        run = RUNS.path(tmp_path / "work") / name
        run.mkdir(parents=True)
        if name != "20261130":
            (run / FAILED_ACTIONS).touch()
    assert offered.failed_runs() == ["20261131", "20261129"]
    (tmp_path / "dist").mkdir()
    for name in ("a.lock.yaml", "dist/b.lock.yaml", "other.yaml"):
        (tmp_path / name).touch()
    assert offered.lock_files("") == ["a.lock.yaml", "dist/b.lock.yaml"]
    assert offered.lock_files("../") == []
