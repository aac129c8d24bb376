"""The commands of `tfbuild facts`."""

from typing import Annotated

import typer

from tfbuild.cli.completion import found_by, versions_of_axis
from tfbuild.cli.groups import shows
from tfbuild.cli.options import Json, leave

facts_app = typer.Typer(help="Show, check and extend the facts about versions.")


@facts_app.command("list")
def facts_list(as_json: Json = False) -> None:
    """List the axes, and how much is known about each."""
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
            help="A version or a range; for gpu, a name.", autocompletion=versions_of_axis
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
        str,
        typer.Argument(
            metavar="[FOLDER]", help="The cases to judge with --cases (default: those of tfbuild)."
        ),
    ] = "",
    cases: Annotated[bool, typer.Option("--cases", help="Also judge the real cases.")] = False,
    held_out: Annotated[
        bool,
        typer.Option("--held-out", help="Also list the held-out cases, which no rule is based on."),
    ] = False,
    as_json: Json = False,
) -> None:
    """Check the facts for contradictions, without a network."""
    from tfbuild.commands.facts import facts_check as run

    run(folder, with_cases=cases, held_out=held_out, as_json=as_json)


@facts_app.command("refresh")
def facts_refresh(
    write: Annotated[
        bool, typer.Option("--write", help="Write the new lines instead of only showing them.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Look for newer releases on the package index, and show them as a diff."""
    from tfbuild.commands.facts import facts_refresh as run

    leave(run(write=write, as_json=as_json))


@facts_app.command("verify")
def facts_verify(
    folders: Annotated[
        list[str] | None,
        typer.Argument(metavar="[FOLDER]...", help="Folders with finished builds (default: dist)."),
    ] = None,
    write: Annotated[
        bool, typer.Option("--write", help="Write the new lines instead of only showing them.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Add finished builds to the facts as evidence, and show the diff.

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
