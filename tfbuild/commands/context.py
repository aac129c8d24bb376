"""What every command opens first: its wishes, the facts, and the doors of this machine."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from tfbuild.core.errors import TfbuildError
from tfbuild.core.interfaces import Tools
from tfbuild.core.paths import Folders, cache_folder, data_folder, work_folder
from tfbuild.core.process import ProcessRunner
from tfbuild.core.records import Request
from tfbuild.core.reporter import Reporter
from tfbuild.core.settings import Settings, gather
from tfbuild.facts.tables import Tables
from tfbuild.reporting.console import ConsoleReporter


@contextmanager
def open_tools(reporter: ConsoleReporter, *, keep: bool = False) -> Iterator[Tools]:
    """The real doors of this machine; with keep, a run folder that holds log and script."""
    from tfbuild.core.run_folder import new_run
    from tfbuild.doctor.survey import look_at_host

    work, cache = work_folder(), cache_folder()
    run = new_run(work) if keep else work / "runs" / "none"
    folders = Folders(cache=cache, work=work, run=run)
    runner = ProcessRunner(
        log=run / "log.txt" if keep else None,
        script=run / "rerun.sh" if keep else None,
        reporter=reporter,
    )
    host = look_at_host(runner, cache)
    try:
        yield Tools(runner=runner, reporter=reporter, folders=folders, host=host)
    except TfbuildError as error:
        error.log = error.log or (str(runner.log) if runner.log else "")
        raise


def open_tables() -> Tables:
    """The matrices and recipes of this installation."""
    return Tables(matrices=data_folder("matrices"), recipes=data_folder("recipes"))


def read_request(words: tuple[str, ...], flags: Mapping[str, str], reporter: Reporter) -> Request:
    """The request that words and flags mean, with its lock; what looks odd is told."""
    from tfbuild.builds.saved_files import read_lock, read_locked_environment
    from tfbuild.builds.stages.request import make_request
    from tfbuild.core.environment_lock import NO_ENVIRONMENT

    settings = read_settings(words, flags)
    for warning in settings.warnings:
        reporter.warn(warning)
    lock = settings.text("lock")
    if not lock:
        return make_request(settings)
    environment = read_locked_environment(Path(lock))
    request = make_request(settings, read_lock(Path(lock)))
    if environment != NO_ENVIRONMENT and request.env == "host":
        reporter.warn("the lock's environment is a container's: on this machine it is not checked")
    return replace(request, environment=environment)


def read_settings(words: tuple[str, ...], flags: Mapping[str, str]) -> Settings:
    """All wishes, from every place where they may stand."""
    return gather(words, flags, Path.cwd(), os.environ)
