"""Keeps the command of a build system that failed, with what `tfbuild debug` needs to run it."""

from contextlib import suppress

from tfbuild.bazel.failed_action import FailedAction, FailedActions, keep
from tfbuild.core.errors import CommandFailed, DiskFull, OutOfMemory, TfbuildError
from tfbuild.core.interfaces import Watch
from tfbuild.core.records import Command, Pairs
from tfbuild.drivers.site import Site

_ASK = "env"  # it prints what every program there gets


def run_kept(command: Command, site: Site, watch: Watch | None = None) -> None:
    """Run a command where the site is; one that fails is kept in the run's folder, and raised."""
    try:
        site.place.run(command, watch)
    except (CommandFailed, OutOfMemory, DiskFull) as error:
        with suppress(TfbuildError, OSError):  # why it failed says more than why it is not kept
            _keep(command, site, error.status if isinstance(error, CommandFailed) else 0)
        raise


def _keep(command: Command, site: Site, code: int) -> None:
    run, filled = site.tools.folders.run, site.place.filled(command)
    if not run.is_dir():
        return
    action = FailedAction(
        label=site.recipe,
        mnemonic=command.stage,
        argv=filled.argv,
        env=_variables(command, site),
        folder=filled.cwd,
        sandbox="",
        output="",
        exit_code=code,
    )
    kept = FailedActions(
        run=run.name,
        source=str(site.folders.source),
        environment="docker" if site.place.is_container else "host",
        bazel_version="",
        recipe=site.recipe,
        actions=(action,),
    )
    keep(kept, run)


def _variables(command: Command, site: Site) -> Pairs:
    """All that the command saw."""
    ask = Command(argv=(_ASK,), cwd="/", env=command.env, quiet=True)
    lines = site.place.run(ask).stdout.splitlines()
    return tuple(
        (name, value) for name, is_pair, value in (x.partition("=") for x in lines) if is_pair
    )
