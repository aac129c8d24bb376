"""Lines, however they come and however long they are."""

import pytest

from tfbuild.core.line_reader import LineReader
from tfbuild.core.process import CommandOutput
from tfbuild.core.records import Command
from tfbuild.core.reporter import SilentReporter


class Lines(CommandOutput):
    """Takes lines and writes down what each was."""

    def __init__(self) -> None:
        super().__init__(Command(argv=("x",)), None, SilentReporter(), None)
        self.taken: list[str] = []

    def take(self, line: str, *, is_stdout: bool, goes_on: bool = False) -> None:
        self.taken.append(line)
        super().take(line, is_stdout=is_stdout, goes_on=goes_on)


@pytest.mark.parametrize("size", [1, 2, 3, 100])
def test_lines_are_the_same_however_they_are_cut(size: int) -> None:
    raw = "a\nb\r\n\nä€\rc\n\xff".encode("latin-1", "ignore") + "\n\U0001f600 end".encode()
    output = Lines()
    reader = LineReader(output, is_stdout=True)
    for at in range(0, len(raw), size):
        assert reader.feed(raw[at : at + size])
    assert not reader.feed(b"")
    assert output.taken == ["a", "b", "", "\ufffd", "c", "\ufffd", "\U0001f600 end"]


def test_a_line_without_an_end_is_handed_on_in_pieces_and_stays_one_for_the_asker() -> None:
    output = Lines()
    reader = LineReader(output, is_stdout=True)
    for _ in range(400):
        reader.feed(b"x" * 10_000)
    assert len(output.taken) == 3, "each of some million letters: nothing is gathered for ever"
    reader.feed(b"\nnext\n")
    reader.feed(b"")
    assert "".join(output.kept) == "x" * 4_000_000 + "\nnext\n"
    assert output.taken[-1] == "next"
