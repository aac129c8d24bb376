"""Containers with a real engine: nothing is left behind, limits hold, and a whole wheel is made."""

import contextlib
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.engines import all_tables, base_image
from tests.failing import fails
from tests.shared_libraries import real_tools
from tfbuild.containers.engine import Container, ContainerSpec, Engine, Mount, open_engine
from tfbuild.containers.ownership import OWNER, clear
from tfbuild.containers.runner import ContainerRunner
from tfbuild.containers.systems import read_system
from tfbuild.core.errors import TfbuildError
from tfbuild.core.interfaces import Tools
from tfbuild.core.records import Command

pytestmark = pytest.mark.docker
ROOT = Path(__file__).parent.parent.parent
_EATS_MEMORY = "head -c 900000000 /dev/zero | tail"  # tail keeps what has no end of line


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with open_engine() as engine:
        yield engine


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Tools:
    return real_tools(tmp_path_factory.mktemp("containers"))


@pytest.fixture(scope="module")
def base(engine: Engine, tools: Tools) -> str:
    """The smallest image: one that was made of packages before, else a new one."""
    return base_image(engine, read_system("debian:bookworm", all_tables().axis("os")), tools)


@pytest.fixture
def spec(base: str, tmp_path: Path) -> ContainerSpec:
    shared = Mount(source=str(tmp_path), target=str(tmp_path), writable=True)
    return ContainerSpec(image=base, kind="test", mounts=(shared,))


@pytest.fixture
def limits(engine: Engine, spec: ContainerSpec) -> None:
    """The engine keeps limits; one that would forget them is not asked for a container."""
    if not engine.takes_limits:
        with fails("container-limits-unsupported"), engine.open(replace(spec, memory_mb=200)):
            pass
        pytest.skip("an engine without root on cgroups of version 1 takes no limits")


@pytest.fixture
def container(engine: Engine, spec: ContainerSpec) -> Iterator[Container]:
    with engine.open(spec) as container:
        yield container


@pytest.fixture
def runner(container: Container) -> ContainerRunner:
    return ContainerRunner(container=container)


def sh(script: str, **more: object) -> Command:
    return replace(Command(argv=("sh", "-c", script)), **more)  # type: ignore[arg-type]


def processes(runner: ContainerRunner) -> str:
    return runner.run(sh("cat /proc/[0-9]*/cmdline | tr '\\0' ' '")).stdout


def until(true: object, seconds: float = 10.0) -> None:
    deadline = time.monotonic() + seconds
    while not true():  # type: ignore[operator]
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.1)


# --- running -------------------------------------------------------------------------------------


def test_lines_come_live_from_both_streams(runner: ContainerRunner) -> None:
    heard: dict[str, float] = {}

    def hear(line: str) -> None:
        heard.setdefault(line, time.monotonic())

    done = runner.run(sh("echo one; sleep 1; echo two >&2; exit 3", ok_codes=(3,)), hear)
    assert (done.code, done.stdout) == (3, "one\n")
    assert heard["two"] - heard["one"] > 0.7


def test_a_terminal_is_one(runner: ContainerRunner) -> None:
    assert runner.run(sh("test -t 1 && stty size <&1", pty=True)).stdout == "50 200\n"


def test_what_is_stopped_is_stopped_inside(runner: ContainerRunner) -> None:
    def interrupt(line: str) -> None:
        if line == "begun":
            raise KeyboardInterrupt

    with fails("command-timed-out"):
        runner.run(sh("sleep 4321 & sleep 4321", timeout=1))
    with pytest.raises(KeyboardInterrupt):
        runner.run(sh("echo begun; sleep 4321"), interrupt)
    until(lambda: "4321" not in processes(runner).replace("cat", ""))


def test_it_may_do_nothing_but_its_work(runner: ContainerRunner, tmp_path: Path) -> None:
    status = runner.run(sh("cat /proc/self/status")).stdout
    fields = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
    assert (int(fields["CapEff"], 16), fields["NoNewPrivs"]) == (0, "1")
    assert runner.run(sh("tail -n +3 /proc/net/dev")).stdout.split()[0] == "lo:"
    runner.run(sh(f"touch {tmp_path}/made"))
    made = (tmp_path / "made").stat()
    assert (made.st_uid, made.st_gid) == (os.getuid(), os.getgid())
    with fails("command-failed"):
        runner.run(sh("echo > /proc/sys/kernel/hostname"))


def test_what_is_only_read_cannot_be_written(
    engine: Engine, spec: ContainerSpec, tmp_path: Path
) -> None:
    only_read = replace(spec, mounts=(Mount(source=str(tmp_path), target=str(tmp_path)),))
    with engine.open(only_read) as container, fails("command-failed", "Read-only"):
        ContainerRunner(container=container).run(sh(f"touch {tmp_path}/x"))


