"""One stage on a wheel: what is printed, and how it ends."""

import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from tests.failing import fails
from tests.fakes import FakeEnvironment, a_host
from tests.products.products import a_plan, laid_out
from tests.sample_report import WHEEL, a_perf, a_report, a_smoke, an_audit
from tests.schema_maker import check
from tfbuild.builds.stages.report import report_document as wheel_document
from tfbuild.commands import wheel as wheel_command
from tfbuild.core.paths import file_digest
from tfbuild.core.plans import AuditPolicy
from tfbuild.core.records import Interpreter
from tfbuild.core.report_seal import sealed
from tfbuild.core.reports import SmokeReport
from tfbuild.products.archive import pack
from tfbuild.recipes.recipe import Probe
from tfbuild.recipes.records import ProductReport
from tfbuild.run.report import report_document


@pytest.fixture
def wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file with a wheel's name, on a machine with the Python that it is for."""
    python = Interpreter(path=sys.executable, version="3.11.7", tag="cp311")
    monkeypatch.setattr("tfbuild.doctor.survey.look_at_host", lambda *_: a_host(pythons=(python,)))
    path = tmp_path / WHEEL
    path.touch()
    return path


def test_audit_prints_every_line_and_fails_at_the_end(
    wheel: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[AuditPolicy] = []

    def answer(policy: AuditPolicy, *_: object) -> object:
        asked.append(policy)
        return an_audit("failed")

    monkeypatch.setattr("tfbuild.builds.stages.audit.audit_wheel", answer)
    with fails("wheel-not-as-asked"):
        wheel_command.audit(wheel, "RTX 3090, sm_90", as_json=False, verbosity=0)
    assert capsys.readouterr().out.splitlines()[-1] == "1 failed", "the total is the last line"
    with fails("wheel-not-as-asked", "tag") as caught:
        wheel_command.audit(wheel, "", as_json=True, verbosity=0)
    assert caught.value.is_printed, "the document holds it: no second one"
    assert asked[0].architectures == ("sm_86", "sm_90")


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[AuditPolicy]:
    """What audits that pass were asked for, one after another."""
    found: list[AuditPolicy] = []

    def answer(policy: AuditPolicy, *_: object) -> object:
        found.append(policy)
        return an_audit("passed")

    monkeypatch.setattr("tfbuild.builds.stages.audit.audit_wheel", answer)
    return found


def test_audit_holds_a_wheel_against_the_users_own_report_beside_it(
    wheel: Path, tmp_path: Path, asked: list[AuditPolicy], capsys: pytest.CaptureFixture[str]
) -> None:
    report = a_report(tmp_path)
    policy = replace(report.plan.audit, glibc_ceiling="2.17")
    document = wheel_document(replace(report, plan=replace(report.plan, audit=policy)))
    beside = wheel.with_name("report.json")
    for sha256, ceiling in ((file_digest(wheel), "2.17"), ("0" * 64, "")):
        document["wheel"]["sha256"] = sha256
        beside.write_text(json.dumps(sealed(document)))
        wheel_command.audit(wheel, "", as_json=False, verbosity=0)
        assert asked[-1].glibc_ceiling == ceiling
        assert ("report.json" in capsys.readouterr().err) == bool(ceiling)
    beside.write_text("{")
    wheel_command.audit(wheel, "", as_json=False, verbosity=0)
    assert asked[-1].glibc_ceiling == "", "what cannot be read says nothing of it"


def test_a_report_of_somebody_else_makes_no_audit_easier(
    wheel: Path, tmp_path: Path, asked: list[AuditPolicy], capsys: pytest.CaptureFixture[str]
) -> None:
    report = a_report(tmp_path)
    policy = replace(report.plan.audit, folders=("numpy", "pip"))
    document = wheel_document(replace(report, plan=replace(report.plan, audit=policy)))
    document["wheel"]["sha256"] = file_digest(wheel)
    beside = wheel.with_name("report.json")
    changed = {**sealed(document), "tfbuild_version": "changed since"}
    for theirs in (document, changed, {**document, "seal": "é"}, {**document, "seal": 1}):
        beside.write_text(json.dumps(theirs))
        wheel_command.audit(wheel, "", as_json=False, verbosity=0)
        assert asked[-1].folders == (), "a report that is not the user's own asks for nothing"
        said = " ".join(capsys.readouterr().err.split())
        assert "your tfbuild did not write it" in said
        assert "--plan" in said
    wheel_command.audit(wheel, "", str(beside), as_json=False, verbosity=0)
    assert asked[-1].folders == ("numpy", "pip"), "who names it trusts it"
    assert "which was named" in capsys.readouterr().err


def test_smoke_and_perf_end_as_the_build_would(
    wheel: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for stage in ("smoke", "perf"):
        monkeypatch.setattr(f"tfbuild.builds.stages.{stage}.{stage}_needs", lambda *_: ())
    monkeypatch.setattr(
        "tfbuild.builds.stages.smoke.smoke_wheel", lambda *_, **__: a_smoke("failed", "x")
    )
    monkeypatch.setattr(
        "tfbuild.builds.stages.perf.measure_wheel", lambda *_, **__: a_perf(high=0.5)
    )
    with fails("smoke-checks-failed", "1 of 2") as smoke:
        wheel_command.smoke(wheel, full=False, as_json=False, verbosity=0)
    assert "gpu_matmul" in capsys.readouterr().out
    with fails("speed-threshold-missed", "numpy 2.4") as perf:
        wheel_command.perf(wheel, (), as_json=True, verbosity=0)
    for caught in (smoke, perf):
        log = Path(caught.value.log)
        assert (log.name, log.with_name("rerun.sh").is_file()) == ("log.txt", True)
    assert '"tfbuild.perf/1"' in capsys.readouterr().out


@pytest.mark.parametrize("full", [True, False])
def test_a_full_suite_has_the_examples_and_what_they_need(
    full: bool, wheel: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def needs(_wheel: Path, requirements: Sequence[str], *_: object) -> tuple[()]:
        asked.extend(requirements)
        return ()

    def run_suite(_wheel: Path, probes: tuple[str, ...], *_: object, **__: object) -> SmokeReport:
        asked.extend(probes)
        return a_smoke("passed", "")

    monkeypatch.setattr("tfbuild.builds.stages.smoke.smoke_needs", needs)
    monkeypatch.setattr("tfbuild.builds.stages.smoke.smoke_wheel", run_suite)
    wheel_command.smoke(wheel, full=full, as_json=False, verbosity=0)
    assert ("smoke_examples" in asked, "numba>=0.60" in asked) == (full, full)
    assert "smoke_train" in asked


def test_a_wheel_for_another_python_is_refused(fake_env: FakeEnvironment, tmp_path: Path) -> None:
    python = Interpreter(path="/p", version="3.12.1", tag="cp312")
    tools = replace(fake_env.tools, host=a_host(pythons=(python,)))
    with fails("wheel-python-missing", WHEEL, "cp311", "cp312"):
        wheel_command._python_for(tmp_path / WHEEL, tools)
    assert wheel_command._python_for(tmp_path / "a-1-py3-none-any.whl", tools) == python


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, ProductReport]:
    """The archive of a recipe as a build delivers it, and its report."""
    folder = tmp_path_factory.mktemp("built")
    plan = a_plan(probes=(Probe(name="says", run=("bin/tiny",), prints="says 42"),))
    archive = pack(laid_out(folder, plan), folder / plan.archive, top="tiny")
    report = ProductReport(
        run_id="one", started_at="2026-11-29", tfbuild_version="0", host=a_host(), plan=plan,
        sha256=file_digest(archive),
    )  # fmt: skip
    return archive, report


def _report_beside(archive: Path, report: ProductReport) -> None:
    text = json.dumps(sealed(report_document(report)))
    archive.with_name(f"{archive.name}.report.json").write_text(text)


def test_an_archive_of_a_recipe_is_audited_and_tried(
    built: tuple[Path, ProductReport], wheel: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    archive, report = built
    _report_beside(archive, report)
    wheel_command.audit(archive, "", as_json=True, verbosity=0)
    document = json.loads(capsys.readouterr().out)
    check("audit", document)
    assert (document["wheel"], document["sha256"]) == (archive.name, report.sha256)
    wheel_command.smoke(archive, full=False, as_json=True, verbosity=0)
    document = json.loads(capsys.readouterr().out)
    check("smoke", document)
    assert [r["state"] for r in document["checks"] if r["name"] == "says"] == ["passed"]
    with fails("option-of-wheels", "--full", archive.name):
        wheel_command.smoke(archive, full=True, as_json=False, verbosity=0)
    with fails("option-of-archives", "--plan", WHEEL):
        wheel_command.smoke(wheel, "plan.json", full=False, as_json=False, verbosity=0)


def test_an_archive_that_is_not_what_was_planned_ends_as_a_wheel_does(
    built: tuple[Path, ProductReport], capsys: pytest.CaptureFixture[str]
) -> None:
    archive, report = built
    wrong = (Probe(name="says", run=("bin/tiny",), prints="adieu"),)
    plan = replace(report.plan, exports=("missing_symbol",), probes=wrong)
    _report_beside(archive, replace(report, plan=plan))
    with fails("wheel-not-as-asked", "exports"):
        wheel_command.audit(archive, "", as_json=False, verbosity=0)
    assert "missing_symbol" in capsys.readouterr().out
    with fails("smoke-checks-failed", "1 of 4", "adieu") as caught:
        wheel_command.smoke(archive, full=False, as_json=True, verbosity=0)
    assert caught.value.is_printed
    assert Path(caught.value.log).is_file()


def test_perf_says_what_takes_an_archive(tmp_path: Path) -> None:
    archive = tmp_path / "slug-1.0-linux-x86_64.tar.gz"
    archive.touch()
    with fails("wheel-name-invalid", archive.name, "`tfbuild smoke`"):
        wheel_command.perf(archive, (), as_json=False, verbosity=0)
