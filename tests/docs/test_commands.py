"""The commands of the documentation: the real command line takes each, and the quick ones run."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
import typer

from tests.doc_pages import (
    blocks,
    calls_of_tfbuild,
    command_lines,
    commands_in_prose,
    pages,
)
from tests.source_files import ROOT
from tfbuild.cli.app import app
from tfbuild.core.build_kinds import OBEYED_BY, Kind, kind_of_recipe, require_obeyed
from tfbuild.core.settings import part_words
from tfbuild.recipes.catalogue import find_recipe

TOP: Any = typer.main.get_command(app)
# What a wrong word raises: typer brings a parser of its own, and shows one of its errors.
WRONG_WORD = typer.BadParameter.__mro__[1]
_AXES_ALONE = {"resolve", "configure", "dockerfile", "devcontainer", "conda", "shell"}
_TREES = {"tensorflow": "tree", "tensorflow-cc": "cc", "workspace": "workspace"}
_OF_ANY_RECIPE = {"version", "os", "platform"}  # beside its own options
_OF_TUTORIALS = ("digits",)  # options of recipes that a page writes


class Call(NamedTuple):
    """A call of tfbuild in a page."""

    place: str
    words: tuple[str, ...]


def calls() -> Iterator[Call]:
    for page in pages():
        for block in blocks(page):
            for line in command_lines(block):
                for words in calls_of_tfbuild(line):
                    yield Call(block.place, words)
        for words in commands_in_prose(page):
            yield Call(page.name, words)


CALLS = tuple(calls())


def read(words: tuple[str, ...]) -> Any:
    """What the command line makes of words, as far as its parser goes; WRONG_WORD for a mistake."""
    command, rest = TOP, list(words)
    while hasattr(command, "commands") and rest and not rest[0].startswith("-"):
        name = rest.pop(0)
        if name not in command.commands:
            raise WRONG_WORD(f"there is no command {name}")
        command = command.commands[name]
    if hasattr(command, "commands"):
        known = {option for one in command.params for option in one.opts}
        if set(rest) - known:
            raise WRONG_WORD(f"there is no option {rest}")
        return typer.Context(command)
    return command.make_context(command.name, rest)


@pytest.mark.parametrize("call", CALLS, ids=lambda call: " ".join(call.words))
def test_the_command_line_takes_it(call: Call) -> None:
    program, *words = call.words
    if program == "./bootstrap.sh" and words[0] == "test":
        assert "test)" in (ROOT / "bootstrap.sh").read_text()
        return
    context = read(tuple(words))
    assert not context.command.hidden, f"{call.place}: nobody is shown this command"


def test_a_command_that_is_gone_is_seen() -> None:
    for words in (("repair",), ("build", "--lite"), ("facts", "guess"), ("--colour",)):
        with pytest.raises(WRONG_WORD):
            read(words)


def typed(context: Any) -> dict[str, Any]:
    """The options that were typed, by the names of settings."""
    return {
        name.replace("_", "-").replace("as-json", "json"): value
        for name, value in context.params.items()
        if name != "words" and context.get_parameter_source(name).name == "COMMANDLINE"
    }


def kind_of(words: tuple[str, ...], options: dict[str, Any]) -> Kind:
    """What is built; a page's trees are known by their names, as they are not there."""
    first = words[0] if words else ""
    if first.endswith(".yaml"):
        return "recipe"
    if first in _TREES:
        return _TREES[first]  # type: ignore[return-value]
    if first and "=" not in first:
        recipe = find_recipe(first)
        return kind_of_recipe(recipe.tree, recipe.build.system)
    if "workspace" in options:
        return "workspace"
    return "tree" if str(options.get("source", "")).startswith("tensorflow") else "runtime"


def crossed(options: dict[str, Any]) -> tuple[str, ...]:
    """What a matrix names, as words."""
    return tuple(f"{one.partition('=')[0]}=any" for one in options.get("matrix") or ())


BUILDS = [call for call in CALLS if call.words[1:2] in (("build",), ("plan",))]


@pytest.mark.parametrize("call", BUILDS, ids=lambda call: " ".join(call.words))
def test_what_is_built_obeys_all_that_is_asked(call: Call) -> None:
    context = read(call.words[1:])
    options = typed(context)
    words = (*(context.params["words"] or ()), *crossed(options))
    kind = kind_of(words, options)
    require_obeyed(kind, set(options) & set(OBEYED_BY))
    named = tuple(word for word in words if "=" in word)
    if kind in {"recipe", "bazel-recipe", "tflite"}:
        own = find_recipe(words[0]).options if not words[0].endswith(".yaml") else ()
        known = {*_OF_ANY_RECIPE, *_OF_TUTORIALS, *(option.name for option in own)}
        assert {word.partition("=")[0] for word in named} <= known
        return
    axes, strange = part_words(named)
    assert strange == ()
    require_obeyed(kind, (axis.partition("=")[0] for axis in axes))


@pytest.mark.parametrize("call", CALLS, ids=lambda call: " ".join(call.words))
def test_every_axis_is_there(call: Call) -> None:
    context = read(call.words[1:]) if call.words[1:2] != ("test",) else None
    if context is None or context.command.name not in _AXES_ALONE:
        return
    words = tuple(context.params.get("words") or ())
    assert part_words(words)[1] == ()
