"""The commands under `tfbuild facts`."""

from typing import Any

import pytest
import typer.testing

from tfbuild.cli.app import app
from tfbuild.cli.facts import facts_app
from tfbuild.commands import facts as front_facts


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
        (
            ["check", "--cases", "x"],
            ("x",),
            {"with_cases": True, "held_out": False, "as_json": False},
        ),
        (
            ["check", "--cases", "--held-out"],
            ("",),
            {"with_cases": True, "held_out": True, "as_json": False},
        ),
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

    monkeypatch.setattr(front_facts, f"facts_{words[0]}", run)
    done = typer.testing.CliRunner().invoke(facts_app, words)
    assert calls == [(given, options)]
    assert done.exit_code == (7 if words[0] in {"verify", "refresh"} else 0)


@pytest.mark.parametrize("words", [["list"], ["list", "--json"], ["show", "cuda", "13.0"]])
def test_the_old_name_does_the_same_and_names_the_new_one_once(words: list[str]) -> None:
    runner = typer.testing.CliRunner()
    new, old = runner.invoke(app, ["facts", *words]), runner.invoke(app, ["matrix", *words])
    assert (old.exit_code, old.stdout) == (new.exit_code, new.stdout) == (0, new.stdout)
    assert old.stderr.count("tfbuild facts") == 1
    assert "tfbuild facts" not in new.stderr


def test_the_old_name_is_not_in_the_help() -> None:
    out = typer.testing.CliRunner().invoke(app, ["--help"]).stdout
    assert " facts " in out
    assert "matrix" not in out


def test_completion_offers_the_new_name_and_not_the_old_one() -> None:
    def offers(start: str) -> list[str]:
        group = typer.main.get_command(app)
        with group.make_context("tfbuild", [], resilient_parsing=True) as context:
            return [item.value for item in group.shell_complete(context, start)]

    assert offers("fac") == ["facts"]
    assert offers("mat") == []
