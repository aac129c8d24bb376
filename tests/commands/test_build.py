"""A plan is shown in three styles; nothing is run for it."""

import json
from pathlib import Path

import pytest

from tests.fakes import a_host
from tfbuild.commands import build
from tfbuild.core.errors import BadRequest, EnvironmentFailed


def test_a_plan_is_shown_and_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("tfbuild.doctor.survey.look_at_host", lambda *_: a_host())
    flags = {"output": str(tmp_path / "out")}
    build.show_plan((), flags, style="json")
    plan = json.loads(capsys.readouterr().out)
    assert plan["schema"] == "tfbuild.plan/1"
    build.show_plan((), flags, style="text")
    assert f"plan {plan['id']}" in capsys.readouterr().out
    assert not (tmp_path / "out").exists()
    with pytest.raises(BadRequest):
        build.show_plan((), flags, style="yaml")


def test_an_output_that_cannot_be_written_is_told_before_anything_is_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tfbuild.doctor.survey.look_at_host", lambda *_: pytest.fail("too late"))
    with pytest.raises(EnvironmentFailed, match="/proc/tfbuild") as caught:
        build.build((), {"output": "/proc/tfbuild"}, as_json=False, verbosity=-1)
    assert "--output" in caught.value.hint
    assert not (tmp_path / "work").exists()