def test_another_user_owns_what_another_user_makes(base: str, tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can become another user")
    socket = os.environ.get("DOCKER_HOST", "unix:///var/run/docker.sock").removeprefix("unix://")
    if not Path(socket).stat().st_mode & 0o060:
        pytest.skip("this engine is for root alone")
    tmp_path.chmod(0o777)
    for folder in tmp_path.parents:
        with contextlib.suppress(PermissionError):
            folder.chmod(folder.stat().st_mode | 0o011)
    code = f"""
import os
import docker, docker.errors, docker.types
from tfbuild.containers.engine import ContainerSpec, Mount, open_engine
from tfbuild.containers.runner import ContainerRunner
from tfbuild.core.records import Command
group = os.stat({socket!r}).st_gid
os.setgroups([group]); os.setgid(4321); os.setuid(4321)
mount = Mount(source={str(tmp_path)!r}, target={str(tmp_path)!r}, writable=True)
spec = ContainerSpec(image={base!r}, kind="t", mounts=(mount,))
with open_engine() as engine, engine.open(spec) as c:
    ContainerRunner(container=c).run(Command(argv=("touch", {str(tmp_path / "mine")!r})))
"""
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)
    assert (tmp_path / "mine").stat().st_uid == 4321


# --- limits --------------------------------------------------------------------------------------


@pytest.mark.usefixtures("limits")
def test_want_of_memory_is_no_crash(engine: Engine, spec: ContainerSpec) -> None:
    spec = replace(spec, memory_mb=200)
    with engine.open(spec) as container, fails("command-failed"):
        ContainerRunner(container=container).run(sh("kill -SEGV $$"))
    with engine.open(spec) as container, fails("container-out-of-memory", "200 MB"):
        # A driver reports its child's end in its own way, with a code of its own.
        ContainerRunner(container=container).run(sh(f"{_EATS_MEMORY}; exit 1", ok_codes=(0, 1)))


@pytest.mark.usefixtures("limits")
def test_processors_are_limited(engine: Engine, spec: ContainerSpec) -> None:
    with engine.open(replace(spec, cpus=0.5)) as container:
        state = engine.client.api.inspect_container(container.id)
        assert state["HostConfig"]["NanoCpus"] == 500_000_000


@pytest.mark.usefixtures("limits")
def test_processes_without_end_stay_in_their_container(engine: Engine, spec: ContainerSpec) -> None:
    begins = "for n in $(seq 400); do sleep 30 & done; wait"
    with engine.open(replace(spec, pids=256)) as container:
        runner = ContainerRunner(container=container)
        done = runner.run(sh(begins, ok_codes=tuple(range(256))))
        assert done.code != 0
        assert any("fork" in line for line in done.last_lines)


@pytest.mark.usefixtures("limits")
@pytest.mark.parametrize("constraint", [{"cpus": 4000.0}, {"memory_mb": 1}])
def test_a_limit_that_the_engine_refuses(
    engine: Engine, spec: ContainerSpec, constraint: dict[str, float]
) -> None:
    if engine.name == "podman" and "cpus" in constraint:
        pytest.skip("Podman takes any number of processors")
    with fails("container-limit-refused"), engine.open(replace(spec, **constraint)):  # type: ignore[arg-type]
        pass


def test_a_full_disk_inside(runner: ContainerRunner) -> None:
    with fails("container-disk-full", "No space left"):  # engines give 64 MB to it
        runner.run(sh("head -c 90000000 /dev/zero > /dev/shm/x", ok_codes=(0, 1)))


# --- what is missing, and what goes away ---------------------------------------------------------


def test_images_and_folders_that_are_not_there(engine: Engine, spec: ContainerSpec) -> None:
    assert engine.image_id("tfbuild/no-such-image:1") == ""
    with pytest.raises(TfbuildError) as caught:
        engine.pull("tfbuild/no-such-image:1")
    assert caught.value.code in {"image-missing", "registry-not-answering"}  # without a network
    assert "tfbuild/no-such-image:1" in caught.value.message
    lost = replace(spec, mounts=(Mount(source="/no/such/folder", target="/x"),))
    with fails("mounted-folder-missing", "/no/such/folder"), engine.open(lost):
        pass
    assert not Path("/no/such/folder").exists()


def test_a_container_that_goes_away_in_the_middle(
    engine: Engine, container: Container, runner: ContainerRunner
) -> None:
    killer = threading.Timer(1.0, lambda: engine.remove(container.id))
    killer.start()
    with fails("container-engine-gone"):
        runner.run(sh("echo begun; sleep 60"))
    killer.join()


def test_a_gpu_is_not_there_or_is_passed_on(engine: Engine, spec: ContainerSpec) -> None:
    if engine.passes_gpus:
        pytest.skip("this engine passes GPUs on")
    if engine.name == "podman":
        pytest.skip("Podman says nothing of a GPU that is not there; we never ask it for one then")
    with fails("container-gpu-missing"), engine.open(replace(spec, gpus=True)):
        pass
    assert not [name for name, _ in engine.labelled(OWNER) if is_mine(engine, name)]


def is_mine(engine: Engine, name: str) -> bool:
    state = engine.client.api.inspect_container(name)
    return bool(state["Config"]["Labels"].get("org.tfbuild.kind") == "test")


# --- nothing is left -----------------------------------------------------------------------------

