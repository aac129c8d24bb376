"""The commands of a page, run as a reader would, and compared with what the page shows."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from tests.doc_pages import Shown, blocks, shown_commands
from tests.source_files import ROOT

# What differs from machine to machine, where a page shows one of them.
_OPEN = re.compile(r"(?P<any>\.\.\.)|(?P<number>\d[\d.:]*(?= (?:s|min|kB|MB)\b))|(?P<blanks>\s+)")
_MEANS = {"any": ".*", "number": r"[\d.:]+", "blanks": r"\s+"}
_PROGRESS = re.compile(r"^\w+: [\d.:]+ (s|min)\b")
_FAILURE = re.compile(r"error\[|Error: |conflict")


def shown(page: Path) -> Iterator[Shown]:
    """The commands of a page, each with what it prints there."""
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
        may_fail = any(_FAILURE.search(line) for line in one.output)
        asked = following is not None and following.command == "echo $?"
        assert may_fail or asked or code == 0, f"{one.place}: {one.command} ended with {code}"
