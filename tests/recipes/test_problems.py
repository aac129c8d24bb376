"""A recipe whose types are right may be wrong all the same; the reader's tests have every case."""

from dataclasses import replace
from pathlib import Path

from tests.sample_recipes import A_RECIPE, written
from tfbuild.recipes.problems import problems_of
from tfbuild.recipes.reader import read_recipe


def test_each_problem_has_its_place_and_a_remedy(tmp_path: Path) -> None:
    recipe = read_recipe(written(tmp_path, A_RECIPE))
    assert list(problems_of(recipe)) == []
    build = replace(recipe.build, targets=("{foo}",), environment=(("A B", "x"),))
    wrong = replace(recipe, build=build, audit=replace(recipe.audit, glibc="new"))
    found = list(problems_of(wrong))
    assert {place: fault.code for place, fault in found} == {
        ("build", "targets"): "recipe-placeholder-unknown",
        ("build", "environment", "A B"): "recipe-variable-unfit",
        ("audit", "glibc"): "recipe-glibc-unfit",
    }
    assert all(fault.hint for _, fault in found)


def test_a_name_that_no_recipe_may_have(tmp_path: Path) -> None:
    recipe = read_recipe(written(tmp_path, A_RECIPE))
    ((place, fault),) = problems_of(replace(recipe, name="Greet!", path=Path("Greet!.yaml")))
    assert (place, fault.code) == (("name",), "recipe-name-unfit")
    assert "'Greet!'" in fault.message
