"""A file in memory is read like any other, by its user alone, while its maker lives."""

import os
import subprocess
import sys
from pathlib import Path

from tests.core.test_trust import NOBODY, as_root
from tfbuild.core.memory_file import memory_file

ROOT = Path(__file__).parents[2]


def read(path: str, **more: int) -> str:
    words = ["cat", path]
    return subprocess.run(words, stdout=subprocess.PIPE, text=True, check=False, **more).stdout  # type: ignore[call-overload,no-any-return]


def test_a_program_reads_it_as_often_as_it_likes() -> None:
    with memory_file("words ä\n") as path:
        assert read(path) == read(path) == "words ä\n"
    assert not Path(path).exists()


@as_root
def test_other_users_do_not() -> None:
    with memory_file("words") as path:
        assert read(path, user=NOBODY) == ""


def test_nothing_is_left_of_it_when_its_maker_is_killed() -> None:
    code = (
        "import os; from tfbuild.core.memory_file import memory_file\n"
        "with memory_file('words') as path:\n"
        "    print(path, open(path).read(), flush=True); os.kill(os.getpid(), 9)"
    )
    words = [sys.executable, "-c", code]
    said = subprocess.run(words, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False).stdout
    path, content = said.split()
    assert content == "words"
    assert not os.path.lexists(path)
