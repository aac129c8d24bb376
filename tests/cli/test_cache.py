"""What the options of `tfbuild cache` come to."""

from typing import Any

import pytest
from typer.testing import CliRunner

from tfbuild.cli.cache import cache_app


@pytest.mark.parametrize(
    ("words", "days"),
    [(["prune"], 30), (["prune", "--older-than", "7"], 7), (["prune", "--all"], 0)],
)
def test_what_is_removed_goes_by_its_age(
    words: list[str], days: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: dict[str, Any] = {}
    monkeypatch.setattr("tfbuild.commands.cache.cache_prune", lambda **given: said.update(given))
    assert CliRunner().invoke(cache_app, [*words, "--yes"]).exit_code == 0
    assert said == {
        "older_than_days": days, "as_json": False, "is_dry": False, "is_agreed": True
    }  # fmt: skip
