"""A tfbuild that is loaded and warm: forks of it answer in milliseconds, and run no program.

No program is started: what the survey of this machine asked while warming up is
remembered, and whatever else would run is as if it were not installed.
"""

import gc
import io
import os
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from typing import Any

from benchmarks.attack.trial import fresh, plain_environment
from tfbuild.commands import facts
from tfbuild.core import process
from tfbuild.core.errors import EnvironmentFailed, TfbuildError
from tfbuild.core.records import Command, Completed
from tfbuild.curation.consistency import check
from tfbuild.facts.installed import open_tables
from tfbuild.facts.rules import load_facts

_REAL_RUN = process.run
SHUT = "it is an attack"  # the hint of what would run a program
_WARMING: tuple[tuple[str, ...], ...] = (
    ("--help",),
    ("plan", "--help"),
    ("resolve",),
    ("resolve", "tensorflow=2.6.5", "gpu=RTX 3090", "--here"),
    ("resolve", "tensorflow=2.6.5", "gpu=RTX 3090", "cuda=11.0", "--json"),
    ("resolve", "--explain", "cuda"),
    ("resolve", "--format", "conda"),
    ("resolve", "--format", "requirements"),
    ("plan",),
    ("plan", "--cuda", "--gpu", "sm_90", "--json"),
    ("plan", "--format", "script"),
    ("plan", "--matrix", "python=3.10,3.11"),
    ("build",),
    ("build", "--env", "docker"),
    ("doctor",),
    ("doctor", "--for", "python=3.11", "--json"),
    ("facts", "list"),
    ("facts", "show", "cuda"),
    ("facts", "check"),
    ("facts", "verify", "nothing"),
    ("cache", "show"),
    ("cache", "prune"),
    ("config", "show"),
    ("ci", "github", "--install", "."),
    ("ci", "gitlab", "--install", "."),
    ("env", "dockerfile"),
    ("env", "conda"),
    ("audit", "nothing.whl"),
    ("sbom", "nothing.whl"),
)


def warm_up(folder: Path) -> Callable[[], Any]:
    """The main function of a command line that has been used; its programs are remembered."""
    import typer.main

    from tfbuild.cli import app as cli

    command = typer.main.get_command(cli.app)
    vars(typer.main)["get_command"] = lambda _: command
    answers: dict[tuple[str, ...], Completed | TfbuildError] = {}
    _start_nothing(answers, may_ask=True)
    before, place, words_before = dict(os.environ), Path.cwd(), sys.argv
    os.environ.clear()
    os.environ.update(plain_environment(fresh(folder)))
    os.chdir(folder)
    try:
        for words in _WARMING:
            sys.argv = ["tfbuild", *words]
            nowhere = io.StringIO()
            with redirect_stdout(nowhere), redirect_stderr(nowhere), suppress(SystemExit):
                cli.main()
    finally:
        sys.argv = words_before
        os.chdir(place)
        os.environ.clear()
        os.environ.update(before)
    _start_nothing(answers, may_ask=False)
    _check_facts_once()
    gc.collect()
    gc.freeze()
    return cli.main


def let_programs_run() -> None:
    """Let programs be started again, in this process."""
    process.run = _REAL_RUN


def _check_facts_once() -> None:
    """Remember what is found in our own facts, which takes seconds; other facts are looked at."""
    ours = load_facts(open_tables())
    known = check(ours)
    vars(facts)["check"] = lambda given: known if given is ours else check(given)


def _start_nothing(
    answers: dict[tuple[str, ...], Completed | TfbuildError], *, may_ask: bool
) -> None:
    real = process.run

    def run(command: Command, **given: Any) -> Completed:  # noqa: ANN401  (as the runner itself)
        if may_ask and command.argv not in answers:
            try:
                answers[command.argv] = real(command, **given)
            except TfbuildError as error:
                answers[command.argv] = error
        found = answers.get(command.argv)
        if isinstance(found, TfbuildError):
            raise found
        if found is None:
            raise EnvironmentFailed(f"{command.argv[0]} is not here", hint=SHUT)
        return found

    process.run = run
