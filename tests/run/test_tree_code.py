"""Code of ours is found by the name that a recipe has for it."""

from tests.failing import fails
from tfbuild.recipes.catalogue import all_recipes
from tfbuild.run.tree_code import code_of


def test_every_name_of_our_recipes_has_code() -> None:
    names = {recipe.tree for recipe in all_recipes() if recipe.tree}
    names.remove("tensorflow-cc")  # the facts decide it: `run/library_build`
    assert names
    for name in names:
        assert callable(code_of(name).complete)


def test_a_name_without_code_is_refused() -> None:
    with fails("recipe-tree-code-unknown", "'tflight'", "'tflite'"):
        code_of("tflight")
