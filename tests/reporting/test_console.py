"""What the user sees, on a terminal and in a file."""

import io
import json
import os
import re
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from threading import Event

import pytest
from rich.console import Console

from tfbuild.core.errors import BuildFailed
from tfbuild.reporting.console import (
    ConsoleReporter,
    print_file,
    print_folded,
    print_json,
    print_text,
)


def plain(verbosity: int = 0) -> tuple[ConsoleReporter, io.StringIO]:
    stream = io.StringIO()
    return ConsoleReporter(verbosity, Console(file=stream, highlight=False)), stream


def test_plain_lines_have_no_escapes_and_no_markup() -> None:
    reporter, stream = plain()
    reporter.stage("build")
    reporter.progress("Compiling", 1, 2)
    reporter.note("[bold]as it is[/bold]")
    reporter.warn("careful", code="memory-short")
    reporter.done("build", seconds=72.0, state="passed", detail="3 actions")
    text = stream.getvalue()
    assert "\x1b" not in text
    assert "[bold]as it is[/bold]" in text
    assert "warning[memory-short]: careful" in text
    assert text.splitlines()[-1] == "passed: build       1:12 min  3 actions"


def test_nothing_moves_where_colours_are_forced_upon_a_pipe(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    with ConsoleReporter() as reporter:
        reporter.stage("build")
        reporter.progress("Compiling", 1, 2)
        reporter.done("build", seconds=1.0, state="passed")
    said = capsys.readouterr().err
    assert "passed:" in said
    assert "\r" not in said
    assert "\x1b[?25l" not in said, "the cursor is hidden"


class Heard(io.StringIO):
    """A stream that notes when something is written."""

    def __init__(self) -> None:
        super().__init__()
        self.news = Event()

    def write(self, text: str) -> int:
        count = super().write(text)
        self.news.set()
        return count

    def wait(self) -> None:
        assert self.news.wait(20), "nothing was said"
        self.news.clear()


def test_a_stage_in_which_nothing_happens_is_reported_by_the_clock(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("tfbuild.reporting.console._PLAIN_SECONDS", 0.01)
    stream = Heard()
    reporter = ConsoleReporter(0, Console(file=stream, highlight=False))
    reporter.stage("build")
    reporter.progress("Compiling a.cc", 1, 20)
    while stream.getvalue().count("[1 / 20] Compiling a.cc") < 2:
        stream.wait()
    reporter.done("build", seconds=1.0, state="passed")
    monkeypatch.setattr("tfbuild.reporting.console._PLAIN_SECONDS", 3600.0)
    reporter.stage("smoke")
    reporter.progress("import")
    reporter.done("smoke", seconds=1.0, state="passed")
    assert "smoke:" not in stream.getvalue(), "what happens often is not shown each time"


@pytest.mark.parametrize(
    ("count", "said"),
    [
        ({"done": 12, "total": 40}, "[12 / 40] Compiling"),
        ({"done": 12, "total": 40, "is_growing": True}, "[12 steps so far] Compiling"),
        ({"done": 1_204}, "[1,204 steps so far] Compiling"),
        ({"done": 1}, "[1 step so far] Compiling"),
        ({}, "Compiling"),
    ],
)
def test_a_plain_line_has_a_total_only_where_it_is_known(
    monkeypatch: pytest.MonkeyPatch, count: dict[str, int], said: str
) -> None:
    monkeypatch.setattr("tfbuild.reporting.console._PLAIN_SECONDS", 0.01)
    stream = Heard()
    reporter = ConsoleReporter(0, Console(file=stream, highlight=False))
    reporter.stage("build")
    reporter.progress("Compiling", **count)  # type: ignore[arg-type]
    while "Compiling" not in stream.getvalue():
        stream.wait()
    reporter.done("build", seconds=1.0, state="passed")
    (line, *_) = (line for line in stream.getvalue().splitlines() if "Compiling" in line)
    assert line.split("  ", 1)[1] == said


def test_the_clock_stops_with_the_stage_with_an_error_and_with_the_reporter(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("tfbuild.reporting.console._PLAIN_SECONDS", 0.0)
    ends: list[Callable[[ConsoleReporter], object]] = [
        lambda reporter: reporter.done("build", seconds=1.0, state="passed"),
        lambda reporter: reporter.error(BuildFailed("it failed")),
        lambda reporter: reporter.__exit__(None, None, None),
        lambda reporter: reporter.stage("next"),
    ]
    for end in ends:
        before = set(threading.enumerate())
        reporter, _ = plain()
        reporter.stage("build")
        (beat,) = set(threading.enumerate()) - before
        end(reporter)
        beat.join(20)
        assert not beat.is_alive()
        reporter.__exit__(None, None, None)


def test_each_step_of_a_stage_is_a_line() -> None:
    reporter, stream = plain()
    reporter.step("of no stage")
    reporter.stage("environment")
    reporter.step("[2/3] RUN apt-get update")
    reporter.done("environment", seconds=1.0, state="passed")
    assert [line.split("  ", 1)[1] for line in stream.getvalue().splitlines()[:-1]] == [
        "[2/3] RUN apt-get update"
    ]


@pytest.mark.parametrize(("verbosity", "lines"), [(-1, 0), (0, 1), (1, 2), (2, 3)])
def test_verbosity(verbosity: int, lines: int) -> None:
    reporter, stream = plain(verbosity)
    reporter.stage("build")
    reporter.command("bazel build")
    reporter.line("INFO: x")
    reporter.done("build", seconds=1.0, state="passed")
    assert len(stream.getvalue().splitlines()) == lines


def test_an_error_says_what_why_what_to_do_and_where(tmp_path: Path) -> None:
    log = tmp_path / "log.txt"
    log.touch()
    reporter, stream = plain(-1)
    error = BuildFailed("it failed", code="a-code", why="a [reason]", hint="fix it")
    reporter.error(error, str(log))
    assert stream.getvalue().splitlines() == [
        "error[a-code]: it failed", "why: a [reason]", "do this: fix it", f"log: {log}",
        "more: tfbuild explain a-code",
    ]  # fmt: skip


def test_further_lines_of_an_error_are_no_titles() -> None:
    reporter, stream = plain(-1)
    reporter.error(BuildFailed("it failed", why="first fault\nlog: the second\n  in line 3"))
    assert stream.getvalue().splitlines() == [
        "error: it failed", "why: first fault", "  log: the second", "  in line 3",
    ]  # fmt: skip


def test_a_terminal_gets_a_live_view_and_an_error_in_lines() -> None:
    stream = io.StringIO()
    console = Console(file=stream, force_terminal=True, width=80, highlight=False)
    with ConsoleReporter(0, console) as reporter:
        reporter.stage("build")
        reporter.progress("Compiling a.cc", 1, 20)
        reporter.done("build", seconds=1.0, state="reused", detail="reused from run x")
        reporter.error(BuildFailed("it failed", hint="fix it"))
    text = stream.getvalue()
    assert "reused from run x" in text
    assert "[1 / 20]" in text
    assert re.sub("\x1b\\[[0-9;]*m", "", text).endswith("error: it failed\ndo this: fix it\n")


@pytest.mark.parametrize("width", [80, 100, 120])
def test_the_live_view_fits_and_keeps_its_name_and_its_time(width: int) -> None:
    stream = io.StringIO()
    console = Console(file=stream, force_terminal=True, width=width, highlight=False)
    with ConsoleReporter(0, console) as reporter:
        reporter.to_come(("source", "environment", "build", "audit"))
        reporter.stage("environment")
        reporter.progress("12 to 19 min left, 31% from caches, " + "Compiling a/b" * 20, 1, 2310)
        reporter._live.refresh()  # type: ignore[union-attr]
    lines = re.sub("\x1b\\[[0-9;?]*[a-zA-Z]", "", stream.getvalue()).replace("\r", "\n")
    drawn = [line.rstrip() for line in lines.splitlines() if line.strip()]
    assert max(map(len, drawn)) <= width
    assert "  then build, audit" in {line[2:] for line in drawn}
    assert any(re.search(r"environment +[\d.]+ s  \[1 / 2,310\]", line) for line in drawn)


def test_a_table_breaks_no_word_however_narrow_the_terminal_is() -> None:
    rows = [("impossible", "python=3.9", "gcc and glibc collide, whatever is chosen beside them")]
    for width in (30, 50, 80):
        stream = io.StringIO()
        console = Console(file=stream, force_terminal=True, width=width, highlight=False)
        ConsoleReporter(0, console).outlook(("state", "cell", "reason of it"), rows)
        words = re.sub("\x1b\\[[0-9;]*m", "", stream.getvalue()).split()
        assert {"impossible", "python=3.9", "collide,", "whatever"} <= set(words)


def test_what_matters_can_be_read_on_white_and_on_black() -> None:
    stream = io.StringIO()
    console = Console(file=stream, force_terminal=True, color_system="standard", highlight=False)
    reporter = ConsoleReporter(1, console)
    reporter.warn("careful", code="memory-short")
    reporter.command("bazel build")
    reporter.outlook(("",), [("skipped",), ("warning",), ("impossible",), ("reused",)])
    reporter.error(BuildFailed("it failed", why="so", hint="fix it", code="a-code"))
    codes = set(re.findall("\x1b\\[([0-9;]*)m", stream.getvalue()))
    used = {number for code in codes for number in code.split(";")}
    assert not used & {"2", "33", "37", "93", "97"}, "dim, yellow, white"
    assert "35" in used


def test_no_color_is_obeyed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    stream = io.StringIO()
    console = Console(file=stream, force_terminal=True, highlight=False, _environ=os.environ)
    reporter = ConsoleReporter(0, console)
    reporter.warn("careful", code="memory-short")
    reporter.error(BuildFailed("it failed", code="a-code"))
    assert not re.search("\x1b\\[[0-9;]*3[0-9]", stream.getvalue()), "a colour"


def test_an_outlook_is_a_table_without_broken_lines_unless_silence_was_asked_for() -> None:
    reporter, stream = plain()
    reporter.outlook(("cell", "system"), [("python3.9", "debian 11"), ("a" * 90, "debian 12")])
    assert [line.split() for line in stream.getvalue().splitlines()] == [
        ["cell", "system"], ["python3.9", "debian", "11"], ["a" * 90, "debian", "12"],
    ]  # fmt: skip
    silent, nothing = plain(-1)
    silent.outlook(("cell",), [("python3.9",)])
    assert nothing.getvalue() == ""


def test_a_table_in_a_pipe_ends_no_line_with_blanks_and_folds_no_cell(
    capsys: pytest.CaptureFixture[str],
) -> None:
    rows = [("passed", "w " * 300, ""), ("failed", "it ended:\nlast line", "why " * 40)]
    ConsoleReporter().table("Checks", ("", "what", "why"), rows)
    said = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in said] == ["Checks", "what", "passed", "failed"]
    assert [line for line in said if line != line.rstrip()] == []
    assert "it ended: last line" in said[-1]


def test_what_people_read_holds_no_secret_and_a_file_stays_as_it_is(
    capsys: pytest.CaptureFixture[str],
) -> None:
    url = "https://me:s3cret@host/simple"
    print_text(f"from {url}")
    ConsoleReporter().table("", ("index",), [(url,)])
    print_json({"index": url})
    assert "s3cret" not in capsys.readouterr().out
    print_file(f"--index-url {url}")
    assert capsys.readouterr().out == f"--index-url {url}\n"


def test_a_file_has_names_as_the_bytes_that_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """The script of a plan names folders: the shell must find the same, whatever the locale is."""
    name, out = b"/folder/\xff\xc3\xa9", io.BytesIO()
    output = io.TextIOWrapper(out, encoding="ascii", errors="backslashreplace")
    monkeypatch.setattr(sys, "stdout", output)
    print_file(f"cd '{os.fsdecode(name)}'\ud800")
    output.flush()
    assert out.getvalue() == b"cd '" + name + b"'\xef\xbf\xbd\n"


def test_a_long_line_is_folded_on_a_terminal_and_whole_in_a_pipe(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = ["short", "  but CUDA 11.0 compiles for sm_70, sm_80 and no other"]
    print_folded(lines)
    assert capsys.readouterr().out == "\n".join(lines) + "\n"
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "30")
    print_folded(lines)
    assert capsys.readouterr().out.splitlines() == [
        "short", "  but CUDA 11.0 compiles for", "    sm_70, sm_80 and no other",
    ]  # fmt: skip


EVIL = "\x1b[2J\x9b31m\u202e"


def test_nothing_that_is_said_steers_a_terminal_but_colours_of_our_own() -> None:
    stream = io.StringIO()
    console = Console(file=stream, highlight=False, force_terminal=True, color_system="standard")
    with ConsoleReporter(2, console) as reporter:
        reporter.note(EVIL)
        reporter.warn(EVIL, code="memory-short")
        reporter.command(EVIL)
        reporter.line(EVIL)
        reporter.outlook(["a"], [[EVIL], ["passed"]])
        reporter.done("build", seconds=1.0, state="passed", detail=EVIL)
        reporter.error(BuildFailed(EVIL, why=EVIL, hint=EVIL))
    text = stream.getvalue()
    assert "\x1b[32m" in text  # the green of what has passed
    assert not {"\x9b", "\u202e"} & set(text)
    assert "\x1b[2J" not in text
    assert text.count("\\x1b[2J") == 9


def test_the_live_line_and_plain_lines_steer_nothing() -> None:
    reporter, stream = plain()
    reporter.stage("build")
    reporter.step(EVIL)
    assert stream.getvalue().count("\\x9b31m") == 1
    assert not set("\x1b\x9b\u202e") & set(stream.getvalue())


def test_documents_keep_their_meaning(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"name": EVIL, "half": "\ud800"})
    text = capsys.readouterr().out
    assert json.loads(text) == {"name": EVIL, "half": "\ud800"}
    assert not set("\x1b\x9b\u202e\ud800") & set(text)
    print_text(EVIL)
    assert capsys.readouterr().out == "\\x1b[2J\\x9b31m\\u202e\n"


def test_backslashes_take_no_time() -> None:
    """The markup of rich looks at a run of them once for each of them."""
    reporter, stream = plain()
    began = time.process_time()
    reporter.warn("[a] " + "\\" * 1_000_000, code="memory-short")
    assert time.process_time() - began < 10
    assert stream.getvalue().count("\\") == 1_000_000
    assert "[a] " in stream.getvalue()


def test_very_long_texts_are_cut_in_the_middle(capsys: pytest.CaptureFixture[str]) -> None:
    """Folding takes time by the square: a wheel of 2 kB held a name of 1 MB."""
    long = "first " + "x y\n" * 500_000 + " last"
    reporter, stream = plain()
    began = time.process_time()
    reporter.table("", ("name",), [(long,)])
    reporter.error(BuildFailed(long, why=long, hint=long))
    assert time.process_time() - began < 10  # minutes without a limit
    for said in (capsys.readouterr().out, stream.getvalue()):
        assert "characters left out" in said
        assert len(said) < 60_000
        assert "first" in said
        assert "last" in said
