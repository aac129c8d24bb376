"""What source files held, and what has changed since."""

import os
from pathlib import Path

import pytest

from tfbuild.bazel import manifest
from tfbuild.bazel.manifest import SourceFile, compare_sources, list_sources


def tree(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        path = folder / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def listed(folder: Path, before: tuple[SourceFile, ...] = ()) -> tuple[SourceFile, ...]:
    return list_sources(folder, known={source.name: source for source in before})


def test_what_was_changed_added_and_removed_is_named(tmp_path: Path) -> None:
    before = listed(tree(tmp_path, a="1", b__c="2", d="3"))
    tree(tmp_path, a="one", e="new")
    (tmp_path / "d").unlink()
    changes = compare_sources(before, listed(tmp_path, before))
    assert [(change.name, change.how) for change in changes] == [
        ("a", "changed"), ("d", "removed"), ("e", "added"),
    ]  # fmt: skip


def test_a_file_that_was_only_touched_has_not_changed(tmp_path: Path) -> None:
    before = listed(tree(tmp_path, a="1"))
    os.utime(tmp_path / "a", (1, 1))
    assert compare_sources(before, listed(tmp_path, before)) == []


def test_what_looks_as_before_is_not_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = listed(tree(tmp_path, a="1", b="2"))
    (tmp_path / "b").write_text("two")
    read: list[str] = []

    def digest(path: Path) -> str:
        read.append(path.name)
        return "new"

    monkeypatch.setattr(manifest, "file_digest", digest)
    listed(tmp_path, before)
    assert read == ["b"]


def test_what_bazel_does_not_see_is_left_out(tmp_path: Path) -> None:
    tree(tmp_path, a="1", **{".git__HEAD": "x", "old__x": "x", "work__y": "y"})
    tree(tmp_path, **{".bazelignore": "# no sources\nold/\n"})
    (tmp_path / "bazel-out").symlink_to("/tmp")
    found = list_sources(tmp_path, leave_out=(tmp_path / "work",), known={})
    assert {source.name for source in found} == {".bazelignore", "a"}


def test_a_link_counts_by_where_it_leads(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("one")
    (tmp_path / "folder").symlink_to("/nowhere/at/all")
    before = listed(tmp_path)
    (tmp_path / "link").unlink()
    (tmp_path / "link").symlink_to("two")
    names = [change.name for change in compare_sources(before, listed(tmp_path, before))]
    assert names == ["link"]


def test_a_file_that_cannot_be_read_is_not_an_error(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (found,) = listed(tmp_path)
    assert found.sha256 == "no file"
