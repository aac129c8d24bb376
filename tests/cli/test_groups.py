"""A group without a command shows what there is, and names its commands."""

from pathlib import Path

import pytest

from tests.cli.test_app import Line


@pytest.fixture
def line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Line:
    monkeypatch.chdir(tmp_path)
    return Line(monkeypatch, capsys)


@pytest.mark.parametrize(
    ("group", "shown", "others"),
    [
        ("config", "show", ()),
        ("cache", "show", ("prune",)),
        ("facts", "list", ("show", "verify")),
        ("recipes", "list", ("show", "new", "needs", "fields")),
        ("ci", "", ("github", "gitlab")),
        ("env", "", ("dockerfile", "shell")),
    ],
)
def test_a_group_alone_shows_what_there_is_and_names_its_commands(
    line: Line, group: str, shown: str, others: tuple[str, ...]
) -> None:
    answer = line(group)
    assert (answer.code, answer.err) == (0, "")
    assert not shown or answer.out.startswith(line(group, shown).out)
    assert f"tfbuild {group} {shown or 'COMMAND'}  " not in answer.out
    for name in others:
        assert f"  tfbuild {group} {name}  " in answer.out


def test_the_old_name_of_a_group_alone_says_the_new_one(line: Line) -> None:
    answer = line("matrix")
    assert answer.err.startswith("warning[command-renamed]: ")
    assert answer.out.startswith(line("facts", "list").out)
