"""What `tfbuild doctor` prints, and its exit code."""

import json
from pathlib import Path

import pytest

from tfbuild.commands import doctor as front_doctor
from tfbuild.core.errors import BadRequest
from tfbuild.doctor.checks.model import Check

GOOD = Check(group="host", name="system", state="pass", detail="debian")
BAD = Check(group="cuda", name="kernels", state="failure", detail="no", fix="take another")


def test_a_mistyped_check_is_told_before_looking(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(front_doctor, "open_tools", lambda *_, **__: pytest.fail("it looked"))
    with pytest.raises(BadRequest, match=r"cuda\.kernel"):
        front_doctor.doctor(("cuda.kernel",), (), as_json=False, verbosity=0)


@pytest.mark.parametrize(("checks", "code"), [((GOOD,), 0), ((GOOD, BAD), 4)])
def test_lines_by_group_and_the_exit_code(
    checks: tuple[Check, ...],
    code: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(front_doctor, "examine", lambda *_: checks)
    assert front_doctor.doctor((), (), as_json=False, verbosity=0) == code
    out = capsys.readouterr().out
    assert out.startswith("This machine can build: CPU wheel yes, CUDA wheel ")
    assert "host" not in out, "what is in order is counted"
    assert ("→ take another" in out) == (code == 4)
    assert out.strip().endswith("1 pass; -v shows them all")
    front_doctor.doctor((), (), as_json=False, verbosity=1)
    assert "host" in capsys.readouterr().out


def test_json_is_one_document(capsys: pytest.CaptureFixture[str]) -> None:
    assert front_doctor.doctor(("host.system",), (), as_json=True, verbosity=0) in {0, 4}
    document = json.loads(capsys.readouterr().out)
    assert document["schema"] == "tfbuild.doctor/1"
    assert [check["name"] for check in document["checks"]] == ["system"]


def test_the_list_names_every_check(capsys: pytest.CaptureFixture[str]) -> None:
    front_doctor.list_checks(as_json=False)
    assert "cuda.kernels" in capsys.readouterr().out
    front_doctor.list_checks(as_json=True)
    assert json.loads(capsys.readouterr().out)["schema"] == "tfbuild.checks/1"


def test_settings_that_are_ignored_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(front_doctor, "examine", lambda *_: (GOOD,))
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "pyproject.toml"
    path.write_text('[tool.tfbuild]\npython = "3.12"\n')
    path.chmod(0o666)
    front_doctor.doctor((), ("python=3.11",), as_json=True, verbosity=0)
    assert f"{path} is ignored" in capsys.readouterr().err.replace("\n", "")
