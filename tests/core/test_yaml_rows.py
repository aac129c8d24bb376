"""Rows of YAML files: what is right becomes records, and what is wrong is pointed at."""

from pathlib import Path

import pytest

from tfbuild.core.errors import BadRecipe
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
    ("change", "words"),
    [
        (("checked", "chekced"), ("entry 1 (3.10)", "'chekced'", "did you mean 'checked'?")),
        (("[paper, talk]", "[]"), ("entry 1 (3.10)", "'source' is empty")),
        (("[paper, talk]", "paper"), ("field source", "must be a list")),
        (("[paper, talk]", "[papre]"), ("'papre'", "did you mean 'paper'?")),
        (("2026-11-20", "yesterday"), ("field checked", "'yesterday'")),
        ((", checked: '2026-11-20'", ""), ("field 'checked' is missing",)),
        ((", evidence: documented", ""), ("field 'evidence' is missing",)),
        (("evidence: documented", "evidence: dokumented"),
         ("field evidence", "'dokumented'", "did you mean 'documented'?")),
        ((GOOD, "- a: 1\n"), ("must hold a mapping with rows",)),
        (("requires: {numpy: '>=1.21'}", "architectures: [sm_86, '']"),
         ("field architectures", "'' is not sm_")),
        (("  paper: A paper, table 3\n  talk: A talk\n", "  - paper\n"), ("sources must be",)),
        (("  paper: A paper, table 3", "  paper: [A paper]"), ("sources must be text",)),
        (("about:", "abuot:"), ("unknown key 'abuot'", "did you mean 'about'?")),
        (("rows:\n- {", "rows: {"), ("rows must be a list",)),
        (("'3.10'", "[3, 10]"), ("field version", "must be text")),
        (("{numpy: '>=1.21'}", "numpy"), ("field requires", "must be a mapping")),
        (("'3.10'", "'3.10"), ("not valid YAML",)),
    ],
)  # fmt: skip
def test_errors_name_file_entry_and_field(
    tmp_path: Path, change: tuple[str, str], words: tuple[str, ...]
) -> None:
    with pytest.raises(BadRecipe) as caught:
        rows(tmp_path, GOOD.replace(change[0], change[1], 1))
    said = f"{caught.value.message} {caught.value.hint}"
    assert "axis.yaml" in said
    for word in words:
        assert word in said
    assert caught.value.exit_code == 2
