"""The commands that are about source trees alone."""

import pytest
import typer
import typer.testing

from tfbuild.cli.trees import fetch
from tfbuild.commands import fetch as front_fetch


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
