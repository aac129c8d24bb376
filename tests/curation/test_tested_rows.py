"""Proven rows go into the text of tested.yaml, each where it belongs, and once."""

from dataclasses import replace
from typing import Any

import pytest

from tfbuild.curation.matrix_file import read_matrix
from tfbuild.curation.tested_rows import propose_rows
from tfbuild.facts import rows as records
from tfbuild.facts.tables import Tables

TEXT = """\
about: Tested builds.
sources:
  docs: A table
rows:
- {tensorflow: '2.21.0', platform: linux, device: cpu, python: '3.11', gcc: '12.2', bazel: '4.2.3', source: [docs], checked: '2026-01-01', evidence: documented}
- {runtime: '0.1.0', platform: linux, device: cpu, python: '3.11', gcc: '12.2', bazel: '4.2.3', note: as stated, source: [docs], checked: '2026-01-01', evidence: measured}
- {runtime: '0.1.0', platform: linux, device: cuda, python: '3.11', gcc: '12.2', bazel: '4.2.3', cuda: '13.0', cudnn: '9.14.0', source: [docs], checked: '2026-01-01', evidence: derived}
"""  # noqa: E501
ROW = records.TestedRow(
    runtime="0.1.0", platform="linux", device="cpu", os="debian 12", glibc="2.36", python="3.11",
    numpy="2.4.1", gcc="12.2", bazel="4.2.3", source=("own-build",), checked="2026-02-03",
    evidence="proven",
)  # fmt: skip
OTHER = replace(ROW, os="debian 11", glibc="2.31", python="3.9", gcc="10.2", bazel="3.5.1")
CUDA = replace(ROW, device="cuda", cuda="13.0", cudnn="9.14.0", note="compiled and audited")


def rows_of(text: str) -> list[dict[str, Any]]:
    return [dict(row) for row in read_matrix("tested.yaml", text, field="platform").rows]


def test_a_new_row_stands_before_those_of_its_release() -> None:
    newer = replace(OTHER, python="3.13")
    proposal, news = propose_rows(TEXT, [OTHER, newer])
    assert news == ("new", "new")
    after = rows_of(proposal.after)
    assert [row["python"] for row in after] == ["3.11", "3.13", "3.9", "3.11", "3.11"]
    assert after[2] == {
        "runtime": "0.1.0", "platform": "linux", "device": "cpu", "os": "debian 11",
        "glibc": "2.31", "python": "3.9", "numpy": "2.4.1", "gcc": "10.2", "bazel": "3.5.1",
        "source": ["own-build"], "checked": "2026-02-03", "evidence": "proven",
    }  # fmt: skip
    assert [row for row in after if row not in after[1:3]] == rows_of(TEXT)
    assert "\n  docs: A table\n  own-build: " in proposal.after
    assert proposal.added == (
        "runtime=0.1.0 platform=linux device=cpu os=debian 11 python=3.13 gcc=10.2 bazel=3.5.1",
        "runtime=0.1.0 platform=linux device=cpu os=debian 11 python=3.9 gcc=10.2 bazel=3.5.1",
    )


def test_a_release_without_rows_comes_first() -> None:
    proposal, _ = propose_rows(TEXT, [replace(OTHER, runtime="0.2.0")])
    assert rows_of(proposal.after)[0]["runtime"] == "0.2.0"


def test_what_was_tried_or_concluded_becomes_proven_in_its_place() -> None:
    proposal, news = propose_rows(TEXT, [ROW, CUDA])
    assert news == ("renewed", "renewed")
    after = rows_of(proposal.after)
    assert after[0] == rows_of(TEXT)[0]
    assert [row["evidence"] for row in after[1:]] == ["proven", "proven"]
    assert "note" not in after[1]
    assert after[2]["note"] == "compiled and audited"
    assert (len(proposal.added), len(proposal.changed)) == (0, 2)


def test_a_published_table_is_not_rewritten() -> None:
    proposal, news = propose_rows(TEXT, [replace(ROW, runtime="", tensorflow="2.21.0", os="")])
    assert news == ("new",)
    assert rows_of(TEXT)[0] in rows_of(proposal.after)


def test_a_second_time_nothing_is_new() -> None:
    once, _ = propose_rows(TEXT, [ROW, OTHER, CUDA])
    twice, news = propose_rows(once.after, [ROW, OTHER, CUDA])
    assert news == ("known", "known", "known")
    assert (twice.after, twice.added, twice.changed) == (once.after, (), ())


@pytest.mark.parametrize(
    ("day", "what", "found"),
    [("2026-02-04", "renewed", "2026-02-04"), ("2026-02-02", "known", "2026-02-03")],
)
def test_the_day_is_renewed_by_a_later_report_only(day: str, what: str, found: str) -> None:
    once, _ = propose_rows(TEXT, [OTHER])
    again, news = propose_rows(once.after, [replace(OTHER, checked=day)])
    assert news == (what,)
    assert len(rows_of(again.after)) == len(rows_of(once.after))
    assert rows_of(again.after)[1]["checked"] == found


def test_the_same_versions_on_another_system_are_another_row() -> None:
    once, _ = propose_rows(TEXT, [ROW])
    proposal, news = propose_rows(once.after, [replace(ROW, os="ubuntu 24.04")])
    assert news == ("new",)
    systems = [row.get("os") for row in rows_of(proposal.after)]
    assert systems == [None, "ubuntu 24.04", "debian 12", None]


def test_a_gpu_says_more_than_a_later_day_without_one() -> None:
    on_gpu = replace(CUDA, gpu="H200 (sm_90)", note="", checked="2026-01-31")
    once, _ = propose_rows(TEXT, [CUDA])
    better, news = propose_rows(once.after, [on_gpu])
    assert news == ("renewed",)
    kept, news = propose_rows(better.after, [replace(CUDA, checked="2026-03-01")])
    assert news == ("known",)
    assert rows_of(kept.after)[2]["gpu"] == "H200 (sm_90)"


def test_two_reports_of_one_build_are_one_row() -> None:
    later = replace(OTHER, checked="2026-02-09")
    for order in ([OTHER, later], [later, OTHER]):
        proposal, news = propose_rows(TEXT, order)
        assert news[0] == "new"
        assert len(proposal.added) == 1
        assert rows_of(proposal.after)[1]["checked"] == "2026-02-09"


def test_without_rows_the_text_stays(tables: Tables) -> None:
    text = (tables.matrices / "tested.yaml").read_text()
    proposal, news = propose_rows(text, [])
    assert (proposal.after, news) == (text, ())
    after = propose_rows(text, [replace(OTHER, runtime="9.9.9")])[0].after
    assert len(after.splitlines()) == len(text.splitlines()) + 1
