"""What `tfbuild diagnose` prints, and what it ends with."""

import io
import json
import sys
from pathlib import Path

import pytest

from tests.failing import fails
from tests.schema_maker import check
from tfbuild.commands.diagnose import diagnose_log

LOG = "nvcc fatal   : Unsupported gpu architecture 'compute_86'\nmake: *** [x.o] Error 1\n"


def test_a_known_cause_ends_with_0(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "build.log"
    path.write_text(LOG)
    assert diagnose_log(str(path), as_json=False) == 0
    assert "compute_86" in capsys.readouterr().out


def test_the_document_obeys_its_schema(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "build.log"
    path.write_text(LOG)
    diagnose_log(str(path), as_json=True)
    document = json.loads(capsys.readouterr().out)
    check("diagnosis", document)
    first = document["findings"][0]
    assert (first["id"], first["phase"], first["line"]) == ("nvcc-arch-unsupported", "compile", 1)
    assert first["excerpt"] == LOG.splitlines()[0]


def test_an_unknown_log_ends_with_1(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stream = io.TextIOWrapper(io.BytesIO(b"all is strange\n"))
    monkeypatch.setattr(sys, "stdin", stream)
    assert diagnose_log("-", as_json=True) == 14
    document = json.loads(capsys.readouterr().out)
    check("diagnosis", document)
    assert document["findings"] == []


def test_a_pipe_is_read_whole(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(LOG.encode())))
    assert diagnose_log("-", as_json=False) == 0
    assert "nvcc-arch-unsupported" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "code"),
    [("nowhere.log", "file-unreadable"), (".", "not-a-file"), ("a\0b", "file-unreadable")],
)
def test_what_is_no_log_is_refused(name: str, code: str, tmp_path: Path) -> None:
    with fails(code, str(tmp_path)):
        diagnose_log(str(tmp_path / name), as_json=False)
