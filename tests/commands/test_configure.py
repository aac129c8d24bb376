"""The command `configure`, as a user calls it."""

import json
from pathlib import Path

import pytest

from tests.failing import fails
from tests.schema_maker import check
from tests.tensorflow_trees import make_tree
from tfbuild.commands.configure import configure, show_script


def test_it_prints_the_answers_as_a_document(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TFBUILD_CACHE_DIR", str(tmp_path / "cache"))
    source = make_tree(tmp_path / "tree", "2.14.1", pythons=())
    flags = {"source": str(source), "cuda": "none"}
    configure((), flags, as_json=True, verbosity=-1)
    document = json.loads(capsys.readouterr().out)
    check("configured", document)
    assert document["rc_file"] == str(source / ".tf_configure.bazelrc")
    assert ["TF_NEED_CUDA", "0"] in document["settings"]
    configure((), flags, as_json=False, verbosity=-1)
    assert "TF_NEED_CUDA=0" in capsys.readouterr().out


def test_a_script_for_another_system_is_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    show_script(str(make_tree(tmp_path, "2.6.5")), "macos-arm64")
    assert capsys.readouterr().out.startswith("#!/bin/sh\n")
    with fails("source-tree-not-named", "--source"):
        show_script("", "macos-arm64")
