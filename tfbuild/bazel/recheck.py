"""Compiles a sample of what came from caches again, and compares: a cache that lies is found out.

Bazel holds every blob against its digest, but believes whatever result a cache names for an action.
Compilations are the same to the bit each time, so that any difference is a wrong result.
"""

import math
import random
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tfbuild.bazel.turns import call_in_turn
from tfbuild.core.errors import BuildFailed, CommandFailed
from tfbuild.core.foreign_tree import ForeignTree
from tfbuild.core.interfaces import Environment, literal
from tfbuild.core.layout import RECHECKED
from tfbuild.core.paths import real_path
from tfbuild.core.records import Command
from tfbuild.core.safe_files import parse_json

_COMPILES = "CppCompile"
_ASIDE = re.compile(r"(build_event|curses|show_progress|progress_in_terminal|remote_|jobs)")
_SAME_AS_BAZEL = (("PWD", "/proc/self/cwd"), ("PATH", "/bin:/usr/bin:/usr/local/bin"))


@dataclass(frozen=True, slots=True, kw_only=True)
class CompileAction:
    """One compilation: its words, and the object file that it makes, below the execution root."""

    words: tuple[str, ...]
    output: str


def recheck(command: Command, env: Environment, share: float, seed: int) -> tuple[str, ...]:
    """The object files, of a sample of that share, that come out otherwise when compiled again.

    command is the call of Bazel that has just ended well. Raises BuildFailed where Bazel does not
    say what it did, or a compiler refuses what it has compiled before.
    """
    actions = compile_actions(command, env)
    if not actions:
        return ()
    number = max(1, math.ceil(share * len(actions)))
    sample = random.Random(seed).sample(actions, number)  # noqa: S311  (a sample)
    root = _asked(command, env, "info", "execution_root").strip().splitlines()[-1]
    aside = RECHECKED.path(env.toolchain.work)
    ForeignTree(real_path(env.toolchain.work)).make_folders(aside.name)
    wrong = []
    for done, action in enumerate(sample):
        env.tools.reporter.progress(f"compiling {action.output} again", done, number)
        if not _is_same(action, root, aside, env):
            wrong.append(action.output)
    return tuple(wrong)


def compile_actions(command: Command, env: Environment) -> list[CompileAction]:
    """Every compilation of the call's targets, in the order of their outputs."""
    targets = [word for word in command.argv[command.argv.index("build") + 1 :] if word[0] in "/@"]
    query = f'mnemonic("{_COMPILES}", deps({" + ".join(targets)}))'
    said = _asked(command, env, "aquery", "--output=jsonproto", query)
    try:
        return read_actions(parse_json(said[said.index("{") :]))
    except (ValueError, KeyError) as error:
        raise BuildFailed(
            "Bazel does not say what it has compiled",
            code="bazel-actions-malformed",
            why=str(error),
            hint="leave --verify-cache out",
        ) from error


def read_actions(document: dict[str, Any]) -> list[CompileAction]:
    """The compilations of an answer of aquery: those that name one object file behind -o."""
    found = []
    for action in document.get("actions", ()):
        words = tuple(action.get("arguments", ()))
        if "-o" in words[:-1]:
            found.append(CompileAction(words=words, output=words[words.index("-o") + 1]))
    return sorted(found, key=lambda action: action.output)


# --- inside ------------------------------------------------------------------------------------


def _asked(command: Command, env: Environment, verb: str, *words: str) -> str:
    """What Bazel answers to another command with the flags of the build, so that nothing is
    analysed anew.
    """
    at = command.argv.index("build")
    targets = [w for w in command.argv[at + 1 :] if w[0] in "/@"]
    flags = [w for w in command.argv[at + 1 :] if w not in targets and not _ASIDE.search(w)]
    argv = (*command.argv[:at], verb, *flags, *words)
    try:
        return call_in_turn(replace(command, argv=argv, pty=False, quiet=True), env).stdout
    except CommandFailed as error:
        raise BuildFailed(
            f"Bazel does not answer {verb}",
            code="bazel-query-failed",
            why="\n".join(error.last_lines[-4:]),
            hint="leave --verify-cache out",
        ) from error


def _is_same(action: CompileAction, root: str, aside: Path, env: Environment) -> bool:
    """Whether a compilation makes the very file that the build has."""
    again = aside / "again.o"
    words = _elsewhere(action, str(again), str(aside / "again.d"))
    try:
        env.run(
            Command(
                argv=tuple(map(literal, words)), cwd=literal(root), env=_SAME_AS_BAZEL, quiet=True
            )
        )
        return env.read(str(again)) == env.read(f"{root}/{action.output}")
    except FileNotFoundError:
        return True  # the build needed it no more than we do
    except CommandFailed as error:
        raise BuildFailed(
            f"{action.output} cannot be compiled again",
            code="recompile-failed",
            why="\n".join(error.last_lines[-8:]),
            hint="leave --verify-cache out, or report this with the log",
        ) from error
    finally:
        ForeignTree(real_path(aside.parent)).remove(f"{aside.name}/{again.name}")


def _elsewhere(action: CompileAction, output: str, dependencies: str) -> tuple[str, ...]:
    """The words with other places for the files that are written."""
    words = list(action.words)
    words[words.index("-o") + 1] = output
    if "-MF" in words[:-1]:
        words[words.index("-MF") + 1] = dependencies
    return tuple(words)
