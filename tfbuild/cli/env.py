"""The commands of `tfbuild env`: a plan's environment as files, base images."""

from typing import Annotated

import typer

from tfbuild.cli.completion import one_of
from tfbuild.cli.groups import shows
from tfbuild.cli.options import (
    Cpus,
    Image,
    Json,
    LockFile,
    Memory,
    Pids,
    RequestOptions,
    flags_of,
    leave,
    spelled_out,
)
from tfbuild.commands.choices import IMAGES

env_app = typer.Typer(
    help="Export a plan's environment: as a Dockerfile, a dev container or a conda file.",
)

File = Annotated[
    str,
    typer.Option("--output", "-o", metavar="FILE", help="Write to this file instead of stdout."),
]
ImageFrom = Annotated[
    str,
    typer.Option(
        metavar="WHERE",
        help="Take the CUDA toolkit from wheels or from nvidia/cuda.",
        autocompletion=one_of(*IMAGES),
    ),
]

Network = Annotated[
    bool,
    typer.Option(
        "--network", help="Also write network/, with this machine's mirror, proxy and certificates."
    ),
]


@env_app.command()
@spelled_out
def dockerfile(
    options: RequestOptions,
    lock: LockFile = "",
    image_from: ImageFrom = "wheels",
    network: Network = False,
    file: File = "",
) -> None:
    """Print the Dockerfile of a plan."""
    from tfbuild.commands.env import EnvOptions
    from tfbuild.commands.env import dockerfile as run

    asked = EnvOptions(image_from=image_from, output=file, network=network)
    run(tuple(options.words or ()), flags_of(options, {"lock": lock}), asked)


@env_app.command()
@spelled_out
def devcontainer(
    options: RequestOptions,
    lock: LockFile = "",
    image_from: ImageFrom = "wheels",
    network: Network = False,
    folder: Annotated[
        str,
        typer.Option(
            "--output",
            "-o",
            metavar="DIR",
            help="The folder for .devcontainer/ (default: this one).",
        ),
    ] = "",
    force: Annotated[bool, typer.Option("--force", help="Overwrite existing files.")] = False,
) -> None:
    """Write a .devcontainer folder for editors."""
    from tfbuild.commands.env import EnvOptions
    from tfbuild.commands.env import devcontainer as run

    asked = EnvOptions(image_from=image_from, output=folder, network=network, force=force)
    run(tuple(options.words or ()), flags_of(options, {"lock": lock}), asked)


@env_app.command()
@spelled_out
def conda(
    options: RequestOptions,
    file: File = "",
) -> None:
    """Print an environment.yml for conda-forge, with comments on what conda lacks."""
    from tfbuild.commands.env import conda as run

    run(tuple(options.words or ()), flags_of(options), output=file)


@env_app.command()
@spelled_out
def shell(
    options: RequestOptions,
    lock: LockFile = "",
    image: Image = "",
    cpus: Cpus = "",
    memory: Memory = "",
    pids: Pids = "",
    command: Annotated[
        str, typer.Option("--command", "-c", help="Run this command instead of a shell.")
    ] = "",
) -> None:
    """Open a shell in a plan's build container, which is removed afterwards."""
    from tfbuild.commands.env import shell as run

    more = {"lock": lock, "image": image, "cpus": cpus, "memory": memory, "pids": pids}
    leave(run(tuple(options.words or ()), flags_of(options, more), command=command))


@env_app.command()
def base(
    name: Annotated[str, typer.Argument(metavar="SYSTEM", help="debian:bookworm, debian:13 ...")],
    anew: Annotated[bool, typer.Option("--anew", help="Build it even if it exists.")] = False,
    as_json: Json = False,
) -> None:
    """Build a base image from Debian's packages that is the same, bit for bit, each time."""
    from tfbuild.commands.env import base as run

    run(name, anew=anew, as_json=as_json)


shows(env_app)
