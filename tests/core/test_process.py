"""Programs: output, codes, time limits, stopping, and what a failure means."""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from tests.failing import fails
from tfbuild.containers.runner import container_script_lines
from tfbuild.core import process
from tfbuild.core.errors import (
    CommandFailed,
    CommandTimedOut,
    DiskFull,
    Interrupted,
    OutOfMemory,
)
from tfbuild.core.process import (
    ProcessRunner,
    diagnose,
    is_progress,
    run,
    script_lines,
)
from tfbuild.core.records import Command, Completed
from tfbuild.core.reporter import SilentReporter


def shell(text: str, **more: object) -> Command:
    return Command(argv=("sh", "-c", text), **more)  # type: ignore[arg-type]


def test_stdout_is_whole_and_both_streams_are_in_the_log(tmp_path: Path) -> None:
    log = tmp_path / "log.txt"
    completed = run(shell("echo out; echo err >&2; printf tail"), log=log)
    assert completed.stdout == "out\ntail\n"
    assert set(completed.last_lines) == {"out", "err", "tail"}
    assert "$ sh -c" in log.read_text()
    assert "err" in log.read_text()


@pytest.mark.parametrize("quiet", [True, False])
def test_of_a_long_answer_the_log_has_the_beginning(tmp_path: Path, quiet: bool) -> None:
    log = tmp_path / "log.txt"
    command = Command(argv=("sh", "-c", "seq 5000; echo err >&2"), quiet=quiet)
    assert len(run(command, log=log).stdout.split()) == 5000
    said = log.read_text().splitlines()
    assert {"1", "1000", "err"} <= set(said)
    assert ("5000" in said) is not quiet


def test_no_secret_is_shown_or_written_down(tmp_path: Path) -> None:
    shown: list[str] = []

    class Reporter(SilentReporter):
        def command(self, line: str) -> None:
            shown.append(line)

        def line(self, text: str) -> None:
            shown.append(text)

    log, script = tmp_path / "log.txt", tmp_path / "rerun.sh"
    runner = ProcessRunner(log=log, script=script, reporter=Reporter())
    address = "https://me:a/s3cr3t@host/x?token=s3cr3t"
    said = f"Authorization: Bearer s3cr3t from {address}"
    done = runner.run(shell(f"echo '{said}'", env=(("PIP_INDEX_URL", address),)))
    assert done.stdout.strip() == said
    assert "s3cr3t" not in "".join(done.last_lines)
    for name in ("log.txt", "rerun.sh"):
        text = (tmp_path / name).read_text()
        assert "s3cr3t" not in text
        assert "****@host/x?token=****" in text
    assert len(shown) == 2
    assert "s3cr3t" not in str(shown)


def test_a_login_in_an_address_reaches_the_asker_alone(tmp_path: Path) -> None:
    log = tmp_path / "log.txt"
    said = "index='https://me:se/cr et'; https://me:s3cr3t@host/simple ssh://x@y http://h/a@b"
    completed = run(Command(argv=("echo", said)), log=log)
    assert completed.stdout == said + "\n"
    hidden = said.replace("me:s3cr3t", "****").replace("x@y", "****@y")
    assert completed.last_lines == (hidden,)
    assert hidden in log.read_text()
    assert "s3cr3t" not in log.read_text()


def test_no_shell_reads_the_words() -> None:
    assert run(Command(argv=("echo", "$HOME; ls"))).stdout == "$HOME; ls\n"


