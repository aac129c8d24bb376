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
    help="Turn a request into a wheel, and prove that the wheel is what you asked for.",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
config_app = typer.Typer(help="Show where each setting comes from.")
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
            help="Run one group (cuda) or one check (cuda.kernels); repeatable.",
            autocompletion=found_by("check_groups"),
        ),
    ] = None,
    list_checks: Annotated[
        bool, typer.Option("--list-checks", help="List the checks without running them.")
    ] = False,
    wanted: Annotated[
        list[str] | None,
        typer.Option(
            "--for",
            metavar="CONSTRAINT",
            help="Check for AXIS=SPEC or for a RECIPE; repeatable.",
            autocompletion=BUILD_WORDS,
        ),
    ] = None,
    words: Words = None,
    as_json: Json = False,
    verbose: Verbose = 0,
) -> None:
    """Check what this machine can build, and how to get what is missing."""
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
    here: Annotated[bool, typer.Option("--here", help="Use only what this machine has.")] = False,
    machine: Annotated[
        str,
        typer.Option(metavar="FILE", help="Resolve for another machine, from its `doctor --json`."),
    ] = "",
    strict: Strict = False,
    prefer: Prefer = "",
    explain: ExplainAxis = "",
    lock: Annotated[
        str, typer.Option(metavar="FILE", help="Write the versions to a lock for `build --lock`.")
    ] = "",
    published: Annotated[
        bool, typer.Option("--published", help="Resolve for the published wheel, not for a build.")
    ] = False,
    report: Annotated[
        str,
        typer.Option(metavar="FILE", help="Read versions from a bug report; - is standard input."),
    ] = "",
    style: AnswerFormat = "table",
    as_json: Json = False,
    verbose: Verbose = 0,
) -> None:
    """Find versions that work together, with reasons; or explain what collides, and the way out."""
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
    """Show the commands, files and estimates of a build, and change nothing."""
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
    """Build a wheel or a recipe, and prove it: resolve, build, audit, smoke, perf, report.

    Without a RECIPE it builds the wheel of the bundled runtime.
    `tfbuild recipes list` names the recipes; a YAML file can be one too.
    Write the options of a recipe as NAME=VALUE.
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
            metavar="NAMES",
            help="The GPU code that it must contain.",
            autocompletion=found_by("gpu_names"),
        ),
    ] = "",
    plan: PlanFile = "",
    as_json: Json = False,
    verbose: Verbose = 0,
    quiet: Quiet = False,
) -> None:
    """Compare the contents of a wheel or an archive with what you asked for."""
    from tfbuild.commands.wheel import audit as run

    run(wheel, gpu, plan, as_json=as_json, verbosity=verbosity_of(verbose, quiet=quiet))


@_command(PROVE)
def smoke(
    wheel: BuiltFile,
    full: Annotated[
        bool, typer.Option("--full", help="Also train the example programs, which takes minutes.")
    ] = False,
    plan: PlanFile = "",
    as_json: Json = False,
    verbose: Verbose = 0,
    quiet: Quiet = False,
) -> None:
    """Test a wheel in a clean environment, or test an archive."""
    from tfbuild.commands.wheel import smoke as run

    run(wheel, plan, full=full, as_json=as_json, verbosity=verbosity_of(verbose, quiet=quiet))


@_command(PROVE)
def perf(
    wheel: WheelFile,
    against: Against = None,
    compare: Annotated[
        str,
        typer.Option(metavar="FILE", help="Fail if it is slower than in this report.json."),
    ] = "",
    as_json: Json = False,
    verbose: Verbose = 0,
    quiet: Quiet = False,
) -> None:
    """Measure the speed of a wheel against NumPy and other wheels."""
    from tfbuild.commands.wheel import perf as run

    baselines = tuple(against or ())
    run(wheel, baselines, compare, as_json=as_json, verbosity=verbosity_of(verbose, quiet=quiet))


@_command(PROVE)
def sbom(
    wheel: BuiltFile,
    lock: Annotated[
        str, typer.Option(metavar="FILE", help="The lock of a wheel (default: beside it).")
    ] = "",
    output: Annotated[
        str,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Write to this file instead of stdout."
        ),
    ] = "",
) -> None:
    """Print the CycloneDX SBOM of a wheel or an archive."""
    from tfbuild.commands.sbom import sbom as run

    run(wheel, lock, output)


@_command(FAILED)
def diagnose(
    log: Annotated[str, typer.Argument(metavar="LOG", help="A log file; - is standard input.")],
    as_json: Json = False,
) -> None:
    """Find the root cause of a failed build in its log, and say what to do about it."""
    from tfbuild.commands.diagnose import diagnose_log

    leave(diagnose_log(log, as_json=as_json))


@_command(FAILED)
def explain(
    code: Annotated[
        str,
        typer.Argument(
            metavar="CODE",
            help="The code from an error message.",
            autocompletion=found_by("error_codes"),
        ),
    ] = "",
    as_json: Json = False,
) -> None:
    """Explain an error code, or list all codes."""
    from tfbuild.commands.explain import explain as run

    run(code, as_json=as_json)


_command(FAILED)(debug)


@config_app.command("show")
def config_show(trust_project: TrustProject = False, as_json: Json = False) -> None:
    """Show each setting, and where it was set."""
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
        if "--install-completion" in sys.argv:
            from tfbuild.cli.install_completion import use_in_typer

            use_in_typer()
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
