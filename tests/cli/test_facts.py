"""The commands under `tfbuild matrix`."""

from typing import Any

import pytest
import typer.testing

from tfbuild.cli.facts import matrix_app
from tfbuild.commands import facts as front_matrix


@pytest.mark.parametrize(
    ("words", "given", "options"),
    [
        (["verify"], ((),), {"write": False, "as_json": False}),
        (
            ["verify", "a", "b", "--write", "--json"],
            (("a", "b"),),
            {"write": True, "as_json": True},
        ),
        (["refresh", "--write"], (), {"write": True, "as_json": False}),
        (["show", "cuda", "13"], ("cuda", "13"), {"as_json": False}),
        (["show", "tested"], ("tested", ""), {"as_json": False}),
        (["check", "--cases", "x"], ("x",), {"as_json": False}),
        (["list", "--json"], (), {"as_json": True}),
    ],
)
def test_words_and_options_reach_the_front(
    words: list[str], given: tuple[Any, ...], options: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    calls: list[tuple[Any, ...]] = []

    def run(*args: object, **named: object) -> int:
        calls.append((args, named))
        return 7

    monkeypatch.setattr(front_matrix, f"matrix_{words[0]}", run)
    done = typer.testing.CliRunner().invoke(matrix_app, words)
    assert calls == [(given, options)]
    assert done.exit_code == (7 if words[0] in {"verify", "refresh"} else 0)
