"""The words and options of `tfbuild env`."""

from typing import Any

import pytest
import typer

from tfbuild.cli.env import env_app
from tfbuild.commands import env as front_env
from tfbuild.commands.env import EnvOptions


@pytest.fixture
def called(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """What the front was called with."""
    calls: list[tuple[Any, ...]] = []
    for name in ("dockerfile", "devcontainer", "conda", "base"):
        monkeypatch.setattr(
            front_env,
            name,
            lambda *words, _name=name, **named: calls.append((_name, *words, named)),
        )
    return calls


def run(*words: str) -> None:
    typer.main.get_command(env_app)(list(words), standalone_mode=False)


def test_dockerfile_takes_constraints_as_plan_does(called: list[tuple[Any, ...]]) -> None:
    run("dockerfile", "python=3.13", "gcc=14", "--gpu", "sm_90", "-o", "Dockerfile")
    flags = {"gpu": "sm_90"}
    asked = EnvOptions(output="Dockerfile")
    assert called == [("dockerfile", ("python=3.13", "gcc=14"), flags, asked, {})]


def test_a_file_for_the_text_is_no_folder_for_wheels(called: list[tuple[Any, ...]]) -> None:
    run("conda", "python=3.13", "--output", "environment.yml")
    run("devcontainer", "--cuda", "--image-from", "nvidia", "--force")
    assert called[0] == ("conda", ("python=3.13",), {}, {"output": "environment.yml"})
    asked = EnvOptions(image_from="nvidia", force=True)
    assert called[1] == ("devcontainer", (), {"cuda": "any"}, asked, {})


def test_the_code_of_a_shell_is_the_code_of_the_command(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[tuple[Any, ...]] = []

    def shell(words: tuple[str, ...], flags: dict[str, str], *, command: str) -> int:
        seen.append((words, flags, command))
        return 7

    monkeypatch.setattr(front_env, "shell", shell)
    line = ["shell", "gcc=12", "--memory", "4g", "-c", "make"]
    assert typer.main.get_command(env_app)(line, standalone_mode=False) == 7
    assert seen == [(("gcc=12",), {"memory": "4g"}, "make")]


def test_base(called: list[tuple[Any, ...]]) -> None:
    run("base", "debian:trixie", "--anew")
    assert called == [("base", "debian:trixie", {"anew": True, "as_json": False})]
