"""The commands: words become a Request, a TfbuildError becomes a few lines and an exit code."""

import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Annotated, NoReturn

import typer

import tfbuild
from tfbuild.cli import completion
from tfbuild.cli.cache import cache_app
from tfbuild.cli.ci import ci_app
from tfbuild.cli.completion import BUILD_WORDS, found_by
from tfbuild.cli.env import env_app
from tfbuild.cli.facts import facts_app, name_new_command
from tfbuild.cli.failures import as_known, report
from tfbuild.cli.groups import shows
from tfbuild.cli.limits import raise_limits
from tfbuild.cli.options import (
    Against,
    AnswerFormat,
    BuildOptions,
    BuiltFile,
    Cuda,
    ExplainAxis,
    GpuNames,
    Json,
    PlanFile,
    PlanFormat,
    Prefer,
    Quiet,
    Strict,
    TrustProject,
    Verbose,
    WheelFile,
    Words,
    flags_of,
    leave,
    spelled_out,
    style_of,
    verbosity_of,
)
from tfbuild.cli.pages import (
    AROUND,
    ASK,
    BUILD,
    FAILED,
    PROVE,
    examples_of,
    style_help,
    trimmed_help,
)
from tfbuild.cli.recipes import recipes_app
from tfbuild.cli.streams import discard_output, prepare_streams
from tfbuild.cli.trees import configure, fetch
from tfbuild.cli.workspace import WorkspaceOptions, asked_of, debug
from tfbuild.core.errors import Interrupted, TfbuildError

