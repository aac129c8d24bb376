"""Finished builds as rows of tested builds, or the reason why not."""

import json
from datetime import date
from pathlib import Path

import pytest

from tests.failing import fails
from tests.finished_builds import A_GPU, CUDA, NEW, OLD, ON_GPU, a_finished, changed
from tfbuild.core.error_catalogue import error_meanings
from tfbuild.core.report_seal import sealed
from tfbuild.core.reports import AuditFinding, SmokeCheck
from tfbuild.curation.evidence import Refusal, Verified, verify
from tfbuild.facts import rows as records
from tfbuild.facts.rules import Facts, load_facts
from tfbuild.facts.tables import Tables

TODAY = date(2026, 2, 4)
IMPORT = SmokeCheck(name="import", state="passed")


@pytest.fixture
def facts(tables: Tables) -> Facts:
    return load_facts(tables)


def rows(verified: Verified) -> list[records.TestedRow]:
    return [proof.row for proof in verified.proofs]


def only(verified: Verified) -> records.TestedRow:
    (row,) = rows(verified)
    return row


def refusal(verified: Verified) -> Refusal:
    (one,) = verified.refusals
    return one


def test_every_cell_is_a_row(tmp_path: Path, facts: Facts) -> None:
    for name, versions in (("python3.9", OLD), ("python3.13", NEW)):
        a_finished(tmp_path / name, versions)
    verified = verify([tmp_path], facts, TODAY)
    assert verified.exit_code == 0
    assert verified.refusals == ()
    newer, older = rows(verified)
    assert older == records.TestedRow(
        runtime="0.1.0", platform="linux", device="cpu", os="debian 11", glibc="2.31",
        python="3.9", numpy="1.23.5", gcc="10.2", bazel="3.5.1", source=("own-build",),
        checked="2026-02-03", evidence="proven",
    )  # fmt: skip
    assert (newer.os, newer.python, newer.bazel) == ("debian 13", "3.13", "4.2.3")


def test_a_report_that_another_has_written_proves_nothing_where_nobody_named_it(
    tmp_path: Path, facts: Facts
) -> None:
    path = a_finished(tmp_path / "cell", OLD)
    verified = verify([tmp_path], facts, TODAY, own_alone=True)
    assert (rows(verified), refusal(verified).code) == ([], "reported-by-another")
    assert verified.exit_code == 2
    path.write_text(json.dumps(sealed(json.loads(path.read_text()))))
    assert len(rows(verify([tmp_path], facts, TODAY, own_alone=True))) == 1


def test_a_folder_given_twice_counts_once(tmp_path: Path, facts: Facts) -> None:
    a_finished(tmp_path / "cell", OLD)
    elsewhere = tmp_path / "cell" / ".." / "cell"
    assert len(rows(verify([tmp_path, tmp_path / "cell", elsewhere], facts, TODAY))) == 1


def test_the_tools_are_those_that_were_used(tmp_path: Path, facts: Facts) -> None:
    path = a_finished(tmp_path, NEW)
    lock = next(path.parent.glob("*.lock.yaml"))
    before, tools, after = lock.read_text().partition("tools:")
    lock.write_text(before + tools + _other(after))
    row = only(verify([tmp_path], facts, TODAY))
    assert (row.bazel, row.gcc, row.numpy) == ("4.2.2", "14.3", "2.3.5")


def _other(tools: str) -> str:
    return tools.replace("bazel: 4.2.3", "bazel: 4.2.2").replace("14.2.0", "14.3.0")


def test_without_a_gpu_the_row_says_what_was_not_run(tmp_path: Path, facts: Facts) -> None:
    a_finished(tmp_path / "a", CUDA)
    row = only(verify([tmp_path], facts, TODAY))
    assert (row.device, row.cuda, row.cudnn, row.gpu) == ("cuda", "13.0", "9.14.0", "")
    assert row.note == "compiled and audited; no GPU was there to run its kernels"


