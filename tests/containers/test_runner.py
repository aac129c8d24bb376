"""Running in a container as on this machine: lines, codes, limits, and the end of what runs."""

import os
import signal
import time
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from tests.failing import fails
from tests.fakes import FakeEnvironment, RecordingReporter
from tests.local_container import ORDER, Box, BoxSession
from tfbuild.containers import runner as container_runner
from tfbuild.containers.engine import PIDS, Container, Mount
from tfbuild.containers.runner import (
    ContainerRunner,
    DockerEnvironment,
    LazyRunner,
    container_script_lines,
    script_head,
)
from tfbuild.core.errors import CommandFailed, OutOfMemory
from tfbuild.core.records import Command


def a_runner(box: Box, **more: object) -> ContainerRunner:
    runner = ContainerRunner(container=cast("Container", box))
    return replace(runner, **more)  # type: ignore[arg-type]


def sh(script: str, **more: object) -> Command:
    return replace(Command(argv=("sh", "-c", script)), **more)  # type: ignore[arg-type]


@pytest.fixture
def box(monkeypatch: pytest.MonkeyPatch) -> Box:
    patience = (("INT", 0.3), ("TERM", 0.3), ("KILL", 3.0))
    monkeypatch.setattr(container_runner, "_INSISTENCE", patience)
    return Box()


@pytest.fixture
def runner(box: Box) -> ContainerRunner:
    return a_runner(box)


def test_both_streams_and_the_environment(runner: ContainerRunner) -> None:
    script = 'echo "$A $LC_ALL $B"; echo oops >&2; pwd; cat'
    command = sh(script, env=(("A", "a"), ("B", "b")), unset=("B",), cwd="/usr")
    done = runner.run(command)
    assert (done.code, done.stdout) == (0, "a C.UTF-8 \n/usr\n")
    assert set(done.last_lines) == {"a C.UTF-8 ", "oops", "/usr"}


def test_lines_come_while_it_runs(runner: ContainerRunner) -> None:
    heard: list[tuple[str, float]] = []
    runner.run(sh("echo one; sleep 0.4; echo two"), lambda t: heard.append((t, time.monotonic())))
    times = {text: at for text, at in heard if text}
    assert times["two"] - times["one"] > 0.3
    assert "" in [text for text, _ in heard]


def test_a_terminal_has_one_stream_without_colours(box: Box) -> None:
    done = a_runner(box).run(sh("printf '\\033[31mred\\033[0m\\r\\n'", pty=True))
    assert done.stdout == "red\n"


def test_a_number_on_the_first_line_is_the_programs_own(runner: ContainerRunner) -> None:
    assert runner.run(sh("echo 42; echo 43")).stdout == "42\n43\n"


def test_codes_and_signals(runner: ContainerRunner) -> None:
    assert runner.run(sh("exit 3", ok_codes=(3,))).code == 3
    assert runner.run(sh("kill -SEGV $$", ok_codes=tuple(range(-64, 256)))).code == -11
    with fails("command-failed", "try it") as caught:
        runner.run(sh("echo no >&2; exit 5", purpose="try it"))
    assert isinstance(caught.value, CommandFailed)
    assert (caught.value.status, caught.value.why) == (5, "no")


def test_log_script_and_screen(box: Box, tmp_path: Path, reporter: RecordingReporter) -> None:
    log, script = tmp_path / "log.txt", tmp_path / "rerun.sh"
    runner = a_runner(box, log=log, script=script, reporter=reporter)
    runner.run(sh("echo hello", stage="build", env=(("A", "b c"),)))
    runner.run(sh("echo hidden", quiet=True))
    assert "hello" in log.read_text()
    assert script.read_text() == "\n# build\ninside / env 'A=b c' sh -c 'echo hello'\n"


@pytest.mark.parametrize("script", ["sleep 60", "trap '' INT; sleep 60 & wait; sleep 60"])
def test_what_runs_too_long_is_stopped_with_all_its_kind(
    runner: ContainerRunner, box: Box, script: str
) -> None:
    with fails("command-timed-out"):
        runner.run(sh(script, timeout=0.3))
    assert box.sessions[0].code() is not None
    assert all(session.is_closed for session in box.sessions)


