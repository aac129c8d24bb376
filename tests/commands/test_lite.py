"""What `--lite` takes, and what it says."""

import json
from pathlib import Path

import pytest

from tests.lite_trees import lite_tree
from tests.schema_maker import check
from tfbuild.commands import lite
from tfbuild.core.errors import BadRequest


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    return str(lite_tree(tmp_path / "tree"))


def test_the_plan_as_text(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    lite.show_plan((), {"source": source}, (), style="text")
    said = capsys.readouterr().out
    assert "TensorFlow Lite 2.14.1" in said
    assert "libabsl-dev" in said
    assert "stand-in: ml_dtypes" in said
    assert "tensorflow-lite-2.14.1-debian-forky-x86_64.tar.gz" in said


def test_the_plan_as_json(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    lite.show_plan(("os=debian:trixie",), {"source": source}, (), style="json")
    document = json.loads(capsys.readouterr().out)
    check("lite-plan", document)
    assert document["system"]["suite"] == "trixie"


@pytest.mark.parametrize(
    ("flags", "said"),
    [({}, "needs a TensorFlow source tree"), ({"source": "tree", "env": "host"}, "in a container")],
)
def test_wrong_wishes(source: str, flags: dict[str, str], said: str) -> None:
    with pytest.raises(BadRequest, match=said):
        lite.show_plan((), flags, (), style="text")


def test_there_is_no_script(source: str) -> None:
    with pytest.raises(BadRequest, match="no plan as script"):
        lite.show_plan((), {"source": source}, (), style="script")
