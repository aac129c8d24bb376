"""A request and a recipe become a plan."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.failing import fails
from tests.sample_recipes import A_RECIPE, a_tree, written
from tests.shared_libraries import real_tools
from tfbuild.core.interfaces import Tools
from tfbuild.core.paths import file_digest
from tfbuild.facts.tables import Tables
from tfbuild.facts.targets import target_of
from tfbuild.recipes.catalogue import all_recipes
from tfbuild.recipes.reader import read_recipe
from tfbuild.recipes.recipe import Recipe
from tfbuild.recipes.records import BuildStep, Patch, ProductPlan, ProductRequest
from tfbuild.run.decide import decide_product, require_target

NOTHING = ProductRequest(recipe="greet", output=Path("/dist"))


@pytest.fixture
def recipe(tmp_path: Path) -> Recipe:
    return read_recipe(written(tmp_path, A_RECIPE))


@pytest.fixture
def tools(tmp_path: Path) -> Tools:
    return real_tools(tmp_path / "work")


def step_of(plan: ProductPlan) -> BuildStep:
    (step,) = (step for step in plan.steps if isinstance(step, BuildStep))
    return step


def test_the_newest_release_with_the_usual_options(
    recipe: Recipe, tables: Tables, tools: Tools
) -> None:
    plan = decide_product(NOTHING, recipe, tables, tools)
    assert plan.source.place == "https://example.org/greet-1.10.tar.gz"
    assert (plan.version, plan.source.sha256) == ("1.10", "a" * 64)
    assert plan.options == (("loud", "on"),)
    step = step_of(plan)
    assert step.arguments == ("-DGREET_VERSION=1.10", "-DGREET_LOUD=ON")
    assert step.expect == (("GREET_LOUD", "on"),), "an option has the last word"
    here = target_of(tools.host).version
    assert plan.archive == f"greet-1.10-{here}.tar.gz"
    assert {"cmake", "ninja", "cc"} <= {need.name for need in plan.needs}
    assert [command.stage for command in plan.commands] == ["configure", "build", "install"]


def test_an_option_changes_arguments_name_and_id(
    recipe: Recipe, tables: Tables, tools: Tools
) -> None:
    usual = decide_product(NOTHING, recipe, tables, tools)
    asked = replace(NOTHING, options=(("loud", "off"),))
    plan = decide_product(asked, recipe, tables, tools)
    assert "-DGREET_LOUD=OFF" in step_of(plan).arguments
    assert plan.archive.startswith("greet-1.10-loud_off-")
    assert plan.id != usual.id


def test_the_id_hangs_on_what_counts_alone(
    recipe: Recipe, tables: Tables, tools: Tools, tmp_path: Path
) -> None:
    usual = decide_product(NOTHING, recipe, tables, tools)
    elsewhere = replace(NOTHING, output=tmp_path, jobs=1)
    assert decide_product(elsewhere, recipe, tables, tools).id == usual.id
    moved = tmp_path / "moved"
    moved.mkdir()
    again = read_recipe(written(moved, A_RECIPE))
    assert decide_product(NOTHING, again, tables, tools).id == usual.id
    changed = read_recipe(written(moved, A_RECIPE.replace("prints: HELLO", "prints: HI")))
    assert decide_product(NOTHING, changed, tables, tools).id != usual.id


def test_a_tree_says_its_version(
    recipe: Recipe, tables: Tables, tools: Tools, tmp_path: Path
) -> None:
    tree = a_tree(tmp_path / "tree")
    request = replace(NOTHING, source=str(tree))
    plan = decide_product(request, recipe, tables, tools)
    assert (plan.source.kind, plan.version) == ("folder", "1.10")
    (tree / "greet.h").write_text("changed")
    assert decide_product(request, recipe, tables, tools).id != plan.id


def test_what_is_no_source_is_refused(
    recipe: Recipe, tables: Tables, tools: Tools, tmp_path: Path
) -> None:
    for source, code, named in (
        (str(tmp_path / "none"), "source-missing", (str(tmp_path / "none"), "--source")),
        (str(tmp_path), "recipe-tree-differs", ("greet.h, VERSION", "--source")),
        ("debian", "recipe-without-debian", ("greet", "--source debian")),
        (
            str(written(tmp_path, A_RECIPE)),
            "archive-version-unknown",
            ("greet.yaml", "version="),
        ),
    ):
        with fails(code, *named):
            decide_product(replace(NOTHING, source=source), recipe, tables, tools)


def test_an_archive_of_a_release_is_known_by_its_hash(
    recipe: Recipe, tables: Tables, tools: Tools, tmp_path: Path
) -> None:
    archive = tmp_path / "any.tar.gz"
    archive.write_bytes(b"of a release")
    release = replace(recipe.source.releases[0], sha256=file_digest(archive))
    recipe = replace(recipe, source=replace(recipe.source, releases=(release,)))
    plan = decide_product(replace(NOTHING, source=str(archive)), recipe, tables, tools)
    assert (plan.version, plan.source.sha256) == ("1.10", release.sha256)


def test_debian_is_named_where_the_recipe_knows_its_package(
    recipe: Recipe, tables: Tables, tools: Tools
) -> None:
    source = replace(recipe.source, releases=(), debian="greet")
    with fails("recipe-without-release", "greet", "--source debian"):
        decide_product(NOTHING, replace(recipe, source=source), tables, tools)


@pytest.mark.parametrize(
    ("asked", "error"),
    [
        ({"version": "1.1"}, ("recipe-release-unknown", "1.1", "'1.10'")),
        ({"version": "../1.1"}, ("version-invalid", "'../1.1'")),
        ({"options": (("lout", "on"),)}, ("recipe-option-unknown", "'lout'", "'loud'")),
        ({"options": (("loud", "maybe"),)}, ("recipe-choice-unknown", "'maybe'", "on, off")),
        ({"target": "linux-aarch46"}, ("platform-unknown", "'linux-aarch46'", "'linux-aarch64'")),
        (
            {"system": "debian:bookworm"},
            ("system-without-container", "os=debian:bookworm", "--env docker"),
        ),
        (
            {"env": "docker", "system": "debian:bookwurm"},
            ("system-unknown", "'debian:bookwurm'", "'debian:bookworm'"),
        ),
    ],
)
def test_what_there_is_none_of_is_refused(
    recipe: Recipe, tables: Tables, tools: Tools, asked: dict[str, object], error: tuple[str, ...]
) -> None:
    with fails(*error):
        decide_product(replace(NOTHING, **asked), recipe, tables, tools)  # type: ignore[arg-type]


def test_choices_that_do_not_go_together(tables: Tables, tools: Tools, tmp_path: Path) -> None:
    text = A_RECIPE.replace(
        "      off: {arguments: [-DGREET_LOUD=OFF]}\n",
        "      off: {arguments: [-DGREET_LOUD=OFF], conflicts: [tall=on]}\n"
        "  tall: {help: Greet from above, default: off, choices: {on: null, off: null}}\n",
    )
    recipe = read_recipe(written(tmp_path, text))
    decide_product(NOTHING, recipe, tables, tools)
    asked = replace(NOTHING, options=(("loud", "off"), ("tall", "on")))
    with fails("recipe-choices-conflict", "loud=off", "tall=on"):
        decide_product(asked, recipe, tables, tools)


def test_an_unknown_need_is_named(tables: Tables, tools: Tools, tmp_path: Path) -> None:
    # Files are held against the needs where they are read; what code adds to one is not.
    recipe = replace(read_recipe(written(tmp_path, A_RECIPE)), needs=("zlip",))
    with fails("recipe-need-unknown", "zlip") as caught:
        decide_product(NOTHING, recipe, tables, tools)
    assert "zlib" in caught.value.hint


def test_another_source_is_named_where_the_release_cannot_be_had(
    tables: Tables, tools: Tools, tmp_path: Path
) -> None:
    text = A_RECIPE.replace("  recognize:", "  debian: libgreet\n  recognize:")
    plan = decide_product(NOTHING, read_recipe(written(tmp_path, text)), tables, tools)
    assert plan.source.otherwise == "debian"


def test_patches_lie_beside_the_recipe(tables: Tables, tools: Tools, tmp_path: Path) -> None:
    text = A_RECIPE.replace("  system: cmake\n", "  system: cmake\n  patches: [a.patch]\n")
    recipe = read_recipe(written(tmp_path, text))
    with fails("recipe-patch-missing", str(tmp_path / "a.patch")):
        decide_product(NOTHING, recipe, tables, tools)
    (tmp_path / "a.patch").write_text("--- a/x\n+++ b/x\n")
    plan = decide_product(NOTHING, recipe, tables, tools)
    assert isinstance(plan.steps[0], Patch)
    (tmp_path / "a.patch").unlink()
    (tmp_path / "a.patch").symlink_to("/etc/hostname")
    with fails("recipe-patch-unreadable", str(tmp_path / "a.patch")):
        decide_product(NOTHING, recipe, tables, tools)
    (tmp_path / "a.patch").unlink()
    with (tmp_path / "a.patch").open("wb") as huge:
        huge.truncate(300 << 30)
    with fails("recipe-patch-unreadable", str(tmp_path / "a.patch")):
        decide_product(NOTHING, recipe, tables, tools)


@pytest.mark.parametrize("target", ["linux-aarch64", "macos-arm64", "windows-x86_64"])
def test_plans_for_other_platforms_are_made_and_not_built(
    recipe: Recipe, tables: Tables, tools: Tools, target: str
) -> None:
    plan = decide_product(replace(NOTHING, target=target), recipe, tables, tools)
    assert plan.archive == f"greet-1.10-{target}.tar.gz"
    here = target == target_of(tools.host).version
    assert plan.audit.glibc_ceiling == (tools.host.glibc if here else "")
    if not here:
        with fails("machine-not-platform", target):
            require_target(plan.target, tools.host)


def test_a_recipe_that_names_systems_is_built_in_their_containers(
    recipe: Recipe, tables: Tables, tools: Tools
) -> None:
    held = replace(recipe, systems=("debian:trixie", "debian"))
    plan = decide_product(NOTHING, held, tables, tools)
    assert (plan.env, plan.system.image) == ("docker", "debian:trixie")
    assert plan.archive.startswith("greet-1.10-debian-trixie-linux-")
    other = replace(NOTHING, system="debian:bookworm")
    assert decide_product(other, held, tables, tools).system.suite == "bookworm"
    for wrong, code, named in (
        (
            replace(NOTHING, system="ubuntu:noble"),
            "recipe-system-unfit",
            ("ubuntu 24.04", "debian:trixie, debian"),
        ),
        (replace(NOTHING, env="host"), "recipe-not-on-host", ("debian:trixie", "--env host")),
    ):
        with fails(code, *named):
            decide_product(wrong, held, tables, tools)


def test_a_recipe_with_code_needs_a_tree(
    recipe: Recipe, tables: Tables, tools: Tools, tmp_path: Path
) -> None:
    coded = replace(recipe, tree="tflite")
    for source, code in (
        ("", "recipe-tree-missing"),
        ("debian", "recipe-tree-missing"),
        (str(tmp_path), "recipe-tree-differs"),
    ):
        with fails(code, "greet", source, "--source"):
            decide_product(replace(NOTHING, source=source), coded, tables, tools)


def test_models_must_be_there(recipe: Recipe, tables: Tables, tools: Tools, tmp_path: Path) -> None:
    model = tmp_path / "a.tflite"
    asked = replace(NOTHING, models=(model,))
    with fails("model-missing", str(model)):
        decide_product(asked, recipe, tables, tools)
    model.touch()
    plan = decide_product(asked, recipe, tables, tools)
    assert plan.models == (model,)
    assert plan.id == decide_product(NOTHING, recipe, tables, tools).id


@pytest.mark.parametrize(
    "known", [one for one in all_recipes() if not one.tree], ids=lambda known: str(known.name)
)
def test_every_recipe_of_the_installation_has_a_plan_on_both_places(
    known: Recipe, tables: Tables, tools: Tools
) -> None:
    for request in (NOTHING, replace(NOTHING, env="docker", system="debian:trixie")):
        plan = decide_product(request, known, tables, tools)
        assert plan.commands
        assert all(need.package for need in plan.needs)
