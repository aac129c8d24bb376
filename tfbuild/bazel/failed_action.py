"""The actions of a build that failed, kept so that one can be run again alone.

Drivers of other build systems keep a command as an action. Bazel prints the whole command of a
failed action under --verbose_failures, the same in every release from 0.26.1 to 7.7.1: its folder,
its variables, its words. Nothing else needs asking.
"""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tfbuild.bazel.explanation import list_of, part_of
from tfbuild.core.environments import EnvironmentKind
from tfbuild.core.errors import BadRequest
from tfbuild.core.foreign_tree import lines_of_file
from tfbuild.core.interfaces import Environment
from tfbuild.core.kept_json import read_record, write_kept
from tfbuild.core.layout import EVENTS, FAILED_ACTIONS, RUNS
from tfbuild.core.records import Pairs
from tfbuild.core.safe_files import parse_json
from tfbuild.core.versions import did_you_mean

_SUBJECT = "failed actions"
_BEGIN = "(cd "
_ENV = ("exec", "env", "-")


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedAction:
    """One action as it was run; Bazel's folder is in its output base, outside of any sandbox."""

    label: str  # label of the target; of a recipe its name
    mnemonic: str  # the kind of action, as Bazel calls it; of a recipe the stage
    argv: tuple[str, ...]  # the program and its arguments
    env: Pairs  # the variables that it saw
    folder: str  # in which it ran, or for which its sandbox stood
    sandbox: str  # where it really ran; empty: in that folder itself
    output: str  # the first of its files, below folder
    exit_code: int  # of the action; 0: Bazel does not say it, as before 4.0


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedActions:
    """The failed actions of one run, and where it ran."""

    run: str  # the run in which they failed
    source: str  # top folder of what was built
    environment: EnvironmentKind  # where it ran: on this machine, or in a container
    bazel_version: str  # of the Bazel that ran them; empty where it was another build system
    recipe: str = ""  # the recipe by which the build system was called; empty: none
    actions: tuple[FailedAction, ...]  # in the order in which they failed


def keep(kept: FailedActions, run: Path) -> None:
    """Keep what failed in a run's folder; OSError as it comes."""
    write_kept(run / FAILED_ACTIONS, _SUBJECT, kept)


def keep_recipe(recipe: str, run: Path) -> None:
    """Note by which recipe Bazel was called in a run, where anything is kept of it."""
    if kept := read_record(run / FAILED_ACTIONS, _SUBJECT, FailedActions):
        keep(replace(kept, recipe=recipe), run)


def keep_failed_actions(env: Environment) -> int:
    """Keep what failed in the call of Bazel that has just ended, in the run's folder; how many."""
    actions = read_failed_actions(EVENTS.path(env.toolchain.work))
    if actions:
        kept = FailedActions(
            run=env.tools.folders.run.name,
            source=str(env.toolchain.source),
            environment="docker" if env.toolchain.image else "host",
            bazel_version=env.toolchain.bazel_version,
            actions=actions,
        )
        keep(kept, env.tools.folders.run)
    return len(actions)


def find_failed_actions(work: Path, run: str = "") -> FailedActions:
    """What was kept of a run, or of the last one that has anything; BadRequest where none has."""
    runs = RUNS.path(work)
    folders = [runs / run] if run else sorted(runs.glob("*"), reverse=True)
    for folder in folders:
        if kept := read_record(folder / FAILED_ACTIONS, _SUBJECT, FailedActions):
            return kept
    if run and not (runs / run).is_dir():
        known = sorted((path.name for path in runs.glob("*")), reverse=True)
        raise BadRequest(
            f"there is no run {run} in {runs}",
            code="run-missing",
            hint=did_you_mean(run, known) if known else "build something first",
        )
    what = f"the run {run}" if run else f"a run in {runs}"
    raise BadRequest(
        f"nothing is kept of {what} that could be run again",
        code="nothing-kept-of-run",
        why="only what failed is kept: an action of Bazel, or a command of CMake, Meson or make; "
        "an analysis, an audit or a smoke test that failed is no such command",
        hint="run the build that fails, then `tfbuild debug` in the same folder; all commands of a "
        "run stand in its rerun.sh",
    )


def read_failed_actions(events: Path) -> tuple[FailedAction, ...]:
    """The failed actions of an event file, in the order in which they failed."""
    failed: list[dict[str, Any]] = []
    said: list[_Spoken] = []
    for event in _failed_events(events):
        action = part_of(event, "action")
        if action and not action.get("success"):
            failed.append(event)
            said += _spoken(str(part_of(action, "failureDetail").get("message", "")))
        elif "progress" in event:
            said += _spoken(str(part_of(event, "progress").get("stderr", "")))
    found = (_failed_action(event, said) for event in failed)
    return tuple(action for action in found if action is not None)