def test_a_watch_that_raises_stops_it(runner: ContainerRunner, box: Box) -> None:
    def stop(_line: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        runner.run(sh("echo begun; sleep 60"), stop)
    assert box.sessions[0].code() is not None


@pytest.mark.slow
def test_what_holds_the_stream_open_is_not_waited_for(runner: ContainerRunner) -> None:
    pid = int(runner.run(sh("(trap '' HUP; exec sleep 600) & echo $!")).stdout)
    os.kill(pid, 0)  # it is still there
    os.kill(pid, signal.SIGKILL)


def test_memory_is_distinguished_from_a_crash(box: Box) -> None:
    runner = a_runner(box)
    with fails("command-failed"):
        runner.run(sh("echo 'internal compiler error: Segmentation fault'; exit 1"))
    box.is_short_of_memory = True
    with fails("container-out-of-memory", "500 MB", "--memory"):
        runner.run(sh("exit 1", ok_codes=(0, 1)))
    with fails("command-failed"):  # a kill is reported once: what fails later fails by itself
        runner.run(sh("exit 1"))
    box.spec = replace(ORDER, memory_mb=0)
    with fails("container-out-of-memory") as caught:
        a_runner(box).run(sh("exit 1"))
    assert "MB" not in caught.value.why


def test_a_container_that_ends_takes_its_programs_along(box: Box) -> None:
    with pytest.raises(OutOfMemory):
        a_runner(box).run(sh("kill -KILL $$"))
    box.is_gone = True
    with fails("container-engine-gone"):
        a_runner(box).run(sh("kill -KILL $$"))


def test_a_success_is_a_success_whatever_happened_before(box: Box) -> None:
    box.is_short_of_memory = True
    assert a_runner(box).run(sh("echo fine")).code == 0


def test_a_full_disk_inside(runner: ContainerRunner) -> None:
    with fails("container-disk-full", "a.o"):
        runner.run(sh("echo 'as: a.o: No space left on device'; exit 1", ok_codes=(0, 1)))


def test_a_missing_program(runner: ContainerRunner) -> None:
    with fails("container-program-missing", "no-such-program", "sha256:1"):
        runner.run(Command(argv=("no-such-program",)))


def test_an_engine_that_goes_away(runner: ContainerRunner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(BoxSession, "code", lambda _: None)
    monkeypatch.setattr(ContainerRunner, "_stop", lambda *_: None)
    monkeypatch.setattr(container_runner, "_PATIENCE_SECONDS", 0.1)
    with fails("container-engine-gone"):
        runner.run(sh("exit 0"))


def test_a_lazy_runner_opens_its_container_when_it_is_needed(box: Box) -> None:
    opened = []

    def make() -> ContainerRunner:
        opened.append(1)
        return a_runner(box)

    lazy = LazyRunner(make=make)
    assert opened == []
    assert [lazy.run(sh("echo a")).stdout, lazy.run(sh("echo b")).stdout] == ["a\n", "b\n"]
    assert opened == [1]


# --- the environment -----------------------------------------------------------------------------


@pytest.fixture
def env(box: Box, fake_env: FakeEnvironment, tmp_path: Path) -> DockerEnvironment:
    box.spec = replace(
        ORDER,
        mounts=(
            Mount(source=str(tmp_path), target=str(tmp_path), writable=True),
            Mount(source="v", target=str(tmp_path / "volume"), writable=True, is_volume=True),
        ),
    )
    return DockerEnvironment(
        toolchain=fake_env.toolchain, tools=fake_env.tools, runner=a_runner(box)
    )


def test_placeholders_are_those_inside(env: DockerEnvironment) -> None:
    done = env.run(Command(argv=("echo", "{bazel_version} {cache}")))
    assert done.stdout == f"4.2.3 {env.toolchain.cache}\n"


def test_shared_folders_are_read_here_and_volumes_through_the_engine(
    env: DockerEnvironment, box: Box, tmp_path: Path
) -> None:
    (tmp_path / "seen").write_text("here")
    (tmp_path / "seen").chmod(0o750)
    (tmp_path / "volume").mkdir()
    inside = str(tmp_path / "volume" / "out")
    box.files = {inside: b"there", "/usr/lib/x": b"system"}
    assert env.read(str(tmp_path / "seen")) == b"here"
    assert env.read(inside) == b"there"
    assert env.read("/usr/lib/x") == b"system"
    copy = env.copy_out(str(tmp_path / "seen"), tmp_path / "deep" / "copy")
    assert (copy.read_text(), copy.stat().st_mode & 0o777) == ("here", 0o750)
    assert env.copy_out(inside, tmp_path / "other").read_text() == "there"


def test_a_folder_with_another_path_inside_is_read_where_it_is(
    env: DockerEnvironment, box: Box, tmp_path: Path
) -> None:
    (tmp_path / "made").write_text("here")
    box.spec = replace(ORDER, mounts=(Mount(source=str(tmp_path), target="/var/inside"),))
    assert env.read("/var/inside/made") == b"here"
    assert env.copy_out("/var/inside/made", tmp_path / "copy").read_text() == "here"


def test_the_script_can_be_run_by_hand() -> None:
    spec = replace(
        ORDER, cpus=1.5, mounts=(Mount(source="/s", target="/s"),), env=(("HOME", "/h"),)
    )
    head = script_head(spec, "7:8")
    for words in (
        *("--network=none", "--cap-drop=ALL", "--cpus=1.5", "--memory=500m", "--env=HOME=/h"),
        f"--pids-limit={PIDS}",
        "--user=7:8",
        "--mount=type=bind,source=/s,target=/s,readonly",
    ):
        assert words in head
    assert "--user" not in script_head(spec, None)
    assert (
        container_script_lines(Command(argv=("ls", "a b"), cwd="/x y"))
        == "\ninside '/x y' env ls 'a b'\n"
    )


@pytest.mark.parametrize("name", ["link", "folder/key"])
def test_no_link_in_a_shared_folder_leads_out_of_it(
    env: DockerEnvironment, tmp_path: Path, name: str
) -> None:
    """What runs inside could put it there; it does not see what this side would read."""
    shared = Path(env.runner.container.spec.mounts[0].target)
    outside = shared.parent / f"outside-{shared.name}"
    outside.mkdir()
    (outside / "key").write_text("of the user")
    (shared / "link").symlink_to(outside / "key")
    (shared / "folder").symlink_to(outside)
    with pytest.raises(OSError, match="leads out"):
        env.read(str(shared / name))
    with pytest.raises(OSError, match="leads out"):
        env.copy_out(str(shared / name), tmp_path / "copy")
    assert not (tmp_path / "copy").exists()
