"""What a workspace downloads, by reading it."""

import sys
import tracemalloc
from pathlib import Path

import pytest

from tests.failing import fails
from tests.sources.workspaces import SHA, a_workspace
from tfbuild.sources import archives
from tfbuild.sources.archives import read_archives


def test_archives_of_the_root_and_of_macros(tmp_path: Path) -> None:
    found = {a.name: a for a in read_archives(a_workspace(tmp_path)).archives}
    assert set(found) == {"skylib", "eigen_archive", "unhashed"}
    assert found["skylib"].sha256 == SHA
    assert found["skylib"].file == "skylib-1.3.0.tar.gz"
    assert found["skylib"].said_at == "WORKSPACE:3"
    assert found["eigen_archive"].urls[1] == "https://example.org/0b51f/e.zip"
    assert found["unhashed"].sha256 == ""


def test_what_reading_cannot_know_is_listed(tmp_path: Path) -> None:
    found = read_archives(a_workspace(tmp_path))
    assert found.unread == ("tensorflow/workspace2.bzl:10",)
    assert found.foreign == ("@skylib//:workspace.bzl",)


def test_a_load_never_leaves_the_tree(tmp_path: Path) -> None:
    (tmp_path / "secret.bzl").write_text('http_archive(name = "s", url = "https://e.org/s.zip")\n')
    tree = a_workspace(tmp_path / "tree")
    loads = 'load("//..:secret.bzl", "x")\nload("//x:../../secret.bzl", "y")\n'
    (tree / "WORKSPACE").write_text(loads)
    assert read_archives(tree).archives == ()


def test_a_name_that_no_file_can_have_is_none(tmp_path: Path) -> None:
    a_workspace(tmp_path)
    workspace = tmp_path / "WORKSPACE"
    workspace.write_text(f'load("//:{"x" * 300}.bzl", "y")\n' + workspace.read_text())
    assert "skylib" in {archive.name for archive in read_archives(tmp_path).archives}


@pytest.mark.parametrize("label", [":/proc/self/cwd/x.bzl", ":../x.bzl", ":a/../../x.bzl"])
def test_a_file_outside_is_not_read(tmp_path: Path, label: str) -> None:
    tree = a_workspace(tmp_path / "tree")
    (tmp_path / "x.bzl").write_text('http_archive(name = "n", urls = ["http://h/x.zip"])\n')
    workspace = tree / "WORKSPACE"
    workspace.write_text(f'load("{label}", "y")\n' + workspace.read_text())
    assert "n" not in {archive.name for archive in read_archives(tree).archives}


def test_files_that_load_each_other(tmp_path: Path) -> None:
    tree = a_workspace(tmp_path)
    (tree / "tensorflow/versions.bzl").write_text(
        'load(":workspace2.bzl", "tf_workspace2")\nEIGEN_COMMIT = "0b51f"\n'
    )
    assert len(read_archives(tree).archives) == 3


def test_a_folder_that_is_no_workspace(tmp_path: Path) -> None:
    with fails("not-bazel-workspace", str(tmp_path), "WORKSPACE"):
        read_archives(tmp_path)


def test_a_broken_file_is_named(tmp_path: Path) -> None:
    tree = a_workspace(tmp_path)
    (tree / "tensorflow/versions.bzl").write_text("EIGEN_COMMIT = (\n")
    with fails("not-starlark", "versions.bzl"):
        read_archives(tree)


def test_what_is_no_address_is_reported(tmp_path: Path) -> None:
    (tmp_path / "WORKSPACE").write_text(
        'http_archive(name = "a", urls = ["https://[_URL]/a.zip"], sha256 = "00")\n'
    )
    found = read_archives(tmp_path)
    assert (found.archives, found.unread) == ((), ("WORKSPACE:1",))


def test_what_doubles_in_each_line_is_reported_and_not_made(tmp_path: Path) -> None:
    lines = ['A = "https://e.org/"', *["A = A + A"] * 40, 'http_archive(name = "s", url = A)']
    lines += ["L = ['a']", *["L = [L, L]"] * 40, 'http_archive(name = L, url = "https://e.org/a")']
    (tmp_path / "WORKSPACE").write_text("\n".join(lines))
    found = read_archives(tmp_path)
    assert (found.archives, found.unread) == ((), ("WORKSPACE:42", "WORKSPACE:84"))