app = typer.Typer(
    name="tfbuild",
    help="From a request to a wheel that is proven to be what was asked for.",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
config_app = typer.Typer(help="Where each setting comes from.")
app.add_typer(env_app, name="env", rich_help_panel=AROUND)
app.add_typer(facts_app, name="facts", rich_help_panel=ASK)
app.add_typer(
    facts_app,
    name="matrix",
    hidden=True,
    invoke_without_command=True,
    callback=name_new_command,
)
app.add_typer(ci_app, name="ci", rich_help_panel=AROUND)
app.add_typer(recipes_app, name="recipes", rich_help_panel=ASK)
app.add_typer(cache_app, name="cache", rich_help_panel=AROUND)
app.add_typer(config_app, name="config", rich_help_panel=AROUND)


def _command(group: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Add a command to a group of the help, with its examples."""

    def add(command: Callable[..., None]) -> Callable[..., None]:
        named = examples_of(command.__name__)
        return app.command(rich_help_panel=group, epilog=named)(command)

    return add


def _print_version(is_asked: bool) -> None:
    if is_asked:
        sys.stdout.write(f"tfbuild {tfbuild.__version__}\n")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def common(
    context: typer.Context,
    _version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", hidden=True)] = False,
) -> None:
    """Take the options that stand before a command."""
    if debug:
        os.environ["TFBUILD_DEBUG"] = "1"
    if context.invoked_subcommand is None:
        from tfbuild.commands.next_steps import show_next_steps

        show_next_steps()


@_command(ASK)
def doctor(
    check: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="One group (cuda) or check (cuda.kernels); repeatable.",
            autocompletion=found_by("check_groups"),
        ),
    ] = None,
    list_checks: Annotated[
        bool, typer.Option("--list-checks", help="Name the checks, and look at nothing.")
    ] = False,
    wanted: Annotated[
        list[str] | None,
        typer.Option(
            "--for",
            metavar="CONSTRAINT",
            help="Judge by AXIS=SPEC, or by a RECIPE; repeatable.",
            autocompletion=BUILD_WORDS,
        ),
    ] = None,
    words: Words = None,
    as_json: Json = False,
    verbose: Verbose = 0,
) -> None:
    """Look at this machine: what a build needs, and how to get what is missing."""
    from tfbuild.commands import doctor as front_doctor

    if list_checks:
        front_doctor.list_checks(as_json=as_json)
        return
    request = (*(wanted or ()), *(words or ()))
    leave(front_doctor.doctor(tuple(check or ()), request, as_json=as_json, verbosity=verbose))


@_command(ASK)
def resolve(
    words: Words = None,
    cuda: Cuda = False,
    gpu: GpuNames = "",
    here: Annotated[bool, typer.Option("--here", help="Hold to what this machine has.")] = False,
    machine: Annotated[
        str, typer.Option(metavar="FILE", help="Ask for another machine: its `doctor --json`.")
    ] = "",
    strict: Strict = False,
    prefer: Prefer = "",
    explain: ExplainAxis = "",
    lock: Annotated[
        str, typer.Option(metavar="FILE", help="Write the versions for `build --lock`.")
    ] = "",
    published: Annotated[
        bool, typer.Option("--published", help="Ask about the published wheel, not a build.")
    ] = False,
    report: Annotated[
        str, typer.Option(metavar="FILE", help="Read a pasted bug report; `-`: standard input.")
    ] = "",
    style: AnswerFormat = "table",
    as_json: Json = False,
    verbose: Verbose = 0,
) -> None:
    """Find the best versions for a request, with reasons; or what collides, and the way out."""
    from tfbuild.commands.resolve import ResolveOptions
    from tfbuild.commands.resolve import resolve as run

    flags = flags_of({"cuda": cuda, "gpu": gpu, "strict": strict, "prefer": prefer})
    asked = ResolveOptions(
        here=here,
        machine=machine,
        explain=explain,
        style=style_of(style, as_json=as_json, usual="table"),
        lock=lock,
        published=published,
        report=report,
        verbosity=verbose,
    )
    leave(run(tuple(words or ()), flags, asked))


@_command(ASK)
@spelled_out
def plan(
    asked: BuildOptions,
    foreign: WorkspaceOptions,
    style: PlanFormat = "text",
    as_json: Json = False,
    verbose: Verbose = 0,
) -> None:
    """Show every command, file and estimate of a build, and change nothing."""
    from tfbuild.commands.build import show_plan

    style = style_of(style, as_json=as_json, usual="text")
    asking = asked_of(asked, foreign, as_json=as_json)
    leave(show_plan(asking, style=style, verbosity=verbose))


@_command(BUILD)
@spelled_out
def build(
    asked: BuildOptions,
    foreign: WorkspaceOptions,
    as_json: Json = False,
    verbose: Verbose = 0,
    quiet: Quiet = False,
) -> None:
    """Build and prove it: resolve, build, audit, smoke, perf, report.

    Without a RECIPE, the wheel of the bundled runtime. `tfbuild recipes list` names what else there
    is; a YAML file is a recipe, too. Options of a recipe are written as NAME=VALUE.
    """
    from tfbuild.commands.build import build as run

    verbosity = verbosity_of(verbose, quiet=quiet)
    leave(run(asked_of(asked, foreign, as_json=as_json), as_json=as_json, verbosity=verbosity))


_command(BUILD)(configure)
_command(BUILD)(fetch)


@_command(PROVE)
def audit(
    wheel: BuiltFile,
    gpu: Annotated[
        str,
        typer.Option(
            "--gpu",
            "--arch",
            help="The device code it must hold.",
            autocompletion=found_by("gpu_names"),
        ),
    ] = "",
    plan: PlanFile = "",
    as_json: Json = False,
    verbose: Verbose = 0,
    quiet: Quiet = False,
) -> None:
    """Read a wheel or an archive, and compare it with what was asked for."""
    from tfbuild.commands.wheel import audit as run

    run(wheel, gpu, plan, as_json=as_json, verbosity=verbosity_of(verbose, quiet=quiet))


@_command(PROVE)
def smoke(
    wheel: BuiltFile,
    full: Annotated[
        bool, typer.Option("--full", help="Train the example programs, too: some minutes.")
    ] = False,
    plan: PlanFile = "",
    as_json: Json = False,
    verbose: Verbose = 0,
    quiet: Quiet = False,
) -> None:
    """Run a wheel in a clean environment, or try an archive, check by check."""
    from tfbuild.commands.wheel import smoke as run

    run(wheel, plan, full=full, as_json=as_json, verbosity=verbosity_of(verbose, quiet=quiet))


@_command(PROVE)
def perf(
    wheel: WheelFile,
    against: Against = None,
    compare: Annotated[
        str, typer.Option("--compare", help="An earlier report.json: slower than it fails.")
    ] = "",
    as_json: Json = False,
    verbose: Verbose = 0,
    quiet: Quiet = False,
) -> None:
    """Measure a wheel against NumPy and, if named, other wheels."""
    from tfbuild.commands.wheel import perf as run

    baselines = tuple(against or ())
    run(wheel, baselines, compare, as_json=as_json, verbosity=verbosity_of(verbose, quiet=quiet))


@_command(PROVE)
def sbom(
    wheel: BuiltFile,
    lock: Annotated[
        str, typer.Option(metavar="FILE", help="The lock of a wheel (default: beside it).")
    ] = "",
    output: Annotated[str, typer.Option("--output", "-o", metavar="FILE")] = "",
) -> None:
    """Print what a wheel or an archive is made of, as a CycloneDX SBOM."""
    from tfbuild.commands.sbom import sbom as run

    run(wheel, lock, output)


@_command(FAILED)
def diagnose(
    log: Annotated[str, typer.Argument(metavar="LOG", help="A log; `-` for the standard input.")],
    as_json: Json = False,
) -> None:
    """Say why a build failed, from its log: the root cause first, and what to do about it."""
    from tfbuild.commands.diagnose import diagnose_log

    leave(diagnose_log(log, as_json=as_json))


@_command(FAILED)
def explain(
    code: Annotated[
        str,
        typer.Argument(
            metavar="CODE", help="As an error has it.", autocompletion=found_by("error_codes")
        ),
    ] = "",
    as_json: Json = False,
) -> None:
    """Say what the code of an error means; all codes, where none is named."""
    from tfbuild.commands.explain import explain as run

    run(code, as_json=as_json)


_command(FAILED)(debug)


@config_app.command("show")
def config_show(trust_project: TrustProject = False, as_json: Json = False) -> None:
    """Show each setting with the place that set it."""
    from tfbuild.commands.config import config_show as run

    run(flags_of({"trust_project": trust_project}), as_json=as_json)


shows(config_app, config_show)


def main() -> NoReturn:
    """Run the command line; the only place where errors become exit codes."""
    signal.signal(signal.SIGTERM, _on_terminate)
    os.umask(os.umask(0o022) | 0o022)  # what others can write is not trusted the next time
    code = 1
    if completion.is_asked(os.environ):
        said, code = completion.answer(app, os.environ)
        with suppress(OSError):
            sys.stdout.write(said)
            sys.stdout.flush()
        sys.exit(code)
    try:
        prepare_streams()
        raise_limits()
        style_help(sys.argv)
        with trimmed_help(sys.argv):
            code = app(prog_name="tfbuild", standalone_mode=False) or 0
        sys.stdout.flush()
        if code == Interrupted.exit_code:  # typer has caught a Ctrl-C
            report(Interrupted("stopped", hint="run the same command again to go on"))
    except TfbuildError as error:
        code = report(error)
    except BrokenPipeError:
        discard_output()
    except Exception as error:  # noqa: BLE001  (a bug of ours must not look like a bug of the user)
        code = report(as_known(error))
    sys.exit(code)


def _on_terminate(_number: int, _frame: object) -> None:
    raise KeyboardInterrupt
