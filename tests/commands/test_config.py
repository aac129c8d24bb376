"""Each setting with who set it."""

import json
from pathlib import Path

import pytest

from tfbuild.commands import config


def test_a_setting_names_the_place_that_set_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    config.config_show({}, as_json=False)
    said = capsys.readouterr().out
    assert "nothing is set" in said
    for way in ("tfbuild build --jobs 4", "TFBUILD_JOBS=4", "[tool.tfbuild] in pyproject.toml"):
        assert way in said
    (tmp_path / "pyproject.toml").write_text('[tool.tfbuild]\npython = "3.12"\n')
    monkeypatch.setenv("TFBUILD_JOBS", "3")
    config.config_show({}, as_json=True)
    found = {s["name"]: s for s in json.loads(capsys.readouterr().out)["settings"]}
    assert found["python"]["origin"] == str(tmp_path / "pyproject.toml")
    assert found["jobs"]["origin"] == "environment, TFBUILD_JOBS"


def test_a_login_in_an_address_is_hidden(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for address in ("http://me:sesame@cache", "sesame@cache", "http:/me:sesame@cache"):
        monkeypatch.setenv("TFBUILD_REMOTE_CACHE", address)
        for as_json in (True, False):
            config.config_show({}, as_json=as_json)
            said = capsys.readouterr().out
            assert "remote-cache" in said
            assert "sesame" not in said