def test_a_long_chain_of_loads_is_refused(tmp_path: Path) -> None:
    (tmp_path / "WORKSPACE").write_text('load("//:f0.bzl", "A")\n')
    for at in range(600):
        (tmp_path / f"f{at}.bzl").write_text(f'load("//:f{at + 1}.bzl", "A")\n')
    with fails("bazel-files-too-deep", "50"):
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
    assert len(found.unread) == 751  # beyond 5 million constants and letters none is known


def test_a_file_larger_than_any_real_one_is_refused(tmp_path: Path) -> None:
    (tmp_path / "WORKSPACE").write_text("x = [" + "a," * 150_000 + "]")
    with fails("source-file-unreadable", "WORKSPACE", "200,000"):
        read_archives(tmp_path)
    (tmp_path / "WORKSPACE").write_text("x = '" + "a" * 1_000_000 + "'")
    with fails("source-file-unreadable", "WORKSPACE", "1 MB"):
        read_archives(tmp_path)


@pytest.mark.parametrize(
    "line", ["x = [" + "a," * 60_000 + "]\n", "x = '" + "a" * 990_000 + "'\n"], ids=range(2)
)
def test_all_files_together_have_a_limit(tmp_path: Path, line: str) -> None:
    (tmp_path / "WORKSPACE").write_text('load("//:f0.bzl", "x")\n')
    for at in range(20):
        (tmp_path / f"f{at}.bzl").write_text(f'load("//:f{at + 1}.bzl", "x")\n{line}')
    with fails("bazel-files-too-large", "8 MB", "400,000"):
        read_archives(tmp_path)


def test_no_syntax_tree_is_kept_while_others_are_read(tmp_path: Path) -> None:
    """A chain of files takes about what one takes."""

    def peak(files: int) -> int:
        tree = tmp_path / str(files)
        tree.mkdir()
        (tree / "WORKSPACE").write_text('load("//:f0.bzl", "x")\n')
        for at in range(files):
            text = f'load("//:f{at + 1}.bzl", "x")\nx = [{"a," * 1_000}]\n'
            (tree / f"f{at}.bzl").write_text(text)
        tracemalloc.start()
        read_archives(tree)
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    assert peak(10) < 2 * peak(1)


def _steps(tree: Path, text: str) -> int:
    """How many functions are called while a workspace of such a text is read."""
    (tree / "WORKSPACE").write_text(text)
    steps = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal steps
        steps += event in {"call", "c_call"}

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        read_archives(tree)
    finally:
        sys.setprofile(before)
    return steps


@pytest.mark.parametrize(
    ("small", "large"),
    [
        (  # within each other
            "f(urls = [" + "f(name = 1)," * 500 + "])",
            "f(urls = " * 90 + "[" + "f(name = 1)," * 500 + "]" + ")" * 90,
        ),
        (  # one value for many names
            "a = [" + "1," * 500 + "b]",
            "a = " * 90 + "[" + "1," * 500 + "b]",
        ),
    ],
    ids=range(2),
)
def test_each_expression_is_read_once(tmp_path: Path, small: str, large: str) -> None:
    assert _steps(tmp_path, large) < 3 * _steps(tmp_path, small)


def test_large_addresses_are_not_noted_without_end(tmp_path: Path) -> None:
    text = "A = 'https://e.org/" + "a" * 90_000 + "'\n"
    text += "".join(f"f(name = 'n{at}', url = A)\n" for at in range(100))
    (tmp_path / "WORKSPACE").write_text(text)
    found = read_archives(tmp_path)
    assert (len(found.archives), len(found.unread)) == (55, 45)  # 5 million letters


def test_more_files_than_any_real_tree_loads_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archives, "_MOST_FILES", 3)
    (tmp_path / "WORKSPACE").write_text('load("//:f0.bzl", "x")\n')
    for at in range(3):
        (tmp_path / f"f{at}.bzl").write_text(f'load("//:f{at + 1}.bzl", "x")\n')
    with fails("bazel-files-too-many", str(tmp_path), "3"):
        read_archives(tmp_path)
