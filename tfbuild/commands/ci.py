"""What `tfbuild ci` does: write the pipeline of a CI system."""

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import tfbuild
from tfbuild.ci.pipeline import Pipeline, check_pipeline, read_axes
from tfbuild.ci.runners import CellSite, require_possible
from tfbuild.commands.context import open_tables, request_of, write_file
from tfbuild.core.records import Pairs
from tfbuild.core.reporter import SilentReporter
from tfbuild.core.settings import gather
from tfbuild.reporting.console import print_text

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


def write_pipeline(wish: CiOptions) -> None:
    """Print the pipeline, or write it to the file named; BadRequest, NoSolution for none."""
    text = pipeline_text(wish)
    if wish.output:
        write_file(wish.output, text)
    else:
        print_text(text.rstrip("\n"))


def pipeline_text(wish: CiOptions) -> str:
    """The pipeline as YAML; NoSolution where a cell of it cannot be built on its runner."""
    from tfbuild.ci.github import github_workflow
    from tfbuild.ci.gitlab import gitlab_pipeline

    pipeline = Pipeline(
        axes=read_axes(wish.words),
        install=wish.install or f"tfbuild=={tfbuild.__version__}",
        tfbuild_version=tfbuild.__version__,
        minutes=wish.minutes,
        again=_command(wish),
    )
    check_pipeline(pipeline)
    tables = open_tables()
    if wish.system == "github":
        text = github_workflow(pipeline, wish.image or _RUNNER, tables.actions())
    else:
        text = gitlab_pipeline(pipeline, wish.image)
    require_possible({cell: _site(cell, wish) for cell in pipeline.cells}, tables)
    return text


def _site(cell: Pairs, wish: CiOptions) -> CellSite:
    """What a job will ask for, and where.

    The settings of the folder travel with it; the variables of this machine do not.
    """
    from tfbuild.ci.gitlab import usual_image

    words = tuple(f"{axis}={value}" for axis, value in cell)
    request = request_of(gather(words, {}, Path.cwd(), {}), SilentReporter())
    usual = _RUNNER if wish.system == "github" else usual_image(cell)
    return CellSite(request=request, runner=wish.image or usual)


def _command(wish: CiOptions) -> str:
    """The command that this file came from, without where it was written to."""
    options = {"--minutes": str(wish.minutes), "--image": wish.image, "--install": wish.install}
    given = [word for name, value in options.items() if value for word in (name, value)]
    return shlex.join(("tfbuild", "ci", wish.system, *wish.words, *given))
