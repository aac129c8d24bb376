"""Recipes on the command line."""

import json
import sys
from pathlib import Path

import pytest

from tests.fakes import a_host
from tests.sample_recipes import A_RECIPE, written
from tfbuild.cli import app as cli


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tfbuild.doctor.survey.look_at_host", lambda *_: a_host())
    written(tmp_path, A_RECIPE)


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("plan", "./greet.yaml", "loud=off"), 0, "loud=off"),
        (("plan", "zst"), 2, "did you mean 'zstd'"),
        (("plan", "tflite"), 2, "planned by what its source tree says"),
        (("build", "./greet.yaml", "--cc"), 2, "error[option-not-of-kind]: --cc "),
        (("build", "./greet.yaml", "platform=linux-aarch64"), 4, "linux-aarch64"),
        (("recipes", "list"), 0, "zstd"),
        (("recipes", "show", "./greet.yaml"), 0, "Says hello"),
        (("recipes", "new", "mine", "--build-system=meson"), 0, "mine.yaml"),
        (("recipes", "fields", "--schema"), 0, "A recipe of tfbuild"),
    ],
)
def test_codes_and_words(
    words: tuple[str, ...],
    code: int,
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(sys, "argv", ["tfbuild", *words])
    with pytest.raises(SystemExit) as caught:
        cli.main()
    out, err = capsys.readouterr()
    assert (caught.value.code or 0) == code, err
    assert said in out + err


def test_a_plan_as_json(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["tfbuild", "plan", "./greet.yaml", "--json"])
    with pytest.raises(SystemExit):
        cli.main()
    assert json.loads(capsys.readouterr().out)["schema"] == "tfbuild.product-plan/2"
