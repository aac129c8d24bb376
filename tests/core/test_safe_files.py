"""Every file that anybody may have written is read within limits, or refused with a reason."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tfbuild.core.safe_files import (
    DEEPEST,
    NotRead,
    parse_json,
    read_bytes,
    read_inside,
    read_json,
    read_text,
    read_toml,
    read_yaml,
    size_text,
    text_of,
)


def test_what_is_plain_is_read(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text('{"a": [1, 2.5, true, null, "\\u00e9"]}')
    assert read_json(path) == read_yaml(path) | {"a": [1, 2.5, True, None, "é"]}
    path.write_text("a = [1, 2.5]\n")
    assert read_toml(path) == {"a": [1, 2.5]}


@pytest.mark.parametrize("read", [read_bytes, read_text, read_json, read_toml, read_yaml])
def test_only_regular_files_are_opened(tmp_path: Path, read: Callable[[Path], Any]) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path, Path("/dev/zero"), Path("/dev/tty")):
        with pytest.raises(ValueError, match="not a regular file"):
            read(path)
    with pytest.raises(FileNotFoundError):
        read(tmp_path / "nothing")


def test_a_file_has_a_largest_size(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"12345")
    assert read_bytes(path, 5) == b"12345"
    with pytest.raises(ValueError, match="large"):
        read_bytes(path, 4)
    with path.open("r+b") as stream:
        stream.truncate(1 << 40)
    with pytest.raises(ValueError, match="large"):
        read_json(path)
    with pytest.raises(ValueError, match="large"):  # a file whose size the system does not say
        read_bytes(Path("/proc/self/status"), 10)


def test_text_is_utf_8(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"ab\xff")
    with pytest.raises(ValueError, match=r"not UTF-8: .* at byte 2"):
        read_text(path)


@pytest.mark.parametrize(
    "text",
    [
        "", "{", "[1,]", "NaN", "-Infinity", "1e999", "9" * 21, "-" + "9" * 400, "9" * 5000,
        "[" * (DEEPEST + 2) + "]" * (DEEPEST + 2), '{"a":' * 100_000, '"\\ud800"', b"\xff",
    ],
    ids=lambda text: repr(text)[:20],
)  # fmt: skip
def test_json_that_is_no_plain_data_is_refused(text: str | bytes) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        parse_json(text)


def test_what_lies_within_the_limits_is_taken() -> None:
    assert parse_json(str(2**64 - 1)) == 2**64 - 1
    assert parse_json('"\\ud83d\\ude00"') == "\U0001f600"
    assert parse_json("[" * DEEPEST + "]" * DEEPEST)


@pytest.mark.parametrize(
    "text", ["x = ", "x = nan", "x = -inf", "x = " + "9" * 400, "x = " + "[" * 5000 + "]" * 5000]
)
def test_toml_that_is_no_plain_data_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "file").write_text(text)
    with pytest.raises(ValueError, match=r"\w"):
        read_toml(tmp_path / "file")


@pytest.mark.parametrize("text", ["[@]", "@ = 1", "x = {@ = 1}", "@.b = 1", "'a' . \"b\".@ = 1"])
def test_a_key_of_toml_has_few_parts(tmp_path: Path, text: str) -> None:
    (tmp_path / "file").write_text(text.replace("@", ".".join(["a"] * 1000)))
    with pytest.raises(ValueError, match="nested more than"):
        read_toml(tmp_path / "file")
    short = text.replace("@", "a.b.c")
    (tmp_path / "file").write_text(f"long = '{'....' * 1000}'\n{short}")
    assert "a" in str(read_toml(tmp_path / "file"))


def test_a_text_that_cannot_be_had_is_empty(tmp_path: Path) -> None:
    path = tmp_path / "a"
    assert text_of(path) == ""
    path.write_bytes(b"a\xff")
    assert text_of(path) == "a\ufffd"
    assert text_of(path, 1) == text_of(tmp_path) == ""
    os.mkfifo(tmp_path / "pipe")
    assert text_of(tmp_path / "pipe") == ""
    assert text_of(Path("/proc/self/stat")).startswith(str(os.getpid()))


def test_a_file_of_a_tree_leads_nowhere_else(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    (tree / "below").mkdir(parents=True)
    (tmp_path / "key").write_text("sesame")
    (tree / "a").write_text("its own")
    (tree / "below" / "b").symlink_to("../a")
    assert read_inside(tree, tree / "below" / "b") == "its own"
    (tmp_path / "link").symlink_to(tree)
    assert read_inside(tmp_path / "link", tmp_path / "link" / "a") == "its own"
    (tree / "c").symlink_to(tmp_path / "key")
    (tree / "d").symlink_to("/dev/zero")
    (tree / "e").symlink_to("e")
    os.mkfifo(tree / "pipe")
    for path in (tree / "c", tree / "d", tree / "below/../../key", tree / "pipe", tree / "below"):
        with pytest.raises(ValueError, match=r"leads out|not a regular file"):
            read_inside(tree, path)
    for name in ("e", "missing"):
        with pytest.raises(OSError, match=name):
            read_inside(tree, tree / name)


def test_small_limits_are_named_in_small_units(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"x" * 5000)
    with pytest.raises(NotRead, match="5 kB, 4 kB at most"):
        read_bytes(path, 4096)
    sizes = ["999 bytes", "1 kB", "2 MB"]
    assert [size_text(n) for n in (999, 1000, 2_400_000)] == sizes
