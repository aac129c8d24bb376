"""Rows of YAML files: what is right becomes records, and what is wrong is pointed at."""

from pathlib import Path

import pytest

from tests.failing import fails
from tfbuild.core.yaml_rows import read_rows
from tfbuild.facts.rows import AbsentRow, AxisRow


def rows(tmp_path: Path, text: str) -> tuple[AxisRow, ...]:
    path = tmp_path / "axis.yaml"
    path.write_text(text)
    return read_rows(path, AxisRow)


GOOD = """\
about: a test
sources:
  paper: A paper, table 3
  talk: A talk
rows:
- {version: '3.10', requires: {numpy: '>=1.21'}, source: [paper, talk], checked: '2026-11-20', evidence: documented}
absent:
- {version: '3.12', says: It never was., source: [paper], checked: '2026-11-20', evidence: derived}
"""  # noqa: E501  (as rows are written)


def test_versions_stay_text(tmp_path: Path) -> None:
    (row,) = rows(tmp_path, GOOD.replace("'3.10'", "3.10").replace("'2026-11-20'", "2026-11-20"))
    assert (row.version, row.checked) == ("3.10", "2026-11-20")


def test_keys_of_sources_become_their_words(tmp_path: Path) -> None:
    (row,) = rows(tmp_path, GOOD)
    assert row.source == ("A paper, table 3", "A talk")
    assert row.requires == (("numpy", ">=1.21"),)


def test_versions_that_never_were(tmp_path: Path) -> None:
    (tmp_path / "axis.yaml").write_text(GOOD)
    (row,) = read_rows(tmp_path / "axis.yaml", AbsentRow, key="absent")
    assert (row.version, row.says, row.source) == ("3.12", "It never was.", ("A paper, table 3",))
    (tmp_path / "axis.yaml").write_text(GOOD.partition("absent:")[0])
    (tmp_path / "without.yaml").write_text(GOOD.partition("absent:")[0])
    assert read_rows(tmp_path / "without.yaml", AbsentRow, key="absent") == ()


@pytest.mark.parametrize(
    ("change", "code", "named"),
    [
        (("checked", "chekced"), "entry-field-unknown",
         ("entry 1 (3.10)", "'chekced'", "'checked'")),
        (("[paper, talk]", "[]"), "row-source-empty", ("entry 1 (3.10)",)),
        (("[paper, talk]", "paper"), "entry-field-wrong", ("field source", "'paper'")),
        (("[paper, talk]", "[papre]"), "row-source-unknown", ("'papre'", "'paper'")),
        (("2026-11-20", "yesterday"), "row-date-wrong", ("field checked", "'yesterday'")),
        ((", checked: '2026-11-20'", ""), "entry-field-missing", ("'checked'",)),
        ((", evidence: documented", ""), "entry-field-missing", ("'evidence'",)),
        (("evidence: documented", "evidence: dokumented"), "row-evidence-unknown",
         ("field evidence", "'dokumented'", "'documented'")),
        ((GOOD, "- a: 1\n"), "matrix-rows-missing", ()),
        (("requires: {numpy: '>=1.21'}", "architectures: [sm_86, '']"), "entry-field-wrong",
         ("field architectures", "''", "sm_")),
        (("  paper: A paper, table 3\n  talk: A talk\n", "  - paper\n"), "matrix-sources-wrong",
         ()),
        (("  paper: A paper, table 3", "  paper: [A paper]"), "matrix-sources-wrong", ()),
        (("about:", "abuot:"), "matrix-key-unknown", ("'abuot'", "'about'")),
        (("rows:\n- {", "rows: {"), "matrix-key-not-list", ("rows",)),
        (("'3.10'", "[3, 10]"), "entry-field-wrong", ("field version", "[3, 10]")),
        (("{numpy: '>=1.21'}", "numpy"), "entry-field-wrong", ("field requires", "'numpy'")),
        (("'3.10'", "'3.10"), "not-yaml", ()),
    ],
)  # fmt: skip
def test_errors_name_file_entry_and_field(
    tmp_path: Path, change: tuple[str, str], code: str, named: tuple[str, ...]
) -> None:
    with fails(code, "axis.yaml", *named) as caught:
        rows(tmp_path, GOOD.replace(change[0], change[1], 1))
    assert caught.value.exit_code == 2
