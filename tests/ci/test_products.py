"""A recipe's options become axes; what is refused, what is published, what the shell gets."""

import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest

from tests.failing import fails
from tests.recipes.test_choices import a_recipe
from tfbuild.ci.pipeline import Axes, Pipeline, check_pipeline, job_name, published
from tfbuild.ci.products import (
    is_licensed,
    needs_of_cells,
    product_axes,
    product_subject,
    recipe_word,
    require_choices,
)
from tfbuild.core.layout import BAZELS, SOURCES
from tfbuild.core.paths import file_digest
from tfbuild.core.records import Pairs
from tfbuild.facts.tables import Tables
from tfbuild.recipes.recipe import Build, Choice, Option, Recipe

SYSTEM = Literal["github", "gitlab"]
WORDS = ("version=1.10,1.9", "loud=on,off")


def axes_of(tables: Tables, *words: str, recipe: Recipe | None = None) -> Axes:
    return product_axes(words, recipe or a_recipe(), tables.axis("os"), has_engine=True)


def a_product_pipeline(
    tables: Tables, *words: str, recipe: Recipe | None = None, packages: tuple[str, ...] = ("nasm",)
) -> Pipeline:
    """A pipeline of the recipe of `tests/recipes/test_choices`, in two versions and options."""
    recipe = recipe or a_recipe()
    axes = axes_of(tables, *(words or WORDS), recipe=recipe)
    return Pipeline(
        subject=product_subject("./recipes/greet.yaml", recipe, axes, packages),
        axes=axes,
        install=".",
        tfbuild_version="0.1.0",
        again="tfbuild ci github ./recipes/greet.yaml",
    )


def test_axes_are_options_versions_and_systems(tables: Tables) -> None:
    assert axes_of(tables, "loud=on,off", "version=1.9") == (
        ("loud", ("on", "off")),
        ("version", ("1.9",)),
    )
    assert axes_of(tables) == (("version", ("1.10",)),), "the newest, and tomorrow the same"
    found = dict(axes_of(tables, "os=debian:bookworm,jammy"))
    assert found["os"] == ("debian 12", "ubuntu 22.04")


@pytest.mark.parametrize(
    ("words", "code", "named"),
    [
        (("loud",), "not-axis-values", ("'loud'", "version=1.10")),
        (("loud=",), "not-axis-values", ("'loud='", "version=1.10")),
        (("lout=on",), "recipe-option-unknown", ("'lout'", "'loud'")),
        (("python=3.11",), "recipe-option-unknown", ("'python'", "version")),
        (("loud=onn",), "recipe-choice-unknown", ("loud", "'onn'", "'on'")),
        (("loud=$(reboot)",), "recipe-choice-unknown", ("loud", "'$(reboot)'", "on")),
        (("loud=${{ secrets.A }}",), "recipe-choice-unknown", ("loud", "${{ secrets.A }}", "on")),
        (("version=1.8",), "recipe-release-unknown", ("version", "'1.8'", "1.9")),
        (("os=debian:bookwurm",), "system-unknown", ("'debian:bookwurm'", "bookworm")),
        (("loud=on,on",), "matrix-value-twice", ("'loud=on,on'",)),
        (("os=bookworm,debian:12",), "matrix-value-twice", ("'os=bookworm,debian:12'",)),
        (("loud=on", "loud=off"), "matrix-value-twice", ("'loud=off'",)),
    ],
)
def test_words_that_are_none(
    words: tuple[str, ...], code: str, named: tuple[str, ...], tables: Tables
) -> None:
    with fails(code, *named) as caught:
        axes_of(tables, *words)
    assert "--source" not in caught.value.hint, "there is no such option here"


def test_a_value_that_a_recipe_has_and_no_name_of_a_file_can_hold(tables: Tables) -> None:
    choices = (Choice(value="a/b"), Choice(value="on"))
    recipe = a_recipe(options=(Option(name="loud", help="", default="on", choices=choices),))
    with fails("pipeline-value-unfit", "loud", "'a/b'"):
        axes_of(tables, "loud=a/b", recipe=recipe)


def test_a_recipe_without_a_release_has_nothing_that_a_runner_could_build(tables: Tables) -> None:
    recipe = a_recipe()
    recipe = replace(recipe, source=replace(recipe.source, releases=()))
    with fails("pipeline-recipe-unreleased", "greet") as caught:
        axes_of(tables, recipe=recipe)
    assert "--source" not in caught.value.hint, "there is no such option here"


def test_a_container_in_a_container_is_refused(tables: Tables) -> None:
    with fails("gitlab-os-axis", "os=", "--image"):
        product_axes(("os=debian:12",), a_recipe(), tables.axis("os"), has_engine=False)


def test_cells_that_do_not_go_together_are_named(tables: Tables) -> None:
    cells = a_product_pipeline(tables, "loud=on,off", "quiet=on,off").cells
    with fails("cells-not-buildable", "1 of 4", "loud=on quiet=on"):
        require_choices(cells, a_recipe())
    require_choices(a_product_pipeline(tables).cells, a_recipe())


