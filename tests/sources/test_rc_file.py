"""Bazel's rc files: one spelling, imports in their place, nothing read that should not be."""

import time
from pathlib import Path

import pytest

from tfbuild.sources.rc_file import in_one_spelling, parse_rc, read_rc


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ("-c opt", ["--compilation_mode=opt"]),
        ("--action_env A=1", ["--action_env=A=1"]),
        ("--copt -DX --copt=-DY", ["--copt=-DX", "--copt=-DY"]),
        ("--announce_rc --define a=b", ["--announce_rc", "--define=a=b"]),
        ("--announce_rc -c dbg", ["--announce_rc", "--compilation_mode=dbg"]),
        ("--noshow --show", ["--noshow", "--show"]),
    ],
)
def test_options_have_one_spelling(written: str, found: list[str]) -> None:
    assert in_one_spelling(written.split()) == found


def test_lines_have_command_config_and_place() -> None:
    text = "# words\n\nbuild:cuda --repo_env A='b c' # why\nbuild --copt=-g \\\n  --copt=-O2\n"
    first, second = parse_rc(text, "rc").lines
    assert (first.command, first.config, first.place) == ("build", "cuda", "rc:3")
    assert first.options == ("--repo_env=A=b c",)
    assert (second.options, second.place) == (("--copt=-g", "--copt=-O2"), "rc:4")


def test_an_open_quote_names_its_line() -> None:
    with pytest.raises(ValueError, match="line 2 of rc"):
        parse_rc('build --a\nbuild --b="c\n', "rc")


def test_imports_stand_where_they_are_written(tmp_path: Path) -> None:
    (tmp_path / "other").write_text("build --copt=-2\nbuild:fast --copt=-3\n")
    (tmp_path / "mine").write_text("build --copt=-never\n")
    (tmp_path / ".bazelrc").write_text(
        "build --copt=-1\nimport %workspace%/other\nbuild --copt=-4\n"
        "try-import %workspace%/gone\ntry-import %workspace%/mine\n"
    )
    rc = read_rc(tmp_path / ".bazelrc", tmp_path, skip=["mine"])
    assert rc.options() == ("--copt=-1", "--copt=-2", "--copt=-4")
    assert rc.options(config="fast") == ("--copt=-3",)
    assert rc.configs == ("fast",)
    assert rc.lines[1].place == "other:1"
    assert len(rc.imports) == 3


def test_what_must_be_there_and_circles_are_errors(tmp_path: Path) -> None:
    path = tmp_path / ".bazelrc"
    path.write_text("import %workspace%/gone\n")
    with pytest.raises(OSError, match="gone"):
        read_rc(path, tmp_path)
    path.write_text("import %workspace%/.bazelrc\n")
    with pytest.raises(ValueError, match="imports itself"):
        read_rc(path, tmp_path)


def test_imports_have_a_limit_in_all(tmp_path: Path) -> None:
    path = tmp_path / ".bazelrc"
    path.write_text("import %workspace%/rc0\n" * 2)
    for at in range(15):
        (tmp_path / f"rc{at}").write_text(f"import %workspace%/rc{at + 1}\n" * 2)
    (tmp_path / "rc15").write_text("build --copt=-g\n")
    with pytest.raises(ValueError, match="more than 1000 files or 10 MB"):
        read_rc(path, tmp_path)
    path.write_text("import %workspace%/large\n" * 20)
    (tmp_path / "large").write_text("#" * 1_000_000)
    with pytest.raises(ValueError, match="more than 1000 files or 10 MB"):
        read_rc(path, tmp_path)
    path.write_text("import %workspace%/rc15\n" * 900)
    assert len(read_rc(path, tmp_path).lines) == 900


def test_nothing_outside_of_the_workspace_is_read(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    (tmp_path / "other").write_text("build --copt=-DSESAME\n")
    (tree / "link").symlink_to(tmp_path / "other")
    for target in ("%workspace%/link", "%workspace%/../other", str(tmp_path / "other")):
        (tree / ".bazelrc").write_text(f"try-import {target}\nbuild --x\n")
        assert len(read_rc(tree / ".bazelrc", tree).lines) == 1
        (tree / ".bazelrc").write_text(f"import {target}\n")
        with pytest.raises(ValueError, match="leads out of its tree"):
            read_rc(tree / ".bazelrc", tree)


def test_configs_are_those_of_builds() -> None:
    rc = parse_rc("build:a --x\ntest:b --x\ncommon:c --x\nstartup:d --x\n", "rc")
    assert rc.configs == ("a", "c")


def test_one_long_word_is_refused_at_once() -> None:
    begun = time.monotonic()
    with pytest.raises(ValueError, match="line 2 of rc: a word has 1,900,002 letters"):
        parse_rc("build --y\nbuild --" + "a" * 1_900_000, "rc")
    assert parse_rc("build \\\n" * 200_000 + "--copt=-g", "rc").lines[0].options[-1] == "--copt=-g"
    assert time.monotonic() - begun < 10