def test_environment_is_set_and_unset(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GONE", "1")
    command = shell("echo $NEW-$GONE", env=(("NEW", "2"),), unset=("GONE",))
    assert run(command).stdout == "2-\n"


def test_programs_speak_english(monkeypatch: pytest.MonkeyPatch) -> None:
    """Some of what they say is read: LANGUAGE goes before LC_ALL, unless that is C alone."""
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    monkeypatch.setenv("LANGUAGE", "de:fr")
    assert run(shell("echo $LC_ALL-$LANGUAGE")).stdout == "C.UTF-8-\n"


def test_an_unexpected_code_shows_the_last_lines() -> None:
    with fails("command-failed", "try", "sh", "3") as caught:
        run(shell("echo why; exit 3", purpose="try"))
    assert isinstance(caught.value, CommandFailed)
    assert (caught.value.status, caught.value.last_lines) == (3, ("why",))


def test_an_expected_code_is_no_failure() -> None:
    assert run(shell("exit 3", ok_codes=(0, 3))).code == 3


def test_a_missing_program_has_a_remedy() -> None:
    with fails("program-not-started", "no-such-program", "tfbuild doctor"):
        run(Command(argv=("no-such-program",)))


def test_a_time_limit_stops_the_whole_group(tmp_path: Path) -> None:
    mark = tmp_path / "alive"
    with fails("command-timed-out") as caught:
        run(shell(f"(sleep 600; touch {mark}) & echo $!; wait", timeout=0.3))
    assert isinstance(caught.value, CommandTimedOut)
    assert not mark.exists()
    assert all(has_ended(int(line)) for line in caught.value.last_lines)


def has_ended(pid: int) -> bool:
    """Whether a program is gone, or has ended and nobody has asked for its code."""
    try:
        stat = Path("/proc", str(pid), "stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return True
    return stat.rpartition(")")[2].split()[0] in {"Z", "X"}


def ends(pid: int) -> bool:
    """Wait for the end of a program; False where it goes on and on."""
    for _ in range(600):
        if has_ended(pid):
            return True
        time.sleep(0.05)
    return False


def has_terminals() -> bool:
    try:
        ends = os.openpty()
    except OSError:
        return False
    for end in ends:
        os.close(end)
    return True


@pytest.mark.skipif(not has_terminals(), reason="this machine gives no terminals, as a bare chroot")
def test_a_terminal_is_given_and_its_display_is_not_kept() -> None:
    command = shell(
        "test -t 1 && printf '\\033[32m[1 / 2] Compiling\\033[0m\\r\\nready\\r\\n'", pty=True
    )
    seen: list[str] = []
    completed = run(command, watch=seen.append)
    assert "[1 / 2] Compiling" in seen
    assert completed.stdout == "ready\n"


def test_a_watch_that_raises_stops_the_program() -> None:
    def refuse(line: str) -> None:
        if line == "go":
            raise DiskFull("enough")

    with fails("disk-full"):
        run(shell("echo go; exec sleep 600"), watch=refuse)


def test_the_watch_is_asked_while_nothing_is_said() -> None:
    ticks: list[str] = []
    run(shell("sleep 1.2"), watch=ticks.append)
    assert ticks.count("") >= 2


def test_a_daemon_that_keeps_the_streams_does_not_hold_us() -> None:
    pid = int(run(shell("setsid sleep 600 & echo $!")).stdout)
    assert not has_ended(pid)
    os.kill(pid, signal.SIGKILL)


def test_an_interrupt_leaves_no_program_behind(tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    code = (
        "from pathlib import Path\n"
        "from tfbuild.core.process import run\nfrom tfbuild.core.records import Command\n"
        "def hear(line):\n"
        f"    line and Path({str(pid_file)!r}).write_text(line)\n"
        "run(Command(argv=('sh', '-c', 'echo $$; exec sleep 600')), watch=hear)\n"
    )
    root = Path(__file__).parents[2]
    child = subprocess.Popen([sys.executable, "-c", code], cwd=root, stderr=subprocess.DEVNULL)
    while not (pid_file.exists() and pid_file.read_text().strip()):
        assert child.poll() is None
        time.sleep(0.05)
    child.send_signal(signal.SIGINT)
    child.wait()
    assert has_ended(int(pid_file.read_text()))


@pytest.mark.parametrize("end", ["exit 0", "kill -9 $$"])
def test_what_a_program_leaves_behind_in_its_group_is_stopped(end: str) -> None:
    said: list[str] = []
    with suppress(OutOfMemory):
        run(shell(f"sleep 600 & echo $!; {end}"), watch=said.append)
    assert ends(int("".join(said)))


@pytest.mark.parametrize("pty", [True, False])
@pytest.mark.parametrize("reported", [True, False])
def test_programs_end_with_us_when_we_are_killed(tmp_path: Path, pty: bool, reported: bool) -> None:
    """Even where it runs and the watcher has not been informed."""
    pid_file = tmp_path / "pid"
    hang = "process.started = lambda *_: __import__('time').sleep(600)\n"
    code = (
        "from tfbuild.core import process\nfrom tfbuild.core.process import run\n"
        f"from tfbuild.core.records import Command\n{'' if reported else hang}"
        f"words = ('sh', '-c', 'echo $$ > {pid_file}; sleep 600 & sleep 600')\n"
        f"run(Command(argv=words, pty={pty}))\n"
    )
    root = Path(__file__).parents[2]
    with subprocess.Popen([sys.executable, "-c", code], cwd=root) as child:
        while not (pid_file.exists() and pid_file.read_text().strip()):
            assert child.poll() is None
            time.sleep(0.05)
        group = int(pid_file.read_text())
        while len(members(group)) < 3:
            time.sleep(0.05)
        child.kill()
    assert all(ends(pid) for pid in members(group))


def members(group: int) -> list[int]:
    """The living processes of a group."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            state, _, number, *_ = path.read_text().rpartition(")")[2].split()
            found += [int(path.parent.name)] if int(number) == group and state not in "ZX" else []
    return found


def test_what_a_command_is_for_runs_nothing_in_the_script() -> None:
    """A recipe names patches and headers: their names are in what a command is for."""
    command = Command(argv=("true",), stage="patch", purpose="p\ntouch pwned #\r\nx")
    assert script_lines(command) == "\n# patch: p touch pwned # x\n(true)\n"
    assert container_script_lines(command).count("\n") == 3


def test_the_script_holds_what_ran_but_no_questions(tmp_path: Path) -> None:
    script = tmp_path / "rerun.sh"
    runner = ProcessRunner(script=script)
    runner.run(Command(argv=("echo", "a b"), stage="build", cwd=str(tmp_path), env=(("X", "1 2"),)))
    runner.run(Command(argv=("echo", "quiet"), quiet=True))
    text = script.read_text()
    assert "quiet" not in text
    assert run(Command(argv=("sh", str(script)))).stdout == "a b\n"


@pytest.mark.parametrize(
    ("line", "code", "kind"),
    [
        ("g++: fatal error: Killed signal terminated program cc1plus", 1, OutOfMemory),
        ("cc1plus: out of memory allocating 65536 bytes", 1, OutOfMemory),
        ("", -9, OutOfMemory),
        ("ld: final link failed: No space left on device", 1, DiskFull),
        ("", -2, Interrupted),
        ("error: expected ';'", 1, CommandFailed),
    ],
)
def test_what_a_failure_means(line: str, code: int, kind: type[Exception]) -> None:
    error = diagnose(shell("x"), Completed(code=code, last_lines=(line,)))
    assert type(error) is kind


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("[58 / 1,501] Compiling a.cc; 3s", True),
        ("    Compiling kernels/b.cc; 12s linux-sandbox", True),
        ("    [Scann] Compiling executor/run.cc", True),
        ("    3 | int x", False),
        ("Analyzing: target //a:b", True),
        ("ERROR: a.cc:1: failed", False),
        ("a.cc:3:4: error: no [1 / 2] here", False),
    ],
)
def test_progress_lines(line: str, expected: bool) -> None:
    assert is_progress(line) is expected


def test_a_machine_without_terminals_gets_one_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    def none() -> tuple[int, int]:
        raise OSError("out of pty devices")

    monkeypatch.setattr("pty.openpty", none)
    done = run(Command(argv=("sh", "-c", "echo out; echo err >&2"), pty=True))
    assert done.stdout == "out\nerr\n", "both streams in one, as in a terminal"


def test_what_a_program_says_without_end_takes_limited_memory_and_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "_KEPT_BYTES", 100_000)
    monkeypatch.setattr(process, "_MOST_LOGGED", 100_000)
    log = tmp_path / "log.txt"
    command = Command(argv=("sh", "-c", "yes | head -n 200000; yes '' | head -n 200000"))
    done = ProcessRunner(log=log).run(command)
    assert len(done.stdout) < 10_000
    assert log.stat().st_size < 101_000
    assert log.read_text().endswith("(what the program says further is left out)\n")


def test_what_steers_a_terminal_is_in_no_log(tmp_path: Path) -> None:
    """Also where a program colours what it says though nobody sees it; its asker gets all."""
    runner, heard = ProcessRunner(log=tmp_path / "log.txt"), []  # type: ignore[var-annotated]
    script = "printf '\\033[31mred\\033[0m \\033]0;title\\007\\001\\tend\\n'"
    done = runner.run(Command(argv=("sh", "-c", script)), heard.append)
    log = (tmp_path / "log.txt").read_text()
    assert "red \\x01\tend" in log
    assert "\x1b" not in log
    assert "\x1b[31mred" in done.stdout
    assert done.last_lines == ("red \\x01\tend",)
    assert "red \\x01\tend" in heard
