"""Completion in bash, zsh and fish: what can be typed next, in the words of each shell.

typer finds the place in the command line, `commands/offered` the words for it. An answer holds
these words and nothing else, whatever was typed: shells evaluate what they are given.
"""

import io
import os
import re
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass

import typer

COMPLETE = "_TFBUILD_COMPLETE"  # the variable by which a shell asks
_SHELLS = ("complete_bash", "complete_zsh", "complete_fish")
# Words that no shell reads as anything else; a name of a file can hold whatever. What compares
# versions is taken as it was typed, which is between quotes: added to a word it would redirect.
_PLAIN = re.compile(r"[A-Za-z0-9._+=:,/@%-]*")
_TYPED = re.compile(r"[A-Za-z0-9._+=:,/@%~<>!-]*")
_HELP = re.compile(r"[^A-Za-z0-9 .,:=/+_<>-]")
_JOINTS = re.compile(r"[=:]+")  # bash makes words of their own of these
_OPTION = re.compile(r"--[a-z-]+=")

Completer = Callable[[typer.Context, str], list[str]]


@dataclass(frozen=True, slots=True)
class _Line:
    """A command line up to where it is written: its words as typed, the last one begun."""

    words: tuple[str, ...]
    replaced: str  # the end of the last word that the shell puts its answer in place of

    @property
    def begun(self) -> str:
        """The last word without its quotes."""
        return _unquoted(self.words[-1])


def is_asked(environ: Mapping[str, str]) -> bool:
    """Whether a shell asks what can be typed next."""
    return environ.get(COMPLETE, "") in _SHELLS


def answer(app: Callable[..., object], environ: Mapping[str, str]) -> tuple[str, int]:
    """What is printed for the shell that asks, and the exit code; nothing where nothing fits."""
    shell = environ[COMPLETE].removeprefix("complete_")
    with suppress(Exception):  # whatever was typed: a shell is answered, or left alone
        line = _bash_line(environ) if shell == "bash" else _whole_line(environ)
        found = _found(app, line, is_bash=shell == "bash")
        if shell == "bash":
            start = len(line.begun) - len(_unquoted(line.replaced))
            return "".join(f"{value[start:]}\n" for value in found), 0
        if shell == "zsh":
            return (_zsh(found) if found else "_files\n"), 0
        if environ.get("_TYPER_COMPLETE_FISH_ACTION") == "is-args":
            return "", 0 if found else 1
        return "".join(f"{value}\t{said}\n" for value, said in found.items()), 0
    return "", 1


# --- what is offered for a parameter -------------------------------------------------------------


def offer(find: Callable[[str, Sequence[str]], Iterable[str]]) -> Completer:
    """What `find` has for the word that is begun, and for the words of a request before it."""

    def complete(ctx: typer.Context, incomplete: str) -> list[str]:
        with suppress(Exception):  # facts that cannot be read offer nothing
            return [*find(incomplete, ctx.params.get("words") or ())]
        return []

    return complete


def one_of(*words: str) -> Completer:
    """One of a few words."""
    return offer(lambda _begun, _earlier: words)


def found_by(name: str) -> Completer:
    """What the function of `commands/offered` finds for the word that is begun.

    It is named, as starting without being asked for words must not load it.
    """
    return offer(lambda begun, _earlier: _function(name)(begun))


def _build_words(begun: str, earlier: Sequence[str]) -> Iterable[str]:
    return _function("build_words")(begun, earlier)


BUILD_WORDS = offer(_build_words)


def versions_of_axis(ctx: typer.Context, incomplete: str) -> list[str]:
    """The versions of the axis that stands before."""
    axis = ctx.params.get("axis") or ""
    return offer(lambda _begun, _earlier: _function("axis_values")(axis))(ctx, incomplete)


# --- inside ------------------------------------------------------------------------------------


def _function(name: str) -> Callable[..., Iterable[str]]:
    from tfbuild.commands import offered

    found: Callable[..., Iterable[str]] = getattr(offered, name)
    return found


def _unquoted(word: str) -> str:
    """A word as its program gets it; an open quote is closed."""
    for end in ("", '"', "'"):
        with suppress(ValueError):
            return " ".join(shlex.split(word + end))
    return word


def _bash_line(environ: Mapping[str, str]) -> _Line:
    """The words up to the cursor, joined where bash has parted python=3.11."""
    at = int(environ["COMP_CWORD"])
    typed = environ["COMP_WORDS"].split("\n")[: at + 1]
    typed += [""] * (at + 1 - len(typed))
    words: list[str] = []
    is_joined = False
    for word in typed:
        is_joint = bool(_JOINTS.fullmatch(word))
        if words and (is_joint or (is_joined and word)):
            words[-1] += word
        else:
            words.append(word)
        is_joined = is_joint
    return _Line(tuple(words), "" if is_joined else typed[-1])


def _whole_line(environ: Mapping[str, str]) -> _Line:
    """The line as zsh and fish give it, whose answers replace whole words."""
    text = environ.get("_TYPER_COMPLETE_ARGS", "")
    before, _, last = text.rpartition(" ")
    return _Line((before, last), last)


def _found(app: Callable[..., object], line: _Line, *, is_bash: bool) -> dict[str, str]:
    """The words that go on from a line, each with what it is for; of bash without that.

    typer has no function for it: it is asked as a shell asks it.
    """
    asked = {COMPLETE: "complete_fish", "_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    asked |= {"_TYPER_COMPLETE_ARGS": " ".join(line.words)}
    if is_bash:  # what words are for takes a library that is slow to load
        asked = {COMPLETE: "complete_bash", "COMP_WORDS": "\n".join(line.words)}
        asked |= {"COMP_CWORD": str(len(line.words) - 1)}
    os.environ.update(asked)
    said = io.StringIO()
    with redirect_stdout(said), redirect_stderr(io.StringIO()), suppress(SystemExit):
        app(prog_name="tfbuild", standalone_mode=False)
    found: dict[str, str] = {}
    option = _OPTION.match(line.begun)
    for one in said.getvalue().splitlines():
        value, _, use = one.partition("\t")
        if option and not value.startswith(option[0]):
            value = option[0] + value
        if value and _is_plain(value, line.begun):
            found[value] = " ".join(_HELP.sub(" ", use.replace(";", ",")).split())
    return found


def _is_plain(value: str, begun: str) -> bool:
    """Whether a word goes on from what was typed, by letters that no shell evaluates.

    One that would be taken for an option is an option only where one was begun.
    """
    is_option = value.startswith("-") and not begun.startswith("-")
    is_further = value.startswith(begun) and not is_option
    return is_further and bool(_TYPED.fullmatch(begun) and _PLAIN.fullmatch(value[len(begun) :]))


def _zsh(found: Mapping[str, str]) -> str:
    """The call that shows words with what each is for; zsh evaluates it twice."""
    shown = []
    for value, use in found.items():
        word, about = value.replace(":", r"\\:"), use.replace(":", r"\\:")
        shown.append(f'"{word}":"{about}"' if about else f'"{word}"')
    return "_arguments '*: :((" + "\n".join(shown) + "))'\n"
