"""The quick commands of the documentation, run as a reader would: they print what a page shows."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from tests.doc_pages import PAGES, Shown, blocks, pages, shown_commands
from tests.source_files import ROOT

pytestmark = pytest.mark.slow

_OWN_RECIPE = PAGES / "tutorial" / "2-own-recipe.md"
_FAILED_BUILD = PAGES / "tutorial" / "4-failed-build.md"
_AS_A_READER = (_OWN_RECIPE, _FAILED_BUILD)  # all of their commands
_QUICK = re.compile(r"tfbuild (resolve|explain|recipes|diagnose|doctor|config|plan$)")
# What differs from machine to machine, where a page shows one of them.
_OPEN = re.compile(r"(?P<any>\.\.\.)|(?P<number>\d[\d.:]*(?= (?:s|min|kB|MB)\b))|(?P<blanks>\s+)")
_MEANS = {"any": ".*", "number": r"[\d.:]+", "blanks": r"\s+"}
_PROGRESS = re.compile(r"^\w+: [\d.:]+ (s|min)\b")


def shown(page: Path) -> Iterator[Shown]:
    for block in blocks(page):
        if block.language == "console":
            yield from shown_commands(block)


def write_files(page: Path, folder: Path) -> None:
    """What a page asks its reader to write."""
    for block in blocks(page):
        if block.file:
            path = folder / block.file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text)


def run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """A line in a shell whose `tfbuild` is the code of this checkout."""
    program = folder / ".bin" / "tfbuild"
    program.parent.mkdir(exist_ok=True)
    program.write_text(f'#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} -m tfbuild "$@"\n')
    program.chmod(0o755)
    path = f"{program.parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "-c", command], cwd=folder, env=os.environ | {"PATH": path, "LC_ALL": "C.UTF-8"},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, timeout=300,
    )  # fmt: skip


def pattern_of(line: str) -> re.Pattern[str]:
    """Three points stand for anything, blanks for any blanks, numbers with a unit for any such."""
    line, parts, at = line.rstrip(), [], 0
    for found in _OPEN.finditer(line):
        parts += [re.escape(line[at : found.start()]), _MEANS[str(found.lastgroup)]]
        at = found.end()
    return re.compile("".join(parts) + re.escape(line[at:]) + r"\s*")


def first_difference(expected: tuple[str, ...], printed: str) -> str:
    """The first line of a page that was not printed in its place; empty where all were."""
    lines = [line for line in printed.splitlines() if line.strip() and not _PROGRESS.match(line)]
    at, may_skip = 0, False
    for wanted in expected:
        if wanted.strip() in {"", "..."}:
            may_skip |= wanted.strip() == "..."
            continue
        pattern = pattern_of(wanted)
        while may_skip and at < len(lines) and not pattern.fullmatch(lines[at]):
            at += 1
        if at == len(lines) or not pattern.fullmatch(lines[at]):
            return wanted
        at, may_skip = at + 1, False
    return "" if may_skip or at == len(lines) else f"(nothing, where it printed {lines[at]})"


def hold(commands: list[Shown], folder: Path) -> None:
    """Run one after the other, and compare with the page."""
    code = 0
    for one, following in pairwise((*commands, None)):
        assert one is not None
        if one.command == "echo $?":
            assert one.output == (str(code),), one.place
            continue
        ended = run(one.command, folder)
        code = ended.returncode
        wrong = first_difference(one.output, ended.stdout)
        assert not wrong, f"{one.place}: {one.command}\nshown: {wrong}\n{ended.stdout}"
        may_fail = any("error[" in line or "conflict" in line for line in one.output)
        asked = following is not None and following.command == "echo $?"
        assert may_fail or asked or code == 0, f"{one.place}: {one.command} ended with {code}"


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


def test_another_output_is_seen() -> None:
    printed = "one 1.5 s\nbuild: 15 s  [7 / 103] Compiling a.cc\ntwo   of it\nthree\n"
    assert first_difference(("one 0.3 s", "two of ...", "three"), printed) == ""
    assert first_difference(("one 0.3 s", "..."), printed) == ""
    assert first_difference(("...", "three"), printed) == ""
    assert first_difference(("one 0.3 s", "three"), printed) == "three"
    assert first_difference(("...", "four"), printed) == "four"
    assert "three" in first_difference(("one 0.3 s", "two of it"), printed)
