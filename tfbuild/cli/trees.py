"""The commands that are about source trees alone: configure, fetch."""

from functools import partial
from typing import Annotated

import typer

from tfbuild.cli.completion import found_by
from tfbuild.cli.options import (
    BuildOptions,
    Json,
    Quiet,
    Tree,
    Verbose,
    flags_of,
    spelled_out,
    typed_alone,
    verbosity_of,
)


@partial(spelled_out, kinds=("configuration", "script"))
def configure(
    asked: BuildOptions,
    platform: Annotated[
        str,
        typer.Option(
            "--for",
            metavar="PLATFORM",
            help="Print a script for this platform, such as macos-arm64.",
            autocompletion=found_by("platform_names"),
        ),
    ] = "",
    as_json: Json = False,
    verbose: Verbose = 0,
    quiet: Quiet = False,
) -> None:
    """Configure a TensorFlow source tree without building it."""
    from tfbuild.commands.configure import configure as run
    from tfbuild.commands.configure import show_script
    from tfbuild.commands.context import read_settings
    from tfbuild.commands.kinds import require_typed
    from tfbuild.core.reporter import SilentReporter

    words, flags = tuple(asked.words or ()), flags_of(asked)
    more = typed_alone(asked, json=as_json, **{"for": bool(platform)})
    # What looks odd is reported when they are read in earnest.
    settings = read_settings(words, flags, SilentReporter())
    require_typed("script" if platform else "configuration", settings, more)
    if platform:
        show_script(asked.source, platform)
        return
    run(words, flags, as_json=as_json, verbosity=verbosity_of(verbose, quiet=quiet))


def fetch(
    source: Tree = "",
    into: Annotated[
        str,
        typer.Option(
            metavar="DIR", help="The repository cache to fill (default: that of tfbuild)."
        ),
    ] = "",
    out_of: Annotated[
        str,
        typer.Option(
            "--from", metavar="DIR", help="First look for the files in this folder, by hash."
        ),
    ] = "",
    only: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Fetch only this repository; repeatable."),
    ] = None,
    is_list: Annotated[
        bool, typer.Option("--list", help="List the archives, and download nothing.")
    ] = False,
    as_json: Json = False,
    verbose: Verbose = 0,
    quiet: Quiet = False,
) -> None:
    """Download the archives that a source tree's WORKSPACE names, and check their hashes."""
    from tfbuild.commands.fetch import fetch as run

    verbosity = verbosity_of(verbose, quiet=quiet)
    only = only or []
    run(
        source,
        only,
        into=into,
        out_of=out_of,
        is_list=is_list,
        as_json=as_json,
        verbosity=verbosity,
    )
