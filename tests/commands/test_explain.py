"""What a code means, one or all, in words and as JSON."""

import json

import pytest

from tests.failing import fails
from tests.schema_maker import check
from tests.source_files import ROOT
from tfbuild.commands.explain import PAGES, explain
from tfbuild.core.error_catalogue import error_meanings
from tfbuild.doctor.examination import SPECS

CODE = "deadline-reached"


@pytest.mark.parametrize("asked", [CODE, f"error[{CODE}]", f"[{CODE}]"])
def test_a_code_is_taken_as_it_is_shown(asked: str, capsys: pytest.CaptureFixture[str]) -> None:
    explain(asked, as_json=False)
    said = capsys.readouterr().out
    assert error_meanings()[CODE].means in said
    assert "13" in said


def test_a_code_leads_to_its_remedy_and_to_a_page_that_there_is(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    explain("lock-differs", as_json=False)
    said = capsys.readouterr().out.splitlines()
    assert said[1:] == [
        "The exit code is 2.",
        "The error itself says what to do, in its line `do this`.",
        f"Documentation: {ROOT}/docs/pages/explanation/plans-and-locks.md",
    ]
    explain("host.system", as_json=False)
    assert "`tfbuild doctor --check host.system`" in capsys.readouterr().out
    monkeypatch.setattr("tfbuild.commands.explain.PACKAGE", ROOT / "nowhere" / "tfbuild")
    explain("lock-differs", as_json=False)
    assert "Documentation: docs/pages/explanation/plans" in capsys.readouterr().out


def test_every_area_has_a_page() -> None:
    assert {*PAGES} == {meaning.area for meaning in error_meanings().values()} | {"doctor"}
    for page in PAGES.values():
        assert (ROOT / "docs" / "pages" / f"{page}.md").is_file()


def test_without_a_code_all_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    explain("", as_json=False)
    said = capsys.readouterr().out
    assert [code for code in error_meanings() if code not in said] == []
    explain("", as_json=True)
    document = json.loads(capsys.readouterr().out)
    check("error-codes", document)
    checks = {spec.full_name for spec in SPECS}
    assert {row["code"] for row in document["codes"]} == {*error_meanings(), *checks}


def test_a_misspelt_code_is_answered_by_the_nearest() -> None:
    with fails("unknown-error-code", "deadline-reached"):
        explain("deadline-reach", as_json=False)


@pytest.mark.parametrize("asked", ["memory-short", "warning[memory-short]"])
def test_a_warning_is_explained_too(asked: str, capsys: pytest.CaptureFixture[str]) -> None:
    explain(asked, as_json=False)
    said = capsys.readouterr().out
    assert error_meanings()["memory-short"].means in said
    assert "It is a warning" in said


def test_a_check_of_doctor_is_explained_by_its_name(capsys: pytest.CaptureFixture[str]) -> None:
    for spec in SPECS:
        explain(spec.full_name, as_json=False)
        said = capsys.readouterr().out
        assert spec.looks_at in said
        assert "The exit code is 4 where that fails" in said


def test_a_cause_that_diagnose_names_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    explain("nvcc-arch-unsupported", as_json=False)
    said = " ".join(capsys.readouterr().out.split())
    assert "It is a cause that `tfbuild diagnose` finds in logs." in said
    assert "{" not in said
