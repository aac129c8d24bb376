"""The table of options: whole, and refusing with a way that works."""

from tests.failing import fails
from tfbuild.cli.options import BuildOptions
from tfbuild.cli.workspace import WorkspaceOptions
from tfbuild.core.axes import axes
from tfbuild.core.build_kinds import OBEYED_BY, TYPED_ALONE, kind_of_recipe, obeys, require_obeyed
from tfbuild.core.settings import OPTIONS
from tfbuild.recipes.catalogue import all_recipes


def test_every_option_has_a_row_and_every_row_an_option() -> None:
    fields = {*BuildOptions.__dataclass_fields__, *WorkspaceOptions.__dataclass_fields__}
    named = {name.replace("_", "-") for name in fields} - {"words", *axes()}
    assert named | {"for", "json"} == set(OBEYED_BY)
    assert {*OPTIONS, *TYPED_ALONE} == set(OBEYED_BY)


def test_what_is_obeyed_passes_and_the_rest_is_refused() -> None:
    require_obeyed("tflite", ("os", "source", "model", "deadline"))
    assert obeys("runtime", "cuda")
    assert not obeys("workspace", "cuda")
    with fails("axis-not-of-kind", "cuda", "--workspace", "bazel"):
        require_obeyed("workspace", ("bazel", "cuda"))
    with fails("option-not-of-kind", "--image") as option:
        require_obeyed("tflite", ("source", "image"))
    assert "build" not in option.value.hint
    with fails("option-not-of-kind", "--model", "build tflite"):
        require_obeyed("recipe", ("model",))


def test_a_recipe_with_code_of_its_own_is_a_kind_of_its_own() -> None:
    assert {code: kind_of_recipe(code, "cmake") for code in ("", "tflite", "runtime")} == {
        "": "recipe", "tflite": "tflite", "runtime": "recipe",
    }  # fmt: skip
    found = {kind_of_recipe(recipe.tree, recipe.build.system) for recipe in all_recipes()}
    assert found == {"recipe", "tflite", "cc"}
    assert kind_of_recipe("", "bazel") == "bazel-recipe"


def test_recipes_of_bazel_alone_have_its_caches_and_farms() -> None:
    options = ("disk-cache-limit", "remote-cache", "remote-required", "keep-server")
    require_obeyed("bazel-recipe", options)
    for kind in ("recipe", "tflite"):
        for option in options:
            with fails("option-not-of-kind", f"--{option}"):
                require_obeyed(kind, (option,))
    with fails("option-not-of-kind", "--verify-cache", "Bazel"):
        require_obeyed("recipe", ("verify-cache",))
