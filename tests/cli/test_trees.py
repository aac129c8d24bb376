"""The commands that are about source trees alone."""

import pytest
import typer
import typer.testing

from tfbuild.cli.app import app as whole_app
from tfbuild.cli.trees import fetch
from tfbuild.commands import fetch as front_fetch
from tfbuild.core.build_kinds import OBEYED_BY


def test_options_of_fetch(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[object, ...]] = []

    def take(source: str, only: list[str], **options: object) -> None:
        asked.append((source, only, options["into"], options["out_of"], options["is_list"]))

    monkeypatch.setattr(front_fetch, "fetch", take)
    app = typer.Typer()
    app.command()(fetch)
    words = ["--source", "tree", "--from", "stick", "--only", "zlib", "--list"]
    done = typer.testing.CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    assert asked == [("tree", ["zlib"], "", "stick", True)]


def test_the_help_of_configure_shows_what_it_obeys() -> None:
    command = typer.main.get_command(whole_app).commands["configure"]  # type: ignore[attr-defined]
    shown = {word[2:] for p in command.params if not getattr(p, "hidden", False) for word in p.opts}
    obeyed = {n for n, kinds in OBEYED_BY.items() if {"configuration", "script"} & {*kinds}}
    assert shown >= obeyed
    assert not (shown & set(OBEYED_BY)) - obeyed
