"""Builds that are stopped, and go on: deadlines, signals, a second build beside one."""

import datetime as dt
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.workshop import CppTree
from tfbuild.bazel.server import server_pid
from tfbuild.builds.time_limit import in_time
from tfbuild.builds.timeline import Timeline
from tfbuild.core.errors import DeadlineReached
from tfbuild.core.reporter import SilentReporter
from tfbuild.fetch.bazel import FoundBazel

pytestmark = [pytest.mark.alone, pytest.mark.bazel, pytest.mark.slow]
ROOT = Path(__file__).parent.parent.parent
_CHILD = """
import sys
from pathlib import Path
from tests.workshop import CppTree
from tfbuild.fetch.bazel import FoundBazel
folder, path, version = sys.argv[1:]
bazel = FoundBazel(path=path, version=version, origin="PATH")
tree = CppTree(Path(folder), bazel, parts=1, slow=9, seconds=5)
print(tree.env.toolchain.work, flush=True)
tree.build()
"""


@pytest.fixture
def tree(tmp_path: Path, a_bazel: FoundBazel) -> Iterator[CppTree]:
    made = CppTree(tmp_path, a_bazel, parts=1, slow=12, seconds=4)
    yield made
    made.close()


def job(tree: CppTree, seconds: float) -> bool:
    """Whether a job with that much time has come to the end of the build."""
    deadline = (dt.datetime.now(dt.UTC) + dt.timedelta(seconds=seconds)).isoformat()
    folders, timeline = tree.fake.tools.folders, Timeline(reporter=SilentReporter())
    try:
        with in_time(deadline, folders, timeline):
            timeline.run("build", tree.build)
    except DeadlineReached as error:
        assert not server_pid(tree.env.toolchain)
        assert str(folders.cache) in error.hint
        return False
    return True


@pytest.mark.long
def test_jobs_with_deadlines_come_to_the_end_and_run_nothing_twice(tree: CppTree) -> None:
    """Each is another machine, to which the disk cache alone was carried."""
    stops, seconds, done = 0, 20.0, 0
    while not job(tree, seconds):
        stops += 1
        tree.forget_outputs()
        ran = Counter(tree.log.read_text().split() if tree.log.exists() else ())
        seconds += 15.0 if len(ran) == done else 0.0  # a busy machine: Bazel had hardly begun
        done = len(ran)
        assert stops < 20
    assert stops
    ran = Counter(tree.log.read_text().split())
    assert len(ran) == 12
    assert sum(ran.values()) <= 12 + 2 * stops, "of two jobs at once, no more were cut off"


def start(folder: Path, bazel: FoundBazel) -> tuple[subprocess.Popen[str], Path]:
    """A build as a program of its own, in which actions run, and its work folder."""
    words = [sys.executable, "-c", _CHILD, folder, bazel.path, bazel.version]
    child = subprocess.Popen(
        list(map(str, words)), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        cwd=ROOT,
    )  # fmt: skip
    assert child.stdout
    with child.stdout as lines:
        work = Path(lines.readline().strip())
    deadline = time.monotonic() + 300
    while not list(folder.glob("cache/bazel/*/sandbox/linux-sandbox/*")):
        assert child.poll() is None
        assert time.monotonic() < deadline, "no action has begun"
        time.sleep(0.1)
    return child, work


def servers(folder: Path) -> list[int]:
    """The programs of this machine that have something to do with the folder's outputs."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = entry.read_bytes()
        except OSError:
            continue
        if f"{folder}/cache/bazel".encode() in words and int(entry.parent.name) != os.getpid():
            found.append(int(entry.parent.name))
    return found


@pytest.mark.parametrize("times", [1, 2])
def test_ctrl_c_leaves_no_server(tmp_path: Path, a_bazel: FoundBazel, times: int) -> None:
    child, _ = start(tmp_path / "a", a_bazel)
    assert servers(tmp_path / "a")
    began = time.monotonic()
    for _ in range(times):
        child.send_signal(signal.SIGINT)
        time.sleep(0.3)
    child.wait(60)
    taken = time.monotonic() - began
    assert child.returncode
    deadline = time.monotonic() + 3
    while servers(tmp_path / "a") and time.monotonic() < deadline:
        time.sleep(0.1)
    assert servers(tmp_path / "a") == []
    assert taken < 10


def test_a_killed_build_goes_on(tmp_path: Path, a_bazel: FoundBazel) -> None:
    """What the server was doing goes on as well, or is kept: nothing runs twice but what was cut
    off.
    """
    child, _ = start(tmp_path / "a", a_bazel)
    child.kill()
    child.wait()
    again = subprocess.run(
        [sys.executable, "-c", _CHILD, tmp_path / "a", a_bazel.path, a_bazel.version],
        check=False, capture_output=True, text=True, cwd=ROOT,
    )  # fmt: skip
    assert again.returncode == 0, again.stderr
    ran = Counter((tmp_path / "a" / "log.txt").read_text().split())
    assert len(ran) == 9
    assert sum(ran.values()) <= 9 + 2
    for pid in servers(tmp_path / "a"):
        os.kill(pid, signal.SIGTERM)


@pytest.mark.long
def test_two_builds_on_one_cache_wait_for_each_other(tree: CppTree, tmp_path: Path) -> None:
    """Each of them calls Bazel more than once, and may meet the other at any call."""
    beside = tree.beside(tmp_path / "beside")
    with ThreadPoolExecutor() as pool:
        other = pool.submit(beside.build)
        time.sleep(3)
        tree.build()
        other.result()
    ran = Counter(tree.log.read_text().split())
    assert set(ran.values()) == {1}
