"""Proposals as a whole: a diff that applies, files that are written, an index that fails."""

import datetime
import errno
import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.failing import fails
from tests.package_indexes import FakeIndex, wheels
from tests.web import only_here, serve
from tfbuild.core.process import ProcessRunner
from tfbuild.curation.matrix_file import read_matrix
from tfbuild.curation.refresh import Proposal, apply, diff_text, propose
from tfbuild.fetch.http import Access
from tfbuild.fetch.package_index import PackageIndex, open_index
from tfbuild.fetch.pip_config import PipConfig
from tfbuild.fetch.simple_api import JSON

TODAY = "2026-03-04"
INDEX = "  index: 'Package index, file lists and metadata of the releases'"
PROTOBUF = """\
about: 'protobuf releases.'
sources:
  notes: Release notes
rows:
- {version: '6.33.0', requires: {python: '>=3.9'}, source: [notes], checked: '2026-01-01', evidence: documented}
- {version: '6.32.0',   requires: {python: ">=3.9"},   source: [notes], checked: '2026-01-01', evidence: documented}
"""  # noqa: E501
PYTHON = """\
about: CPython.
sources:
  numpy: 'Package index, file list of numpy'
rows:
- {version: '3.12', source: [numpy], checked: '2026-01-01', evidence: metadata}
"""


def an_index() -> FakeIndex:
    return FakeIndex(
        {
            "protobuf": (
                *wheels("protobuf", "6.33.0", "py3-any", requires_python=">=3.9"),
                *wheels("protobuf", "6.34.0", "py3-any", requires_python=">=3.10"),
            ),
            "numpy": wheels("numpy", "2.5.0", "cp313-manylinux_2_27_x86_64"),
        }
    )


def files() -> dict[str, str]:
    return {"protobuf.yaml": PROTOBUF, "python.yaml": PYTHON, "gpus.yaml": "not looked at"}


def written(folder: Path) -> None:
    for name, text in files().items():
        (folder / name).write_text(text)


def test_new_lines_carry_their_ground() -> None:
    python, protobuf = propose(files(), an_index(), today=TODAY)
    assert (python.file, python.added, protobuf.added) == ("python.yaml", ("3.13",), ("6.34.0",))
    (line,) = set(protobuf.after.splitlines()) - {*PROTOBUF.splitlines()} - {INDEX}
    assert line == (
        "- {version: '6.34.0', requires: {python: '>=3.10'}, source: [index], "
        "checked: '2026-03-04', evidence: metadata}"
    )
    assert INDEX in protobuf.after
    assert INDEX in python.after
    assert "source: [index], checked: '2026-03-04', evidence: metadata}" in python.after
    assert python.after.count("sources:") == 1


def test_a_line_is_dated_today() -> None:
    days = {datetime.datetime.now(datetime.UTC).date().isoformat()}
    (proposal,) = propose({"protobuf.yaml": PROTOBUF}, an_index())
    days.add(datetime.datetime.now(datetime.UTC).date().isoformat())  # midnight may come between
    assert read_matrix("protobuf.yaml", proposal.after).rows[0]["checked"] in days


def test_a_second_refresh_has_nothing_to_say() -> None:
    once = propose(files(), an_index(), today=TODAY)
    again = propose({p.file: p.after for p in once}, an_index(), today="2026-05-06")
    assert diff_text(again) == ""
    assert [(p.added, p.changed, p.notes) for p in again] == [((), (), ())] * 2


def test_a_project_is_asked_for_once_and_one_that_nobody_lists_is_noted() -> None:
    index = FakeIndex()
    numpy = "rows:\n- {version: '2.0', source: [x]}\n"
    proposals = propose({**files(), "numpy.yaml": numpy}, index, today=TODAY)
    assert sorted(index.asked) == ["numpy", "protobuf"]
    assert {p.file: p.notes for p in proposals} == {
        "python.yaml": ("no index lists a wheel of numpy",),
        "numpy.yaml": ("no index lists a wheel of numpy",),
        "protobuf.yaml": ("no index lists a wheel of protobuf",),
    }
    assert diff_text(proposals) == ""


def test_what_no_index_states_is_asked_for_in_one_note() -> None:
    toolkits = ("13.1.0", "13.2.0", "13.3.0")
    found = [wheels("cuda-toolkit", version, "py3-any") for version in toolkits]
    index = FakeIndex({"cuda-toolkit": tuple(file for files in found for file in files)})
    text = "sources:\n  index: Package index\nrows:\n- {version: '13.1', source: [index]}\n"
    (proposal,) = propose({"cuda.yaml": text}, index, today=TODAY)
    assert proposal.notes == (
        "no index lists a wheel of nvidia-cuda-nvcc",
        "fill in by hand: architectures, host compilers and driver (13.3, 13.2)",
    )


def test_an_empty_matrix_does_not_say_where_to_begin() -> None:
    (proposal,) = propose({"protobuf.yaml": "rows: []\n"}, an_index(), today=TODAY)
    assert proposal.after == proposal.before


