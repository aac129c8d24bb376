"""Builds in a control group with too little memory for their jobs: the kernel ends none of them."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from benchmarks.cpp_tree import CppFile, make_tree
from tfbuild.fetch.bazel import FoundBazel

ROOT = Path(__file__).parents[2]
LIMIT_MB = 1500
GROUPS = Path("/sys/fs/cgroup")
DRIVE = """
import sys
from pathlib import Path
from benchmarks.overhead import an_environment, build_command, call
from tfbuild.bazel.driver import drive
env = an_environment(Path(sys.argv[1]), sys.argv[2], sys.argv[3])
try:
    course = drive(build_command(4, "//mem"), env).course
    print("pauses", course.pauses, "narrowed from", course.narrowed_from, flush=True)
finally:
    call(env, "shutdown")
"""


@dataclass(frozen=True, kw_only=True)
class MemoryGroup:
    """A control group with a limit, of either version."""

    folder: Path

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run a program in it."""
        enter = f'echo $$ > {self.folder}/cgroup.procs; exec "$@"'
        return subprocess.run(
            ["sh", "-c", enter, "-", *words], cwd=ROOT, capture_output=True, text=True, check=False
        )

    def kills(self) -> int:
        """How many programs the kernel has ended in it."""
        for name in ("memory.events", "memory.oom_control"):
            with suppress(OSError):
                text = (self.folder / name).read_text()
                return sum(int(n) for n in re.findall(r"^oom_kill (\d+)", text, re.MULTILINE))
        raise AssertionError("the group counts no kills")


@pytest.fixture
def group() -> Iterator[MemoryGroup]:
    limits = ((GROUPS / "memory", "memory.limit_in_bytes"), (GROUPS, "memory.max"))
    for parent, name in limits:
        folder = parent / f"tfbuild-test-{os.getpid()}"
        try:
            folder.mkdir()
            (folder / name).write_text(str(LIMIT_MB << 20))
        except OSError:
            with suppress(OSError):
                folder.rmdir()
            continue
        yield MemoryGroup(folder=folder)
        with suppress(OSError):  # a server may take its time to end
            folder.rmdir()
        return
    pytest.skip("needs root and a control group of its own")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    make_tree(tmp_path / "tree", {"mem": (CppFile(memory_mb=600, classes=600),) * 6})
    return tmp_path


@pytest.mark.alone
@pytest.mark.bazel
@pytest.mark.slow
def test_the_bare_command_meets_the_kernel_and_ours_does_not(
    group: MemoryGroup, place: Path, a_bazel: FoundBazel, tmp_path_factory: pytest.TempPathFactory
) -> None:
    bare = (
        a_bazel.path, "--nohome_rc", "--nosystem_rc", "--max_idle_secs=5",
        f"--output_user_root={tmp_path_factory.mktemp('bare')}",
    )  # fmt: skip
    enter = 'cd "$1"; shift; exec "$@"'
    jobs = ("--symlink_prefix=/", "--jobs=4", "--local_cpu_resources=4")
    build = group.run("sh", "-c", enter, "-", str(place / "tree"), *bare, "build", *jobs, "//mem")
    group.run("sh", "-c", enter, "-", str(place / "tree"), *bare, "shutdown")
    assert build.returncode == 1, build.stderr
    assert "Killed" in build.stderr
    before = group.kills()
    assert before > 0

    # A machine that stands still for a second can let a compiler grow unseen; not twice in a row.
    killed = 0
    for work in ("first", "second"):
        shutil.copytree(place / "tree", place / work / "tree")
        driven = group.run(
            sys.executable, "-c", DRIVE, str(place / work), a_bazel.path, a_bazel.version
        )
        assert driven.returncode == 0, driven.stderr
        said = re.search(r"pauses (\d+) narrowed from (\d+)", driven.stdout)
        assert said
        assert int(said[1]) > 0
        killed, before = group.kills() - before, group.kills()
        if not killed:
            break
    assert not killed
    stopped = subprocess.run(["ps", "-eo", "stat,comm"], capture_output=True, text=True, check=True)
    assert not re.search(r"^T\S*\s+cc1plus", stopped.stdout, re.MULTILINE)
