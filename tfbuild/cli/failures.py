"""What is printed where a command fails, and the exit code."""

import os
import re
import sys
from collections.abc import Collection
from itertools import pairwise
from typing import Any

import typer

from tfbuild.cli.streams import discard_output
from tfbuild.core.errors import BadRequest, TfbuildError

_NO_COMMAND = re.compile("No such command '([^']*)'")  # typer has no class of its own for it


def report(error: TfbuildError) -> int:
    """Print an error, with --json as a document as well; its exit code."""
    from tfbuild.reporting.console import ConsoleReporter, print_json

    try:
        if _wants_json(sys.argv) and not error.is_printed:
            words = {"message": error.message, "why": error.why, "hint": error.hint}
            document = {"exit_code": error.exit_code, "code": error.code, **words}
            document |= {"report": error.report, "log": error.log}
            print_json({"schema": "tfbuild.error/1", **document})
        ConsoleReporter().error(error)
    except OSError:  # nobody reads the document; the code is left
        discard_output()
    return error.exit_code


def as_known(error: Exception) -> TfbuildError:
    """A wrong option, a full disk, or a bug of ours whose traceback goes to a file."""
    from tfbuild.core.system_errors import foreseen

    usage: Any = typer.BadParameter.__mro__[2]  # the base of everything wrong on a command line
    if isinstance(error, usage):
        return _as_usage(error)
    if os.environ.get("TFBUILD_DEBUG"):
        raise error
    return foreseen(error)


# --- inside ------------------------------------------------------------------------------------


def _wants_json(argv: list[str]) -> bool:
    """Whether a document was asked for, in either of the two ways."""
    is_format = ("--format", "json") in pairwise(argv)
    return is_format or bool({"--json", "--format=json"} & set(argv))


def _as_usage(error: Any) -> BadRequest:  # noqa: ANN401  (typer's class has no public name)
    """What is wrong on the command line; of a mistyped command or option the nearest one."""
    context, message = error.ctx, error.format_message()
    for kind, words in (("a valid float", "a number"), ("a valid integer", "a whole number")):
        message = message.replace(f"is not {kind}", f"is not {words}")
    hint = f"`{context.command_path if context else 'tfbuild'} --help` shows what it takes"
    if option := getattr(error, "option_name", "") if hasattr(error, "possibilities") else "":
        known = [name for parameter in context.command.params for name in parameter.opts]
        message = f"{context.command_path} has no option '{option}'"
        hint = _nearest(option, [name for name in known if name.startswith("--")], hint)
    elif context and (command := _NO_COMMAND.match(message)):
        message = f"{context.command_path} has no command '{command[1]}'"
        hint = _nearest(command[1], context.command.list_commands(context), hint)
    return BadRequest(message, code="usage-wrong", hint=hint)


def _nearest(word: str, known: Collection[str], otherwise: str) -> str:
    from tfbuild.core.versions import did_you_mean, nearest

    return did_you_mean(word, known) if nearest(word, known) else otherwise