def test_a_file_that_is_no_matrix_is_refused() -> None:
    with fails("matrix-rows-missing", "protobuf"):
        propose({"protobuf.yaml": "- {version: '1'}\n"}, an_index())


@pytest.mark.skipif(not shutil.which("patch"), reason="the program patch is not installed")
def test_the_diff_is_one_that_patch_takes(tmp_path: Path) -> None:
    (tmp_path / "matrices").mkdir()
    written(tmp_path / "matrices")
    proposals = propose(files(), an_index(), today=TODAY)
    subprocess.run(
        ["patch", "-p1", "--quiet"],
        input=diff_text(proposals).encode(),
        cwd=tmp_path,
        check=True,
    )
    for proposal in proposals:
        assert (tmp_path / "matrices" / proposal.file).read_text() == proposal.after


def test_the_diff_says_which_lines_come_and_go() -> None:
    text = diff_text(propose(files(), an_index(), today=TODAY))
    assert text.startswith("--- a/matrices/python.yaml\n+++ b/matrices/python.yaml\n@@ ")
    assert [line[:16] for line in text.splitlines() if line[0] == "+" and line[1] == "-"] == [
        "+- {version: '3.",
        "+- {version: '6.",
    ]
    assert [line for line in text.splitlines() if line.startswith("-")] == [
        "--- a/matrices/python.yaml",
        "--- a/matrices/protobuf.yaml",
    ]


def test_a_missing_end_of_line_is_marked() -> None:
    proposal = Proposal(file="a.yaml", before="x\ny", after="x\nz\n")
    assert "-y\n\\ No newline at end of file\n+z\n" in diff_text([proposal])


def test_writing_touches_only_what_has_changed(tmp_path: Path) -> None:
    written(tmp_path)
    proposals = propose(files(), an_index(), today=TODAY)
    same = Proposal(file="gpus.yaml", before="x", after="x")
    assert apply(tmp_path, (*proposals, same)) == (
        tmp_path / "python.yaml",
        tmp_path / "protobuf.yaml",
    )
    assert {p.name: p.read_text() for p in tmp_path.iterdir()} == {
        **{p.file: p.after for p in proposals},
        "gpus.yaml": "not looked at",
    }


def test_nothing_is_written_over_an_edit_that_came_in_between(tmp_path: Path) -> None:
    written(tmp_path)
    proposals = propose(files(), an_index(), today=TODAY)
    (tmp_path / "protobuf.yaml").write_text(PROTOBUF + "# mine\n")
    with fails("facts-changed-meanwhile", str(tmp_path / "protobuf.yaml")) as caught:
        apply(tmp_path, proposals)
    assert caught.value.hint
    assert (tmp_path / "python.yaml").read_text() == PYTHON


def test_a_folder_that_must_not_be_written_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(path: Path, _content: str) -> Path:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    written(tmp_path)
    proposals = propose(files(), an_index(), today=TODAY)
    monkeypatch.setattr("tfbuild.curation.refresh.write_aside", refused)
    with fails("facts-not-writable", str(tmp_path), "Permission denied") as caught:
        apply(tmp_path, proposals)
    assert caught.value.hint


def test_from_the_index_of_a_server_to_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    hosts = only_here(monkeypatch)
    with serve() as site:
        entry = {"url": "protobuf-7.0.0-py3-none-any.whl", "requires-python": ">=3.11"}
        document = {"meta": {"api-version": "1.3"}, "files": [entry]}
        site.files["simple/protobuf/"] = json.dumps(document).encode()
        site.kinds["simple/protobuf/"] = JSON
        index = PackageIndex(PipConfig(indexes=(f"{site.url}/simple",), access=Access()))
        (proposal,) = propose({"protobuf.yaml": PROTOBUF}, index, today=TODAY)
        assert proposal.added == ("7.0.0",)
        site.codes = [403]
        with fails("http-refused", site.url, "403"):
            propose({"protobuf.yaml": PROTOBUF}, index, today=TODAY)
    assert set(hosts) == {"127.0.0.1"}


@pytest.mark.network
def test_rows_that_were_taken_out_come_back_from_the_real_index() -> None:
    text = """\
about: numpy.
sources:
  index: Package index
rows:
- {version: '2.0.0', requires: {python: '>=3.9,<3.12'}, c_api: '0x12', source: [index]}
- {version: '1.26.4', requires: {python: '>=3.9,<3.13'}, source: [index]}
"""
    (proposal,) = propose({"numpy.yaml": text}, open_index(ProcessRunner()))
    rows = {row["version"]: row for row in read_matrix("numpy.yaml", proposal.after).rows}
    assert {"2.0.1", "2.0.2", "2.1.0"} <= set(proposal.added)
    assert rows["2.0.2"]["requires"] == {"python": ">=3.9,<3.13"}
    assert rows["2.0.2"]["c_api"] == "0x12"
    assert proposal.changed == ("2.0.0",)
