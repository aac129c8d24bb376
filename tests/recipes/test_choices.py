"""Options and releases that were asked for, held against the recipe."""

from dataclasses import replace

import pytest

from tests.failing import fails
from tfbuild.recipes.choices import choose, find_release, need_names
from tfbuild.recipes.recipe import Build, Choice, Option, Product, Recipe, Release, Source


def a_recipe(**changes: object) -> Recipe:
    """A library with two options that do not go together."""
    options = (
        Option(
            name="loud",
            help="says it loudly",
            default="off",
            choices=(
                Choice(value="on", needs=("nasm",), conflicts=("quiet=on",)),
                Choice(value="off"),
            ),
        ),
        Option(
            name="quiet",
            help="says nothing",
            default="off",
            choices=(Choice(value="on"), Choice(value="off")),
        ),
    )
    made = Recipe(
        name="greet",
        summary="Says hello",
        license="MIT",
        source=Source(
            url="https://example.org/greet-{version}.tar.gz",
            releases=(
                Release(version="1.10", sha256="a" * 64),
                Release(version="1.9", sha256="b" * 64),
            ),
        ),
        options=options,
        needs=("zlib",),
        build=Build(system="cmake"),
        product=Product(),
    )
    return replace(made, **changes)  # type: ignore[arg-type]


def test_each_option_has_a_choice_in_the_recipes_order() -> None:
    chosen = choose((("quiet", "on"),), a_recipe())
    assert [choice.value for choice in chosen] == ["off", "on"]


@pytest.mark.parametrize(
    ("asked", "code", "named"),
    [
        ((("lout", "on"),), "recipe-option-unknown", ("'lout'", "'loud'")),
        ((("loud", "onn"),), "recipe-choice-unknown", ("loud", "'onn'", "'on'")),
    ],
)
def test_what_there_is_none_of(
    asked: tuple[tuple[str, str], ...], code: str, named: tuple[str, ...]
) -> None:
    with fails(code, *named):
        choose(asked, a_recipe())


def test_values_that_do_not_go_together() -> None:
    with fails("recipe-choices-conflict", "loud=on", "quiet=on"):
        choose((("loud", "on"), ("quiet", "on")), a_recipe())


def test_a_recipe_without_options_says_what_is_understood() -> None:
    with fails("recipe-option-unknown", "'loud'", "version="):
        choose((("loud", "on"),), a_recipe(options=()))


def test_the_newest_release_unless_another_is_named() -> None:
    assert find_release("", a_recipe()).version == "1.10"
    assert find_release("1.9", a_recipe()).sha256 == "b" * 64


def test_a_release_that_there_is_none_of() -> None:
    with fails("recipe-release-unknown", "1.8", "1.10, 1.9"):
        find_release("1.8", a_recipe())
    with fails("recipe-without-release", "greet"):
        find_release("", a_recipe(source=Source()))


def test_needs_of_build_system_recipe_and_choices_each_once() -> None:
    recipe = a_recipe(needs=("zlib", "cmake"))
    names = need_names(recipe, choose((("loud", "on"),), recipe), "host")
    assert (names[0], names[-2:], names.count("cmake")) == ("cmake", ("zlib", "nasm"), 1)


def test_bazel_is_a_need_where_a_container_must_have_it() -> None:
    recipe = a_recipe()
    recipe = replace(recipe, build=replace(recipe.build, system="bazel"))
    choices = choose((), recipe)
    assert "bazel" not in need_names(recipe, choices, "host")
    assert {"bazel", "python3"} <= {*need_names(recipe, choices, "docker")}