def test_what_all_cells_need_is_installed_once(tables: Tables) -> None:
    names = needs_of_cells(a_product_pipeline(tables).cells, a_recipe())
    assert {"cmake", "zlib", "nasm"} <= set(names)
    assert len(set(names)) == len(names)
    quiet = needs_of_cells(a_product_pipeline(tables, "loud=off").cells, a_recipe())
    assert "nasm" not in quiet
    contained = a_product_pipeline(tables, "os=debian:12").cells
    assert needs_of_cells(contained, a_recipe()) == ()


def test_what_was_downloaded_is_kept(tables: Tables) -> None:
    kept = a_product_pipeline(tables).subject.kept
    assert kept[0] == SOURCES
    assert BAZELS not in kept
    recipe = a_recipe(build=Build(system="bazel"))
    assert BAZELS in a_product_pipeline(tables, recipe=recipe).subject.kept


# --- which recipe ------------------------------------------------------------------------------


def test_a_recipe_by_name_or_by_its_place_in_the_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a b").mkdir()
    monkeypatch.chdir(tmp_path)
    assert recipe_word("greet", a_recipe(), tmp_path) == "greet"
    spellings = ("a b/greet.yaml", "./a b/greet.yaml", str(tmp_path / "a b" / "greet.yaml"))
    for word in spellings:
        assert recipe_word(word, a_recipe(), tmp_path) == "./a b/greet.yaml"


def test_a_recipe_outside_of_the_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    top = tmp_path / "top"
    top.mkdir()
    monkeypatch.chdir(top)
    (top / "link").symlink_to(tmp_path)
    for word in ("../greet.yaml", str(tmp_path / "greet.yaml"), "link/greet.yaml"):
        with fails("recipe-outside-repository", word):
            recipe_word(word, a_recipe(), top)


# --- what is published -------------------------------------------------------------------------


def names_of(cells: tuple[Pairs, ...]) -> list[str]:
    return [job_name(cell) for cell in cells]


def test_every_archive_is_published_once(tables: Tables) -> None:
    pipeline = a_product_pipeline(tables)
    assert published(pipeline) == pipeline.cells
    pipeline = a_product_pipeline(tables, "loud=on,off", "os=debian:12,ubuntu:22.04")
    assert names_of(published(pipeline)) == [
        "version-1.10-loud-on-os-debian 12",
        "version-1.10-loud-off-os-debian 12",
    ]
    (note,) = pipeline.subject.notes
    assert "debian 12" in note


@pytest.mark.parametrize(
    ("license_", "is_known"),
    [
        ("MIT", True),
        ("BSD-3-Clause OR GPL-2.0-only", True),
        ("libpng-2.0", True),
        ("", False),
        ("free for all", False),
        ("MIT\nname: evil", False),
    ],
)
def test_without_an_spdx_expression_nothing_is_published(
    license_: str, is_known: bool, tables: Tables
) -> None:
    recipe = a_recipe(license=license_)
    assert is_licensed(recipe) is is_known
    subject = a_product_pipeline(tables, recipe=recipe).subject
    assert subject.destination == ("release" if is_known else "none")
    assert len(subject.notes) == (0 if is_known else 1)
    assert not any("\n" in note for note in subject.notes)


# --- what the shell gets -----------------------------------------------------------------------


def test_words_reach_the_command_one_by_one(tables: Tables, tmp_path: Path) -> None:
    axes = axes_of(tables, "loud=on", "os=debian:12")
    subject = product_subject("./it's $HOME/`id`.yaml", a_recipe(), axes, ())
    line = subject.build.replace("tfbuild", "printf '%s\\n'", 1)
    variables = {"OPTION_VERSION": "1.10", "OPTION_LOUD": "on", "OPTION_OS": "debian 12; id"}
    done = subprocess.run(
        ["sh", "-c", line], env=variables, cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == [
        "build",
        "./it's $HOME/`id`.yaml",
        "version=1.10",
        "loud=on",
        "os=debian 12; id",
        "--env",
        "docker",
    ]


def test_an_expression_in_the_path_of_a_recipe_is_refused(tables: Tables) -> None:
    axes = axes_of(tables)
    for mark in ("${{ secrets.A }}", "$[[ inputs.a ]]"):
        subject = product_subject(f"./{mark}/greet.yaml", a_recipe(), axes, ())
        with fails("pipeline-holds-expression", mark[:3]):
            check_pipeline(replace(a_product_pipeline(tables), subject=subject))


def test_two_options_of_one_variable(tables: Tables) -> None:
    choices = (Choice(value="on"),)
    options = tuple(
        Option(name=name, help="", default="on", choices=choices) for name in ("a-b", "a+b")
    )
    recipe = a_recipe(options=options)
    with fails("option-variable-twice", "greet", "OPTION_A_B"):
        a_product_pipeline(tables, "a-b=on", "a+b=on", recipe=recipe)
    assert a_product_pipeline(tables, "a-b=on", recipe=recipe).cells


def test_digests_are_those_of_the_archives_and_are_checked(tables: Tables, tmp_path: Path) -> None:
    (tmp_path / "dist").mkdir()
    archive = tmp_path / "dist" / "greet-1.10-loud_on.tar.gz"
    archive.write_bytes(b"hello")
    subject = a_product_pipeline(tables).subject
    subprocess.run(["sh", "-ec", subject.sums], cwd=tmp_path, check=True)
    line = (tmp_path / "dist" / f"{archive.name}.sha256").read_text()
    assert line == f"{file_digest(archive)}  {archive.name}\n"
