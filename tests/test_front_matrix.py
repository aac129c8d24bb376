"""What `tfbuild matrix` prints, and its exit codes."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.schema_maker import check
from tests.small_facts import Row
from tests.toy import toy_tables
from tfbuild import front_matrix
from tfbuild.errors import BadRecipe, BadRequest
from tfbuild.tables import Tables

THREADS = Path(__file__).parent / "cases" / "threads"


def use(monkeypatch: pytest.MonkeyPatch, tables: Tables) -> None:
    monkeypatch.setattr(front_matrix, "open_tables", lambda: tables)


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Tables:
    """The small world in place of the project's facts."""
    tables = toy_tables(tmp_path)
    use(monkeypatch, tables)
    return tables


def document(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_the_list_has_a_line_per_axis(toy: Tables, capsys: pytest.CaptureFixture[str]) -> None:
    front_matrix.matrix_list(as_json=False)
    out = capsys.readouterr().out
    (cuda,) = [line.split() for line in out.splitlines() if line.startswith("cuda ")]
    assert cuda[1:4] == ["2", "11.2", "11.0"]
    assert "2 rows of tested builds" in out
    front_matrix.matrix_list(as_json=True)
    found = document(capsys)
    check("matrix", found)
    assert {axis["axis"] for axis in found["axes"]} >= {"tensorflow", "gpu", "os"}
    assert found["rules"] > 5


def test_stale_facts_are_a_warning(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    old = [{"version": "9.3", "checked": "2019-05-01"}]
    use(monkeypatch, toy_tables(tmp_path, gcc=old))
    front_matrix.matrix_list(as_json=False)
    err = capsys.readouterr().err
    assert "GCC were last checked on 2019-05-01" in err
    assert "CUDA" not in err


def test_rows_of_an_axis(toy: Tables, capsys: pytest.CaptureFixture[str]) -> None:
    front_matrix.matrix_show("tensorflow", "", as_json=False)
    out = capsys.readouterr().out
    assert "2.1.0" in out
    assert "numpy <2" in out
    front_matrix.matrix_show("tensorflow", "", as_json=True)
    found = document(capsys)
    check("matrix.rows", found)
    assert [row["version"] for row in found["rows"]] == ["2.2.0", "2.1.0", "2.0.0"]
    assert found["rows"][1]["requires"]["numpy"] == "<2"
    assert found["rows"][1]["wheels"] == {"linux-x86_64": "3.8 3.10"}


def test_one_version_with_every_rule_about_it(
    toy: Tables, capsys: pytest.CaptureFixture[str]
) -> None:
    front_matrix.matrix_show("cuda", "11.0", as_json=False)
    out = capsys.readouterr().out
    assert "cuda 11.0  [measured, checked 2099-01-01]" in out
    assert "source  a paper" in out
    assert "CUDA 11.0 compiles for sm_70, sm_80" in out
    assert "A CUDA build needs cuDNN" in out
    assert "CUDA 11.2 compiles" not in out


def test_what_is_not_there_is_refused(toy: Tables) -> None:
    with pytest.raises(BadRequest, match="no axis 'cdua'"):
        front_matrix.matrix_show("cdua", "", as_json=False)
    with pytest.raises(BadRequest, match=r"9\.9"):
        front_matrix.matrix_show("cuda", "9.9", as_json=True)


def test_a_sound_world_passes(toy: Tables, capsys: pytest.CaptureFixture[str]) -> None:
    front_matrix.matrix_check("", as_json=False)
    assert "0 faults" in capsys.readouterr().out
    front_matrix.matrix_check("", as_json=True)
    found = document(capsys)
    check("matrix.check", found)
    assert (found["findings"], found["cases"], found["score"]) == ([], [], "")


BROKEN: Sequence[Row] = ({"version": "9.3"}, {"version": "12.2"})


def test_a_fault_is_named_and_ends_in_an_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    use(monkeypatch, toy_tables(tmp_path, gcc=BROKEN))
    with pytest.raises(BadRecipe) as caught:
        front_matrix.matrix_check("", as_json=False)
    assert caught.value.exit_code == 2
    assert not caught.value.is_told
    assert "matrices/gcc.yaml" in capsys.readouterr().out
    with pytest.raises(BadRecipe) as caught:
        front_matrix.matrix_check("", as_json=True)
    assert caught.value.is_told, "the document holds it: no second one"
    found = document(capsys)
    check("matrix.check", found)
    assert found["findings"]


def write_case(folder: Path, name: str, request: dict[str, str], outcome: str, *axes: str) -> None:
    content = {"source": "a thread", "says": "x", "request": request, "outcome": outcome,
               "kind": "build", "axes": list(axes)}  # fmt: skip
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.yaml").write_text(json.dumps(content))


def test_cases_judged_otherwise_are_listed_and_are_no_error(
    toy: Tables, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    folder = tmp_path / "cases"
    wish = {"tensorflow": "2.1.0", "python": "3.11"}
    write_case(folder, "right", wish, "conflict", "tensorflow", "python")
    write_case(folder, "wrong-one", wish, "works")
    front_matrix.matrix_check(str(folder), as_json=False)
    out = capsys.readouterr().out
    assert "wrong-one" in out
    assert "right " not in out
    assert "1 of 2 (conflict 1 of 1, works 0 of 1)" in out
    front_matrix.matrix_check(str(folder), as_json=True)
    found = document(capsys)
    check("matrix.check", found)
    assert {case["name"]: case["is_right"] for case in found["cases"]} == {
        "right": True, "wrong-one": False,
    }  # fmt: skip
    with pytest.raises(BadRequest):
        front_matrix.matrix_check(str(tmp_path / "nothing"), as_json=False)


def test_the_project_s_facts_and_cases(capsys: pytest.CaptureFixture[str]) -> None:
    front_matrix.matrix_check(str(THREADS), as_json=True)
    found = document(capsys)
    check("matrix.check", found)
    assert not [finding for finding in found["findings"] if finding["is_fault"]]
    assert len(found["cases"]) == len(list(THREADS.glob("*.yaml")))
    right = [case["name"] for case in found["cases"] if case["is_right"]]
    assert len(right) > 0.8 * len(found["cases"]), found["score"]
