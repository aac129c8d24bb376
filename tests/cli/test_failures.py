"""What is wrong on a command line, and the nearest word that is right."""

import sys

import pytest

from tfbuild.cli import app as cli


@pytest.mark.parametrize(
    ("words", "message", "hint"),
    [
        (("biuld",), "tfbuild has no command 'biuld'", "did you mean 'build'?"),
        (("facts", "shw"), "tfbuild facts has no command 'shw'", "did you mean 'show'?"),
        (("ci", "gitub"), "tfbuild ci has no command 'gitub'", "did you mean 'github'?"),
        (("build", "--jbos=3"), "tfbuild build has no option '--jbos'", "did you mean '--jobs'?"),
        (("plan", "--qqqqq"), "tfbuild plan has no option '--qqqqq'", "`tfbuild plan --help`"),
        (("qqqqqqqqqq",), "tfbuild has no command 'qqqqqqqqqq'", "`tfbuild --help`"),
        (
            ("cache", "prune", "--older-than=x"),
            "'x' is not a number",
            "`tfbuild cache prune --help`",
        ),
    ],
)
def test_a_mistyped_word_is_answered_by_the_nearest(
    words: tuple[str, ...],
    message: str,
    hint: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(sys, "argv", ["tfbuild", *words])
    with pytest.raises(SystemExit) as caught:
        cli.main()
    said = capsys.readouterr().err
    assert caught.value.code == 2
    assert said.startswith("error[usage-wrong]: ")
    assert message in said
    assert f"do this: {hint}" in said
