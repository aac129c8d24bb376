"""What `tfbuild ci` does: write the pipeline of a CI system."""

import shlex
from dataclasses import dataclass
from typing import Literal

import tfbuild
from tfbuild.ci.pipeline import Pipeline, check_pipeline, read_axes
from tfbuild.commands.context import open_tables, write_file
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
    """Print the pipeline, or write it to the file named; BadRequest where it cannot be."""
    text = pipeline_text(wish)
    if wish.output:
        write_file(wish.output, text)
    else:
        print_text(text.rstrip("\n"))


def pipeline_text(wish: CiOptions) -> str:
    """The pipeline as YAML."""
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
    if wish.system == "github":
        return github_workflow(pipeline, wish.image or _RUNNER, open_tables().actions())
    return gitlab_pipeline(pipeline, wish.image)


def _command(wish: CiOptions) -> str:
    """The command that this file came from, without where it was written to."""
    options = {"--minutes": str(wish.minutes), "--image": wish.image, "--install": wish.install}
    given = [word for name, value in options.items() if value for word in (name, value)]
    return shlex.join(("tfbuild", "ci", wish.system, *wish.words, *given))
