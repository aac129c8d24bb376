"""The commands `tfbuild cache show` and `tfbuild cache prune`."""

from typing import Annotated

import typer

from tfbuild.cli.groups import shows
from tfbuild.cli.options import Json

cache_app = typer.Typer(help="Show the cache, and remove what is no longer used.")


@cache_app.command("show")
def cache_show(as_json: Json = False) -> None:
    """List the contents of the cache and of the container engine, with their sizes."""
    from tfbuild.commands.cache import cache_show as run

    run(as_json=as_json)


@cache_app.command("prune")
def cache_prune(
    older_than: Annotated[
        float, typer.Option("--older-than", metavar="DAYS", help="Last used longer ago.")
    ] = 30,
    everything: Annotated[bool, typer.Option("--all", help="Remove everything.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only list what would go.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    as_json: Json = False,
) -> None:
    """Remove what no recent build has used.

    On a terminal it asks before it removes everything, or more than 10 GB.
    """
    from tfbuild.commands.cache import cache_prune as run

    days = 0 if everything else older_than
    run(older_than_days=days, as_json=as_json, is_dry=dry_run, is_agreed=yes)


shows(cache_app, cache_show)
