"""What --help shows: groups, panels, and examples that are understood."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer

from tfbuild.cli.app import app
from tfbuild.cli.pages import EXAMPLES, OUTPUT, PANEL_OF

ROOT = Path(__file__).parents[2]
TOP: Any = typer.main.get_command(app)
COMMANDS = {name: found for name, found in TOP.commands.items() if not found.hidden}
SINGLE = [name for name, found in COMMANDS.items() if not hasattr(found, "commands")]


def test_every_command_is_in_a_group() -> None:
    assert [name for name, found in COMMANDS.items() if not found.rich_help_panel] == []


@pytest.mark.parametrize("name", SINGLE)
def test_every_command_ends_with_examples_that_are_understood(name: str) -> None:
    for line in EXAMPLES[name]:
        assert line in str(COMMANDS[name].epilog)
        program, command, *words = shlex.split(line)
        assert (program, command) == ("tfbuild", name)
        context = COMMANDS[name].make_context(name, words)
        assert context.params, "typer has read them"


@pytest.mark.parametrize("line", [one for one in EXAMPLES["plan"] if "--cuda" not in one])
def test_an_example_of_a_plan_can_be_planned(line: str) -> None:
    _, *words = shlex.split(line)
    found = subprocess.run(
        [sys.executable, "-m", "tfbuild", *words], capture_output=True, text=True, check=False
    )
    assert (found.returncode, found.stderr) == (0, "")
    assert found.stdout.startswith("#!/"), "a script"


@pytest.mark.parametrize("name", ["plan", "build"])
def test_every_option_of_a_build_is_in_a_panel(name: str) -> None:
    options = [one for one in COMMANDS[name].params if one.param_type_name == "option"]
    panels = {one.name: one.rich_help_panel for one in options if not one.hidden}
    assert [one for one, panel in panels.items() if not panel] == []
    assert set(PANEL_OF) <= set(panels)
    assert panels["as_json"] == OUTPUT


def test_help_can_be_read_on_white_and_on_black() -> None:
    environ = {**os.environ, "FORCE_COLOR": "1", "TERM": "xterm", "PYTHONPATH": str(ROOT)}
    environ.pop("NO_COLOR", None)
    words = [sys.executable, "-m", "tfbuild", "resolve", "--help"]
    done = subprocess.run(words, env=environ, capture_output=True, text=True, check=True)
    inner = [line.strip("\n│") for line in done.stdout.splitlines() if "─" not in line]
    drawn = re.findall("\x1b\\[([0-9;]*)m([^\x1b]*)", "\n".join(inner))
    styles = {code for codes, text in drawn if text.strip(" │") for code in codes.split(";")}
    assert styles & {"35", "36"}, "it is in colours"
    assert not styles & {"2", "33", "37", "93", "97"}, "dim, yellow, white"


@pytest.mark.parametrize("words", ["--help", "build --help", "cache -h"])
def test_help_in_a_pipe_ends_no_line_with_blanks(words: str) -> None:
    command = [sys.executable, "-m", "tfbuild", *words.split()]
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, env=environ, capture_output=True, text=True, check=True)
    assert "Usage: tfbuild" in done.stdout
    assert [line for line in done.stdout.splitlines() if line != line.rstrip()] == []
