"""What `tfbuild ci` does: write the pipeline of a CI system."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import tfbuild
from tfbuild.builds.build_matrix import cross
from tfbuild.ci.origin import usual_install
from tfbuild.ci.pipeline import Axes, Pipeline, Subject, check_pipeline
from tfbuild.ci.runners import CellSite, require_possible
from tfbuild.ci.wheels import WHEELS, wheel_axes
from tfbuild.commands.context import request_of, write_file
from tfbuild.core.build_kinds import OWN_RECIPES
from tfbuild.core.errors import BadRequest
from tfbuild.core.records import Pairs
from tfbuild.core.reporter import SilentReporter
from tfbuild.core.settings import gather
from tfbuild.facts.installed import open_tables
from tfbuild.facts.tables import Tables
from tfbuild.recipes.catalogue import find_recipe, names_recipe
from tfbuild.reporting.console import ConsoleReporter, print_file

_RUNNER = "ubuntu-24.04"


@dataclass(frozen=True, slots=True, kw_only=True)
class CiOptions:
    """The options of `tfbuild ci`; empty ones have their usual value."""

    system: Literal["github", "gitlab"]
    words: tuple[str, ...] = ()
    minutes: int = 60
    image: str = ""  # GitHub: the runner; GitLab: the container image
    install: str = ""
    output: str = ""


def write_pipeline(options: CiOptions) -> None:
    """Print the pipeline, or write it to the file named; BadRequest, NoSolution for none."""
    reporter = ConsoleReporter()
    for warning in gather((), {}, Path.cwd(), {}).warnings:
        reporter.warn(warning.text, code=warning.code)
    text = pipeline_text(options)
    if options.output:
        write_file(options.output, text)
    else:
        print_file(text)


def pipeline_text(options: CiOptions) -> str:
    """The pipeline as YAML; NoSolution where a cell of it cannot be built on its runner.

    BadRequest for a recipe, an option or a value that there is none of.
    """
    from tfbuild.ci.github import github_workflow
    from tfbuild.ci.gitlab import gitlab_pipeline

    tables = open_tables()
    subject, axes = _what(options, tables)
    pipeline = Pipeline(
        subject=subject,
        axes=axes,
        install=options.install or usual_install(Path.cwd()),
        tfbuild_version=tfbuild.__version__,
        minutes=options.minutes,
        again=_command(options),
    )
    check_pipeline(pipeline)
    if options.system == "github":
        text = github_workflow(pipeline, options.image or _RUNNER, tables.actions())
    else:
        text = gitlab_pipeline(pipeline, options.image)
    if subject == WHEELS:
        require_possible({cell: _site(cell, options) for cell in pipeline.cells}, tables)
    return text


def _what(options: CiOptions, tables: Tables) -> tuple[Subject, Axes]:
    """What is built: wheels, unless the first word names a recipe; and the axes of the words."""
    name, *others = options.words or ("",)
    if not name or not names_recipe(name):
        return WHEELS, wheel_axes(options.words)
    if name in dict(OWN_RECIPES):
        _require_wheels(name)
        return WHEELS, wheel_axes(others)
    return _product(name, others, options, tables)


def _require_wheels(name: str) -> None:
    """BadRequest for what is built by code of its own and is no wheel that a job finds by itself.

    The settings of the folder name the tree of a wheel of TensorFlow; nothing names the others.
    """
    if name == "runtime":
        return
    if name != "tensorflow":
        raise BadRequest(
            f"no pipeline is written of {name}",
            code="pipeline-not-for-kind",
            why="pipelines build wheels, and what recipe files say",
            hint="write the job by hand, around `tfbuild build`",
        )
    if not gather((), {}, Path.cwd(), {}).text("source"):
        raise BadRequest(
            "which source tree would the jobs build?",
            code="pipeline-source-not-named",
            hint="name it in pyproject.toml: source, below [tool.tfbuild]",
        )


def _product(
    name: str, words: Sequence[str], options: CiOptions, tables: Tables
) -> tuple[Subject, Axes]:
    """What a recipe builds; BadRequest where a cell of it cannot be."""
    from tfbuild.ci.products import (
        needs_of_cells,
        product_axes,
        product_subject,
        recipe_word,
        require_choices,
    )
    from tfbuild.places.needs import packages_of, read_needs

    recipe = find_recipe(name)
    word = recipe_word(name, recipe, Path.cwd())
    is_github = options.system == "github"  # whose machines have an engine
    axes = product_axes(words, recipe, tables.axis("os"), has_engine=is_github)
    cells = cross(axes)
    require_choices(cells, recipe)
    needs = read_needs(needs_of_cells(cells, recipe), tables)
    return product_subject(word, recipe, axes, packages_of(needs)), axes


def _site(cell: Pairs, options: CiOptions) -> CellSite:
    """What a job will ask for, and where.

    The settings of the folder travel with it; the variables of this machine do not.
    """
    from tfbuild.ci.gitlab import usual_image

    words = tuple(f"{axis}={value}" for axis, value in cell)
    request = request_of(gather(words, {}, Path.cwd(), {}), SilentReporter())
    usual = _RUNNER if options.system == "github" else usual_image(cell, WHEELS)
    return CellSite(request=request, runner=options.image or usual)


def _command(options: CiOptions) -> str:
    """The command that this file came from, without where it was written to."""
    named = {
        "--minutes": str(options.minutes),
        "--image": options.image,
        "--install": options.install,
    }
    given = [word for name, value in named.items() if value for word in (name, value)]
    return shlex.join(("tfbuild", "ci", options.system, *options.words, *given))
