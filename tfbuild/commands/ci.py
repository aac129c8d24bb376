"""What `tfbuild ci` does: write the pipeline of a CI system."""

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import tfbuild
from tfbuild.ci.origin import usual_install
from tfbuild.ci.pipeline import Pipeline, check_pipeline, read_axes
from tfbuild.ci.runners import CellSite, require_possible
from tfbuild.commands.context import request_of, write_file
from tfbuild.core.records import Pairs
from tfbuild.core.reporter import SilentReporter
from tfbuild.core.settings import gather
from tfbuild.facts.installed import open_tables
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
        reporter.warn(warning)
    text = pipeline_text(options)
    if options.output:
        write_file(options.output, text)
    else:
        print_file(text)


def pipeline_text(options: CiOptions) -> str:
    """The pipeline as YAML; NoSolution where a cell of it cannot be built on its runner."""
    from tfbuild.ci.github import github_workflow
    from tfbuild.ci.gitlab import gitlab_pipeline

    pipeline = Pipeline(
        axes=read_axes(options.words),
        install=options.install or usual_install(Path.cwd()),
        tfbuild_version=tfbuild.__version__,
        minutes=options.minutes,
        again=_command(options),
    )
    check_pipeline(pipeline)
    tables = open_tables()
    if options.system == "github":
        text = github_workflow(pipeline, options.image or _RUNNER, tables.actions())
    else:
        text = gitlab_pipeline(pipeline, options.image)
    require_possible({cell: _site(cell, options) for cell in pipeline.cells}, tables)
    return text


def _site(cell: Pairs, options: CiOptions) -> CellSite:
    """What a job will ask for, and where.

    The settings of the folder travel with it; the variables of this machine do not.
    """
    from tfbuild.ci.gitlab import usual_image

    words = tuple(f"{axis}={value}" for axis, value in cell)
    request = request_of(gather(words, {}, Path.cwd(), {}), SilentReporter())
    usual = _RUNNER if options.system == "github" else usual_image(cell)
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
