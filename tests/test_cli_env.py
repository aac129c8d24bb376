"""The words and options of `tfbuild env`."""

from typing import Any

import pytest
import typer

from tfbuild import front_env
from tfbuild.cli_env import env_app


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


def test_dockerfile_takes_wishes_as_plan_does(called: list[tuple[Any, ...]]) -> None:
    run("dockerfile", "python=3.13", "gcc=14", "--gpu", "sm_90", "-o", "Dockerfile")
    flags = {"gpu": "sm_90"}
    named = {"image_from": "wheels", "output": "Dockerfile"}
    assert called == [("dockerfile", ("python=3.13", "gcc=14"), flags, named)]


def test_a_file_for_the_text_is_no_folder_for_wheels(called: list[tuple[Any, ...]]) -> None:
    run("conda", "python=3.13", "--output", "environment.yml")
    run("devcontainer", "--cuda", "--image-from", "nvidia", "--force")
    assert called[0] == ("conda", ("python=3.13",), {}, {"output": "environment.yml"})
    named = {"image_from": "nvidia", "output": "", "force": True}
    assert called[1] == ("devcontainer", (), {"cuda": "any"}, named)


def test_base(called: list[tuple[Any, ...]]) -> None:
    run("base", "debian:trixie", "--anew")
    assert called == [("base", "debian:trixie", {"anew": True, "as_json": False})]
