"""build --matrix: a folder per cell, a summary beside them, the exit code of the first failure."""

import json
from pathlib import Path
from types import SimpleNamespace

import pytest

import tfbuild.pipeline
from tfbuild.errors import AuditFailed, BadRequest
from tfbuild.front_cells import build_matrix
from tfbuild.records import Request


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch) -> list[Request]:
    """Builds that end at once: the audit of Python 3.13 fails, all others pass."""
    requests: list[Request] = []

    def build(request: Request, *_: object) -> SimpleNamespace:
        requests.append(request)
        if any(pin.axis == "python" and pin.spec == "3.13" for pin in request.pins):
            raise AuditFailed("not what was asked for")
        return SimpleNamespace(wheel=request.output / "a.whl")

    monkeypatch.setattr(tfbuild.pipeline, "build", build)
    return requests


def test_every_cell_has_its_folder_and_the_summary_all(
    built: list[Request], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    flags = {"output": str(tmp_path), "skip-perf": "true"}
    code = build_matrix(["python=3.11,3.13,3.12"], (), flags, as_json=True, verbosity=-1)
    assert code == AuditFailed.exit_code
    assert [request.output.name for request in built] == ["python3.11", "python3.13", "python3.12"]
    document = json.loads(capsys.readouterr().out)
    assert document == json.loads((tmp_path / "matrix.json").read_text())
    assert [cell["state"] for cell in document["cells"]] == ["passed", "failed", "passed"]
    assert document["cells"][1]["message"] == "not what was asked for"


def test_only_the_named_axes_are_set(built: list[Request], tmp_path: Path) -> None:
    flags = {"output": str(tmp_path)}
    code = build_matrix(["gcc=12"], ("numpy=2.3",), flags, as_json=False, verbosity=-1)
    assert code == 0
    assert {pin.axis for pin in built[0].pins} == {"gcc", "numpy"}


def test_nonsense_is_refused_before_anything_is_built(built: list[Request], tmp_path: Path) -> None:
    with pytest.raises(BadRequest):
        build_matrix(["pyhton=3.11"], (), {"output": str(tmp_path)}, as_json=False, verbosity=0)
    assert built == []
