"""The commands of `tfbuild matrix`."""

from typing import Annotated

import typer

from tfbuild.cli.options import Json, leave

matrix_app = typer.Typer(help="The facts, their sources and their age.", no_args_is_help=True)


@matrix_app.command("list")
def matrix_list(as_json: Json = False) -> None:
    """List the axes: how much is known, on what evidence, how old."""
    from tfbuild.commands.facts import matrix_list as run

    run(as_json=as_json)


@matrix_app.command("show")
def matrix_show(
    axis: Annotated[str, typer.Argument(help="cuda, tensorflow, numpy ...; or tested")],
    version: Annotated[str, typer.Argument(help="One version, or a range.")] = "",
    as_json: Json = False,
) -> None:
    """Show the facts about an axis, or about one version, with their sources."""
    from tfbuild.commands.facts import matrix_show as run

    run(axis, version, as_json=as_json)


@matrix_app.command("check")
def matrix_check(
    cases: Annotated[str, typer.Option(metavar="DIR", help="Judge these real cases as well.")] = "",
    as_json: Json = False,
) -> None:
    """Check the facts against themselves; without a network."""
    from tfbuild.commands.facts import matrix_check as run

    run(cases, as_json=as_json)


@matrix_app.command("refresh")
def matrix_refresh(
    write: Annotated[bool, typer.Option("--write", help="Write the lines, not only show.")] = False,
    as_json: Json = False,
) -> None:
    """Ask the package index what is newer than the facts, and show it as a diff."""
    from tfbuild.commands.facts import matrix_refresh as run

    leave(run(write=write, as_json=as_json))


@matrix_app.command("verify")
def matrix_verify(
    folders: Annotated[
        list[str] | None,
        typer.Argument(metavar="[FOLDER]...", help="Where builds were put (default: dist)."),
    ] = None,
    write: Annotated[bool, typer.Option("--write", help="Write the lines, not only show.")] = False,
    as_json: Json = False,
) -> None:
    """Turn finished builds into evidence; what is new is shown as a diff of the facts.

    Ends with 7, 8 or 3 where a report is at odds with its wheel, its smoke test or the facts.
    """
    from tfbuild.commands.facts import matrix_verify as run

    leave(run(tuple(folders or ()), write=write, as_json=as_json))
