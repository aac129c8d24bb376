"""The walk through a log: lines, pieces and limits."""

import io
from dataclasses import replace

import pytest

from tests.diagnosis.test_catalogue import ROW
from tfbuild.diagnosis import scan
from tfbuild.diagnosis.catalogue import compile_catalogue
from tfbuild.diagnosis.scan import LogScan, LogScanner


def scanned(log: bytes) -> LogScan:
    rows = (
        replace(ROW, id="disk", patterns=("^no room on (?P<disk>.+)$",)),
        replace(ROW, id="word", patterns=(r"a strange word \d+",)),
    )
    return LogScanner(compile_catalogue(rows)).scan(io.BytesIO(log))


def test_hits_have_line_place_and_parts() -> None:
    log = b"first\nno room on sda\n\nsaid: a strange word 7\nlast"
    found = scanned(log)
    assert [(hit.pitfall.row.id, hit.line) for hit in found.hits] == [("disk", 2), ("word", 4)]
    assert found.hits[0].groups == {"disk": "sda"}
    assert log[found.hits[1].offset :].startswith(b"said: ")
    assert found.lines == 5


@pytest.mark.parametrize("size", [16, 50, 90])
def test_pieces_do_not_change_what_is_found(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    log = b"x\n" * 9 + b"no room on sda\n" + b"y\n" * 9 + b"a strange word 7"
    whole = scanned(log)
    monkeypatch.setattr(scan, "_PIECE", size)
    found = scanned(log)
    places = [(hit.pitfall.row.id, hit.line, hit.offset, hit.text) for hit in found.hits]
    assert places == [(h.pitfall.row.id, h.line, h.offset, h.text) for h in whole.hits]
    assert found.lines == whole.lines == 20


def test_a_very_long_line_is_looked_at_around_the_word() -> None:
    found = scanned(b"-D_X " * 100_000 + b"a strange word 7 " + b"-D_Y " * 100_000 + b"\n")
    assert len(found.hits) == 1
    assert len(found.hits[0].text) < 5_000


def test_lines_without_a_match_cost_a_try_and_no_hit() -> None:
    found = scanned(b"a strange word, no number\n" * 50 + b"a strange word 1\n")
    assert [hit.line for hit in found.hits] == [51]


def test_bytes_that_are_no_text_and_nothing_at_all() -> None:
    assert scanned(b"").hits == []
    found = scanned(b"\xff\xfe\x00 a strange word 7 \xff\n")
    assert len(found.hits) == 1


def test_success_and_key_lines_are_kept() -> None:
    found = scanned(
        b"ERROR: one\nINFO: Build completed successfully, 3 total actions\nfatal: two\n"
    )
    assert found.succeeded_at == 2
    assert found.key_lines == [(1, "ERROR: one"), (3, "fatal: two")]


def test_of_endless_errors_only_the_first_and_the_last_lines_are_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read: list[str] = []

    def counted(raw: str) -> str:
        read.append(raw)
        return raw

    monkeypatch.setattr(scan, "_PIECE", 10_000)
    monkeypatch.setattr(scan, "clean", counted)
    lines = [f"error: number {number} of them" for number in range(20_000)]
    found = scanned("\n".join(lines).encode())
    assert len(read) < 1_500
    numbered = [(number, line) for number, line in enumerate(lines, start=1)]
    assert found.all_key_lines() == [*numbered[:400], *numbered[-8:]]
    assert found.lines == 20_000
