"""The commands `tfbuild ci github` and `tfbuild ci gitlab`."""

from typing import Annotated, Literal

import typer

from tfbuild.cli.completion import BUILD_WORDS, found_by
from tfbuild.cli.groups import shows

ci_app = typer.Typer(
    help="Write a CI pipeline that builds, proves and publishes wheels or recipes.",
)

Cells = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[RECIPE] [AXIS=VALUE,...]...",
        help="The matrix, of which each combination is built: python=3.11,3.13 cuda=none,13.0. For "
        "a recipe (a name, or a YAML file of the repository): version=V,V OPTION=V,V, and os=V,V "
        "in containers (GitHub).",
        autocompletion=BUILD_WORDS,
    ),
]
File = Annotated[
    str,
    typer.Option("--output", "-o", metavar="FILE", help="Write to this file instead of stdout."),
]
Minutes = Annotated[
    int, typer.Option(metavar="N", help="When the runner ends a job; the build stops before that.")
]
Install = Annotated[
    str,
    typer.Option(
        metavar="WHAT",
        help="What pip installs, such as . for the tree (default: that, or this commit).",
    ),
]


@ci_app.command("github")
def github(
    words: Cells = None,
    minutes: Minutes = 60,
    image: Annotated[
        str,
        typer.Option(
            metavar="LABEL",
            help="The runner (default: ubuntu-24.04).",
            autocompletion=found_by("runner_names"),
        ),
    ] = "",
    install: Install = "",
    output: File = "",
) -> None:
    """Write a workflow for GitHub Actions."""
    _write("github", words, minutes, image, (install, output))


@ci_app.command("gitlab")
def gitlab(
    words: Cells = None,
    minutes: Minutes = 60,
    image: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="The container image (default: an official Python image)."
        ),
    ] = "",
    install: Install = "",
    output: File = "",
) -> None:
    """Write a pipeline for GitLab CI."""
    _write("gitlab", words, minutes, image, (install, output))


def _write(
    system: Literal["github", "gitlab"],
    words: list[str] | None,
    minutes: int,
    image: str,
    rest: tuple[str, str],
) -> None:
    from tfbuild.commands.ci import CiOptions, write_pipeline

    write_pipeline(
        CiOptions(
            system=system,
            words=tuple(words or ()),
            minutes=minutes,
            image=image,
            install=rest[0],
            output=rest[1],
        )
    )


shows(ci_app)