# --- inside ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class _Spoken:
    """A command as Bazel printed it: a line of a POSIX shell."""

    folder: str
    env: Pairs
    argv: tuple[str, ...]


def _failed_events(events: Path) -> list[dict[str, Any]]:
    """The events about what failed; nearly all others are passed over without being parsed."""
    found = []
    try:
        for line in lines_of_file(events):
            if b'"success":true' in line:
                continue
            if b'"action":{' in line or b"exec env - " in line:
                found.append(_parsed(line))
    except OSError:
        return []
    return [event for event in found if event]


def _parsed(line: bytes) -> dict[str, Any]:
    try:
        event = parse_json(line)
    except ValueError:  # the last line of a Bazel that was killed
        return {}
    return event if isinstance(event, dict) else {}


def _failed_action(event: dict[str, Any], said: list[_Spoken]) -> FailedAction | None:
    """The action of an event with the command that was printed for it."""
    action, of = part_of(event, "action"), part_of(event, "id", "actionCompleted")
    argv = tuple(str(word) for word in list_of(action, "commandLine"))
    output = str(of.get("primaryOutput", ""))
    spoken = _command_of(argv, output, said)
    if spoken is None:
        return None
    folder = _outside(spoken.folder)
    code = part_of(action, "failureDetail", "spawn").get("spawnExitCode", action.get("exitCode", 0))
    return FailedAction(
        label=str(action.get("label") or of.get("label", "")),
        mnemonic=str(action.get("type", "")),
        argv=spoken.argv,
        env=spoken.env,
        folder=folder,
        sandbox=spoken.folder if folder != spoken.folder else "",
        output=output,
        exit_code=code if isinstance(code, int) else 0,
    )


def _command_of(argv: tuple[str, ...], output: str, said: list[_Spoken]) -> _Spoken | None:
    """What was printed for an action: the very words, or those that name its output.

    The words differ where a list of files went into a parameter file.
    """
    exact = (spoken for spoken in said if spoken.argv == argv)
    naming = (s for s in said if output and any(output in word for word in s.argv))
    only = said[0] if len(set(said)) == 1 else None
    return next(exact, None) or next(naming, None) or only


def _outside(folder: str) -> str:
    """The execution root that a sandbox stands for: OUTPUT_BASE/execroot/NAME."""
    base, is_sandbox, inside = folder.partition("/sandbox/")
    _, _, name = inside.rpartition("/execroot/")
    return f"{base}/execroot/{name}" if is_sandbox and name else folder


def _spoken(text: str) -> list[_Spoken]:
    """Every command in what Bazel said."""
    found = []
    at = text.find(_BEGIN)
    while at >= 0:
        words = _shell_words(text, at + len(_BEGIN))
        if len(words) > 5 and words[1] == "&&" and words[2:5] == list(_ENV):
            rest = words[5:]
            count = next((i for i, word in enumerate(rest) if not _is_pair(word)), len(rest))
            pairs = tuple(
                (name, value) for name, _, value in (w.partition("=") for w in rest[:count])
            )
            found.append(_Spoken(folder=words[0], env=pairs, argv=tuple(rest[count:])))
        at = text.find(_BEGIN, at + 1)
    return found


def _is_pair(word: str) -> bool:
    name, is_pair, _ = word.partition("=")
    return bool(is_pair) and name.isidentifier()


def _shell_words(text: str, at: int) -> list[str]:
    """The words from there to the parenthesis that closes the command, quotes taken off.

    shlex cannot do it: it keeps the end of a line that a backslash hides, and sees no parenthesis.
    """
    words: list[str] = []
    word, is_word, is_quoted = "", False, False
    while at < len(text):
        letter = text[at]
        if is_quoted:
            is_quoted = letter != "'"
            word += letter if is_quoted else ""
        elif letter == "'":
            is_quoted = is_word = True
        elif letter == "\\":
            at += 1
            hidden = text[at : at + 1]
            word, is_word = (word, is_word) if hidden == "\n" else (word + hidden, True)
        elif letter == ")":
            return [*words, word] if is_word else words
        elif letter.isspace():
            words += [word] if is_word else []
            word, is_word = "", False
        else:
            word, is_word = word + letter, True
        at += 1
    return []  # it never closed: this was no command