def test_with_a_gpu_the_row_names_it(tmp_path: Path, facts: Facts) -> None:
    a_finished(tmp_path / "a", CUDA, checks=(IMPORT, *ON_GPU), gpus=(A_GPU,))
    row = only(verify([tmp_path], facts, TODAY))
    assert (row.gpu, row.note) == ("H200 (sm_90)", "")


def test_a_system_without_facts_is_named_in_words(tmp_path: Path, facts: Facts) -> None:
    a_finished(tmp_path, OLD, distribution="plan9", distribution_version="4")
    row = only(verify([tmp_path], facts, TODAY))
    assert (row.os, row.glibc, row.note) == ("", "2.31", "built on plan 9 4")


@pytest.mark.parametrize(
    ("changes", "code", "named"),
    [
        ({"day": "2026-02-05"}, "report-from-future", "2026-02-05"),
        ({"glibc": "new"}, "not-a-version", "'new'"),
        ({"machine": "aarch64"}, "report-platform-unknown", "'linux-aarch64'"),
        ({"checks": (SmokeCheck(name="import", state="failed"),)}, "reported-smoke-failed", ""),
        (
            {"findings": (AuditFinding(name="tag", asked="a", built="b", state="failed"),)},
            "reported-audit-failed",
            "tag",
        ),
        # Debian 11 has glibc 2.31, whatever a report says.
        ({"distribution_version": "12"}, "facts-deny-build", ""),
    ],
)
def test_what_is_not_believed_is_reported_with_its_code(
    tmp_path: Path, facts: Facts, changes: dict[str, object], code: str, named: str
) -> None:
    a_finished(tmp_path, OLD, **changes)  # type: ignore[arg-type]
    verified = verify([tmp_path], facts, TODAY)
    found = refusal(verified)
    assert found.code == code
    assert named in found.reason
    assert found.exit_code == verified.exit_code == error_meanings()[code].exit_code
    assert rows(verified) == []


def test_what_the_facts_say_is_part_of_the_reason(tmp_path: Path, facts: Facts) -> None:
    a_finished(tmp_path, {**OLD, "gcc": "8.3"})
    found = refusal(verify([tmp_path], facts, TODAY))
    assert found.code == "facts-deny-build"
    assert "GCC" in found.why


def test_a_day_that_is_none(tmp_path: Path, facts: Facts) -> None:
    changed(a_finished(tmp_path, OLD), lambda document: document.update(started_at="once"))
    assert refusal(verify([tmp_path], facts, TODAY)).code == "report-date-missing"


def test_one_broken_report_does_not_hide_the_others(tmp_path: Path, facts: Facts) -> None:
    a_finished(tmp_path / "good", OLD)
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "report.json").write_text("{")
    verified = verify([tmp_path], facts, TODAY)
    assert len(rows(verified)) == len(verified.refusals) == 1
    assert verified.exit_code == 0, "what cannot be read contradicts nothing"
    a_finished(tmp_path / "worse", NEW, checks=(SmokeCheck(name="import", state="failed"),))
    assert verify([tmp_path], facts, TODAY).exit_code == 8


def test_a_name_that_no_system_has_does_not_hide_the_others(tmp_path: Path, facts: Facts) -> None:
    a_finished(tmp_path / "good", OLD)
    report = a_finished(tmp_path / "bad", NEW)
    changed(report, lambda document: document["wheel"].update(path=f"{'x' * 300}.whl"))
    verified = verify([tmp_path], facts, TODAY)
    assert len(rows(verified)) == 1
    assert refusal(verified).code == "report-unreadable"
    assert refusal(verified).why == "File name too long"


def test_nothing_that_can_be_read(tmp_path: Path, facts: Facts) -> None:
    with fails("report-missing", str(tmp_path)):
        verify([tmp_path], facts, TODAY)
    (tmp_path / "report.json").write_text("{")
    assert verify([tmp_path], facts, TODAY).exit_code == 2
