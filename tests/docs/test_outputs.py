"""The quick commands of the documentation, run as a reader would: they print what a page shows."""

import re
from pathlib import Path

import pytest

from tests.doc_pages import PAGES, Shown, blocks, command_lines, pages
from tests.doc_runs import first_difference, hold, run, shown, write_files

pytestmark = pytest.mark.slow

_OWN_RECIPE = PAGES / "tutorial" / "2-own-recipe.md"
_FAILED_BUILD = PAGES / "tutorial" / "4-failed-build.md"
_AS_A_READER = (_OWN_RECIPE, _FAILED_BUILD)  # all of their commands
_QUICK = re.compile(r"tfbuild (resolve|explain|recipes|diagnose|doctor|config|plan$)")


@pytest.mark.parametrize("page", _AS_A_READER, ids=lambda page: page.name)
def test_a_tutorial_goes_as_it_says(page: Path, tmp_path: Path) -> None:
    write_files(_OWN_RECIPE, tmp_path)
    write_files(page, tmp_path)
    commands = list(shown(page))
    assert len(commands) > 4
    hold(commands, tmp_path)


QUICK = [
    (page, quick)
    for page in pages()
    if page not in _AS_A_READER
    and (quick := [one for one in shown(page) if _QUICK.match(one.command)])
]


@pytest.mark.parametrize(("page", "commands"), QUICK, ids=lambda one: getattr(one, "name", ""))
def test_quick_commands_print_what_is_shown(
    page: Path, commands: list[Shown], tmp_path: Path
) -> None:
    write_files(page, tmp_path)
    hold(commands, tmp_path)


# What asks, and changes nothing; not where it reads what a page's reader has.
_ASKS = re.compile(
    r"tfbuild (resolve|explain \w+|recipes|doctor|plan|config show|facts (list|show))\b"
)
_OF_THE_READER = re.compile(r"--(source|machine|report|workspace|lock)\b|mylib.yaml|>")
ASKED = sorted(
    {
        line
        for page in pages()
        for block in blocks(page)
        if block.language == "sh"
        for line in command_lines(block)
        if _ASKS.match(line) and not _OF_THE_READER.search(line)
    }
)
_ANSWERED = {0, 3}  # 3: these versions do not go together, or are not here


@pytest.mark.parametrize("line", ASKED)
def test_what_asks_is_answered(line: str, tmp_path: Path) -> None:
    ended = run(line, tmp_path)
    assert ended.returncode in _ANSWERED, ended.stdout
    assert "Traceback" not in ended.stdout


def test_another_output_is_seen() -> None:
    printed = "one 1.5 s\nbuild: 15 s  [7 / 103] Compiling a.cc\ntwo   of it\nthree\n"
    assert first_difference(("one 0.3 s", "two of ...", "three"), printed) == ""
    assert first_difference(("one 0.3 s", "..."), printed) == ""
    assert first_difference(("...", "three"), printed) == ""
    assert first_difference(("one 0.3 s", "three"), printed) == "three"
    assert first_difference(("...", "four"), printed) == "four"
    assert "three" in first_difference(("one 0.3 s", "two of it"), printed)