_HOLDER = """
import sys, time
from tfbuild.containers.engine import ContainerSpec, open_engine
spec = ContainerSpec(image=sys.argv[1], kind="held")
with open_engine() as engine, engine.open(spec) as container:
    print(container.id, flush=True)
    time.sleep(60)
"""


def hold(base: str) -> tuple[subprocess.Popen[str], str]:
    child = subprocess.Popen(
        [sys.executable, "-c", _HOLDER, base], stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    assert child.stdout
    return child, child.stdout.readline().strip()


def is_there(engine: Engine, name: str) -> bool:
    return name in [found for found, _ in engine.labelled(OWNER)]


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_a_killed_owner_leaves_no_container(engine: Engine, base: str, number: int) -> None:
    child, name = hold(base)
    with child:
        assert is_there(engine, name)
        child.send_signal(number)
        child.wait(20)
    until(lambda: not is_there(engine, name))


def test_the_next_start_clears_what_outlived_its_owner(engine: Engine, base: str) -> None:
    """As after a crash of the engine: a container whose lease nobody holds, of an owner gone."""
    from tfbuild.containers import ownership as reaper

    gone = subprocess.run(
        [sys.executable, "-c", "from tfbuild.containers.ownership import owner; print(owner())"],
        capture_output=True, text=True, check=True, cwd=ROOT,
    ).stdout.strip()  # fmt: skip
    api = engine.client.api
    labels = {reaper.OWNER: gone, reaper.LABEL: "1"}
    orphan = api.create_container(base, ["sleep", "600"], labels=labels)["Id"]
    api.start(orphan)
    mine = api.create_container(base, ["true"], labels={reaper.OWNER: reaper.owner()})["Id"]
    try:
        assert clear(engine) >= 1
        assert not is_there(engine, orphan)
        assert is_there(engine, mine)
    finally:
        engine.remove(mine)
        engine.remove(orphan)


# --- the whole chain -----------------------------------------------------------------------------


class Project:
    """A folder with its own work and cache folders, for calls of the command line."""

    def __init__(self, folder: Path, cache: Path) -> None:
        self.folder, self.cache = folder, cache
        folder.mkdir(parents=True, exist_ok=True)

    def start(self, *words: str) -> subprocess.Popen[str]:
        places = {
            "TFBUILD_CACHE_DIR": self.cache, "TFBUILD_WORK_DIR": self.folder / "work",
            "XDG_STATE_HOME": self.folder / "state",
        }  # fmt: skip
        return subprocess.Popen(
            [sys.executable, "-m", "tfbuild", "build", "--env=docker", "--skip-perf", *words],
            env={**os.environ, "PYTHONPATH": str(ROOT), **{k: str(v) for k, v in places.items()}},
            cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip

    def build(self, *words: str) -> Path:
        with self.start(*words) as child:
            said, _ = child.communicate()
        assert child.returncode == 0, said
        (wheel,) = (self.folder / "dist").glob("*.whl")
        return wheel


@pytest.mark.long
@pytest.mark.bazel
@pytest.mark.network
def test_a_wheel_from_nothing_again_and_beside_another(
    tmp_path: Path, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = Project(tmp_path / "one", tmp_path / "cache")
    killed = project.start()
    events = tmp_path / "one" / "work" / "exchange" / "events.json"
    until(lambda: events.exists() and b'"actionCompleted"' in events.read_bytes(), 400)
    killed.send_signal(signal.SIGKILL)
    killed.communicate()
    until(lambda: not [1 for name, _ in engine.labelled(OWNER) if is_of_a_build(engine, name)], 20)
    wheel = project.build()
    assert wheel.stat().st_uid == os.getuid()
    report = json.loads((wheel.parent / "report.json").read_text())
    assert report["host"]["distribution"] == "debian"
    assert all(f["state"] != "failed" for f in report["audit"]["findings"])
    started = time.monotonic()
    assert digest(project.build()) == digest(wheel)
    assert time.monotonic() - started < 20
    # Two at once: the second waits for the volume, and both end well with the same bytes.
    others = [Project(tmp_path / name, tmp_path / "cache") for name in ("two", "three")]
    children = [(other, other.start()) for other in others]
    for other, child in children:
        with child:
            said, _ = child.communicate()
        assert child.returncode == 0, said
        (again,) = (other.folder / "dist").glob("*.whl")
        assert digest(again) == digest(wheel)
    assert not [1 for name, _ in engine.labelled(OWNER) if is_of_a_build(engine, name)]
    for volume in engine.client.volumes.list(filters={"label": "org.tfbuild.kind=cache"}):
        if (tmp_path / "cache" / "containers" / f"{volume.name}.lock").exists():
            engine.remove_volume(volume.name)
    shutil.rmtree(tmp_path, ignore_errors=True)


def is_of_a_build(engine: Engine, name: str) -> bool:
    try:
        labels = engine.client.api.inspect_container(name)["Config"]["Labels"]
    except Exception:  # noqa: BLE001  (it has just gone)
        return False
    return labels.get("org.tfbuild.kind") in {"build", "trial", "own", "look"}


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
