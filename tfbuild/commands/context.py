"""What every command opens first: its constraints, the facts, and the adapters of this machine."""

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from tfbuild.core.cache_mark import make_cache, require_mark
from tfbuild.core.environments import NO_ENVIRONMENT
from tfbuild.core.errors import BadRequest, DiskFull, EnvironmentFailed, TfbuildError
from tfbuild.core.interfaces import Tools
from tfbuild.core.layout import CASES, LOG, RUNS, SCRIPT
from tfbuild.core.lock_file import LockFile, read_lock_file
from tfbuild.core.paths import (
    Folders,
    cache_folder,
    named_path,
    refuse_link_on_way,
    require_writable,
    work_folder,
    write_aside,
)
from tfbuild.core.process import ProcessRunner
from tfbuild.core.records import Request
from tfbuild.core.reporter import Reporter
from tfbuild.core.safe_files import LARGEST_BYTES, read_bytes
from tfbuild.core.settings import Settings, gather
from tfbuild.core.system_errors import system_refusal
from tfbuild.facts.cases import Case, load_cases
from tfbuild.facts.installed import open_tables
from tfbuild.reporting.console import ConsoleReporter


@contextmanager
def open_tools(reporter: ConsoleReporter, *, keep: bool = False) -> Iterator[Tools]:
    """The real adapters of this machine; with keep, a run folder that holds log and script."""
    from tfbuild.core.run_folder import new_run, old_work_warning
    from tfbuild.doctor.survey import look_at_host
    from tfbuild.fetch.projects import forget_older

    work, cache = own_folders()
    if warning := old_work_warning(Path.cwd()):
        reporter.warn(warning, code="work-folder-of-checkout")
    if keep:
        require_writable(work, hint="set TFBUILD_WORK_DIR to another folder")
        require_writable(cache, hint="set TFBUILD_CACHE_DIR to another folder")
        make_cache(cache)
    else:  # what only asks makes none
        require_mark(cache)
    run = new_run(work) if keep else RUNS.path(work) / "none"
    if keep:
        forget_older(RUNS, work)
    own_folders()  # once more: another's may have come into their place meanwhile
    folders = Folders(cache=cache, work=work, run=run)
    runner = ProcessRunner(
        log=run / LOG if keep else None,
        script=run / SCRIPT if keep else None,
        reporter=reporter,
    )
    host = look_at_host(runner, cache)
    try:
        yield Tools(runner=runner, reporter=reporter, folders=folders, host=host)
    except TfbuildError as error:
        error.log = error.log or (str(runner.log) if runner.log else "")
        raise


def own_folders() -> tuple[Path, Path]:
    """The work folder and the cache; EnvironmentFailed where others can change one of them."""
    from tfbuild.core.run_folder import require_own_work
    from tfbuild.fetch.cache import require_own_cache

    work, cache = work_folder(), cache_folder()
    require_own_work(work)
    require_own_cache(cache)
    return work, cache


def log_of(tools: Tools) -> str:
    """The log of a run that keeps one."""
    return str(tools.folders.run / LOG)


def open_cases() -> tuple[Case, ...]:
    """The cases of public threads of this installation; the cache keeps them in one file."""
    return load_cases(open_tables().matrices / "cases", CASES.path(cache_folder()))


def read_pasted(name: str) -> str:
    """The text of a file, or of the standard input for `-`; BadRequest where there is none."""
    try:
        if name != "-":
            return read_bytes(Path(name)).decode(errors="replace")
        return sys.stdin.buffer.read(LARGEST_BYTES).decode(errors="replace")
    except (OSError, ValueError) as error:
        raise BadRequest(
            f"cannot read {name}",
            code="file-unreadable",
            why=getattr(error, "strerror", None) or str(error),
            hint="name a file with the text, or `-` for the standard input",
        ) from error


def read_request(words: tuple[str, ...], flags: Mapping[str, str], reporter: Reporter) -> Request:
    """The request that words and flags mean, with its lock; what looks odd is reported."""
    return request_of(read_settings(words, flags, reporter), reporter)


def request_of(settings: Settings, reporter: Reporter, recipe: str = "") -> Request:
    """The request that settings mean, with the lock that they name.

    That of an archive is taken for the recipe alone that has built it.
    """
    from tfbuild.builds.stages.request import make_request

    lock = lock_of(settings)
    if lock is None:
        return make_request(settings)
    if lock.archive and (lock.source is None or lock.source.recipe != recipe):
        raise BadRequest(
            f"{settings.text('lock')} is the lock of {lock.archive}, which a recipe has built",
            code="lock-of-recipe",
            hint="name the recipe: `tfbuild build RECIPE --lock FILE`",
        )
    request = make_request(settings, dict(lock.versions))
    if lock.environment != NO_ENVIRONMENT and request.env == "host" and not lock.archive:
        reporter.warn(
            "the lock's environment is a container's: on this machine it is not checked",
            code="lock-environment-unchecked",
        )
    held = tuple(one for one in lock.artifacts if one.kind in {"smoke", "perf"})
    return replace(request, environment=lock.environment, held=held)


def lock_of(settings: Settings) -> LockFile | None:
    """The lock file that settings name; None where they name none."""
    name = settings.text("lock")
    return read_lock_file(Path(name)) if name else None


def read_settings(words: tuple[str, ...], flags: Mapping[str, str], reporter: Reporter) -> Settings:
    """All constraints, from every place where they may stand; what looks odd is reported."""
    settings = gather(words, flags, Path.cwd(), os.environ)
    for warning in settings.warnings:
        reporter.warn(warning.text, code=warning.code)
    if decided := settings.of_project():
        reporter.note(f"{settings.project} decides: {', '.join(decided)}")
    return settings


def write_file(name: str, text: str) -> Path:
    """The file of that name, written.

    Raises BadRequest where it is a folder, DiskFull, and EnvironmentFailed where it cannot be, or
    where a link of a checkout is on the way.
    """
    path = named_path(name).absolute()
    refuse_link_on_way(path)
    if path.is_dir():
        raise BadRequest(f"{path} is a folder", code="output-is-folder", hint="name a file")
    try:
        return write_aside(path, text)
    except OSError as error:
        if isinstance(full := system_refusal(error), DiskFull):
            raise full from error
        raise EnvironmentFailed(
            f"cannot write {path}",
            code="output-not-writable",
            why=error.strerror or str(error),
            hint="name another file",
        ) from error
