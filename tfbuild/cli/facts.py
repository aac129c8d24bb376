"""The commands of `tfbuild facts`."""

from typing import Annotated

import typer

from tfbuild.cli.completion import found_by, versions_of_axis
from tfbuild.cli.groups import shows
from tfbuild.cli.options import Json, leave

facts_app = typer.Typer(help="The facts about versions, with their sources.")


@facts_app.command("list")
def facts_list(as_json: Json = False) -> None:
    """List the axes: how much is known, on what evidence, how old."""
    from tfbuild.commands.facts import facts_list as run

    run(as_json=as_json)


@facts_app.command("show")
def facts_show(
    axis: Annotated[
        str,
        typer.Argument(
            help="cuda, gpu, numpy ...; or tested", autocompletion=found_by("axis_names")
        ),
    ],
    version: Annotated[
        str,
        typer.Argument(
            help="One version, or a range; of gpu, a name.", autocompletion=versions_of_axis
        ),
    ] = "",
    as_json: Json = False,
) -> None:
    """Show the facts about an axis, or about one version, with their sources."""
    from tfbuild.commands.facts import facts_show as run

    run(axis, version, as_json=as_json)


@facts_app.command("check")
def facts_check(
    folder: Annotated[
        str, typer.Argument(metavar="[FOLDER]", help="With --cases: other ones than ours.")
    ] = "",
    cases: Annotated[bool, typer.Option("--cases", help="Judge real cases as well.")] = False,
    held_out: Annotated[
        bool, typer.Option("--held-out", help="List the held-out cases too: rules come from none.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Check the facts against themselves; without a network."""
    from tfbuild.commands.facts import facts_check as run

    run(folder, with_cases=cases, held_out=held_out, as_json=as_json)


@facts_app.command("refresh")
def facts_refresh(
    write: Annotated[bool, typer.Option("--write", help="Write the lines, not only show.")] = False,
    as_json: Json = False,
) -> None:
    """Ask the package index what is newer than the facts, and show it as a diff."""
    from tfbuild.commands.facts import facts_refresh as run

    leave(run(write=write, as_json=as_json))


@facts_app.command("verify")
def facts_verify(
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
    from tfbuild.commands.facts import facts_verify as run

    leave(run(tuple(folders or ()), write=write, as_json=as_json))


_show = shows(facts_app, facts_list)


def name_new_command(context: typer.Context) -> None:
    """Say that `tfbuild matrix` is `tfbuild facts` now; the old name holds for one release."""
    from tfbuild.reporting.console import ConsoleReporter

    ConsoleReporter().warn(
        "`tfbuild matrix` is `tfbuild facts` now; the next release drops it", code="command-renamed"
    )
    _show(context)
