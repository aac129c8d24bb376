"""What `fetch` says and leaves."""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.failing import fails
from tests.schema_maker import check
from tests.sources.workspaces import a_workspace
from tests.web import Site, serve
from tfbuild.commands.fetch import fetch


@pytest.fixture
def site() -> Iterator[Site]:
    with serve() as found:
        yield found


@pytest.fixture
def tree(tmp_path: Path, site: Site) -> Path:
    """One archive that the site has, and one that it has not."""
    folder = tmp_path / "tree"
    folder.mkdir()
    site.files["here.zip"] = b"here"
    lines = [
        f'http_archive(name = "{name}", url = "{site.url}/{name}.zip", '
        f'sha256 = "{hashlib.sha256(name.encode()).hexdigest()}")\n'
        for name in ("here", "gone")
    ]
    (folder / "WORKSPACE").write_text("".join(lines))
    return folder


def run(tree: Path, *only: str, is_list: bool = False, as_json: bool = False) -> None:
    fetch(
        str(tree), only, into=str(tree.parent / "cache"), out_of="", is_list=is_list,
        as_json=as_json, verbosity=-1,
    )  # fmt: skip


def test_what_could_not_be_had_is_named_together(tree: Path) -> None:
    with fails("archives-not-fetched", "1 of 2", "--from FOLDER") as caught:
        run(tree)
    error = caught.value
    assert "gone: " in error.why
    assert hashlib.sha256(b"gone").hexdigest() in error.why
    assert error.exit_code == 10


def test_one_alone(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(tree, "here")
    assert ": 1 of 1 archive" in capsys.readouterr().out
    with fails("archive-not-of-tree", "'her'", "'here'"):
        run(tree, "her")


def test_a_list_fetches_nothing(tree: Path, site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    run(tree, is_list=True)
    said = capsys.readouterr().out
    assert "missing here" in said
    assert "WORKSPACE:1" in said
    assert site.asked == []


def test_the_document(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(a_workspace(tmp_path / "tree"), is_list=True, as_json=True)
    document = json.loads(capsys.readouterr().out)
    check("archives", document)
    assert document["foreign"] == ["@skylib//:workspace.bzl"]


def test_it_needs_a_tree() -> None:
    with fails("source-tree-not-named", "--source"):
        fetch("", (), into="", out_of="", is_list=True, as_json=False, verbosity=0)
