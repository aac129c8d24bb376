"""The C++ library of a tree: planned as its wheel is, and a matrix of it as well."""

import json
from pathlib import Path

import pytest

from tests.builds.stages.test_configure_tree import host_for
from tests.schema_maker import check
from tests.tensorflow_trees import make_tree
from tfbuild.commands.build_matrix import show_cells
from tfbuild.commands.buildable.base import Asked


def test_a_matrix_of_libraries(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tfbuild.doctor.survey.look_at_host", lambda *_: host_for("2.14.1"))
    make_tree(tmp_path / "tree", "2.14.1")
    asked = Asked(words=("tensorflow-cc",), flags={"source": "tree"}, matrix=("python=3.10,3.11",))
    show_cells(asked, style="json")
    document = json.loads(capsys.readouterr().out)
    check("cells", document)
    assert (document["title"], document["noun"]) == ("C++ libraries", "library")
    assert [cell["axes"] for cell in document["cells"]] == [
        {"python": "3.10"}, {"python": "3.11"},
    ]  # fmt: skip
