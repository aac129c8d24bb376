"""What a workspace downloads, by reading it."""

from pathlib import Path

import pytest

from tests.sources.workspaces import SHA, a_workspace
from tfbuild.core.errors import BadRequest
from tfbuild.sources.archives import read_archives


def test_archives_of_the_root_and_of_macros(tmp_path: Path) -> None:
    found = {a.name: a for a in read_archives(a_workspace(tmp_path)).archives}
    assert set(found) == {"skylib", "eigen_archive", "unhashed"}
    assert found["skylib"].sha256 == SHA
    assert found["skylib"].file == "skylib-1.3.0.tar.gz"
    assert found["skylib"].said_at == "WORKSPACE:3"
    assert found["eigen_archive"].urls[1] == "https://example.org/0b51f/e.zip"
    assert found["unhashed"].sha256 == ""


def test_what_reading_cannot_tell_is_told(tmp_path: Path) -> None:
    found = read_archives(a_workspace(tmp_path))
    assert found.unread == ("tensorflow/workspace2.bzl:10",)
    assert found.foreign == ("@skylib//:workspace.bzl",)


def test_a_load_never_leaves_the_tree(tmp_path: Path) -> None:
    (tmp_path / "secret.bzl").write_text('http_archive(name = "s", url = "https://e.org/s.zip")\n')
    tree = a_workspace(tmp_path / "tree")
    loads = 'load("//..:secret.bzl", "x")\nload("//x:../../secret.bzl", "y")\n'
    (tree / "WORKSPACE").write_text(loads)
    assert read_archives(tree).archives == ()


def test_files_that_load_each_other(tmp_path: Path) -> None:
    tree = a_workspace(tmp_path)
    (tree / "tensorflow/versions.bzl").write_text(
        'load(":workspace2.bzl", "tf_workspace2")\nEIGEN_COMMIT = "0b51f"\n'
    )
    assert len(read_archives(tree).archives) == 3


def test_a_folder_that_is_no_workspace(tmp_path: Path) -> None:
    with pytest.raises(BadRequest, match="has no WORKSPACE"):
        read_archives(tmp_path)


def test_a_broken_file_is_named(tmp_path: Path) -> None:
    tree = a_workspace(tmp_path)
    (tree / "tensorflow/versions.bzl").write_text("EIGEN_COMMIT = (\n")
    with pytest.raises(BadRequest, match=r"versions\.bzl"):
        read_archives(tree)


def test_what_is_no_address_is_told(tmp_path: Path) -> None:
    (tmp_path / "WORKSPACE").write_text(
        'http_archive(name = "a", urls = ["https://[_URL]/a.zip"], sha256 = "00")\n'
    )
    found = read_archives(tmp_path)
    assert (found.archives, found.unread) == ((), ("WORKSPACE:1",))


def test_what_doubles_in_each_line_is_told_and_not_made(tmp_path: Path) -> None:
    lines = ['A = "https://e.org/"', *["A = A + A"] * 40, 'http_archive(name = "s", url = A)']
    lines += ["L = ['a']", *["L = [L, L]"] * 40, 'http_archive(name = L, url = "https://e.org/a")']
    (tmp_path / "WORKSPACE").write_text("\n".join(lines))
    found = read_archives(tmp_path)
    assert (found.archives, found.unread) == ((), ("WORKSPACE:42", "WORKSPACE:84"))


def test_a_long_chain_of_loads_is_refused(tmp_path: Path) -> None:
    (tmp_path / "WORKSPACE").write_text('load("//:f0.bzl", "A")\n')
    for at in range(600):
        (tmp_path / f"f{at}.bzl").write_text(f'load("//:f{at + 1}.bzl", "A")\n')
    with pytest.raises(BadRequest, match="loaded through more than 50 files"):
        read_archives(tmp_path)


def test_a_long_chain_of_conditions_is_read(tmp_path: Path) -> None:
    text = "def f(a):\n  if a == 0:\n    pass\n" + "  elif a == 1:\n    pass\n" * 1200
    text += '  else:\n    http_archive(name = "s", url = "https://e.org/s.zip")\n'
    (tmp_path / "WORKSPACE").write_text(text)
    assert [archive.name for archive in read_archives(tmp_path).archives] == ["s"]


def test_constants_are_not_copied_without_end(tmp_path: Path) -> None:
    text = "".join(f"A{at} = 'https://e.org/a'\n" for at in range(20_000))
    text += 'def f():\n  http_archive(name = "s", url = A0)\n' * 1000
    (tmp_path / "WORKSPACE").write_text(text)
    found = read_archives(tmp_path)
    assert len(found.archives) == 1
    assert len(found.unread) == 500  # beyond 10 million constants none is known
