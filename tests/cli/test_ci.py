"""The commands under `tfbuild ci`."""

import pytest
import typer.testing

from tfbuild.cli.ci import ci_app
from tfbuild.commands import ci as front_ci
from tfbuild.commands.ci import CiOptions


@pytest.mark.parametrize("system", ["github", "gitlab"])
def test_words_and_options_become_a_constraint(
    system: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    constraints: list[CiOptions] = []
    monkeypatch.setattr(front_ci, "write_pipeline", constraints.append)
    words = [system, "python=3.11", "cuda=none", "--minutes", "90", "--image", "a:1"]
    done = typer.testing.CliRunner().invoke(ci_app, [*words, "--install", ".", "-o", "f.yml"])
    assert done.exit_code == 0, done.output
    (constraint,) = constraints
    assert (constraint.system, constraint.words) == (system, ("python=3.11", "cuda=none"))
    assert (constraint.minutes, constraint.image, constraint.install, constraint.output) == (
        90,
        "a:1",
        ".",
        "f.yml",
    )
